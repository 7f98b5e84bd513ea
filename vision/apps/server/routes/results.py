"""Rounds out: what the page shows, files of the contract, pictures; corrected, shared by link."""

import time
from typing import Annotated

import anyio.to_thread
from fastapi import Body, Path, Query
from starlette.responses import Response

from vision.apps.server.problems import Problem
from vision.apps.server.replies.evenings import LinkReply, LinksReply
from vision.apps.server.replies.orders import SettingsReply
from vision.apps.server.replies.rounds import (
    DocumentReply,
    EditsReply,
    RoundReply,
    RulingsReply,
    ViewReply,
)
from vision.apps.server.rounds.placed import settings_of
from vision.apps.server.rounds.played import ruled
from vision.apps.server.rounds.reported import report_of
from vision.apps.server.routes.models import EditBody, ReportQuery, RevisionBody, ShareBody
from vision.apps.server.routes.parts import (
    MEDIA,
    NOTHING,
    House,
    Json,
    Kind,
    PartyId,
    PhotoNumber,
    Router,
    ScanId,
    ShareToken,
    lasting_reply,
    picture_reply,
    round_told,
    sends,
    tells,
)
from vision.apps.server.storage import Share
from vision.apps.server.times import dated

__all__ = ["corrections", "links", "router"]

corrections = Router("/api/v1/scans/{scan_id}", "corrections")
_ANY_REVISION = RevisionBody()
links = Router("/api/v1", "links")
_A_MONTH = ShareBody()


router = Router("/api/v1/scans/{scan_id}", "results")


@router.get("/round", "Everything the page shows", ViewReply)
def get_round(house: House, scan_id: ScanId) -> Json:
    """Return the round in the pixels of the photo: cards, shots, steps, score over time."""
    return house.rounds.view(house.rounds.scan(scan_id))


@router.get("/{document}.json", "scan, table or resolution", DocumentReply)
def get_document(
    house: House,
    scan_id: ScanId,
    document: Annotated[str, Path(pattern="^(scan|table|resolution)$")],
) -> Json:
    """Return a file of the contract, with all corrections in it."""
    return house.rounds.document(house.rounds.scan(scan_id), document)


@router.get("/photo.jpg", "The upright photo, without metadata", sends("image/jpeg"))
def get_photo(house: House, scan_id: ScanId) -> Response:
    """Return the picture that the page shows."""
    return lasting_reply(house.rounds.pictures.photo(house.rounds.scan(scan_id)), "table.jpg")


@router.get("/photos/{number}.jpg", "One of several photos", sends("image/jpeg"))
def get_one_photo(house: House, scan_id: ScanId, number: PhotoNumber) -> Response:
    """Return an upright photo: 0 is the one that is drawn on, the others follow."""
    picture = house.rounds.pictures.photo(house.rounds.scan(scan_id), number)
    return lasting_reply(picture, f"table-{number}.jpg")


@router.get("/thumb.jpg", "The photo in small", sends("image/jpeg"))
async def get_thumb(house: House, scan_id: ScanId) -> Response:
    """Return the picture for lists."""
    scan = await anyio.to_thread.run_sync(house.rounds.scan, scan_id)
    return lasting_reply(await house.rounds.pictures.thumb(scan), "table-small.jpg")


@router.get(
    "/picture.{kind}",
    "The annotated picture, or the replay",
    sends(*MEDIA.values()),
)
async def get_picture(house: House, scan_id: ScanId, kind: Kind) -> Response:
    """Return png, jpg, webp or svg; ``replay.webp``, ``replay.gif`` and ``replay.mp4`` move.

    MP4 where the extra ``video`` is installed, else 406.
    """
    scan = await anyio.to_thread.run_sync(house.rounds.scan, scan_id)
    return picture_reply(await house.rounds.pictures.of_round(scan, kind), kind)


@router.get(
    "/next.png",
    "What is to be set up for the next round, from above",
    sends("image/png"),
)
def get_next_picture(house: House, scan_id: ScanId) -> Response:
    """Return the position after the round; 409 if the game is over."""
    content = house.rounds.typed.picture_of_next(house.rounds.scan(scan_id))
    return Response(content, media_type="image/png", headers={"Cache-Control": "private, no-cache"})


@router.post("/next", "Play on without a photo", tells(RoundReply, 201))
def go_on(house: House, scan_id: ScanId) -> Json:
    """Make a round of the position after this one, drawn from above; 409 if the game is over."""
    house.intake.check_room()
    following = house.rounds.typed.go_on(house.rounds.scan(scan_id))
    return round_told(house, house.rounds.scan(following))


@router.get(
    "/report.zip",
    "This is wrong: the round in one file",
    sends("application/zip"),
)
def get_report(house: House, scan_id: ScanId, asked: Annotated[ReportQuery, Query()]) -> Response:
    """Pack photos, scan, corrections and version for a bug report; ``sightline scan`` opens it.

    Photos go without metadata: as they are, the first with all beside the table left out, or none.
    """
    scan = house.rounds.scan(scan_id)
    content = report_of(house.rounds.played, scan, asked.photo, asked.note)
    name = f"sightline-report-{scan.id[:8]}.zip"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "private, no-store",
    }
    return Response(content, media_type="application/zip", headers=headers)


# --- corrections by hand -------------------------------------------------------------------------


@corrections.get("/edits", "The log of corrections", EditsReply)
def list_edits(house: House, scan_id: ScanId) -> Json:
    """Return every change, undo and redo, in order."""
    log = house.rounds.played.log(house.rounds.scan(scan_id).id)
    entries = [{"seq": k, "kind": kind, "change": body} for k, (kind, body) in enumerate(log, 1)]
    return {"edits": entries}


@corrections.get("/pieces/{piece}/settings", "What may be set of a piece", SettingsReply)
def piece_settings(house: House, scan_id: ScanId, piece: PartyId) -> Json:
    """Return its settings: each with choices in words, and the change that sets it so."""
    return {"settings": settings_of(house.rounds.get(scan_id), piece)}


@corrections.post("/edits", "Correct by hand", ViewReply)
def add_edit(house: House, scan_id: ScanId, body: EditBody) -> Json:
    """Apply a change and resolve the round again; returns the round as it then stands."""
    kind = str(body.change.get("kind", "change"))
    return house.rounds.correct(scan_id, kind, body.change, body.revision)


@corrections.get("/rulings/{event_id}", "What each ruling would make of the score", RulingsReply)
def list_rulings(
    house: House,
    scan_id: ScanId,
    event_id: Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,120}$", description="Of its ledger.")],
) -> Json:
    """Return scores and headline for each choice of an event, in their order."""
    return ruled(house.rounds.get(scan_id), event_id)


@corrections.post("/undo", "Undo a correction", ViewReply)
def undo(
    house: House, scan_id: ScanId, body: Annotated[RevisionBody, Body()] = _ANY_REVISION
) -> Json:
    """Return the round as it then stands."""
    return house.rounds.correct(scan_id, "undo", {}, body.revision)


@corrections.post("/redo", "Do it again", ViewReply)
def redo(
    house: House, scan_id: ScanId, body: Annotated[RevisionBody, Body()] = _ANY_REVISION
) -> Json:
    """Return the round as it then stands."""
    return house.rounds.correct(scan_id, "redo", {}, body.revision)


# --- links ---------------------------------------------------------------------------------------


def _plain(share: Share) -> Json:
    return {
        "token": share.token,
        "url": f"/s/{share.token}",
        **dated(created=share.created, expires=share.expires),
    }


@links.post("/scans/{scan_id}/shares", "Make a link to a round", tells(LinkReply, 201))
def make_share(
    house: House, scan_id: ScanId, body: Annotated[ShareBody, Body()] = _A_MONTH
) -> Json:
    """Make a link that shows the round to who has it, without the token of the server.

    Where one was made for as many days that has nearly all of them left, it is that one.
    """
    return _plain(house.rounds.share(scan_id, body.days))


@links.get("/scans/{scan_id}/shares", "The links to a round", LinksReply)
def list_shares(house: House, scan_id: ScanId) -> Json:
    """Return those that hold."""
    found = house.storage.records.shares.list(house.rounds.scan(scan_id).id, time.time())
    return {"shares": [_plain(share) for share in found]}


@links.delete("/shares/{token}", "End a link", NOTHING)
def end_share(house: House, token: ShareToken) -> Response:
    """End it at once."""
    if not house.storage.records.shares.end(token):
        raise Problem(404, "not_found", "there is no such link")
    return Response(status_code=204)


@links.get("/shared/{token}/round", "The round that a link leads to", ViewReply)
def shared_round(house: House, token: ShareToken) -> Json:
    """Return it to be looked at, not to be changed."""
    return house.rounds.looked_at(house.rounds.shared(token))


@links.get("/shared/{token}/photo.jpg", "Its photo", sends("image/jpeg"))
def shared_photo(house: House, token: ShareToken) -> Response:
    """Return the picture that the page shows."""
    return lasting_reply(house.rounds.pictures.photo(house.rounds.shared(token)), "table.jpg")


@links.get(
    "/shared/{token}/picture.{kind}",
    "Its pictures",
    sends(*MEDIA.values()),
)
async def shared_picture(house: House, token: ShareToken, kind: Kind) -> Response:
    """Return the annotated picture, or the replay."""
    scan = await anyio.to_thread.run_sync(house.rounds.shared, token)
    return picture_reply(await house.rounds.pictures.of_round(scan, kind), kind)
