"""Detects mirrored photos by reading the mirror image of a photo that is read poorly.

Front cameras and some webcam programs mirror their picture. Faces that are nearly symmetric are
read all the same, but turned the wrong way, so that shots would be fired to the other side. A face
that equals its own mirror image is no evidence either way. Separate from ``reading``: it runs that.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from vision.errors import TableNotFoundError
from vision.values.arrays import FloatArray, ImageBGR
from vision.values.layout import Layout, Placed
from vision.values.messages import message

__all__ = ["mirror_refusal", "read_unless_mirrored"]

_FACELESS = ("pawn", "stick", "die")  # kinds of pieces
_POOR = (
    0.7  # median score of a reading that is questioned: real photos reach 0.8, mirrored ones 0.5
)
_WELL, _ENOUGH = 0.8, 12  # so many pieces with such scores are not mirrored, whatever else is
# taken for pieces, as the squares of a cloth are
_BETTER = 1.4  # times the sum of scores: of faces alike both ways both readings are as good
_CLEARLY = 2.0  # times that sum, and the mirror image is the photo however softly it is read
_FIRST = 0.6  # median likeness of outlines in a first look: of good photos 0.7 to 0.95, of keys and
# rectangles 0.5 to 0.58
_LEAST = 1.5  # sum of scores: two cards, or a board and something on it; one may be chance. Of
# pieces that tell left from right


def read_unless_mirrored(
    image: ImageBGR,
    read: Callable[[ImageBGR], Layout],
    may_show_cards: Callable[[ImageBGR], bool] = lambda _: True,
    is_chiral: Callable[[str], bool] = lambda _: True,
    first: Callable[[ImageBGR], FloatArray] | None = None,
) -> Layout:
    """Read a photo; raise an error if its mirror image is read clearly better.

    Parameters
    ----------
    image : (H, W, 3) uint8
        The photo.
    read : callable
        Reads a picture into a layout.
    may_show_cards : callable, optional
        Quick test whether a picture can be read well. If not, its mirror image is not read.
    is_chiral : callable, optional
        Whether a piece differs from its mirror image. Default: all do.
    first : callable, optional
        Scores (N,) of the outlines that a first pyramid level detects. If they are high in the
        mirror image and low in the photo, the mirror image is read first, and the photo is not
        read if that result is clear. If there are some and this does not hold, the mirror image
        of a photo that shows nothing is not read.

    Raises
    ------
    TableNotFoundError
        If it is mirrored, or shows nothing.
    """
    mirror = _MirrorImage(image, read, may_show_cards, is_chiral)
    before = after = np.zeros(0)
    if first is not None:
        before = first(image)
        if _median_score(before) < _POOR:
            after = first(mirror.image)
        is_like = _median_score(after) > _FIRST and after.sum() > _BETTER * before.sum()
        refusal = mirror.refusal(0.0) if is_like else None
        if refusal is not None:
            raise refusal
    try:
        layout = read(image)
    except TableNotFoundError as error:
        is_seen = len(before) or len(after)
        refusal = None if is_seen else mirror.refusal(0.0)
        if refusal is not None:
            raise refusal from error
        raise
    refusal = _refusal_of_poor(_scores(layout.placed), mirror)
    if refusal is not None:
        raise refusal
    return layout


def mirror_refusal(
    image: ImageBGR,
    scores: Sequence[float],
    read: Callable[[ImageBGR], Layout],
    may_show_cards: Callable[[ImageBGR], bool] = lambda _: True,
    is_chiral: Callable[[str], bool] = lambda _: True,
) -> TableNotFoundError | None:
    """Return the error for a mirrored photo that was read elsewhere; None if it is not mirrored.

    ``scores`` are the scores of its pieces; the other arguments are those of
    :func:`read_unless_mirrored`.
    """
    return _refusal_of_poor(scores, _MirrorImage(image, read, may_show_cards, is_chiral))


def _refusal_of_poor(scores: Sequence[float], mirror: "_MirrorImage") -> TableNotFoundError | None:
    """Return the error for a poorly read photo if its mirror image is read better."""
    is_told = sum(score >= _WELL for score in scores) >= _ENOUGH
    if len(scores) and (np.median(scores) >= _POOR or is_told):
        return None
    return mirror.refusal(sum(scores))


def _scores(placed: Sequence[Placed]) -> list[float]:
    """Return the scores of pieces with a face: others are alike in a mirror."""
    faced = [one.score for one in placed if one.kind not in _FACELESS]
    return faced or [one.score for one in placed]


def _median_score(scores: FloatArray) -> float:
    return float(np.median(scores)) if len(scores) else 0.0


class _MirrorImage:
    """The mirror image of a photo, created and read at most once, on demand."""

    def __init__(
        self,
        photo: ImageBGR,
        read: Callable[[ImageBGR], Layout],
        may_show_cards: Callable[[ImageBGR], bool],
        is_chiral: Callable[[str], bool],
    ) -> None:
        self._photo = photo
        self._read, self._may_show, self._is_chiral = read, may_show_cards, is_chiral

    @cached_property
    def image(self) -> ImageBGR:
        return np.ascontiguousarray(self._photo[:, ::-1])

    @cached_property
    def _placed(self) -> tuple[Placed, ...]:
        """Pieces read in the mirror image; empty if it shows nothing or need not be read."""
        if not self._may_show(self.image):
            return ()
        try:
            return self._read(self.image).placed
        except TableNotFoundError:
            return ()

    def refusal(self, total: float) -> TableNotFoundError | None:
        """Return the error for a mirrored photo whose scores have this sum.

        None if the mirror image is not read clearly better.
        """
        placed = self._placed
        if not placed:
            return None
        scores = _scores(placed)
        is_clear = np.median(scores) > _POOR or 0 < _CLEARLY * total < sum(scores)
        is_clear &= sum(scores) > _BETTER * total
        told = sum(one.score for one in placed if self._is_chiral(one.piece))
        if not is_clear or told <= _LEAST:
            return None
        msg = (
            f"the photo is mirrored: its mirror image shows {len(scores)} pieces; needed a photo "
            "that is not mirrored: turn off mirroring in the camera app, or use the rear camera; "
            "if only a deck of your own seems mirrored, learn it from pictures that are not"
        )
        said = message("error.mirrored", n=len(scores))
        return TableNotFoundError(msg, is_near=True, said=said)
