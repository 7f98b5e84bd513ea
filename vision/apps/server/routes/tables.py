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
from vision.apps.server.routes.parts import House, Json, Router, round_told, tells
from vision.imaging.photo import readable_formats
from vision.showing.film import can_film

__all__ = ["games", "router"]

games = Router("/api/v1", refuses=())


router = Router("/api/v1")
_EXAMPLE: Json = {
    "schema": "sightline/table@1",
    "cards": [
        {"card": "red-moth", "x_mm": 0.0, "y_mm": 0.0, "theta_deg": 0.0},
        {"card": "asteroid-1", "x_mm": 0.0, "y_mm": -200.0, "theta_deg": 0.0},
    ],
}
_KINDS = {
    "application/json": {"schema": {"type": "object"}, "example": _EXAMPLE},
    "text/plain": {"schema": {"type": "string"}},
}
_BODIES = {"requestBody": {"required": True, "content": _KINDS}}


@router.post(
    "/tables/resolve",
    "Resolve a table, without a photo",
    ResolutionReply,
    tags=["tables"],
    openapi_extra=_BODIES,
)
async def resolve_table(house: House, request: Request) -> Json:
    """Take ``sightline/table@1`` or notation, return ``sightline/resolution@1``.

    The table is of the game that it names; ``sightline game show`` tells the notation of each.
    """
    encoded = await request.body()
    return await anyio.to_thread.run_sync(resolve_document, encoded, house.settings.decks)


@router.post(
    "/games/{game}/example",
    "A round to try a game with",
    tells(RoundReply, 201),
    refuses=(429, 503, 507),
    tags=["tables"],
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
    "A round without a photo",
    tells(RoundReply, 201),
    refuses=(429, 503, 507),
    tags=["tables"],
    openapi_extra=_BODIES,
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


@router.get("/about", "Version, limits, addresses", AboutReply, tags=["server"])
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


@games.get("/games", "Decks with their sides, pieces and options", GamesReply, tags=["tables"])
def get_games(house: House, request: Request) -> Response:
    """Return for each deck the game that is played with it, in every language."""
    packed = packed_json({"games": offers(house.settings.decks)})
    return packed_reply(packed, request.headers, "application/json")
