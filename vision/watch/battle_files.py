"""What one table of a battle tells another, as JSON: times are seconds since 1970, by its clock."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import ConfigDict, Field

from vision.files.layouts import card_to_json, issue_to_json, to_card
from vision.files.messages import message_from_json, message_to_json
from vision.files.schemas import CardModel, IssueModel, Model, Name, Number, Place
from vision.texts import Texts
from vision.values.messages import Issue
from vision.watch.battle import SharedCard, SharedReading, SharedTable

__all__ = ["BattleTable", "battle_from_json", "battle_to_json", "reading_to_json"]

Json = dict[str, Any]
_MOST = 200  # cards of one table
Epoch = Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]


class BattleCard(Model):
    """A card that lies on a table, in the table's own frame, and when it came to lie."""

    card: Name
    x_mm: Place
    y_mm: Place
    theta_deg: Number
    at: Number


class BattleReading(Model):
    """The table of a verdict; ``joint`` is the covariance of all poses: mm, mm, rad of each."""

    cards: Annotated[list[CardModel], Field(max_length=_MOST)]
    joint: Annotated[list[list[Number]], Field(max_length=3 * _MOST)]
    issues: Annotated[list[Json], Field(max_length=1000)]


class BattleTable(Model):
    """How a table of a battle stands; ``sightline/battle-table@1``.

    ``knows`` is when that verdict of the other table was given which is known here, by its clock:
    it need not be told again. ``ahead_s`` is by how much the clock of the table that asks is ahead
    of that of the other, as its round trips tell.
    """

    model_config = ConfigDict(defer_build=False)

    schema_: Annotated[Literal["sightline/battle-table@1"], Field(alias="schema")]
    id: Annotated[str, Field(pattern="^[0-9a-f]{20}$", examples=["0f3a9c2b7d1e4f5a6b7c"])]
    game: Name
    deck: Name
    rules: Annotated[Json, Field(examples=[{}])]
    received: Annotated[Epoch, Field(description="When the other's word came in.")]
    sent: Epoch
    ahead_s: Number | None
    knows: Number | None
    cards: Annotated[list[BattleCard], Field(max_length=_MOST)]
    stopped: Annotated[Number | None, Field(description="When its round was ended for good.")]
    judged: Annotated[Number | None, Field(description="When its verdict was given.")]
    read: BattleReading | None


def battle_to_json(table: SharedTable) -> Json:
    """Return cards, stop and verdict of a table, with its own times; not what was read."""
    cards = [
        {
            "card": card.card,
            "x_mm": round(float(card.pose[0]), 4),
            "y_mm": round(float(card.pose[1]), 4),
            "theta_deg": round(float(np.degrees(card.pose[2])), 5),
            "at": float(card.at_s),
        }
        for card in table.cards
    ]
    return {"cards": cards, "stopped": table.stopped_s, "judged": table.judged_s}


def reading_to_json(read: SharedReading, words: Texts) -> Json:
    """Return what a verdict's pictures show."""
    issues = [issue_to_json(issue, words) for issue in read.doubts]
    for told, issue in zip(issues, read.doubts, strict=True):
        told["said"] = None if issue.said is None else message_to_json(issue.said)
    cards = [card_to_json(card) for card in read.cards]
    return {"cards": cards, "joint": read.joint_covariance.tolist(), "issues": issues}


def battle_from_json(
    told: Json, read: Json | None, words: tuple[Texts, ...], *, is_first: bool
) -> SharedTable:
    """Return a table as :func:`battle_to_json` and :func:`reading_to_json` wrote it.

    Raises
    ------
    ValueError
        If it is not one.
    """
    cards = tuple(
        SharedCard(
            card["card"],
            np.array([card["x_mm"], card["y_mm"], np.radians(card["theta_deg"])], np.float64),
            card["at"],
        )
        for card in told["cards"]
    )
    reading = None if read is None else _reading(read, words)
    judged_s = told["judged"] if reading is not None else None
    return SharedTable(cards, is_first, told["stopped"], reading, judged_s)


def _reading(told: Json, words: tuple[Texts, ...]) -> SharedReading:
    cards = tuple(to_card(CardModel.model_validate(card)) for card in told["cards"])
    joint = np.array(told["joint"], np.float64).reshape(-1, 3 * len(cards)) if cards else None
    if joint is None or joint.shape != (3 * len(cards), 3 * len(cards)):
        msg = f"joint: expected the covariance of {len(cards)} cards"
        raise ValueError(msg)
    return SharedReading(cards, joint, tuple(_issue(issue, words) for issue in told["issues"]))


def _issue(told: Json, words: tuple[Texts, ...]) -> Issue:
    """Return a doubt; in the words of the other table where this program has none for it."""
    issue = IssueModel.model_validate({k: v for k, v in told.items() if k in _OF_ISSUE})
    said = None
    try:
        if told.get("said"):
            said = message_from_json(told["said"])
            for one in words:  # it has words here in every language
                one.tell(said)
    except (LookupError, TypeError, ValueError, AttributeError):
        said = None
    return Issue(issue.code, issue.message, tuple(issue.cards), issue.severity, said)


_OF_ISSUE = ("code", "cards", "message", "severity")
