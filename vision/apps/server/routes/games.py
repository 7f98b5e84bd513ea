"""What may be read and played here."""

from fastapi import Request
from starlette.responses import JSONResponse, Response

from vision.apps.server.page_files import packed_json, packed_reply
from vision.apps.server.replies.games import GamesReply
from vision.apps.server.rounds.offers import offers
from vision.apps.server.routes.parts import House, Router, tells

__all__ = ["router"]

router = Router(prefix="/api/v1")


@router.get(
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
