"""Annotations of real photographs, and how a layout compares with them.

An annotation ``NAME.json`` lies beside its photo ``NAME.jpg``: ``cards`` with ``name``,
``corners`` (four (x, y), photo frame, pixels, clockwise, the card's own sharp corners) and
``visible`` (``full`` or ``partial``), and ``ignore_polygons``, in which nothing is judged. A photo
without an annotation shows no card of the deck.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from shapely import MultiPoint

from vision.values.layout import Layout, Placed

__all__ = ["Judged", "Stray", "TrueCard", "Truth", "judge", "plain_name", "read_truth"]

Verdict = Literal["right", "unnamed", "wrong, doubted", "wrong, certain", "lost"]

_SAME_PLACE = 0.5  # of the union of two outlines that both cover: cards that lie apart share none


@dataclass(frozen=True, slots=True, eq=False)
class TrueCard:
    """A card that lies there; ``has_face`` is false if the deck has no picture of it."""

    name: str
    corners_px: np.ndarray
    is_full: bool
    has_face: bool


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What a photo shows, as people saw it."""

    cards: tuple[TrueCard, ...]
    ignored_px: tuple[np.ndarray, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What was told of one card that lies there.

    ``told`` is the id it got; ``score``, ``lead`` and ``chance`` what was told of it: how alike,
    by how much before the next, how likely (None where nothing weighs it). ``corner_share`` is the
    worst corner's miss over the card's longer side. ``doubts`` are the codes that name it.
    """

    name: str
    is_full: bool
    has_face: bool
    verdict: Verdict
    told: str | None = None
    second: str | None = None
    score: float | None = None
    lead: float | None = None
    chance: float | None = None
    visible: float | None = None
    corner_share: float | None = None
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stray:
    """A piece that was placed where no card of the deck lies."""

    told: str
    is_named: bool
    doubts: tuple[str, ...]
    at_px: tuple[float, float]
    score: float


def read_truth(photo: Path, names: Iterable[str]) -> Truth:
    """Read what lies in a photo; ``names`` are those of the deck's faces."""
    file = photo.with_suffix(".json")
    if not file.exists():
        return Truth((), ())
    said, known = json.loads(file.read_text(encoding="utf-8")), set(names)
    cards = tuple(
        TrueCard(
            plain_name(card["name"]),
            np.array(card["corners"], float),
            card.get("visible", "full") == "full",
            plain_name(card["name"]) in known,
        )
        for card in said["cards"]
    )
    return Truth(cards, tuple(np.array(p, float) for p in said.get("ignore_polygons", ())))


def plain_name(name: str, variant: str | None = None) -> str:
    """Return a name as the deck's ids are written, without what tells pictures of a face apart."""
    name = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return name if variant is None else re.sub(variant, "", name)


def judge(
    layout: Layout | None, truth: Truth, plain: Callable[[str], str]
) -> tuple[list[Judged], list[Stray]]:
    """Compare what was placed with what lies there.

    Parameters
    ----------
    layout : Layout or None
        None where the photo was refused.
    truth : Truth
        Of the same photo.
    plain : callable
        From a card's id to the name of its face.

    Returns
    -------
    list of Judged
        One for each card that lies there.
    list of Stray
        What else was placed, outside of what is ignored.
    """
    placed = () if layout is None else layout.placed
    doubts = {
        piece.spot: tuple(
            issue.code
            for issue in (() if layout is None else layout.doubts)
            if issue.severity == "doubt" and piece.piece in issue.cards
        )
        for piece in placed
    }
    overlaps = np.array(
        [[shared(p.outline_px, c.corners_px) for p in placed] for c in truth.cards]
    ).reshape(len(truth.cards), len(placed))
    judged, taken = [], set()
    for card, row in zip(truth.cards, overlaps, strict=True):
        best = int(row.argmax()) if len(row) else -1
        if best < 0 or row[best] < _SAME_PLACE:
            judged.append(Judged(card.name, card.is_full, card.has_face, "lost"))
            continue
        taken.add(best)
        judged.append(_judged(card, placed[best], doubts[placed[best].spot], plain))
    strays = [
        Stray(
            piece.piece,
            piece.identity is not None,
            doubts[piece.spot],
            tuple(piece.outline_px.mean(axis=0).round(1).tolist()),
            piece.score,
        )
        for i, piece in enumerate(placed)
        if i not in taken and not _is_ignored(piece, truth)
    ]
    return judged, strays


def _judged(
    card: TrueCard, piece: Placed, doubts: tuple[str, ...], plain: Callable[[str], str]
) -> Judged:
    is_named = piece.identity is not None
    told = plain(piece.piece) if is_named else piece.piece
    if not is_named:
        verdict: Verdict = "unnamed"
    elif told == card.name:
        verdict = "right"
    else:
        verdict = "wrong, doubted" if doubts else "wrong, certain"
    others = [other for other in piece.others if plain(other.piece) != told]
    weighed: list[Any] = [o.chance for o in piece.others if o.chance is not None]
    chance = max(0.0, 1 - sum(weighed)) if weighed else None
    return Judged(
        card.name,
        card.is_full,
        card.has_face,
        verdict,
        told,
        plain(others[0].piece) if others else None,
        piece.score,
        piece.score - others[0].score if others else None,
        chance,
        piece.visible,
        corner_share(piece.outline_px, card.corners_px),
        doubts,
    )


def shared(a_px: np.ndarray, b_px: np.ndarray) -> float:
    """Return the share of the union of two convex outlines that both cover."""
    a, b = (MultiPoint(v).convex_hull for v in (a_px, b_px))
    return float(a.intersection(b).area / max(a.union(b).area, 1e-9))


def corner_share(told_px: np.ndarray, true_px: np.ndarray) -> float:
    """Return the worst corner's miss over the longer side, whichever corner is called the first."""
    ways = [np.roll(told_px, k, axis=0) for k in range(4)]
    miss = min(float(np.linalg.norm(way - true_px, axis=1).max()) for way in ways)
    sides = np.linalg.norm(true_px - np.roll(true_px, 1, axis=0), axis=1)
    return miss / float(sides.max())


def _is_ignored(piece: Placed, truth: Truth) -> bool:
    x, y = (float(v) for v in piece.outline_px.mean(axis=0))
    return any(
        cv2.pointPolygonTest(polygon.astype(np.float32), (x, y), False) >= 0
        for polygon in truth.ignored_px
    )
