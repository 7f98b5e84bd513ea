"""Drafts of decks: photos of cards laid out in; cards to be named out; then a deck."""

from typing import Annotated

import anyio.to_thread
from fastapi import Path, Request
from pydantic import AfterValidator
from starlette.responses import Response

from calibration.drafts.finish import TEMPLATES
from calibration.learned.names import clean_deck_name
from vision.apps.server.replies.games import DeckReply, DraftReply, DraftsReply
from vision.apps.server.routes.models import DraftBody, DraftCardPatch, FinishBody, NamesBody
from vision.apps.server.routes.parts import House, Json, Router, problems, tells

__all__ = ["router"]

router = Router(
    prefix="/api/v1/drafts", tags=["decks"], responses=problems(400, 401, 404, 409, 422)
)
_JPEG = "image/jpeg"
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_BODY = {"required": True, "content": {"image/jpeg": _BINARY, "image/png": _BINARY}}
DraftName = Annotated[str, Path(max_length=200), AfterValidator(clean_deck_name)]
CardId = Annotated[str, Path(pattern=r"^[0-9a-f]{8}$", description="Of a card in the draft.")]


@router.get(
    "",
    summary="The drafts of decks, and the boxes whose names are known",
    responses=tells(DraftsReply),
)
def list_drafts(house: House) -> Json:
    """Return each with how many cards it has, and how many of them have names."""
    return {"drafts": house.drafts.all(), "templates": list(TEMPLATES)}


@router.post(
    "", status_code=201, summary="Begin a deck from photos", responses=tells(DraftReply, 201)
)
def begin_draft(house: House, body: DraftBody) -> Json:
    """Begin it with the cards' size, or with what of known size will lie beside them."""
    return house.drafts.begin(body.name, body.size_mm, body.beside)


@router.get("/{name}", summary="A draft", responses=tells(DraftReply))
def get_draft(house: House, name: DraftName) -> Json:
    """Return its cards, in the order in which they were found."""
    return house.drafts.told(name)


@router.delete("/{name}", status_code=204, summary="Forget a draft")
def forget_draft(house: House, name: DraftName) -> Response:
    """Remove it with its pictures; a deck that was made of it stays."""
    house.drafts.forget(name)
    return Response(status_code=204)


@router.post(
    "/{name}/photos",
    summary="Put a photo to a draft",
    openapi_extra={"requestBody": _BODY},
    responses=tells(DraftReply) | problems(408, 413, 415, 429, 507),
)
async def add_photo(house: House, request: Request, name: DraftName) -> Json:
    """Cut the cards out of a photo; those that are known already get the cleaner."""
    encoded = await request.body()

    def add() -> Json:
        house.intake.check_space()
        return house.drafts.add(name, encoded)

    return await anyio.to_thread.run_sync(add)


@router.patch(
    "/{name}/cards/{card}", summary="Name, drop, turn or pair a card", responses=tells(DraftReply)
)
def change_card(house: House, name: DraftName, card: CardId, body: DraftCardPatch) -> Json:
    """Change what is given; return the draft."""
    return house.drafts.change(name, card, body.model_dump(exclude_none=True))


@router.get(
    "/{name}/cards/{card}.jpg",
    summary="A card of a draft",
    responses={200: {"content": {_JPEG: {}}}},
)
def get_card(house: House, name: DraftName, card: CardId) -> Response:
    """Return its picture as it is to be learned."""
    headers = {"Cache-Control": "private, no-cache"}
    return Response(house.drafts.face(name, card), media_type=_JPEG, headers=headers)


@router.post(
    "/{name}/names", summary="Name all cards of a draft at once", responses=tells(DraftReply)
)
def name_cards(house: House, name: DraftName, body: NamesBody) -> Json:
    """Name them in order, by a list (one a line) or by a box; return the draft."""
    return house.drafts.name(name, body.text, body.template)


@router.post(
    "/{name}/deck",
    status_code=201,
    summary="Make the deck of a draft",
    responses=tells(DeckReply, 201),
)
async def finish_draft(house: House, name: DraftName, body: FinishBody) -> Json:
    """Make it of the cards that have names; return what it is."""

    def finish() -> Json:
        house.drafts.finish(name, replace=body.replace)
        return house.decks.told(name)

    return await anyio.to_thread.run_sync(finish)
