"""What lies where <-> JSON: placed cards, doubts, layouts; millimetres and degrees in files."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from vision.files.schemas import CardModel, PrintModel
from vision.geometry import photo_from_table, wrap_angle
from vision.texts import Texts
from vision.values.arrays import FloatArray
from vision.values.layout import Alternative, Camera, Placed, PlacedCard, PrintOffset
from vision.values.messages import Issue, Place

__all__ = [
    "camera_from_json",
    "camera_to_json",
    "card_to_json",
    "covariance_from_json",
    "covariance_to_json",
    "issue_to_json",
    "piece_to_json",
    "seen_to_json",
    "to_card",
]

Json = dict[str, Any]

_UNITS = np.array([1.0, 1.0, math.degrees(1.0)])  # of mm, mm, rad in files
_TO_DEG = np.outer(_UNITS, _UNITS)
_KITS = {"token": "token", "pawn": "match"}


def covariance_to_json(covariance: FloatArray) -> list[list[float]]:
    """Return a covariance (3, 3) of (mm, mm, rad) as files have it: of (mm, mm, deg)."""
    rows: list[list[float]] = (covariance * _TO_DEG).tolist()
    return rows


def covariance_from_json(covariance: Sequence[Sequence[float]]) -> FloatArray:
    """Read a covariance (3, 3) of (mm, mm, deg): of (mm, mm, rad)."""
    return np.asarray(np.array(covariance) / _TO_DEG, np.float64)


def card_to_json(card: PlacedCard | Placed) -> Json:
    """Return a card as it stands in a table: its id, its pose, how well both are known.

    What may be left out (covariance, confidence 1, a print in the middle, a name without doubt)
    is left out.
    """
    out: Json = {
        "card": card.piece if isinstance(card, Placed) else card.card_id,
        "x_mm": float(card.x_mm),
        "y_mm": float(card.y_mm),
        "theta_deg": _degrees(card.theta_rad),
    }
    if card.covariance is not None:
        out["covariance"] = covariance_to_json(card.covariance)
    if card.confidence != 1.0:
        out["confidence"] = float(card.confidence)
    if card.printed is not None:
        out["print"] = _print_to_json(card.printed)
    if card.may_be:
        out["may_be"] = [{"card": one.piece, "chance": one.chance} for one in card.may_be]
    return out


def _print_to_json(printed: PrintOffset) -> Json:
    out: Json = {
        "x_mm": float(printed.x_mm),
        "y_mm": float(printed.y_mm),
        "turn_deg": _degrees(printed.turn_rad),
    }
    if printed.covariance is not None:
        out["covariance"] = covariance_to_json(printed.covariance)
    return out


def _degrees(theta_rad: float) -> float:
    """Write an angle in (-180, 180] with the fewest decimals that read back the same, if any."""
    theta = wrap_angle(theta_rad)
    exact = math.degrees(theta)
    for decimals in (0, 3, 6, 9, 12):
        short = round(exact, decimals)
        if math.radians(short) == theta:
            return short + 0.0
    near = (exact, math.nextafter(exact, 360.0), math.nextafter(exact, -360.0))
    return next((d for d in near if math.radians(d) == theta), exact)


def issue_to_json(issue: Issue, t: Texts) -> Json:
    """Return a doubt or a note, its sentence in the language of the texts."""
    told: Json = {
        "code": issue.code,
        "cards": list(issue.cards),
        "message": t.issue(issue),
        "severity": issue.severity,
    }
    if issue.at_px is not None:
        told["at_px"] = list(issue.at_px)
    if issue.ids:
        told["ids"] = list(issue.ids)
    if issue.places:
        told["places"] = [_place_to_json(place) for place in issue.places]
    return told


def _place_to_json(place: Place) -> Json:
    """Return where a piece lies in one of several photos."""
    width, height = place.size_wh
    return {
        "photo": place.photo,
        "width_px": width,
        "height_px": height,
        "own_px": [list(point) for point in place.own_px],
        "other_px": [list(point) for point in place.other_px],
    }


def places_from_json(told: Sequence[Json]) -> tuple[Place, ...]:
    """Return where a piece lies in several photos; as :func:`issue_to_json` writes it."""
    return tuple(
        Place(
            one["photo"],
            (one["width_px"], one["height_px"]),
            *(tuple((x, y) for x, y in one[name]) for name in ("own_px", "other_px")),
        )
        for one in told
    )


def camera_to_json(camera: Camera) -> Json:
    """Return how the table plane shows in a photo."""
    k1, k2 = camera.distortion.tolist()
    return {
        "photo_from_table": camera.photo_from_table.tolist(),
        "distortion": {
            "model": "radial",
            "k1": k1,
            "k2": k2,
            "camera_matrix": camera.camera_matrix.tolist(),
        },
    }


def seen_to_json(placed: Placed, own_id: str) -> Json:
    """Return a card as it was seen: where it shows, its score, and the best other reading.

    ``own_id`` tells it from other copies of the same card.
    """
    best = max(placed.others, key=lambda other: other.score, default=None)
    return {
        "id": own_id,
        **card_to_json(placed),
        "corners_px": placed.outline_px.tolist(),
        "score": float(placed.score),
        "runner_up": None if best is None else {"card": best.piece, "score": float(best.score)},
    }


def piece_to_json(placed: Placed, own_id: str, camera: Camera) -> Json:
    """Return a piece of a board game as it was seen.

    Tokens and pawns have ``foot_px``, where they stand in the photo, and ``kit``: whether they show
    their heading themselves or by a match beside them.
    """
    out: Json = {}
    if placed.kind in _KITS:
        foot = photo_from_table(camera, np.array([[placed.x_mm, placed.y_mm]]))
        out = {"foot_px": foot[0].tolist(), "kit": _KITS[placed.kind]}
    return {
        "id": own_id,
        "piece": placed.piece,
        "kind": placed.kind,
        "side": placed.side,
        "x_mm": float(placed.x_mm),
        "y_mm": float(placed.y_mm),
        "theta_deg": _degrees(placed.theta_rad),
        "covariance": covariance_to_json(placed.covariance),
        "outline_px": placed.outline_px.tolist(),
        "score": float(placed.score),
        "others": [
            {"piece": other.piece, "score": float(other.score), "chance": other.chance}
            for other in placed.others
        ],
        **out,
    }


def camera_from_json(camera: Json) -> Camera:
    """Read how the table plane shows in a photo."""
    lens = camera["distortion"]
    return Camera(
        np.array(lens["camera_matrix"]),
        np.array([lens["k1"], lens["k2"]]),
        np.array(camera["photo_from_table"]),
    )


def to_card(card: CardModel) -> PlacedCard:
    """Read a card."""
    covariance = None
    if card.covariance is not None:
        covariance = covariance_from_json(card.covariance)
    theta = wrap_angle(math.radians(card.theta_deg))
    printed = None if card.print is None else _to_print(card.print)
    may_be = tuple(Alternative(one.card, one.chance) for one in card.may_be)
    pose = (card.x_mm, card.y_mm, theta)
    return PlacedCard(card.card, *pose, covariance, card.confidence, printed, may_be)


def _to_print(printed: PrintModel) -> PrintOffset:
    covariance = None
    if printed.covariance is not None:
        covariance = covariance_from_json(printed.covariance)
    turn = wrap_angle(math.radians(printed.turn_deg))
    return PrintOffset(printed.x_mm, printed.y_mm, turn, covariance)
