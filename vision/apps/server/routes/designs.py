"""What the cards of a learned deck do, entered by hand: design by design, then the deck has it."""

from typing import Annotated, Literal

from fastapi import Path
from pydantic import AfterValidator
from starlette.responses import JSONResponse, Response

from calibration.learned.names import clean_card_name
from vision.apps.server.routes.decks import Learned
from vision.apps.server.routes.models import DesignBody, LookBody, StepBody
from vision.apps.server.routes.parts import House, Router, attached, problems
from vision.games.light_speed.deck_form import DesignForm
from vision.games.light_speed.entry_json import EntryModel

__all__ = ["router"]

router = Router(
    prefix="/api/v1/decks/{name}",
    tags=["decks"],
    responses=problems(400, 401, 404, 409, 422),
)
_TOML = "application/toml"
Design = Annotated[
    str,
    Path(
        max_length=200,
        description="What cards are called after their team: moth of red-moth, once for all teams.",
    ),
    AfterValidator(clean_card_name),
]


@router.get("/designs", summary="What is entered of a deck", response_model=EntryModel)
def get_entry(house: House, name: Learned) -> Response:
    """Return all that is entered so far, and what the deck's reader would say of it."""
    return JSONResponse(house.designs.told(name))


@router.put("/designs/{design}", summary="Enter what a design does", response_model=EntryModel)
def put_design(house: House, name: Learned, design: Design, body: DesignBody) -> Response:
    """Keep it whole, as in a deck file; the deck itself does not change yet."""
    form = DesignForm.model_validate(body.model_dump(exclude={"revision"}))
    return JSONResponse(house.designs.put(name, design, form, body.revision))


@router.post(
    "/designs/{design}/{step}", summary="Undo or redo a step of a design", response_model=EntryModel
)
def step_design(
    house: House, name: Learned, design: Design, step: Literal["undo", "redo"], body: StepBody
) -> Response:
    """Take it back, or again; each design has steps of its own."""
    return JSONResponse(house.designs.step(name, design, step, body.revision))


@router.put(
    "/designs/{design}/looked_at",
    summary="Say that a card is so",
    response_model=EntryModel,
)
def look_at_card(house: House, name: Learned, design: Design, body: LookBody) -> Response:
    """Keep that somebody looked at it; what is changed later wants another look."""
    return JSONResponse(
        house.designs.look(name, design, body.card, is_so=body.is_so, revision=body.revision)
    )


@router.post("/designs", summary="Play by what is entered", response_model=EntryModel)
def finish_entry(house: House, name: Learned) -> Response:
    """Give it the deck file of all that is entered: 422 if that has mistakes or is not whole."""
    return JSONResponse(house.designs.finish(name))


@router.get(
    "/designs.toml",
    summary="What is entered as a deck file",
    responses={200: {"content": {_TOML: {"schema": {"type": "string"}}}}},
)
def get_file(house: House, name: Learned) -> Response:
    """Return the deck file that ``sightline deck learn --lasers`` takes."""
    headers = attached(f"{name}.toml")
    return Response(house.designs.file(name), media_type=_TOML, headers=headers)
