"""Two live tables, one battle: begun and ended by their hosts; what the tables tell each other."""

import hmac
from typing import Annotated

import anyio.to_thread
from fastapi import Body, Path, Request
from starlette.responses import JSONResponse, Response

from vision.apps.server.live.links import check_link, link_to
from vision.apps.server.problems import Problem
from vision.apps.server.replies.live import LiveBattleReply
from vision.apps.server.routes.live_views import GameId, Key
from vision.apps.server.routes.models import BattleBody
from vision.apps.server.routes.parts import House, Json, Router, outside, problems, tells
from vision.watch.battle_files import BattleTable

__all__ = ["router"]

router = Router(prefix="/api/v1", tags=["live"], responses=problems(404, 409, 422))
_HOST = BattleBody()


@router.post(
    "/live/{live_id}/battle",
    summary="Begin a battle with another live table",
    responses=tells(LiveBattleReply) | problems(403, 503),
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
    game = await house.live.find_own(live_id)
    game.ask_key(x_live_key)
    game.ask_running()
    if not game.begun.has_cards:
        raise Problem(409, "not_now", "only tables whose cards are followed one by one are joined")
    link = ""
    if body.link is not None:
        link = await anyio.to_thread.run_sync(check_link, body.link)
    if link != game.battle_link:
        await game.take_part(link)
    place = f"{outside(house, request)}/api/v1/battles/{game.id}/{game.battle_key}"
    return {**game.view("en"), "link": None if link else link_to(place, house.certificate)}


@router.delete(
    "/live/{live_id}/battle",
    status_code=204,
    summary="Leave a battle",
    responses=problems(403, 503),
)
async def leave_battle(house: House, live_id: GameId, x_live_key: Key = None) -> Response:
    """Be one table again."""
    game = await house.live.find_own(live_id)
    game.ask_key(x_live_key)
    await game.take_part(None)
    return Response(status_code=204)


@router.post(
    "/battles/{live_id}/{key}",
    summary="How another table of a battle stands",
    responses=tells(BattleTable) | problems(503),
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
