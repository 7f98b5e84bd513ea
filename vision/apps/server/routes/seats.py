"""Secret orders, a player's part: what his own address opens, without the token of the server."""

from typing import Annotated

import anyio.to_thread
from fastapi import Header, Query
from starlette.responses import FileResponse, Response, StreamingResponse

from vision.apps.server.replies.orders import ChoicesReply, OrderReply, SeatReply, SheetReply
from vision.apps.server.replies.rounds import ViewReply
from vision.apps.server.routes.models import Language, OrderBody, SoFarBody
from vision.apps.server.routes.parts import (
    EVENTS,
    PHOTO,
    House,
    Json,
    Router,
    SeatToken,
    lasting_reply,
    problems,
    tells,
)
from vision.apps.server.routes.sittings import sitting_events

__all__ = ["router"]

router = Router(
    prefix="/api/v1/seats/{token}", tags=["orders"], responses=problems(400, 404, 409, 422, 503)
)
Phone = Annotated[
    str, Header(alias="X-Phone", max_length=100, description="The ``phone`` of joining.")
]
Lang = Annotated[Language, Query(description="Of the sentences.")]


@router.post("/join", summary="Take a seat", responses=tells(SeatReply))
async def join(house: House, token: SeatToken) -> Json:
    """Return the seat with a ``phone`` key: who sends it (``X-Phone``) sees his own order again.

    Several phones may join a seat; the order that was given last counts, and all are told.
    """
    told = await anyio.to_thread.run_sync(house.sealed.join, token)
    house.sitting_news.ring()
    return told


@router.get("", summary="How things stand", responses=tells(SeatReply))
def get_seat(house: House, token: SeatToken, x_phone: Phone = "", lang: Lang = "en") -> Json:
    """Return who is there, who has ordered, the time left; ``order`` if this phone gave it."""
    return house.sealed.of_seat(token, x_phone, lang)


@router.post("/choices", summary="What may be tapped next", responses=tells(ChoicesReply))
def seat_choices(house: House, token: SeatToken, body: SoFarBody) -> Json:
    """Return the choices after ``so_far``, as of a round."""
    orders, party = house.sealed.orders(token)
    return {"choices": orders.choices(party, body.so_far, body.lang)}


@router.post(
    "/sheet", summary="The sheet on which an order is filled in", responses=tells(SheetReply)
)
def seat_sheet(house: House, token: SeatToken, body: OrderBody) -> Json:
    """Return the columns of one's own sheet, as of a round."""
    orders, party = house.sealed.orders(token)
    return {"sheet": orders.sheet(party, body.order, body.lang)}


@router.post("/read", summary="What an order says", responses=tells(OrderReply))
def seat_read(house: House, token: SeatToken, body: OrderBody) -> Json:
    """Read an order without giving it."""
    orders, party = house.sealed.orders(token)
    return orders.told(party, body.order, body.lang)


@router.put("/order", summary="Give an order", responses=tells(SeatReply))
async def give_order(house: House, token: SeatToken, body: OrderBody, x_phone: Phone = "") -> Json:
    """Seal an order, in place of an earlier one, while the clock runs; null for none.

    With the last order all are revealed and played.
    """
    told = await anyio.to_thread.run_sync(house.sealed.give, token, body.order, x_phone, body.lang)
    house.sitting_news.ring()
    return told


@router.get("/round", summary="The round that is played", responses=tells(ViewReply))
def seat_round(house: House, token: SeatToken) -> Json:
    """Return it to be looked at; the orders are in it once all are revealed."""
    return house.desk.looked_at(house.sealed.scan(token), house.sealed.seen(token))


@router.get("/photo.jpg", response_class=FileResponse, responses=PHOTO, summary="Its photo")
def seat_photo(house: House, token: SeatToken) -> Response:
    """Return the picture that the page shows."""
    return lasting_reply(house.pictures.photo(house.sealed.scan(token)), "table.jpg")


@router.get(
    "/events",
    summary="Who has joined, who has ordered, as server-sent events",
    response_class=StreamingResponse,
    responses=EVENTS,
)
async def seat_events(house: House, token: SeatToken) -> Response:
    """Tell each change; they go on when the players come over to another round."""

    def look() -> Json:
        sitting, _ = house.sealed.by_token(token)
        return house.sealed.public(sitting)

    await anyio.to_thread.run_sync(house.sealed.by_token, token)
    return sitting_events(house, look, is_lasting=True)
