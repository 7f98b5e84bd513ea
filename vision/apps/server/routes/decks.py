"""Decks: kept, changed, packed, shared by link; learned from photos, entered card by card."""

from typing import Annotated, Literal

import anyio.to_thread
from fastapi import Body, Path, Query, Request
from pydantic import AfterValidator
from starlette.responses import JSONResponse, Response

from calibration.drafts.finish import TEMPLATES
from calibration.learned.archive import SUFFIX
from calibration.learned.names import clean_card_name, clean_deck_name
from calibration.learned.shelf import split_reference
from vision.apps.decks import all_names, named_deck, to_document
from vision.apps.server.problems import Problem
from vision.apps.server.replies.evenings import LinkReply, LinksReply
from vision.apps.server.replies.games import DeckReply, DecksReply, DraftReply, DraftsReply
from vision.apps.server.routes.models import (
    DeckBody,
    DesignBody,
    DraftBody,
    DraftCardPatch,
    FinishBody,
    LookBody,
    NamesBody,
    ShareBody,
    StepBody,
)
from vision.apps.server.routes.parts import (
    NOTHING,
    House,
    Json,
    Router,
    ShareToken,
    attached,
    code_reply,
    outside,
    sends,
    tells,
)
from vision.apps.server.storage.deck_links import DeckLink
from vision.apps.server.times import dated
from vision.games.light_speed.deck_form import DesignForm
from vision.games.light_speed.entry_json import EntryModel
from vision.games.light_speed.schemas import DeckModel

__all__ = ["designs", "drafts", "router"]

designs = Router("/api/v1/decks/{name}", "decks", refuses=(400, 401, 404, 409, 422))
_TOML = "application/toml"
Design = Annotated[
    str,
    Path(
        max_length=200,
        description="What cards are called after their team: moth of red-moth, once for all teams.",
    ),
    AfterValidator(clean_card_name),
]
drafts = Router("/api/v1/drafts", "decks", refuses=(400, 401, 404, 409, 422))
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_PHOTO_KINDS = {"image/jpeg": _BINARY, "image/png": _BINARY}
_PHOTO_BODY = {"requestBody": {"required": True, "content": _PHOTO_KINDS}}
DraftName = Annotated[str, Path(max_length=200), AfterValidator(clean_deck_name)]
CardId = Annotated[str, Path(pattern=r"^[0-9a-f]{8}$", description="Of a card in the draft.")]


router = Router("/api/v1", "decks", refuses=(400, 401, 404, 409, 422))
_ZIP = "application/zip"
_JPEG = "image/jpeg"
_KINDS = {_ZIP: _BINARY, "application/octet-stream": _BINARY}
_BODY = {"requestBody": {"content": _KINDS, "required": True}}
_A_MONTH = ShareBody()
Learned = Annotated[
    str,
    Path(max_length=200, description="A deck learned from pictures."),
    AfterValidator(clean_deck_name),
]
Card = Annotated[
    str, Path(max_length=200, description="One of its cards."), AfterValidator(clean_card_name)
]
NewName = Annotated[
    str,
    Query(max_length=200, description="If another."),
    AfterValidator(lambda name: name and clean_deck_name(name)),
]
Wide = Annotated[int, Query(ge=200, le=4000, description="Width in pixels.")]


@router.get("/decks", "The decks", DecksReply)
def get_decks(house: House) -> Json:
    """Return the names of all decks, the program's own first; and what the learned ones are."""
    return {"decks": list(all_names(house.settings.decks)), "learned": house.decks.all()}


@router.get("/decks/{name}", "Every number of a deck", DeckModel)
def get_deck(house: House, name: Annotated[str, Path(max_length=100)]) -> Response:
    """Return ``sightline/deck@1``; of a learned deck with the ids of its ``cards``."""
    return JSONResponse(to_document(named_deck(name, house.settings.decks)))


@router.post(
    "/decks",
    "Take in the file of a deck",
    tells(DeckReply, 201),
    refuses=(408, 413, 507),
    openapi_extra=_BODY,
)
async def import_deck(house: House, request: Request, name: NewName = "") -> Json:
    """Take a ``.sightline-deck`` that an export gave; the same again changes nothing."""
    packed = await request.body()

    def take() -> Json:
        house.intake.check_space()
        return house.decks.take(packed, name)

    return await anyio.to_thread.run_sync(take)


@router.patch("/decks/{name}", "Rename a deck", DeckReply)
def rename_deck(house: House, name: Learned, body: DeckBody) -> Json:
    """Give it another name; rounds that were read with it remember it as it was."""
    return house.decks.rename(name, body.name)


@router.post("/decks/{name}/copy", "Duplicate a deck", tells(DeckReply, 201))
def copy_deck(house: House, name: Learned, body: DeckBody) -> Json:
    """Make another deck of it."""
    return house.decks.copy(name, body.name)


@router.delete("/decks/{name}", "Delete a deck", NOTHING)
def delete_deck(house: House, name: Learned) -> Response:
    """Delete it; for some days ``restore`` brings it back. Rounds keep it as it was."""
    house.decks.delete(name)
    return Response(status_code=204)


@router.post("/decks/{name}/restore", "Bring a deleted deck back", DeckReply)
def restore_deck(house: House, name: Learned) -> Json:
    """Return what it is."""
    return house.decks.restore(name)


@router.get("/decks/{name}/file", "A deck as one file", sends(_ZIP))
def export_deck(house: House, name: Learned) -> Response:
    """Return ``NAME.sightline-deck``."""
    return _file(house.decks.packed(name), name)


@router.get("/decks/{name}/preview.jpg", "All faces of a deck", sends(_JPEG))
def preview_deck(house: House, name: Learned, width: Wide = 1200) -> Response:
    """Return them in rows."""
    return _picture(house.decks.preview(name, width))


@router.get("/decks/{name}/cards/{card}.jpg", "A card's face", sends(_JPEG))
def get_face(house: House, name: Learned, card: Card) -> Response:
    """Return it."""
    return _picture(house.decks.face(name, card))


@router.post("/decks/{name}/shares", "Make a link to a deck", tells(LinkReply, 201))
def share_deck(house: House, name: Learned, body: Annotated[ShareBody, Body()] = _A_MONTH) -> Json:
    """Make a link by which others look at the deck as it is now, and get its file."""
    return _plain(house.decks.share(name, body.days))


@router.get("/decks/{name}/shares", "The links to a deck", LinksReply)
def list_links(house: House, name: Learned) -> Json:
    """Return those that hold."""
    return {"shares": [_plain(link) for link in house.decks.links.list(name)]}


@router.delete("/deck-shares/{token}", "End a link to a deck", NOTHING)
def end_link(house: House, token: ShareToken) -> Response:
    """End it at once."""
    if not house.decks.links.end(token):
        raise Problem(404, "not_found", "there is no such link")
    return Response(status_code=204)


@router.get("/shared-decks/{token}", "The deck that a link leads to", DeckReply)
def shared_deck(house: House, token: ShareToken) -> Json:
    """Return what it is."""
    return house.decks.told(house.decks.shared(token))


@router.get("/shared-decks/{token}/file", "Its file", sends(_ZIP))
def shared_file(house: House, token: ShareToken) -> Response:
    """Return ``NAME.sightline-deck``."""
    reference = house.decks.shared(token)
    return _file(house.decks.packed(reference), split_reference(reference)[0])


@router.get("/shared-decks/{token}/preview.jpg", "Its faces", sends(_JPEG))
def shared_preview(house: House, token: ShareToken, width: Wide = 1200) -> Response:
    """Return them in rows."""
    return _picture(house.decks.preview(house.decks.shared(token), width))


@router.get(
    "/shared-decks/{token}/qr.svg",
    "Its address as a QR code",
    sends("image/svg+xml"),
)
def shared_code(house: House, request: Request, token: ShareToken) -> Response:
    """Return the code of the link as others reach it."""
    house.decks.shared(token)
    return code_reply(f"{outside(house, request)}/d/{token}")


def _plain(link: DeckLink) -> Json:
    url = f"/d/{link.token}"
    dates = dated(created=link.created, expires=link.expires)
    return {"token": link.token, "url": url, **dates}


def _file(packed: bytes, name: str) -> Response:
    headers = attached(f"{name}{SUFFIX}")
    return Response(packed, media_type=_ZIP, headers=headers)


def _picture(encoded: bytes) -> Response:
    return Response(encoded, media_type=_JPEG, headers={"Cache-Control": "private, no-cache"})


# --- what the cards of a learned deck do, entered by hand ----------------------------------------


@designs.get("/designs", "What is entered of a deck", EntryModel)
def get_entry(house: House, name: Learned) -> Response:
    """Return all that is entered so far, and what the deck's reader would say of it."""
    return JSONResponse(house.decks.designs.told(name))


@designs.put("/designs/{design}", "Enter what a design does", EntryModel)
def put_design(house: House, name: Learned, design: Design, body: DesignBody) -> Response:
    """Keep it whole, as in a deck file; the deck itself does not change yet."""
    form = DesignForm.model_validate(body.model_dump(exclude={"revision"}))
    return JSONResponse(house.decks.designs.put(name, design, form, body.revision))


@designs.post("/designs/{design}/{step}", "Undo or redo a step of a design", EntryModel)
def step_design(
    house: House, name: Learned, design: Design, step: Literal["undo", "redo"], body: StepBody
) -> Response:
    """Take it back, or again; each design has steps of its own."""
    return JSONResponse(house.decks.designs.step(name, design, step, body.revision))


@designs.put("/designs/{design}/looked_at", "Say that a card is so", EntryModel)
def look_at_card(house: House, name: Learned, design: Design, body: LookBody) -> Response:
    """Keep that somebody looked at it; what is changed later wants another look."""
    return JSONResponse(
        house.decks.designs.look(name, design, body.card, is_so=body.is_so, revision=body.revision)
    )


@designs.post("/designs", "Play by what is entered", EntryModel)
def finish_entry(house: House, name: Learned) -> Response:
    """Give it the deck file of all that is entered: 422 if that has mistakes or is not whole."""
    return JSONResponse(house.decks.designs.finish(name))


@designs.get(
    "/designs.toml",
    "What is entered as a deck file",
    {200: {"content": {_TOML: {"schema": {"type": "string"}}}}},
)
def get_file(house: House, name: Learned) -> Response:
    """Return the deck file that ``sightline deck learn --lasers`` takes."""
    headers = attached(f"{name}.toml")
    return Response(house.decks.designs.file(name), media_type=_TOML, headers=headers)


# --- drafts of decks -----------------------------------------------------------------------------


@drafts.get("", "The drafts of decks, and the boxes whose names are known", DraftsReply)
def list_drafts(house: House) -> Json:
    """Return each with how many cards it has, and how many of them have names."""
    return {"drafts": house.decks.drafts.all(), "templates": list(TEMPLATES)}


@drafts.post("", "Begin a deck from photos", tells(DraftReply, 201))
def begin_draft(house: House, body: DraftBody) -> Json:
    """Begin it with the cards' size, or with what of known size will lie beside them."""
    return house.decks.drafts.begin(body.name, body.size_mm, body.beside)


@drafts.get("/{name}", "A draft", DraftReply)
def get_draft(house: House, name: DraftName) -> Json:
    """Return its cards, in the order in which they were found."""
    return house.decks.drafts.told(name)


@drafts.delete("/{name}", "Forget a draft", NOTHING)
def forget_draft(house: House, name: DraftName) -> Response:
    """Remove it with its pictures; a deck that was made of it stays."""
    house.decks.drafts.forget(name)
    return Response(status_code=204)


@drafts.post(
    "/{name}/photos",
    "Put a photo to a draft",
    DraftReply,
    refuses=(408, 413, 415, 429, 507),
    openapi_extra=_PHOTO_BODY,
)
async def add_photo(house: House, request: Request, name: DraftName) -> Json:
    """Cut the cards out of a photo; those that are known already get the cleaner."""
    encoded = await request.body()

    def add() -> Json:
        house.intake.check_space()
        return house.decks.drafts.add(name, encoded)

    return await anyio.to_thread.run_sync(add)


@drafts.patch("/{name}/cards/{card}", "Name, drop, turn or pair a card", DraftReply)
def change_card(house: House, name: DraftName, card: CardId, body: DraftCardPatch) -> Json:
    """Change what is given; return the draft."""
    return house.decks.drafts.change(name, card, body.model_dump(exclude_none=True))


@drafts.get("/{name}/cards/{card}.jpg", "A card of a draft", sends(_JPEG))
def get_card(house: House, name: DraftName, card: CardId) -> Response:
    """Return its picture as it is to be learned."""
    headers = {"Cache-Control": "private, no-cache"}
    return Response(house.decks.drafts.face(name, card), media_type=_JPEG, headers=headers)


@drafts.post("/{name}/names", "Name all cards of a draft at once", DraftReply)
def name_cards(house: House, name: DraftName, body: NamesBody) -> Json:
    """Name them in order, by a list (one a line) or by a box; return the draft."""
    return house.decks.drafts.name(name, body.text, body.template)


@drafts.post("/{name}/deck", "Make the deck of a draft", tells(DeckReply, 201))
def finish_draft(house: House, name: DraftName, body: FinishBody) -> Json:
    """Make it of the cards that have names; return what it is."""
    house.decks.drafts.finish(name, replace=body.replace)
    return house.decks.told(name)
