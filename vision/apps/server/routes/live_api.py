"""The HTTP API of live games, ``/api/v1/live``: pictures in, events and the newest picture out."""

import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Body, Header, Path, Query, Request
from sqlalchemy import select
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response, StreamingResponse

from vision.apps.server.live.game import LiveGame, LiveGames, LiveOrder, refusal_of
from vision.apps.server.rounds.rounds import rules_to_json
from vision.apps.server.routes.models import LiveBody, ProblemModel
from vision.apps.server.routes.problems import Problem
from vision.apps.server.storage.store import evenings
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.values import RuleOptions
from vision.imaging.photo import check_photo
from vision.judging.options import parse_options

__all__ = ["create_live_router"]

Json = dict[str, Any]
GameId = Annotated[str, Path(pattern="^[0-9a-f]{20}$", description="The id of a live game.")]
Key = Annotated[
    str | None, Header(alias="X-Live-Key", max_length=100, description="From who began the game.")
]
Language = Annotated[Literal["en", "fr"], Query(description="Of the sentences.")]
_BEAT_S = 1.0  # between two signs of life
_FIRST_S = 2.0  # for a picture made because someone asks
_KINDS = ("image/jpeg", "image/png", "image/webp")
_AS_IT_COMES = LiveBody()


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    words = {
        403: "Not yours",
        404: "Not there",
        409: "Not possible now",
        413: "Too large",
        415: "No picture",
        422: "Not understood",
        429: "Too many",
    }
    return {
        status: {
            "model": ProblemModel,
            "description": words[status],
            "content": {"application/problem+json": {}},
        }
        for status in statuses
    }


def create_live_router(live: LiveGames) -> APIRouter:
    """Build the routes around the games."""
    router = APIRouter(prefix="/api/v1/live", tags=["live"], responses=_problems(404, 422))
    _add_games(router, live)
    _add_feed(router, live)
    _add_views(router, live)
    return router


def _add_games(router: APIRouter, live: LiveGames) -> None:
    @router.post("", status_code=201, summary="Begin a live game", responses=_problems(429))
    async def begin_live(body: Annotated[LiveBody, Body()] = _AS_IT_COMES) -> Response:
        """Return the game and its ``key``: who sends it (``X-Live-Key``) feeds and stops it."""
        load_deck(body.deck)
        rules = rules_to_json(parse_options(RuleOptions, body.rules))
        if body.evening is not None:
            await anyio.to_thread.run_sync(_ask_evening, live, body.evening)
        order = LiveOrder(
            deck=body.deck,
            rules=rules,
            name=body.name,
            evening=body.evening,
            silence_s=body.silence_s or None,
            stop_on_count=body.stop_on_count,
        )
        game = live.begin(order)
        headers = {"Location": f"/api/v1/live/{game.id}"}
        return JSONResponse({**game.view("en"), "key": game.key}, 201, headers)

    @router.get("", summary="The live games, newest first")
    async def list_live(lang: Language = "en") -> Json:
        games = sorted(live.games.values(), key=lambda game: game.created, reverse=True)
        return {"games": [game.view(lang) for game in games]}

    @router.get("/{live_id}", summary="How a live game stands")
    async def get_live(live_id: GameId, lang: Language = "en") -> Json:
        """Return ``sightline/live@1``; ``watch`` in it is ``sightline/watch-state@1``."""
        return live.get(live_id).view(lang)

    @router.delete(
        "/{live_id}", status_code=204, summary="End a live game", responses=_problems(403, 409)
    )
    async def delete_live(live_id: GameId, x_live_key: Key = None) -> Response:
        """End it; its rounds stay. The operator's own camera is ended with the server only."""
        game = live.get(live_id)
        game.ask_key(x_live_key)
        if game.is_open:
            raise Problem(409, "live_operator", "this camera ends with the server that runs it")
        live.end(game)
        return Response(status_code=204)


def _ask_evening(live: LiveGames, evening: str) -> None:
    with live.store.read() as connection:
        if connection.scalar(select(evenings.c.id).where(evenings.c.id == evening)) is None:
            raise Problem(404, "not_found", "there is no such evening")


def _add_feed(router: APIRouter, live: LiveGames) -> None:
    @router.post(
        "/{live_id}/frames",
        summary="Send a picture of the table",
        responses={
            200: {"description": "Looked at"},
            202: {"description": "Skipped: a newer one came"},
            **_problems(403, 409, 413, 415),
        },
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    kind: {"schema": {"type": "string", "format": "binary"}} for kind in _KINDS
                },
            }
        },
    )
    async def send_frame(
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
        game = live.get(live_id)
        game.ask_key(x_live_key)
        game.ask_running()
        if game.source:
            raise Problem(409, "live_operator", "this game has a camera of its own")
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in _KINDS:
            raise Problem(415, "image_decode", f"send the picture as {', '.join(_KINDS)}")
        try:
            content = await request.body()
        except ClientDisconnect as error:
            raise Problem(400, "body_cut_off", "the picture was cut off; send the next") from error
        await anyio.to_thread.run_sync(check_photo, content, game.limits)
        answer = await game.look(content, taken, arrived)
        if answer["kind"] == "refused":
            raise refusal_of(answer["code"])
        is_looked = answer["kind"] == "told"
        body = {
            "looked": is_looked,
            "last_event": game.log[-1].number if game.log else 0,
            "state": game.state,
        }
        return JSONResponse(body, 200 if is_looked else 202)

    async def ask(live_id: str, key: str | None, kind: str) -> Json:
        game = live.get(live_id)
        game.ask_key(key)
        game.ask_running()
        answer = await game.command(kind)
        if answer["kind"] != "told":
            raise Problem(409, "not_ready", "the watch is being started; try again in a moment")
        if not answer["events"]:
            detail = "no round is being played: no card lies on the table, or stop was called"
            raise Problem(409, "nothing_to_stop", detail)
        return game.view("en")

    @router.post("/{live_id}/stop", summary="Call stop", responses=_problems(403, 409))
    async def stop_live(live_id: GameId, x_live_key: Key = None) -> Json:
        """End the round; the verdict comes with the next pictures and is stored as a round."""
        return await ask(live_id, x_live_key, "stop")

    @router.post("/{live_id}/round", summary="Begin a new round", responses=_problems(403, 409))
    async def next_round(live_id: GameId, x_live_key: Key = None) -> Json:
        """Begin anew; what lies on the table stays known."""
        return await ask(live_id, x_live_key, "round")


def _add_views(router: APIRouter, live: LiveGames) -> None:
    @router.get(
        "/{live_id}/events",
        summary="What happens, as server-sent events",
        response_class=StreamingResponse,
        responses={
            200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
            **_problems(429),
        },
    )
    async def live_events(
        live_id: GameId,
        lang: Language = "en",
        after: Annotated[
            int, Query(ge=0, le=1_000_000_000, description="The last event that is known.")
        ] = 0,
        seconds: Annotated[
            float | None, Query(ge=0, le=3600, description="End after so long.")
        ] = None,
        last_event_id: Annotated[str | None, Header(max_length=20)] = None,
    ) -> Response:
        """``told`` is an event (``sightline/watch-event@1``) with its number as id.

        ``state`` is the game (``sightline/live@1``), once and whenever it changes; ``beat`` comes
        every second with the age of the picture; ``end`` is the last.
        """
        game = live.get(live_id)
        if game.viewers >= live.settings.live_viewers:
            detail = f"{game.viewers} watch this game already, as many as may"
            raise Problem(429, "too_many", detail, headers={"Retry-After": "10"})
        known = after
        if last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit():
            known = int(last_event_id)
        return StreamingResponse(
            _follow(game, lang, known, seconds),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    @router.get(
        "/{live_id}/picture",
        summary="The newest picture",
        response_class=Response,
        responses={
            200: {"content": {"image/jpeg": {}}},
            204: {"description": "None, or none newer yet"},
            304: {"description": "The one you have"},
        },
    )
    async def get_live_picture(
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
        game = live.get_shown(live_id)
        longest = live.settings.live_wait_seconds
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
        summary="What an event shows",
        response_class=Response,
        responses={200: {"content": {"image/jpeg": {}}}},
    )
    async def get_event_picture(
        live_id: GameId, number: Annotated[int, Path(ge=1, le=1_000_000_000)]
    ) -> Response:
        told = live.get(live_id).event(number)
        if told is None or told.picture is None:
            raise Problem(404, "not_found", "this event has no picture, or not any more")
        headers = {"Cache-Control": "private, max-age=3600", "ETag": f'"{live_id}-{number}"'}
        return Response(told.picture, media_type="image/jpeg", headers=headers)


async def _follow(
    game: LiveGame, language: str, known: int, seconds: float | None
) -> AsyncIterator[str]:
    """Tell what happens until the game, or the time, is over."""
    end = None if seconds is None else time.monotonic() + seconds
    version, heard = -1, time.monotonic()
    game.viewers += 1
    try:
        while True:
            said = []
            for told in game.events_after(known):
                known = told.number
                said.append(_sse("told", told.words[language], known))
            if game.version != version:
                version = game.version
                said.append(_sse("state", game.view(language)))
            if game.state == "ended":
                yield "".join([*said, _sse("end", {})])
                return
            if said:
                yield "".join(said)
            if end is not None and time.monotonic() >= end:
                return
            if said:
                heard = time.monotonic()
            elif time.monotonic() - heard >= _BEAT_S:
                heard = time.monotonic()
                yield _sse("beat", _beat(game))
            if game.version == version:
                await game.news.wait(_BEAT_S)
    finally:
        game.viewers -= 1


def _beat(game: LiveGame) -> Json:
    return {"age_s": game.age_s(), "viewers": game.viewers}


def _sse(name: str, data: Json, number: int | None = None) -> str:
    mark = "" if number is None else f"id: {number}\n"
    return f"event: {name}\n{mark}data: {json.dumps(data)}\n\n"
