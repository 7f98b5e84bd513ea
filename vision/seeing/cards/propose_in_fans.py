"""Proposes cards that lie partly under known ones, as in a fan.

A corner allows two poses. Where such a pose is not under a known card, an edge must run along its
sides. A card found in this way may in turn lie on the next one.
"""

from dataclasses import dataclass

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import card_corners, table_from_photo
from vision.imaging.view import View, to_level
from vision.seeing.cards.propose_from_corners import UNDER, propose_from_corners
from vision.seeing.detection.edge_contrast import side_places, side_shares
from vision.seeing.estimation.model import Solution, camera_of, project_cards
from vision.seeing.estimation.overlaps import (
    BESIDE_SHARE,
    are_inside_cards,
    cover_shares,
    non_max_suppression,
)
from vision.values.arrays import BoolArray, FloatArray

__all__ = ["FanProposer"]


# Criteria of partly covered cards.
_ROUNDS = 10  # largest number of rounds, best first, since a card may rule others out
# least overlap with a known card; with less the whole outline is visible and detected
_LEAST_COVER = 0.08
_MARGIN_MM = 2.0  # margin round a known card, which contains its own edge
_VISIBLE = 0.3  # least visible share of the outline: a strip of 15 mm has 0.4
_SIDE_VISIBLE = 0.2  # visible share of a side above which it is tested
_SIDES = 3  # least number of tested sides
_SIDE_SHARE = 0.6  # least share of each tested side's visible part along which an edge runs
_MEAN_SHARE = 0.85  # the same of the whole visible outline
_OWN_MM = 6.0  # a corner this near to a known one is that card's, or its printed frame's


@dataclass(frozen=True, slots=True, eq=False)
class FanProposer:
    """Proposes cards that lie partly under others.

    ``view`` and ``level`` are the photo and the pyramid level whose edges are tested, ``plane``
    camera and plane, ``size_mm`` the width and height of a card.
    """

    view: View
    level: int
    plane: Solution
    size_mm: tuple[float, float]

    def build_hypotheses(
        self, visible_corners_px: FloatArray, whole: FloatArray, others: FloatArray
    ) -> FloatArray:
        """Return poses of cards at visible corners, partly under known cards.

        Parameters
        ----------
        visible_corners_px : (M, 3, 2) float64
            As :func:`propose_from_corners` takes them, photo frame.
        whole : (N, 3) float64
                Fully visible known cards: everything on them is theirs. x mm, y mm, rad.
        others : (O, 3) float64
                Further known cards, which may be above or below the proposals.

        Returns
        -------
        (K, 3) float64
            Poses; the half turn is open.
        """
        size = self.size_mm
        found = np.zeros((0, 3))
        visible_corners_px = visible_corners_px[
            ~self._on_cards(visible_corners_px[:, 1], whole, -_MARGIN_MM)
        ]
        for _ in range(_ROUNDS):
            there = np.concatenate([whole, others, found])
            visible_corners_px = visible_corners_px[
                ~self._are_corners(visible_corners_px[:, 1], there)
            ]
            parts = propose_from_corners(visible_corners_px, self.plane, (size,), there, UNDER)
            parts = parts[cover_shares(parts, there, size) > _LEAST_COVER]
            shares = self._edged_shares(parts, there)
            parts = parts[np.argsort(-shares, kind="stable")][: np.count_nonzero(shares)]
            parts = parts[non_max_suppression(parts, size, BESIDE_SHARE)]
            if not len(parts):
                break
            found = np.concatenate([found, parts])
        return found

    def _on_cards(self, at_px: FloatArray, known: FloatArray, margin_mm: float) -> BoolArray:
        """Return which points (P, 2) of the photo lie on a known card, widened by a margin."""
        if not len(at_px):
            return np.zeros(0, np.bool_)
        try:
            at_mm = table_from_photo(camera_of(self.plane), at_px)
        except DegenerateGeometryError:
            return np.ones(len(at_px), np.bool_)  # beyond the horizon there is no card
        return are_inside_cards(at_mm, known, self.size_mm, margin_mm)

    def _are_corners(self, at_px: FloatArray, known: FloatArray) -> BoolArray:
        """Return which points (P, 2) of the photo are corners of known cards (N, 3)."""
        own = project_cards(self.plane, known, card_corners(*self.size_mm)).reshape(-1, 2)
        if not len(own) or not len(at_px):
            return np.zeros(len(at_px), np.bool_)
        camera = camera_of(self.plane)
        own_mm, at_mm = (table_from_photo(camera, of) for of in (own, at_px))
        away = np.linalg.norm(at_mm[:, None] - own_mm[None], axis=2)
        return np.asarray((away < _OWN_MM).any(axis=1))

    def _edged_shares(self, poses: FloatArray, known: FloatArray) -> FloatArray:
        """Return the share (N,) of the outline of proposals (N, 3) along which an edge runs.

        It is 0 if too little is visible, or if a visible side has no edge.
        """
        if not len(poses):
            return np.zeros(0)
        corners = project_cards(self.plane, poses, card_corners(*self.size_mm))
        places = side_places(corners)
        hidden = self._on_cards(places.reshape(-1, 2), known, _MARGIN_MM)
        hidden = hidden.reshape(places.shape[:3])
        in_level = to_level(corners, self.level)
        shares = side_shares(self.view[self.level], in_level, hidden=hidden)
        visible = 1 - hidden.mean(axis=2)
        asked = visible > _SIDE_VISIBLE
        shown = (shares * visible).mean(axis=1)
        mean = shown / np.maximum(visible.mean(axis=1), 1e-9)
        good = (asked.sum(axis=1) >= _SIDES) & (visible.mean(axis=1) > _VISIBLE)
        good &= ((shares > _SIDE_SHARE) | ~asked).all(axis=1) & (mean > _MEAN_SHARE)
        return np.where(good, shown, 0.0)
