"""Cards laid by their outlines + corners and print -> those that show only some corners too.

What is supposed is asked for its face where it was supposed and a little beside; laid cards are
asked again with it, for an outline may be off by a border.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry import rotation
from vision.imaging.view import View
from vision.seeing.cards.edge_finder_settings import EdgeFinderSettings
from vision.seeing.cards.face_comparers import PictureComparer
from vision.seeing.cards.propose_from_corners import propose_from_corners
from vision.seeing.cards.propose_from_print import propose_from_print
from vision.seeing.detection.search_regions import Crop
from vision.seeing.estimation.model import Solution, are_in_front, with_poses
from vision.seeing.estimation.overlaps import non_max_suppression
from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = ["ProposalVerifier"]

#: where a card is sought, in steps along its width and height; the first is where it was laid
_BESIDE = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1]])


@dataclass(frozen=True, eq=False, slots=True)
class _VerifiedPoses:
    """Poses (N, 3) where they are read best, how alike (N,) the best face is, and its lead (N,)."""

    poses: FloatArray
    scores: FloatArray
    leads: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class ProposalVerifier:
    """Supposes cards on a plane that is known, and reads them."""

    faces: PictureComparer
    settings: EdgeFinderSettings
    view: View
    at: Solution

    def add(
        self, poses: FloatArray, visible_corners: FloatArray, cuts: Sequence[Crop]
    ) -> tuple[FloatArray, FloatArray]:
        """Add cards that show only some corners to laid ones; shift those read better beside.

        Parameters
        ----------
        poses : (N, 3) float64
            Cards laid by their outlines.
        visible_corners : (M, 3, 2) float64
            Corners that show, photo frame.
        cuts : sequence of Crop
            Parts of the photo in which print is sought.

        Returns
        -------
        (K, 3) and (K,) float64
            Poses, the surest first, and how alike the best face of each is.
        """
        s, size = self.settings, self.faces.faces.size_mm
        good = poses[self.faces.best(self.view, self._lies(poses)) > s.proposal_score]
        cornered = self._glimpsed(propose_from_corners(visible_corners, self.at, (size,), good))
        printed = self._glimpsed(propose_from_print(cuts, self.at, size, good))
        together = np.concatenate([poses, cornered, printed])
        order = np.arange(len(together))
        was, is_printed = order < len(poses), order >= len(poses) + len(cornered)
        found = self._beside(together)
        by_trust = self._by_trust(found, was, is_printed)
        kept = by_trust[non_max_suppression(found.poses[by_trust], size, s.same_share)]
        return found.poses[kept], found.scores[kept]

    def _lies(self, poses: FloatArray) -> Solution:
        """Return the plane with these cards (N, 3) on it."""
        return with_poses(self.at, poses)

    def _glimpsed(self, proposed: FloatArray) -> FloatArray:
        """Keep of supposed cards (N, 3) those of whose faces something shows, the best first."""
        s = self.settings
        glimpses = self.faces.best(self.view, self._lies(proposed))
        order = np.argsort(-glimpses, kind="stable")[: s.most_glimpsed]
        return np.asarray(proposed[order[glimpses[order] > s.glimpse]], np.float64)

    def _beside(self, poses: FloatArray) -> _VerifiedPoses:
        """Read cards (N, 3) where they lie and beside, until they are read well enough."""
        s = self.settings
        step = s.beside * min(self.faces.faces.size_mm)
        best, lead, moved = np.full(len(poses), -1.0), np.zeros(len(poses)), poses.copy()
        for shift in step * _BESIDE:
            open_ = np.flatnonzero(best < s.plain_score)
            tried = poses[open_].copy()
            for k, pose in enumerate(tried):
                tried[k, :2] += rotation(float(pose[2])) @ shift
            before = are_in_front(self._lies(tried), 1.0)
            open_, tried = open_[before], tried[before]
            if not len(open_):
                break
            found = self.faces.coarse(self.view, self._lies(tried)).max(axis=2)
            ordered = np.sort(found, axis=1)
            better = ordered[:, -1] > best[open_] + (s.shifted_by if shift.any() else 0.0)
            moved[open_[better]] = tried[better]
            best[open_[better]] = ordered[better, -1]
            if ordered.shape[1] > 1:
                lead[open_[better]] = (ordered[:, -1] - ordered[:, -2])[better]
        return _VerifiedPoses(moved, best, lead)

    def _by_trust(self, found: _VerifiedPoses, was: BoolArray, is_printed: BoolArray) -> IntArray:
        """Return the order in which cards are kept: read ones, laid ones, what print hints at.

        Of those that were not laid but supposed the unread are left out.
        """
        s, best = self.settings, found.scores
        read = (best > s.proposal_score) & (was | (found.leads > s.proposal_lead) & ~is_printed)
        read |= best > s.twin_score
        faint = is_printed & ~read & (best > s.faint_score)
        sure_first = np.argsort(-best, kind="stable")
        return np.concatenate(
            [
                sure_first[read[sure_first]],
                np.flatnonzero(was & ~read),
                sure_first[faint[sure_first]],
            ]
        )
