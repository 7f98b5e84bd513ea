"""Live games, ``/api/v1/live``: pictures in, events and pictures out, two tables in a battle."""

import hmac
import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import Body, Header, Path, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from vision.apps.server.live.game import LiveGame
from vision.apps.server.live.games import LiveGames
from vision.apps.server.live.links import check_link, link_to
from vision.apps.server.live.standing import Standing
from vision.apps.server.problems import Problem
from vision.apps.server.replies.live import (
    FrameReply,
    LiveBattleReply,
    LiveBeamsReply,
    LiveBegunReply,
    LiveGamesReply,
    LiveReply,
)
from vision.apps.server.routes.models import (
    BattleBody,
    BeamsBody,
    EventsQuery,
    LiveBody,
    LiveCorrectionBody,
)
from vision.apps.server.routes.parts import (
    EVENTS,
    NOTHING,
    House,
    Json,
    Router,
    events_reply,
    outside,
    sends,
    tells,
)
from vision.apps.server.services import Services
from vision.imaging.photo import check_photo
from vision.watch.battle_files import BattleTable

__all__ = ["battles", "router"]

GameId = Annotated[str, Path(pattern="^[0-9a-f]{20}$", description="The id of a live game.")]
Key = Annotated[
    str | None, Header(alias="X-Live-Key", max_length=100, description="From who began the game.")
]
Language = Annotated[Literal["en", "fr"], Query(description="Of the sentences.")]
Spectator = Annotated[
    str | None, Query(max_length=100, description="Key of a spectator's screen: shows beams.")
]
_BEAT_S = 1.0  # between two signs of life
_FIRST_S = 2.0  # for a picture made because someone asks
battles = Router("/api/v1", "live", refuses=(404, 409, 422))
_HOST = BattleBody()


router = Router("/api/v1/live", "live", refuses=(404, 422))
_KINDS = ("image/jpeg", "image/png", "image/webp")
_PICTURES = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in _KINDS}
_BODIES = {"requestBody": {"required": True, "content": _PICTURES}}
_AS_IT_COMES = LiveBody()


@router.post("", "Begin a live game", tells(LiveBegunReply, 201), refuses=(429,))
async def begin_live(house: House, body: Annotated[LiveBody, Body()] = _AS_IT_COMES) -> Response:
    """Return the game and its ``key``: who sends it (``X-Live-Key``) feeds and stops it."""
    order = await anyio.to_thread.run_sync(
        house.live.order, body.wishes(), body.silence_s or None, body.stop_on_count
    )
    game, key = await house.live.begin(order)
    headers = {"Location": f"/api/v1/live/{game.id}"}
    return JSONResponse({**game.view("en"), "key": key}, 201, headers)


@router.get("", "The live games, newest first", LiveGamesReply)
async def list_live(house: House, lang: Language = "en") -> Json:
    """Return how each stands."""
    return {"games": [game.view(lang) for game in await house.live.all()]}


@router.get("/{live_id}", "How a live game stands", LiveReply)
async def get_live(
    house: House, live_id: GameId, lang: Language = "en", spectator: Spectator = None
) -> Json:
    """Return ``sightline/live@1``; ``watch`` in it is ``sightline/watch-state@1``.

    ``watch.beams`` is there only where they are shown to whoever asks: see ``beams_for``.
    """
    return (await house.live.find(live_id)).view(lang, spectator)


@router.delete("/{live_id}", "End a live game", NOTHING, refuses=(403, 409))
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
    "Send a picture of the table",
    tells(FrameReply, description="Looked at")
    | tells(FrameReply, 202, description="Skipped: a newer one came"),
    refuses=(403, 409, 413, 415, 503),
    openapi_extra=_BODIES,
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
    game = await _hosted(house, live_id, x_live_key)
    if game.begun.source:
        raise Problem(409, "live_operator", "this game has a camera of its own")
    content = await _picture(request)
    await anyio.to_thread.run_sync(check_photo, content, game.limits)
    answer = await game.look(content, taken, arrived)
    if answer["kind"] == "refused":
        raise answer["error"]
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


@router.post("/{live_id}/stop", "Call stop", LiveReply, refuses=(403, 409, 503))
async def stop_live(house: House, live_id: GameId, x_live_key: Key = None) -> Json:
    """End the round; the verdict comes with the next pictures and is stored as a round."""
    return await _ask(house, live_id, x_live_key, "stop")


@router.post("/{live_id}/round", "Begin a new round", LiveReply, refuses=(403, 409, 503))
async def next_round(house: House, live_id: GameId, x_live_key: Key = None) -> Json:
    """Begin anew; what lies on the table stays known."""
    return await _ask(house, live_id, x_live_key, "round")


@router.post(
    "/{live_id}/corrections", "Correct a card while it is live", LiveReply, refuses=(403, 409, 503)
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
    game = await _hosted(house, live_id, x_live_key)
    if not game.begun.has_cards:
        detail = "this table is read as a whole; correct it on the page of its round"
        raise Problem(409, "not_now", detail)
    await _told(game, "correct", said=body.said())
    return game.view("en")


@router.put(
    "/{live_id}/beams", "Show beams while cards are laid", LiveBeamsReply, refuses=(403, 409, 503)
)
async def show_beams(
    house: House, live_id: GameId, body: Annotated[BeamsBody, Body()], x_live_key: Key = None
) -> Json:
    """Say to whom it is shown what every card would hit as it lies, contested shots marked.

    To nobody as a game begins; to ``all`` for practice; or to ``spectators``: screens that ask with
    ``spectator=KEY`` of this reply. To other pages the server does not send them at all.
    """
    game = await _hosted(house, live_id, x_live_key)
    if not game.begun.has_beams:
        raise Problem(409, "not_now", "this game has no beams that could be shown")
    if body.whom == "spectators" and game.spectator_key is None:
        detail = "everyone controls this camera, so nothing can be kept from players: choose all"
        raise Problem(409, "live_operator", detail)
    await game.show_beams(body.whom)
    return {**game.view("en"), "spectator_key": game.spectator_key}


async def _hosted(house: Services, live_id: str, key: str | None) -> LiveGame:
    """Return a running game of this server to the one who began it."""
    game = await house.live.find_own(live_id)
    game.ask_key(key)
    game.ask_running()
    return game


async def _told(game: LiveGame, kind: str, **said: Json) -> Json:
    """Return what the watch answers to a command that it took."""
    answer = await game.command(kind, **said)
    if answer["kind"] == "refused":
        raise answer["error"]
    if answer["kind"] != "told":
        raise Problem(409, "not_ready", "the watch is being started; try again in a moment")
    return answer


async def _ask(house: Services, live_id: str, key: str | None, kind: str) -> Json:
    game = await _hosted(house, live_id, key)
    answer = await _told(game, kind)
    if not answer["events"]:
        detail = "no round is being played: no card lies on the table, or stop was called"
        raise Problem(409, "nothing_to_stop", detail)
    return game.view("en")


# --- what viewers are sent -----------------------------------------------------------------------


@router.get("/{live_id}/events", "What happens, as server-sent events", EVENTS, refuses=(429,))
async def live_events(
    house: House,
    live_id: GameId,
    asked: Annotated[EventsQuery, Query()],
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """``told`` is an event (``sightline/watch-event@1``) with its number as id.

    ``state`` is the game (``sightline/live@1``), once and whenever it changes; ``beat`` comes
    every second with the age of the picture; ``end`` is the last.
    """
    game = await house.live.find(live_id)
    if game.viewers >= house.settings.live_viewers:
        detail = f"{game.viewers} watch this game already, as many as may"
        raise Problem(429, "too_many", detail, headers={"Retry-After": "10"})
    known = asked.after
    if last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit():
        known = int(last_event_id)
    return events_reply(_follow(house.live, game, known, asked))


@router.get(
    "/{live_id}/picture",
    "The newest picture",
    sends("image/jpeg")
    | {
        204: {"description": "None, or none newer yet"},
        304: {"description": "The one you have"},
    },
)
async def get_live_picture(
    house: House,
    request: Request,
    live_id: GameId,
    after: Annotated[
        int | None,
        Query(ge=0, le=1_000_000_000, description="Wait for one newer than this."),
    ] = None,
) -> Response:
    """Return the newest picture, small enough to be shown; encoded once for all viewers.

    ``X-Picture`` is its number, for ``after``; ``X-Age`` how many seconds old it is.
    """
    game = await house.live.find_shown(live_id)
    longest = house.settings.live_wait_seconds
    patience = longest if after is not None else min(longest, _FIRST_S)
    newest = await game.newest_picture(after or 0, patience)
    if newest is None:
        return Response(status_code=204, headers={"Cache-Control": "no-store"})
    headers = {
        "ETag": f'"{newest.number}"',
        "X-Picture": str(newest.number),
        "X-Age": f"{time.monotonic() - newest.at:.2f}",
        "Cache-Control": "private, no-cache",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(newest.content, media_type="image/jpeg", headers=headers)


@router.get(
    "/{live_id}/events/{number}/picture",
    "What an event shows",
    sends("image/jpeg"),
)
async def get_event_picture(
    house: House, live_id: GameId, number: Annotated[int, Path(ge=1, le=1_000_000_000)]
) -> Response:
    """Return a close picture of what happened."""
    told = (await house.live.find(live_id)).event(number)
    if told is None or (told.picture is None and told.key is None):
        raise Problem(404, "not_found", "this event has no picture, or not any more")
    headers = {"Cache-Control": "private, max-age=3600", "ETag": f'"{live_id}-{number}"'}
    picture = told.picture
    if told.key is not None:
        try:
            picture = await anyio.to_thread.run_sync(house.storage.objects.read, told.key)
        except FileNotFoundError as error:
            raise Problem(404, "not_found", "the event's picture is not here") from error
    return Response(picture, media_type="image/jpeg", headers=headers)


async def _follow(
    live: LiveGames, game: Standing, known: int, asked: EventsQuery
) -> AsyncIterator[str]:
    """Tell what happens until the game, or the time, is over; whoever follows the table."""
    language, seconds = asked.lang, asked.seconds
    end = None if seconds is None else time.monotonic() + seconds
    seen, heard = (game, -1), time.monotonic()
    game.viewers += 1
    try:
        while True:
            said = []
            for told in game.events_after(known):
                known = told.number
                said.append(_sse("told", told.words[language], known))
            if (game, game.version) != seen:
                seen = (game, game.version)
                said.append(_sse("state", game.view(language, asked.spectator)))
            if game.state == "ended":
                yield "".join([*said, _sse("end", {})])
                return
            if said:
                yield "".join(said)
            if game.state == "left" or (end is not None and time.monotonic() >= end):
                return  # who watches comes back, here or to another server
            if said:
                heard = time.monotonic()
            elif time.monotonic() - heard >= _BEAT_S:
                heard = time.monotonic()
                yield _sse("beat", _beat(game))
            if (game, game.version) == seen:
                await game.news.wait(_BEAT_S)
            game.viewers -= 1
            try:
                game = await live.follow(game)
            finally:
                game.viewers += 1
    finally:
        game.viewers -= 1


def _beat(game: Standing) -> Json:
    return {"age_s": game.age_s(), "viewers": game.viewers}


def _sse(name: str, data: Json, number: int | None = None) -> str:
    mark = "" if number is None else f"id: {number}\n"
    return f"event: {name}\n{mark}data: {json.dumps(data)}\n\n"


# --- two live tables, one battle -----------------------------------------------------------------


@battles.post(
    "/live/{live_id}/battle",
    "Begin a battle with another live table",
    LiveBattleReply,
    refuses=(403, 503),
)
async def begin_battle(
    house: House,
    request: Request,
    live_id: GameId,
    body: Annotated[BattleBody, Body()] = _HOST,
    x_live_key: Key = None,
) -> Json:
    """Give a link for the other table, or take part by the link that it gave.

    One piece, an asteroid, must lie on both tables: by it their cards lie in one frame, and the
    round is resolved as one. Both play the same deck by the same rules, in one network.
    """
    game = await _hosted(house, live_id, x_live_key)
    if not game.begun.has_cards:
        raise Problem(409, "not_now", "only tables whose cards are followed one by one are joined")
    link = ""
    if body.link is not None:
        link = await anyio.to_thread.run_sync(check_link, body.link)
    if link != game.battle_link:
        await game.take_part(link)
    place = f"{outside(house, request)}/api/v1/battles/{game.id}/{game.battle_key}"
    return {**game.view("en"), "link": None if link else link_to(place, house.certificate)}


@battles.delete("/live/{live_id}/battle", "Leave a battle", NOTHING, refuses=(403, 503))
async def leave_battle(house: House, live_id: GameId, x_live_key: Key = None) -> Response:
    """Be one table again."""
    game = await house.live.find_own(live_id)
    game.ask_key(x_live_key)
    await game.take_part(None)
    return Response(status_code=204)


@battles.post(
    "/battles/{live_id}/{key}", "How another table of a battle stands", BattleTable, refuses=(503,)
)
async def meet_table(
    house: House,
    live_id: GameId,
    key: Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="Of the link.")],
    body: BattleTable,
) -> Response:
    """Tell how the asking table stands; return how this one does, with the times of both clocks."""
    game = await house.live.find_own(live_id)
    is_known = hmac.compare_digest(key, game.battle_key)
    if not is_known or game.other is None or game.other.link:
        raise Problem(404, "not_found", "there is no battle by this link; it may have ended")
    return JSONResponse(game.other.answer(body, game.wall()))
