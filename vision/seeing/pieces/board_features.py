"""Features of a photo and of a board's print -> which look alike, and how surely."""

from dataclasses import dataclass

import numpy as np

from vision.seeing.pieces.board_prints import BoardPrint, Keypoints
from vision.values.arrays import FloatArray, Points

__all__ = ["FeatureMatches", "match_features"]


_AT_ONCE = 256  # features of a photo: their likenesses to all of the art stay near the processor


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMatches:
    """Features as seen (N, 2), the likest of the art (N, 2) mm, and how sure (N,): a ratio."""

    seen: Points
    art: Points
    ratio: FloatArray

    def below(self, ratio: float) -> "FeatureMatches":
        """Return those of which the likest is so much liker than any elsewhere on the art."""
        keep = self.ratio < ratio
        return FeatureMatches(self.seen[keep], self.art[keep], self.ratio[keep])

    def outside(self, corners_px: Points) -> "FeatureMatches":
        """Return those beyond a four-sided outline (4, 2), clockwise."""
        sides = np.roll(corners_px, -1, axis=0) - corners_px
        off = self.seen[:, None] - corners_px
        beyond = (sides[:, 0] * off[..., 1] - sides[:, 1] * off[..., 0] < 0).any(axis=1)
        return FeatureMatches(self.seen[beyond], self.art[beyond], self.ratio[beyond])


def match_features(board: BoardPrint, seen: Keypoints, apart: float) -> FeatureMatches:
    """Compare the features of a photo with those of the art.

    A feature's ratio is its distance from the likest over that from any at another place.
    """
    art = board.features
    if len(art.points) < 4 or len(seen.points) < 4:
        return FeatureMatches(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
    from scipy.spatial import KDTree  # loads slowly, and other decks need it not

    near = KDTree(art.points).query_ball_point(art.points, apart * max(board.size_mm))
    best = np.empty(len(seen.points), np.int64)
    top, second = np.empty((2, len(best)), np.float32)
    for start in range(0, len(best), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        similarity = seen.descriptors[part] @ art.descriptors.T
        chosen = similarity.argmax(axis=1)
        best[part], top[part] = chosen, similarity[np.arange(len(chosen)), chosen]
        for row, k in zip(similarity, chosen.tolist(), strict=True):
            row[near[k]] = -1.0
        second[part] = similarity.max(axis=1)
    distance, other = (np.sqrt(np.maximum(2 - 2 * v, 0)) for v in (top, second))
    return FeatureMatches(seen.points, art.points[best], distance / np.maximum(other, 1e-9))
