"""Features of a photo and of a board's print -> which look alike, and how surely."""

from dataclasses import dataclass

import numpy as np

from vision.seeing.pieces.board_prints import BoardPrint, Features
from vision.values.arrays import FloatArray, Points

__all__ = ["Alike", "match_features"]


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """Features as seen (N, 2), the likest of the art (N, 2) mm, and how sure (N,): a ratio."""

    seen: Points
    art: Points
    ratio: FloatArray

    def below(self, ratio: float) -> "Alike":
        """Return those of which the likest is so much liker than any elsewhere on the art."""
        keep = self.ratio < ratio
        return Alike(self.seen[keep], self.art[keep], self.ratio[keep])

    def outside(self, corners_px: Points) -> "Alike":
        """Return those beyond a four-sided outline (4, 2), clockwise."""
        sides = np.roll(corners_px, -1, axis=0) - corners_px
        off = self.seen[:, None] - corners_px
        beyond = (sides[:, 0] * off[..., 1] - sides[:, 1] * off[..., 0] < 0).any(axis=1)
        return Alike(self.seen[beyond], self.art[beyond], self.ratio[beyond])


def match_features(board: BoardPrint, seen: Features, apart: float) -> Alike:
    """Compare the features of a photo with those of the art.

    A feature's ratio is its distance from the likest over that from any at another place.
    """
    art = board.features
    if len(art.points) < 4 or len(seen.points) < 4:
        return Alike(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
    from scipy.spatial import KDTree  # loads slowly, and other decks need it not

    likeness = seen.descriptors @ art.descriptors.T
    best = likeness.argmax(axis=1)
    top = likeness[np.arange(len(best)), best]
    tree = KDTree(art.points)
    near = tree.query_ball_point(art.points[best], apart * max(board.size_mm))
    rows = np.repeat(np.arange(len(best)), [len(n) for n in near])
    likeness[rows, np.concatenate(near).astype(np.int64)] = -1.0
    second = likeness.max(axis=1)
    distance, other = (np.sqrt(np.maximum(2 - 2 * v, 0)) for v in (top, second))
    return Alike(seen.points, art.points[best], distance / np.maximum(other, 1e-9))
