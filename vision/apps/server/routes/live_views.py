"""What viewers of a live game are sent: what happens, as it happens, and the newest picture."""

import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import Header, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from vision.apps.server.live.games import LiveGames
from vision.apps.server.live.standing import Standing
from vision.apps.server.problems import Problem
from vision.apps.server.routes.models import EventsQuery
from vision.apps.server.routes.parts import EVENTS, House, Json, Router, events_reply, problems

__all__ = ["GameId", "Key", "Language", "Spectator", "router"]

router = Router(prefix="/api/v1/live", tags=["live"], responses=problems(404, 422))
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


@router.get(
    "/{live_id}/events",
    summary="What happens, as server-sent events",
    response_class=StreamingResponse,
    responses=EVENTS | problems(429),
)
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
    summary="The newest picture",
    response_class=Response,
    responses={
        200: {"content": {"image/jpeg": {}}},
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
    summary="What an event shows",
    response_class=Response,
    responses={200: {"content": {"image/jpeg": {}}}},
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
