"""Beams while cards are laid: for whom they are shown, and what is told of each."""

import hashlib
import hmac
from typing import Any, Literal

from vision.apps.server.rounds.told import PhotoPlaces
from vision.values.ledger import Path
from vision.watch import Foreseen

__all__ = ["BeamsFor", "beams_of", "spectator_key"]

Json = dict[str, Any]
BeamsFor = Literal["nobody", "spectators", "all"]


def spectator_key(key_hash: str) -> str:
    """Return the key with which a spectator's screen asks for the beams.

    It is derived from the kept hash of the game's own key, so that it is the same on every server.
    It controls nothing.
    """
    return hmac.new(key_hash.encode(), b"spectator", hashlib.sha256).hexdigest()[:32]


def beams_of(foreseen: Foreseen, shown_wh: tuple[int, int]) -> list[Json]:
    """Return what every card would hit, in pixels of the picture that is shown.

    Parameters
    ----------
    foreseen : Foreseen
        What would come of the table now.
    shown_wh : (int, int)
        The size of the present picture, which may not be the one that is followed.
    """
    places = PhotoPlaces(foreseen.camera, foreseen.size_wh)
    scale = max(shown_wh[0] / foreseen.size_wh[0], shown_wh[1] / foreseen.size_wh[1])
    events = (event for step in foreseen.ledger.steps for event in step.events)
    beams = (
        (event, mark, places.path(mark.points_mm.tolist()))
        for event in events
        for mark in event.marks
        if isinstance(mark, Path) and mark.kind == "beam"
    )
    return [
        {
            "id": event.id,
            "pieces": list(event.pieces),
            "side": mark.side,
            "strength": mark.strength,
            "fades": mark.fades,
            "contested": foreseen.ledger.is_contested(event),
            "points_px": [[round(v * scale, 1) for v in point] for point in points],
        }
        for event, mark, points in beams
        if points
    ]
