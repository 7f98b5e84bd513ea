"""Photos in: sent, listed, named, deleted, read again; how far they have come."""

import json
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

import anyio.from_thread
import anyio.to_thread
from fastapi import Header, Query, Request
from starlette.responses import JSONResponse, Response

from vision.apps.server.housekeeping import empty_trash
from vision.apps.server.problems import Problem
from vision.apps.server.reading.wishes import Wishes
from vision.apps.server.replies.rounds import RoundReply, RoundsReply, SentReply, TrashReply
from vision.apps.server.routes.models import (
    ListQuery,
    RetryQuery,
    ScanPatch,
    SendQuery,
    WaitQuery,
    clean_text,
)
from vision.apps.server.routes.parts import (
    EVENTS,
    NOTHING,
    House,
    Json,
    PhotoNumber,
    Router,
    ScanId,
    events_reply,
    page_of,
    round_told,
    tells,
)
from vision.apps.server.services import Services
from vision.apps.server.storage import ReadAs, Scan

__all__ = ["router"]

router = Router("/api/v1", "scans")
_BINARY = {"type": "string", "format": "binary"}
_PHOTOS = {"type": "array", "items": _BINARY, "minItems": 1}
_FORM = {"type": "object", "required": ["photo"], "properties": {"photo": _PHOTOS}}
_KINDS = {
    "multipart/form-data": {"schema": _FORM},
    **{f"image/{kind}": {"schema": _BINARY} for kind in ("jpeg", "png", "webp")},
}
_BODIES = {"requestBody": {"required": True, "content": _KINDS}}


@router.post(
    "/scans",
    "Send a photo",
    tells(SentReply, 202) | tells(SentReply, description="Read already, as GET"),
    refuses=(408, 410, 413, 415, 429, 503, 507),
    openapi_extra=_BODIES,
)
async def send_photo(
    house: House,
    request: Request,
    asked: Annotated[SendQuery, Query()],
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    """Take a photo in. 202 with its place; with ``wait`` the finished scan, if in time.

    A form may have several files ``photo``, all of one table, where the game is spread over them.

    Without deck, game and rules the game is found out, what the evening plays first; until it is
    read the reply's ``game`` is null, and ``deck`` the likeliest.

    A retry with the same ``Idempotency-Key`` gives the scan of the first.
    """
    key = clean_text(idempotency_key)[:200] if idempotency_key else None
    order = await anyio.to_thread.run_sync(house.intake.order, asked.wishes(), key or None)
    scan_id, is_new = await house.intake.take(request, order)
    if is_new:
        house.runner.work.ring()
    scan = await _settled(house, scan_id, min(asked.wait, house.settings.wait_seconds))
    body = await anyio.to_thread.run_sync(round_told, house, scan)
    headers = {"Location": f"/api/v1/scans/{scan_id}"}
    if scan.state == "done" and asked.wait:
        document = await anyio.to_thread.run_sync(house.rounds.document, scan, "scan")
        return JSONResponse({**body, "scan": document}, 200, headers)
    return JSONResponse(body, 200 if scan.state in ("done", "failed") else 202, headers)


@router.post(
    "/scans/{scan_id}/photos",
    "Add photos of the same table",
    tells(RoundReply, 202) | tells(RoundReply, description="Read already, or there before; as GET"),
    refuses=(408, 413, 415, 429, 503, 507),
    openapi_extra=_BODIES,
)
async def add_photos(
    house: House, request: Request, scan_id: ScanId, asked: Annotated[WaitQuery, Query()]
) -> Response:
    """Have the table read again from all of its photos; corrections and rulings are kept.

    If nothing comes of it the round stays as it was, and ``error`` says why.
    """
    scan = await anyio.to_thread.run_sync(house.rounds.photographed, scan_id)
    if await house.intake.add(request, scan):
        house.runner.work.ring()
    return await _read_again(house, scan_id, asked.wait)


@router.delete(
    "/scans/{scan_id}/photos/{number}",
    "Take a further photo away",
    tells(RoundReply, 202) | tells(RoundReply, description="Read already, as GET"),
)
async def remove_photo(
    house: House, scan_id: ScanId, number: PhotoNumber, asked: Annotated[WaitQuery, Query()]
) -> Response:
    """Have the table read again without it; the photo that is drawn on, 0, stays."""
    await anyio.to_thread.run_sync(house.rounds.remove_photo, scan_id, number)
    house.runner.work.ring()
    return await _read_again(house, scan_id, asked.wait)


async def _read_again(house: Services, scan_id: str, wait: float) -> Response:
    scan = await _settled(house, scan_id, min(wait, house.settings.wait_seconds))
    body = await anyio.to_thread.run_sync(round_told, house, scan)
    return JSONResponse(body, 200 if scan.state in ("done", "failed") else 202)


async def _settled(house: Services, scan_id: str, seconds: float) -> Scan:
    """Return a scan once it is read or has failed, or as it is after some time."""
    end = time.monotonic() + seconds
    while True:
        scan = await anyio.to_thread.run_sync(house.rounds.scan, scan_id)
        left = end - time.monotonic()
        if scan.state in ("done", "failed") or left <= 0 or house.runner.stopping:
            return scan
        await house.runner.news.wait(min(left, 2.0))


@router.get("/scans", "The rounds, newest first", RoundsReply)
def list_scans(house: House, asked: Annotated[ListQuery, Query()]) -> Json:
    """Return the rounds, with the score of those that are read.

    ``number`` is that in its evening, null where a round does not count or is of none.
    """
    found, following = page_of(
        asked.limit,
        partial(house.storage.records.scans.list, evening=asked.evening, before=asked.before),
        "/api/v1/scans",
        evening=asked.evening,
    )
    told = house.rounds.listed(found, house.settings.scans_listed)
    return {"scans": told, "links": {"next": following}}


@router.get("/scans/{scan_id}", "The state of a photo", RoundReply)
def get_scan(house: House, scan_id: ScanId) -> Json:
    """Return the state of a photo: waiting, reading, done, failed and why; as in the list."""
    return round_told(house, house.rounds.scan(scan_id))


@router.patch("/scans/{scan_id}", "Name a round, put it in an evening", RoundReply)
def change_scan(house: House, scan_id: ScanId, body: ScanPatch) -> Json:
    """Change what is given; an empty evening takes it out of its evening."""
    if body.counted is not None:
        house.rounds.count(scan_id, is_counted=body.counted)
    return round_told(house, house.rounds.change(scan_id, body.name, body.evening))


@router.delete("/scans/{scan_id}", "Delete a round", NOTHING)
def delete_scan(house: House, scan_id: ScanId) -> Response:
    """Delete a round; for some days ``restore`` brings it back. Its links end at once."""
    house.storage.records.scans.delete(house.rounds.scan(scan_id).id, time.time())
    return Response(status_code=204)


@router.post("/scans/{scan_id}/restore", "Bring a deleted round back", RoundReply)
def restore_scan(house: House, scan_id: ScanId) -> Json:
    """Return its state."""
    house.storage.records.scans.restore(scan_id)
    return round_told(house, house.rounds.scan(scan_id))


@router.delete("/trash", "Empty the trash", TrashReply)
def delete_trash(house: House) -> Json:
    """Remove all deleted rounds for good, with their photos: ``restore`` brings none back.

    Photos of the last ten minutes and rounds that are being read go later, by themselves.
    """
    rounds, freed = empty_trash(house.storage)
    free = house.storage.objects.space().free
    return {"rounds": rounds, "freed_mb": freed / 1e6, "free_mb": free / 1e6}


@router.post("/scans/{scan_id}/retry", "Read a failed photo again", RoundReply)
def retry_scan(house: House, scan_id: ScanId, asked: Annotated[RetryQuery, Query()]) -> Json:
    """Return its state. With a deck or a game it is read as a table of that."""
    scan, played = house.rounds.scan(scan_id), None
    if asked.deck is not None or asked.game is not None:
        wishes = Wishes(asked.deck, (), "", scan.evening, asked.game)
        order = house.intake.order(wishes, None)
        played = ReadAs(order.deck, order.game, json.dumps(order.rules))
    house.storage.records.jobs.retry(scan.id, played)
    anyio.from_thread.run_sync(house.runner.work.ring)
    return round_told(house, house.rounds.scan(scan_id))


@router.get("/scans/{scan_id}/events", "Progress as server-sent events", EVENTS)
async def scan_events(house: House, scan_id: ScanId) -> Response:
    """Tell each change of state and stage until the photo is read."""
    first = await anyio.to_thread.run_sync(house.rounds.scan, scan_id)
    return events_reply(_events(house, first))


async def _events(house: Services, scan: Scan) -> AsyncIterator[str]:
    last = ""
    while True:
        status = await anyio.to_thread.run_sync(house.rounds.status, scan)
        text = json.dumps(status)
        if text != last:
            last = text
            yield f"event: state\ndata: {text}\n\n"
        else:
            yield ": still there\n\n"
        if scan.state in ("done", "failed") or house.runner.stopping:
            return
        await house.runner.news.wait(5.0)
        try:
            scan = await anyio.to_thread.run_sync(house.rounds.scan, scan.id)
        except Problem:
            return
