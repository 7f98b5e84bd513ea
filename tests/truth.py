"""The truth that lies beside a photo, and how a scan compares with it."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vision.geometry import rotation, wrap_angle
from vision.values.arrays import FloatArray
from vision.values.layout import PlacedCard, identity_of


@dataclass(frozen=True)
class Truth:
    """Poses (x mm, y mm, theta rad) by card id, and what was made hard in the photo.

    ``visible`` is the share of each card that the photo shows; ``curl_mm`` how far it is bent.
    """

    poses: dict[str, tuple[float, float, float]]
    visible: dict[str, float]
    curl_mm: dict[str, float]
    conditions: dict[str, Any]
    tags: tuple[str, ...] = ()
    scores: dict[str, dict[str, int]] = field(default_factory=dict)
    table: dict[str, Any] = field(default_factory=dict)


def load_truth(path: Path) -> Truth:
    """Read ``NAME.truth.json``: a sample's own form, or as the table renderer writes it."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    origin = raw.get("origin", raw)
    cards = origin["cards"]
    names = [Path(card["art"]).stem for card in cards]
    return Truth(
        {
            n: (c["x_mm"], c["y_mm"], float(np.radians(c["theta_deg"])))
            for n, c in zip(names, cards, strict=True)
        },
        {n: c["visibility"] for n, c in zip(names, cards, strict=True)},
        {n: abs(c.get("curl_mm", 0.0)) for n, c in zip(names, cards, strict=True)},
        origin["conditions"],
        tuple(origin["tags"]),
        raw.get("scores", {}),
        raw.get("table", {}),
    )


@dataclass(frozen=True)
class Comparison:
    """How the cards of a scan lie against the truth, after the best rigid alignment.

    ``position_mm`` and ``angle_deg`` are of the cards found and named right, in the order of
    ``names``; ``nees`` their normalised squared position errors (mean 2 for an honest
    covariance) and ``angle_nees`` those of the angle (mean 1). ``stray`` are the unreadable ones
    that lie where no card is.
    """

    names: tuple[str, ...]
    position_mm: FloatArray
    angle_deg: FloatArray
    nees: FloatArray
    angle_nees: FloatArray
    missed: tuple[str, ...]
    false: tuple[str, ...]
    unreadable: tuple[str, ...]
    stray: tuple[str, ...]


def compare(
    cards: tuple[PlacedCard, ...], truth: Truth, *, visible_from: float = 0.6
) -> Comparison:
    """Align the found cards with the truth and measure the rest.

    A card of which less than ``visible_from`` shows need not be found.
    """
    found = {c.card_id: c for c in cards}
    both = sorted(found.keys() & truth.poses.keys())
    seen = np.array([(found[n].x_mm, found[n].y_mm, found[n].theta_rad) for n in both])
    true = np.array([truth.poses[n] for n in both])
    seen, true = seen.reshape(-1, 3), true.reshape(-1, 3)
    a = seen[:, :2] - (seen[:, :2].mean(axis=0) if both else 0)
    b = true[:, :2] - (true[:, :2].mean(axis=0) if both else 0)
    turn = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    r = rotation(turn)
    error = a @ r.T - b
    angle = np.array(
        [wrap_angle(s + turn - t) for s, t in zip(seen[:, 2], true[:, 2], strict=True)]
    )
    nees, angle_nees = [], []
    for k, name in enumerate(both):
        covariance = found[name].covariance
        if covariance is None:
            continue
        block = r @ covariance[:2, :2] @ r.T
        nees.append(float(error[k] @ np.linalg.solve(block, error[k])))
        angle_nees.append(float(angle[k] ** 2 / covariance[2, 2]))
    unreadable = tuple(n for n in found if identity_of(n) is None)
    return Comparison(
        tuple(both),
        np.hypot(error[:, 0], error[:, 1]),
        np.degrees(angle),
        np.array(nees),
        np.array(angle_nees),
        tuple(n for n in truth.poses if n not in found and truth.visible[n] >= visible_from),
        tuple(sorted(n for n in found if n not in truth.poses and n not in unreadable)),
        unreadable,
        tuple(n for n in unreadable if _is_stray(found[n], truth, a, seen, r, true)),
    )


def _is_stray(
    card: PlacedCard,
    truth: Truth,
    centred: FloatArray,
    seen: FloatArray,
    turn: FloatArray,
    true: FloatArray,
) -> bool:
    """Tell whether a card lies farther than a third of its width from every true one."""
    if not len(seen):
        return True
    shift = seen[0, :2] - centred[0]
    at = turn @ (np.array([card.x_mm, card.y_mm]) - shift) + true[:, :2].mean(axis=0)
    places = np.array([pose[:2] for pose in truth.poses.values()])
    return bool(np.linalg.norm(places - at, axis=1).min() > 20)
