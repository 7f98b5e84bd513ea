"""Orders, in the open and in secret: taps, seats, the clock; what would have been better."""

import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Annotated, TypeVar

import anyio.from_thread
import anyio.to_thread
from fastapi import Body, Header, Path, Query, Request
from starlette.responses import Response

from vision.apps.server.problems import Problem
from vision.apps.server.replies.coach import AdviceReply, EveningAdviceReply, HeatReply
from vision.apps.server.replies.orders import (
    ChoicesReply,
    OrderReply,
    SeatReply,
    SheetReply,
    SittingOfRoundReply,
    SittingReply,
)
from vision.apps.server.replies.rounds import ViewReply
from vision.apps.server.rounds.coached import coached, coached_evening, mapped
from vision.apps.server.rounds.orders import orders_of
from vision.apps.server.routes.models import (
    Language,
    OpenOrderBody,
    OpenSoFarBody,
    OrderBody,
    SittingBody,
    SoFarBody,
)
from vision.apps.server.routes.parts import (
    EVENTS,
    NOTHING,
    EveningId,
    House,
    Json,
    PartyId,
    Router,
    ScanId,
    SeatToken,
    code_reply,
    events_reply,
    lasting_reply,
    outside,
    sends,
    tells,
)
from vision.apps.server.services import Services

__all__ = ["coach", "router", "seats", "sitting_events", "sittings"]

sittings = Router("/api/v1", "orders")
SittingId = Annotated[str, Path(pattern="^[0-9a-f]{20}$", description="The id of a sitting.")]
T = TypeVar("T")
_A_MINUTE = SittingBody()
_LOOK_S = 1.0  # another server may have changed it
_SIGN_S = 5.0  # between two signs of life: whoever hears none for 12 s asks anew (`follow.js`)
seats = Router("/api/v1/seats/{token}", "orders", refuses=(400, 404, 409, 422, 503))
Phone = Annotated[
    str, Header(alias="X-Phone", max_length=100, description="The ``phone`` of joining.")
]
Lang = Annotated[Language, Query(description="Of the sentences.")]
coach = Router("/api/v1", "orders")


router = Router("/api/v1/scans/{scan_id}/orders/{party}", "orders")


@router.post("/choices", "What may be tapped next", ChoicesReply)
def tell_choices(house: House, scan_id: ScanId, party: PartyId, body: OpenSoFarBody) -> Json:
    """Return the choices after ``so_far``, the ``text`` of the last one; empty at the beginning.

    One taps its ``piece``, or near ``at_px`` on the photo; ``marks`` show it. An order may end with
    a choice that is ``whole``, and go on after one that ``goes_on``. ``heard`` is what the party is
    told of orders whose turn came before, ``given``.
    """
    orders = orders_of(house.rounds.get(scan_id)).after(body.given, party)
    return {
        "choices": orders.choices(party, body.so_far, body.lang),
        "heard": orders.heard(party, body.lang),
    }


@router.post("/sheet", "The sheet on which an order is filled in", SheetReply)
def tell_sheet(house: House, scan_id: ScanId, party: PartyId, body: OpenOrderBody) -> Json:
    """Return its columns, an order filled in (null: as it stands); null where there are none.

    Each column has its ``picks`` and what is ``chosen`` of them, at most ``most``. An order is read
    and given as ``{column: [value, ...]}`` too.
    """
    orders = orders_of(house.rounds.get(scan_id)).after(body.given, party)
    return {"sheet": orders.sheet(party, body.order, body.lang)}


@router.post("/read", "What an order says", OrderReply)
def read_order(house: House, scan_id: ScanId, party: PartyId, body: OpenOrderBody) -> Json:
    """Read an order without giving it; ``{"kind": "orders"}`` of ``/edits`` gives all of them.

    ``warning`` says why the rules lose it, if they do, and that of a line of ``lines`` why this
    part comes to nothing; ``without`` is the order without the part.
    """
    orders = orders_of(house.rounds.get(scan_id)).after(body.given, party)
    return orders.told(party, body.order, body.lang)


# --- secret orders, the table's part -------------------------------------------------------------


@sittings.post("/scans/{scan_id}/sitting", "Order in secret", tells(SittingReply, 201))
def begin_sitting(
    house: House, scan_id: ScanId, body: Annotated[SittingBody, Body()] = _A_MINUTE
) -> Json:
    """Seat the players of a round: each joins by an address of his own, ``join``.

    The clock starts when all have joined, or is started. With ``former``, a sitting that is over,
    its players stay at their phones.
    """
    seconds = body.seconds or house.settings.order_seconds
    return _changed(house, house.orders.begin(house.rounds.scan(scan_id), seconds, body.former))


@sittings.get("/scans/{scan_id}/sitting", "Who orders in secret", SittingOfRoundReply)
def get_sitting(house: House, scan_id: ScanId) -> Json:
    """Return the sitting of a round, or null; ``former`` is one whose players may come over.

    ``seconds`` is how long the clock runs where nothing else is said.
    """
    told = house.orders.at(house.rounds.scan(scan_id))
    return {**told, "seconds": house.settings.order_seconds}


@sittings.post("/sittings/{sitting_id}/start", "Start the clock", SittingReply)
def start_clock(house: House, sitting_id: SittingId) -> Json:
    """Start it, whoever has joined."""
    return _changed(house, house.orders.start(sitting_id))


@sittings.post("/sittings/{sitting_id}/seats/{party}/renew", "Another phone", SittingReply)
def renew_seat(house: House, sitting_id: SittingId, party: PartyId) -> Json:
    """Give a seat another address; the phone that had it is out. Its order stays, and sealed."""
    return _changed(house, house.orders.renew(sitting_id, party))


@sittings.delete("/sittings/{sitting_id}", "Call it off", NOTHING)
def end_sitting(house: House, sitting_id: SittingId) -> Response:
    """End it without its orders: nobody learns them."""
    house.orders.call_off(sitting_id)
    return _changed(house, Response(status_code=204))


@sittings.get(
    "/sittings/{sitting_id}/events",
    "Who has joined, who has ordered, as server-sent events",
    EVENTS,
)
async def follow_sitting(house: House, sitting_id: SittingId) -> Response:
    """Tell each change until it is over; ``left_s`` is the time left by the server's clock."""
    await anyio.to_thread.run_sync(house.orders.sitting, sitting_id)
    return sitting_events(
        house, lambda: house.orders.public(house.orders.sitting(sitting_id)), is_lasting=False
    )


@sittings.get(
    "/sittings/{sitting_id}/seats/{party}/qr.svg",
    "The address of a seat as QR code",
    sends("image/svg+xml"),
)
def seat_code(house: House, request: Request, sitting_id: SittingId, party: PartyId) -> Response:
    """Return the code that a player scans."""
    seat = house.orders.seat(sitting_id, party)
    return code_reply(f"{outside(house, request)}/j/{seat.token}")


def _changed(house: Services, told: T) -> T:
    """Return what is told of a sitting that has changed; wake who follows one."""
    anyio.from_thread.run_sync(house.sitting_news.ring)
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


# --- secret orders, a player's part --------------------------------------------------------------


@seats.post("/join", "Take a seat", SeatReply)
def join(house: House, token: SeatToken) -> Json:
    """Return the seat with a ``phone`` key: who sends it (``X-Phone``) sees his own order again.

    Several phones may join a seat; the order that was given last counts, and all are told.
    """
    return _changed(house, house.orders.join(token))


@seats.get("", "How things stand", SeatReply)
def get_seat(house: House, token: SeatToken, x_phone: Phone = "", lang: Lang = "en") -> Json:
    """Return who is there, who has ordered, the time left; ``order`` if this phone gave it."""
    return house.orders.of_seat(token, x_phone, lang)


@seats.post("/choices", "What may be tapped next", ChoicesReply)
def seat_choices(house: House, token: SeatToken, body: SoFarBody) -> Json:
    """Return the choices after ``so_far``, as of a round."""
    orders, party = house.orders.orders(token)
    return {"choices": orders.choices(party, body.so_far, body.lang)}


@seats.post("/sheet", "The sheet on which an order is filled in", SheetReply)
def seat_sheet(house: House, token: SeatToken, body: OrderBody) -> Json:
    """Return the columns of one's own sheet, as of a round."""
    orders, party = house.orders.orders(token)
    return {"sheet": orders.sheet(party, body.order, body.lang)}


@seats.post("/read", "What an order says", OrderReply)
def seat_read(house: House, token: SeatToken, body: OrderBody) -> Json:
    """Read an order without giving it."""
    orders, party = house.orders.orders(token)
    return orders.told(party, body.order, body.lang)


@seats.put("/order", "Give an order", SeatReply)
def give_order(house: House, token: SeatToken, body: OrderBody, x_phone: Phone = "") -> Json:
    """Seal an order, in place of an earlier one, while the clock runs; null for none.

    With the last order all are revealed and played.
    """
    return _changed(house, house.orders.give(token, body.order, x_phone, body.lang))


@seats.get("/round", "The round that is played", ViewReply)
def seat_round(house: House, token: SeatToken) -> Json:
    """Return it to be looked at; the orders are in it once all are revealed."""
    return house.rounds.looked_at(house.orders.scan(token), house.orders.seen(token))


@seats.get("/photo.jpg", "Its photo", sends("image/jpeg"))
def seat_photo(house: House, token: SeatToken) -> Response:
    """Return the picture that the page shows."""
    return lasting_reply(house.rounds.pictures.photo(house.orders.scan(token)), "table.jpg")


@seats.get("/events", "Who has joined, who has ordered, as server-sent events", EVENTS)
async def seat_events(house: House, token: SeatToken) -> Response:
    """Tell each change; they go on when the players come over to another round."""

    def look() -> Json:
        sitting, _ = house.orders.by_token(token)
        return house.orders.public(sitting)

    await anyio.to_thread.run_sync(house.orders.by_token, token)
    return sitting_events(house, look, is_lasting=True)


# --- after a round -------------------------------------------------------------------------------


@coach.get("/scans/{scan_id}/coach", "What would have been better", AdviceReply)
def get_coach(house: House, scan_id: ScanId) -> Json:
    """Return advice for each side in the order to read it; 409 until all have ordered."""
    return coached(house.rounds.get(scan_id))


@coach.get("/scans/{scan_id}/coach/{piece}", "Where a piece would have scored best", HeatReply)
def get_heat(house: House, scan_id: ScanId, piece: PartyId) -> Json:
    """Return what the places of the table would have been worth to a piece, those that gain."""
    return mapped(house.rounds.get(scan_id), piece)


@coach.get(
    "/evenings/{evening_id}/coach", "What would have helped most in an evening", EveningAdviceReply
)
def get_evening_coach(house: House, evening_id: EveningId) -> Json:
    """Return for each side the three things that were worth most, with their rounds.

    Asked for the first time it plays every round, up to three seconds each.
    """
    evening = house.rounds.evening(evening_id)
    numbered = house.rounds.numbered(evening.id, house.settings.scans_listed)
    counted = [(one, number) for one, _, number in numbered if number is not None]
    done = [(one, number) for one, number in counted if one.state == "done"]
    return coached_evening([(one.id, n, house.rounds.played.get(one)) for one, n in done])
