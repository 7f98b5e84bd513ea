"""Corrections by hand: the log, a change, undo, redo."""

from typing import Annotated

from fastapi import Body, Path

from vision.apps.server.replies.orders import SettingsReply
from vision.apps.server.replies.rounds import EditsReply, RulingsReply, ViewReply
from vision.apps.server.rounds.placed import settings_of
from vision.apps.server.rounds.rounds import ruled
from vision.apps.server.routes.models import EditBody, RevisionBody
from vision.apps.server.routes.parts import House, Json, PartyId, Router, ScanId, problems, tells

__all__ = ["router"]

router = Router(
    prefix="/api/v1/scans/{scan_id}",
    tags=["corrections"],
    responses=problems(400, 401, 404, 409, 422, 503),
)
_ANY_REVISION = RevisionBody()


@router.get("/edits", summary="The log of corrections", responses=tells(EditsReply))
def list_edits(house: House, scan_id: ScanId) -> Json:
    """Return every change, undo and redo, in order."""
    log = house.rounds.log(house.desk.scan(scan_id).id)
    entries = [{"seq": k, "kind": kind, "change": body} for k, (kind, body) in enumerate(log, 1)]
    return {"edits": entries}


@router.get(
    "/pieces/{piece}/settings", summary="What may be set of a piece", responses=tells(SettingsReply)
)
def piece_settings(house: House, scan_id: ScanId, piece: PartyId) -> Json:
    """Return its settings: each with choices in words, and the change that sets it so."""
    return {"settings": settings_of(house.rounds.get(house.desk.scan(scan_id)), piece)}


@router.post("/edits", summary="Correct by hand", responses=tells(ViewReply))
def add_edit(house: House, scan_id: ScanId, body: EditBody) -> Json:
    """Apply a change and resolve the round again; returns the round as it then stands."""
    kind = str(body.change.get("kind", "change"))
    return house.desk.correct(scan_id, kind, body.change, body.revision)


@router.get(
    "/rulings/{event_id}",
    summary="What each ruling would make of the score",
    responses=tells(RulingsReply),
)
def list_rulings(
    house: House,
    scan_id: ScanId,
    event_id: Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,120}$", description="Of its ledger.")],
) -> Json:
    """Return scores and headline for each choice of an event, in their order."""
    return ruled(house.rounds.get(house.desk.scan(scan_id)), event_id)


@router.post("/undo", summary="Undo a correction", responses=tells(ViewReply))
def undo(
    house: House, scan_id: ScanId, body: Annotated[RevisionBody, Body()] = _ANY_REVISION
) -> Json:
    """Return the round as it then stands."""
    return house.desk.correct(scan_id, "undo", {}, body.revision)


@router.post("/redo", summary="Do it again", responses=tells(ViewReply))
def redo(
    house: House, scan_id: ScanId, body: Annotated[RevisionBody, Body()] = _ANY_REVISION
) -> Json:
    """Return the round as it then stands."""
    return house.desk.correct(scan_id, "redo", {}, body.revision)
