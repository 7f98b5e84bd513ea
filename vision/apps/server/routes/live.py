"""Live games, ``/api/v1/live``: begun and ended, pictures in, stop called."""

import time
from typing import Annotated

import anyio.to_thread
from fastapi import Body, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from vision.apps.server.live.game import refusal_of
from vision.apps.server.problems import Problem
from vision.apps.server.replies.live import (
    FrameReply,
    LiveBeamsReply,
    LiveBegunReply,
    LiveGamesReply,
    LiveReply,
)
from vision.apps.server.routes.live_views import GameId, Key, Language, Spectator
from vision.apps.server.routes.models import BeamsBody, LiveBody, LiveCorrectionBody
from vision.apps.server.routes.parts import House, Json, Router, problems, tells
from vision.apps.server.services import Services
from vision.imaging.photo import check_photo

__all__ = ["router"]

router = Router(prefix="/api/v1/live", tags=["live"], responses=problems(404, 422))
_KINDS = ("image/jpeg", "image/png", "image/webp")
_BODIES = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in _KINDS}
_AS_IT_COMES = LiveBody()


@router.post(
    "",
    status_code=201,
    summary="Begin a live game",
    responses=tells(LiveBegunReply, 201) | problems(429),
)
async def begin_live(house: House, body: Annotated[LiveBody, Body()] = _AS_IT_COMES) -> Response:
    """Return the game and its ``key``: who sends it (``X-Live-Key``) feeds and stops it."""
    order = await anyio.to_thread.run_sync(
        house.live.order, body.wishes(), body.silence_s or None, body.stop_on_count
    )
    game, key = await house.live.begin(order)
    headers = {"Location": f"/api/v1/live/{game.id}"}
    return JSONResponse({**game.view("en"), "key": key}, 201, headers)


@router.get("", summary="The live games, newest first", responses=tells(LiveGamesReply))
async def list_live(house: House, lang: Language = "en") -> Json:
    """Return how each stands."""
    return {"games": [game.view(lang) for game in await house.live.all()]}


@router.get("/{live_id}", summary="How a live game stands", responses=tells(LiveReply))
async def get_live(
    house: House, live_id: GameId, lang: Language = "en", spectator: Spectator = None
) -> Json:
    """Return ``sightline/live@1``; ``watch`` in it is ``sightline/watch-state@1``.

    ``watch.beams`` is there only where they are shown to whoever asks: see ``beams_for``.
    """
    return (await house.live.find(live_id)).view(lang, spectator)


@router.delete(
    "/{live_id}", status_code=204, summary="End a live game", responses=problems(403, 409)
)
async def delete_live(house: House, live_id: GameId, x_live_key: Key = None) -> Response:
    """End it; its rounds stay. The operator's own camera is ended with the server only."""
    game = await house.live.find(live_id)
    game.ask_key(x_live_key)
    if game.is_open:
        raise Problem(409, "live_operator", "this camera ends with the server that runs it")
    await house.live.end(game.id)
    return Response(status_code=204)


@router.post(
    "/{live_id}/frames",
    summary="Send a picture of the table",
    responses=tells(FrameReply, description="Looked at")
    | tells(FrameReply, 202, description="Skipped: a newer one came")
    | problems(403, 409, 413, 415, 503),
    openapi_extra={"requestBody": {"required": True, "content": _BODIES}},
)
async def send_frame(
    house: House,
    request: Request,
    live_id: GameId,
    taken: Annotated[
        float | None,
        Query(ge=0, le=1e12, description="When it was taken: seconds on the sender's clock."),
    ] = None,
    x_live_key: Key = None,
) -> Response:
    """Answer when the picture has been looked at: send the next one then, the newest only."""
    arrived = time.monotonic()
    game = await house.live.find_own(live_id)
    game.ask_key(x_live_key)
    game.ask_running()
    if game.begun.source:
        raise Problem(409, "live_operator", "this game has a camera of its own")
    content = await _picture(request)
    await anyio.to_thread.run_sync(check_photo, content, game.limits)
    answer = await game.look(content, taken, arrived)
    if answer["kind"] == "refused":
        raise refusal_of(answer["code"])
    is_looked = answer["kind"] == "told"
    body = {
        "looked": is_looked,
        "last_event": game.last,
        "state": game.state,
    }
    return JSONResponse(body, 200 if is_looked else 202)


async def _picture(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _KINDS:
        raise Problem(415, "image_decode", f"send the picture as {', '.join(_KINDS)}")
    try:
        return await request.body()
    except ClientDisconnect as error:
        raise Problem(400, "body_cut_off", "the picture was cut off; send the next") from error


@router.post(
    "/{live_id}/stop", summary="Call stop", responses=tells(LiveReply) | problems(403, 409, 503)
)
async def stop_live(house: House, live_id: GameId, x_live_key: Key = None) -> Json:
    """End the round; the verdict comes with the next pictures and is stored as a round."""
    return await _ask(house, live_id, x_live_key, "stop")


@router.post(
    "/{live_id}/round",
    summary="Begin a new round",
    responses=tells(LiveReply) | problems(403, 409, 503),
)
async def next_round(house: House, live_id: GameId, x_live_key: Key = None) -> Json:
    """Begin anew; what lies on the table stays known."""
    return await _ask(house, live_id, x_live_key, "round")


@router.post(
    "/{live_id}/corrections",
    summary="Correct a card while it is live",
    responses=tells(LiveReply) | problems(403, 409, 503),
)
async def correct_live(
    house: House,
    live_id: GameId,
    body: Annotated[LiveCorrectionBody, Body()],
    x_live_key: Key = None,
) -> Json:
    """Say which card that is, that none lies there, or that one does that is not seen.

    It stays so through later pictures, and ends when the piece is moved away or removed. What it
    changes is told; the verdict is that of the corrected table, whose round lists it as a
    correction that may be undone.
    """
    game = await house.live.find_own(live_id)
    game.ask_key(x_live_key)
    game.ask_running()
    if not game.begun.has_cards:
        detail = "this table is read as a whole; correct it on the page of its round"
        raise Problem(409, "not_now", detail)
    answer = await game.command("correct", said=body.said())
    if answer["kind"] == "refused":
        raise refusal_of(answer["code"])
    if answer["kind"] != "told":
        raise Problem(409, "not_ready", "the watch is being started; try again in a moment")
    return game.view("en")


@router.put(
    "/{live_id}/beams",
    summary="Show beams while cards are laid",
    responses=tells(LiveBeamsReply) | problems(403, 409, 503),
)
async def show_beams(
    house: House, live_id: GameId, body: Annotated[BeamsBody, Body()], x_live_key: Key = None
) -> Json:
    """Say to whom it is shown what every card would hit as it lies, contested shots marked.

    To nobody as a game begins; to ``all`` for practice; or to ``spectators``: screens that ask with
    ``spectator=KEY`` of this reply. To other pages the server does not send them at all.
    """
    game = await house.live.find_own(live_id)
    game.ask_key(x_live_key)
    game.ask_running()
    if not game.begun.has_beams:
        raise Problem(409, "not_now", "this game has no beams that could be shown")
    if body.whom == "spectators" and game.spectator_key is None:
        detail = "everyone controls this camera, so nothing can be kept from players: choose all"
        raise Problem(409, "live_operator", detail)
    await game.show_beams(body.whom)
    return {**game.view("en"), "spectator_key": game.spectator_key}


async def _ask(house: Services, live_id: str, key: str | None, kind: str) -> Json:
    game = await house.live.find_own(live_id)
    game.ask_key(key)
    game.ask_running()
    answer = await game.command(kind)
    if answer["kind"] != "told":
        raise Problem(409, "not_ready", "the watch is being started; try again in a moment")
    if not answer["events"]:
        detail = "no round is being played: no card lies on the table, or stop was called"
        raise Problem(409, "nothing_to_stop", detail)
    return game.view("en")
