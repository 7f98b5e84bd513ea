"""``sightline/scan@1`` -> layout: what was seen, as a kept scan tells it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from vision.files.layouts import camera_from_json, covariance_from_json, to_card
from vision.files.schemas import CardModel
from vision.geometry import wrap_angle
from vision.values.arrays import FloatArray
from vision.values.layout import Layout, Other, Placed
from vision.values.messages import Issue

__all__ = ["layout_from_json"]

Json = dict[str, Any]
_SEEN_ONLY = ("id", "corners_px", "score", "runner_up")  # of a card that was seen, not of a table


def layout_from_json(document: Json, joint: FloatArray, doubts: Sequence[Issue] = ()) -> Layout:
    """Return what a scan that was kept has seen; what no file holds of it is left out.

    Parameters
    ----------
    document : dict
        ``sightline/scan@1``.
    joint : (3N, 3N) float64
        Joint covariance of its pieces.
    doubts : sequence of Issue
        Those that still stand.
    """
    photo = document["photo"]
    placed = [_card(one) for one in document.get("cards", ())]
    placed += [_piece(one) for one in document.get("pieces", ())]
    return Layout(
        placed=tuple(placed),
        joint_covariance=joint,
        camera=camera_from_json(document["camera"]),
        size_wh=(photo["width_px"], photo["height_px"]),
        doubts=tuple(doubts),
        timings_ms=document.get("timings_ms", {}),
    )


def _card(seen: Json) -> Placed:
    told = {name: value for name, value in seen.items() if name not in _SEEN_ONLY}
    card = to_card(CardModel(**told))
    best = seen.get("runner_up")
    return Placed(
        spot=seen["id"],
        piece=card.card_id,
        x_mm=card.x_mm,
        y_mm=card.y_mm,
        theta_rad=card.theta_rad,
        covariance=np.zeros((3, 3)) if card.covariance is None else card.covariance,
        outline_px=np.array(seen["corners_px"], np.float64),
        score=seen["score"],
        confidence=card.confidence,
        others=() if best is None else (Other(best["card"], best["score"]),),
        printed=card.printed,
        may_be=card.may_be,
    )


def _piece(seen: Json) -> Placed:
    return Placed(
        spot=seen["id"],
        piece=seen["piece"],
        x_mm=seen["x_mm"],
        y_mm=seen["y_mm"],
        theta_rad=wrap_angle(math.radians(seen["theta_deg"])),
        covariance=covariance_from_json(seen["covariance"]),
        outline_px=np.array(seen["outline_px"], np.float64).reshape(-1, 2),
        score=seen["score"],
        others=tuple(Other(one["piece"], one["score"], one["chance"]) for one in seen["others"]),
        side=seen["side"],
        kind=seen["kind"],
    )
