"""Without a photo: a table resolved or laid; what may be played here, what this server takes."""

from typing import Annotated

import anyio.to_thread
from fastapi import Path, Query, Request
from starlette.responses import JSONResponse, Response

from vision._version import __version__
from vision.apps.known import known_game
from vision.apps.server.page_files import packed_json, packed_reply
from vision.apps.server.problems import Problem
from vision.apps.server.replies.games import AboutReply, GamesReply
from vision.apps.server.replies.rounds import ResolutionReply, RoundReply
from vision.apps.server.rounds.offers import EXAMPLE, offers
from vision.apps.server.rounds.typed import resolve_document
from vision.apps.server.routes.models import TableQuery
from vision.apps.server.routes.parts import House, Json, Router, problems, round_told, tells
from vision.imaging.photo import readable_formats
from vision.showing.film import can_film

__all__ = ["games", "router"]

games = Router(prefix="/api/v1")


router = Router(prefix="/api/v1", responses=problems(400, 401, 404, 409, 422, 503))
_EXAMPLE: Json = {
    "schema": "sightline/table@1",
    "cards": [
        {"card": "red-moth", "x_mm": 0.0, "y_mm": 0.0, "theta_deg": 0.0},
        {"card": "asteroid-1", "x_mm": 0.0, "y_mm": -200.0, "theta_deg": 0.0},
    ],
}
_BODIES = {
    "application/json": {"schema": {"type": "object"}, "example": _EXAMPLE},
    "text/plain": {"schema": {"type": "string"}},
}


@router.post(
    "/tables/resolve",
    tags=["tables"],
    summary="Resolve a table, without a photo",
    openapi_extra={"requestBody": {"required": True, "content": _BODIES}},
    responses=tells(ResolutionReply),
)
async def resolve_table(house: House, request: Request) -> Json:
    """Take ``sightline/table@1`` or notation, return ``sightline/resolution@1``.

    The table is of the game that it names; ``sightline game show`` tells the notation of each.
    """
    encoded = await request.body()
    return await anyio.to_thread.run_sync(resolve_document, encoded, house.settings.decks)


@router.post(
    "/games/{game}/example",
    status_code=201,
    tags=["tables"],
    summary="A round to try a game with",
    responses=tells(RoundReply, 201) | problems(429, 503, 507),
)
def lay_example(house: House, game: Annotated[str, Path(pattern="^[a-z0-9-]{1,60}$")]) -> Response:
    """Make a round of the table that the game brings as an example, drawn from above."""
    example = known_game(game).game.texts.joinpath(EXAMPLE)
    if not example.is_file():
        raise Problem(404, "not_found", f"the game {game!r} has no example")
    house.intake.check_room()
    scan_id = house.rounds.typed.lay(example.read_bytes(), "", None)
    body = round_told(house, house.rounds.scan(scan_id))
    return JSONResponse(body, 201, {"Location": body["links"]["self"]})


@router.post(
    "/tables",
    status_code=201,
    tags=["tables"],
    summary="A round without a photo",
    responses=tells(RoundReply, 201) | problems(429, 503, 507),
    openapi_extra={"requestBody": {"required": True, "content": _BODIES}},
)
async def lay_table(
    house: House, request: Request, asked: Annotated[TableQuery, Query()]
) -> Response:
    """Take ``sightline/table@1`` or notation and make a round of it, drawn from above."""
    encoded = await request.body()

    def lay() -> Json:
        house.intake.check_room()
        scan_id = house.rounds.typed.lay(encoded, asked.name, asked.evening)
        return round_told(house, house.rounds.scan(scan_id))

    body = await anyio.to_thread.run_sync(lay)
    return JSONResponse(body, 201, {"Location": body["links"]["self"]})


@router.get(
    "/about", tags=["server"], summary="Version, limits, addresses", responses=tells(AboutReply)
)
def about(house: House) -> Json:
    """Return what this server is and takes."""
    settings = house.settings
    taken = [kind for kind in readable_formats() if kind in settings.decode_limits.formats]
    return {
        "name": "Sightline",
        "version": __version__,
        "formats": [f"image/{kind.lower()}" for kind in taken],
        "replays": ["webp", "gif", *(["mp4"] if can_film() else [])],
        "limits": {
            "body_mb": settings.body_mb,
            "uploads_per_minute": settings.uploads_per_minute,
            "megapixels": settings.pixels_mp,
        },
        "addresses": list(house.addresses),
        "asks_token": bool(settings.token),
    }


# --- what may be played here ---------------------------------------------------------------------


@games.get(
    "/games",
    tags=["tables"],
    summary="Decks with their sides, pieces and options",
    response_class=JSONResponse,
    responses=tells(GamesReply),
)
def get_games(house: House, request: Request) -> Response:
    """Return for each deck the game that is played with it, in every language."""
    packed = packed_json({"games": offers(house.settings.decks)})
    return packed_reply(packed, request.headers, "application/json")
