"""Secret orders, the table's part: players seated round a round, the clock, the codes to join."""

import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Annotated

import anyio.to_thread
from fastapi import Body, Path, Request
from starlette.responses import Response, StreamingResponse

from vision.apps.server.problems import Problem
from vision.apps.server.replies.orders import SittingOfRoundReply, SittingReply
from vision.apps.server.routes.models import SittingBody
from vision.apps.server.routes.parts import (
    EVENTS,
    House,
    Json,
    PartyId,
    Router,
    ScanId,
    code_reply,
    events_reply,
    outside,
    problems,
    tells,
)
from vision.apps.server.services import Services

__all__ = ["router", "sitting_events"]

router = Router(
    prefix="/api/v1",
    tags=["orders"],
    responses=problems(400, 401, 404, 409, 422, 503),
)
SittingId = Annotated[str, Path(pattern="^[0-9a-f]{20}$", description="The id of a sitting.")]
_A_MINUTE = SittingBody()
_LOOK_S = 1.0  # another server may have changed it
_SIGN_S = 5.0  # between two signs of life: whoever hears none for 12 s asks anew (`follow.js`)


@router.post(
    "/scans/{scan_id}/sitting",
    status_code=201,
    summary="Order in secret",
    responses=tells(SittingReply, 201),
)
async def begin_sitting(
    house: House, scan_id: ScanId, body: Annotated[SittingBody, Body()] = _A_MINUTE
) -> Json:
    """Seat the players of a round: each joins by an address of his own, ``join``.

    The clock starts when all have joined, or is started. With ``former``, a sitting that is over,
    its players stay at their phones.
    """

    def begin() -> Json:
        seconds = body.seconds or house.settings.order_seconds
        return house.sealed.begin(house.desk.scan(scan_id), seconds, body.former)

    return await _changed(house, begin)


@router.get(
    "/scans/{scan_id}/sitting", summary="Who orders in secret", responses=tells(SittingOfRoundReply)
)
def get_sitting(house: House, scan_id: ScanId) -> Json:
    """Return the sitting of a round, or null; ``former`` is one whose players may come over.

    ``seconds`` is how long the clock runs where nothing else is said.
    """
    told = house.sealed.at(house.desk.scan(scan_id))
    return {**told, "seconds": house.settings.order_seconds}


@router.post(
    "/sittings/{sitting_id}/start", summary="Start the clock", responses=tells(SittingReply)
)
async def start_clock(house: House, sitting_id: SittingId) -> Json:
    """Start it, whoever has joined."""
    return await _changed(house, lambda: house.sealed.start(sitting_id))


@router.post(
    "/sittings/{sitting_id}/seats/{party}/renew",
    summary="Another phone",
    responses=tells(SittingReply),
)
async def renew_seat(house: House, sitting_id: SittingId, party: PartyId) -> Json:
    """Give a seat another address; the phone that had it is out. Its order stays, and sealed."""
    return await _changed(house, lambda: house.sealed.renew(sitting_id, party))


@router.delete("/sittings/{sitting_id}", status_code=204, summary="Call it off")
async def end_sitting(house: House, sitting_id: SittingId) -> Response:
    """End it without its orders: nobody learns them."""
    await anyio.to_thread.run_sync(house.sealed.call_off, sitting_id)
    house.sitting_news.ring()
    return Response(status_code=204)


@router.get(
    "/sittings/{sitting_id}/events",
    summary="Who has joined, who has ordered, as server-sent events",
    response_class=StreamingResponse,
    responses=EVENTS,
)
async def follow_sitting(house: House, sitting_id: SittingId) -> Response:
    """Tell each change until it is over; ``left_s`` is the time left by the server's clock."""
    await anyio.to_thread.run_sync(house.sealed.sitting, sitting_id)
    return sitting_events(
        house, lambda: house.sealed.public(house.sealed.sitting(sitting_id)), is_lasting=False
    )


@router.get(
    "/sittings/{sitting_id}/seats/{party}/qr.svg",
    summary="The address of a seat as QR code",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {}}}},
)
def seat_code(house: House, request: Request, sitting_id: SittingId, party: PartyId) -> Response:
    """Return the code that a player scans."""
    seat = house.sealed.seat(sitting_id, party)
    return code_reply(f"{outside(house, request)}/j/{seat.token}")


async def _changed(house: Services, change: Callable[[], Json]) -> Json:
    """Change a sitting in a thread, and wake who follows one."""
    told = await anyio.to_thread.run_sync(change)
    house.sitting_news.ring()
    return told


def sitting_events(house: Services, look: Callable[[], Json], *, is_lasting: bool) -> Response:
    """Return the changes of what ``look`` sees as they come; until it is over, or lasting."""
    return events_reply(_events(house, look, is_lasting))


async def _events(
    house: Services, look: Callable[[], Json], is_lasting: bool
) -> AsyncIterator[str]:
    last, spoke = "", 0.0
    while not house.runner.stopping:
        try:
            seen = await anyio.to_thread.run_sync(look)
        except Problem:  # the seat was given away, the round forgotten
            yield "event: gone\ndata: {}\n\n"
            return
        mark = json.dumps({**seen, "left_s": None})
        if mark != last or time.monotonic() - spoke >= _SIGN_S:
            last, spoke = mark, time.monotonic()
            yield f"event: state\ndata: {json.dumps(seen)}\n\n"
        if seen["state"] in ("over", "off") and not is_lasting:
            return
        await house.sitting_news.wait(_LOOK_S)
