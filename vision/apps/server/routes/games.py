"""What may be read and played here."""

from fastapi import APIRouter

from vision.apps.server.replies.games import GamesReply
from vision.apps.server.rounds.offers import offers
from vision.apps.server.routes.parts import House, Json, tells

__all__ = ["router"]

router = APIRouter(prefix="/api/v1")


@router.get(
    "/games",
    tags=["tables"],
    summary="Decks with their sides, pieces and options",
    responses=tells(GamesReply),
)
def get_games(house: House) -> Json:
    """Return for each deck the game that is played with it, in every language."""
    return {"games": offers(house.settings.decks)}
