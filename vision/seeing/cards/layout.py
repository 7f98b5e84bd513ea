"""Solved and named cards -> layout: what seeing hands to a game."""

import numpy as np

from vision.seeing.cards.report import Seen
from vision.values.arrays import Points
from vision.values.layout import Layout, Other, Placed, PlacedCard, Reading

__all__ = ["layout_of"]


def layout_of(seen: Seen, size_wh: tuple[int, int]) -> Layout:
    """Put together what one photo of a size (pixels) shows."""
    placed = tuple(
        _placed(str(spot), *one)
        for spot, one in enumerate(
            zip(seen.placement.cards, seen.readings, seen.corners_px, strict=True), start=1
        )
    )
    return Layout(
        placed,
        seen.placement.joint_covariance,
        seen.placement.camera,
        size_wh,
        seen.issues,
        seen.placement.residual_px,
        seen.timings_ms,
    )


def _placed(spot: str, card: PlacedCard, reading: Reading, corners_px: Points) -> Placed:
    """Return a card as it was seen, with what else it may be."""
    taken = reading.accepted
    others = (c for c in reading.candidates if taken is None or c.card_id != taken.card_id)
    return Placed(
        spot=spot,
        piece=card.card_id,
        x_mm=card.x_mm,
        y_mm=card.y_mm,
        theta_rad=card.theta_rad,
        covariance=np.zeros((3, 3)) if card.covariance is None else card.covariance,
        outline_px=corners_px,
        score=0.0 if taken is None else taken.score,
        confidence=card.confidence,
        others=tuple(Other(c.card_id, c.score) for c in others),
        visible=reading.visible,
        printed=card.printed,
    )
