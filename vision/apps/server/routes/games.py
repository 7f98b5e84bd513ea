"""What may be read and played here."""

from typing import Any

from fastapi import APIRouter

from vision.apps.server.rounds.offers import offers

__all__ = ["router"]

router = APIRouter(prefix="/api/v1")


@router.get("/games", tags=["tables"], summary="Decks with their sides, pieces and options")
def get_games() -> dict[str, Any]:
    """Return for each deck the game that is played with it, in every language."""
    return {"games": offers()}
