"""The form of changes as JSON: what a page sends, checked before anything is done with it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from vision.files.documents import read_document
from vision.files.schemas import Model, Name, PlacePair
from vision.games.light_speed.variants import RuleOptions

__all__ = ["checked_change"]

_MAX_CORNERS = 200  # of an outline drawn by hand

Place = Annotated[float, Field(allow_inf_nan=False)]
Angle = Annotated[float, Field(ge=-3600, le=3600, allow_inf_nan=False)]
Laser = Annotated[int, Field(ge=0, le=99)]


class _Pose(Model):
    card: Name
    x_mm: Place
    y_mm: Place
    theta_deg: Angle


class MoveModel(_Pose):
    """Put a card elsewhere, table frame."""

    kind: Literal["move"]


class AddModel(_Pose):
    """Lay a card that was not seen."""

    kind: Literal["add"]


class IdentifyModel(Model):
    """Give a card another identity."""

    kind: Literal["identify"]
    card: Name
    identity: Name


class RemoveModel(Model):
    """Take a card or an object off the table."""

    kind: Literal["remove"]
    id: Name


class OutlineModel(Model):
    """Mark an outline as an asteroid."""

    kind: Literal["object"]
    id: Name
    outline_mm: Annotated[list[PlacePair], Field(min_length=3, max_length=_MAX_CORNERS)]


class VariantsModel(Model):
    """Play by other variants."""

    kind: Literal["rules"]
    rules: RuleOptions


class DecideModel(Model):
    """The players' word on one shot; ``target`` null is space, ``laser`` counts from 0."""

    kind: Literal["ruling"]
    ship: Name
    laser: Laser
    target: Name | None
    shielded: bool = False


class WithdrawModel(Model):
    """Take a ruling back."""

    kind: Literal["withdraw"]
    ship: Name
    laser: Laser


class ChangeModel(Model):
    """A change of any kind."""

    change: Annotated[
        MoveModel
        | AddModel
        | IdentifyModel
        | RemoveModel
        | OutlineModel
        | VariantsModel
        | DecideModel
        | WithdrawModel,
        Field(discriminator="kind"),
    ]


def checked_change(change: Mapping[str, Any]) -> dict[str, Any]:
    """Return a change with all its fields.

    Raises
    ------
    TableFormatError
        If it has no such form; says where.
    """
    return read_document({"change": dict(change)}, ChangeModel).change.model_dump(mode="json")
