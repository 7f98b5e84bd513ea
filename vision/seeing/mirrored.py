"""A photo that shows hardly anything, and its mirror image -> whether it is mirrored.

Front cameras and some programs for webcams mirror what they see. Faces that are nearly alike both
ways are read all the same then, and turned the wrong way: lasers would fire to the other side.
Of a face that is its own mirror image both readings are as good, and which of them is a little
better is chance: it tells nothing of mirroring.
"""

from collections.abc import Callable, Sequence

import numpy as np

from vision.errors import TableNotFoundError
from vision.values.arrays import ImageBGR
from vision.values.layout import Layout
from vision.values.messages import message

__all__ = ["find_mirrored", "unless_mirrored"]

_POOR = (
    0.7  # median score of a reading that is questioned: real photos reach 0.8, mirrored ones 0.5
)
_WELL, _ENOUGH = 0.8, 12  # so many pieces with such scores are not mirrored, whatever else is
# taken for pieces, as the squares of a cloth are
_BETTER = 1.4  # times the sum of scores: of faces alike both ways both readings are as good
_CLEARLY = 2.0  # times that sum, and the mirror image is the photo however softly it is read
_LEAST = 1.5  # sum of scores: two cards, or a board and something on it; one may be chance. Of
# pieces that tell left from right


def unless_mirrored(
    image: ImageBGR,
    read: Callable[[ImageBGR], Layout],
    may_show: Callable[[ImageBGR], bool] = lambda _: True,
    tells: Callable[[str], bool] = lambda _: True,
) -> Layout:
    """Read a photo; refuse it if its mirror image is read where it is not.

    Parameters
    ----------
    image : (H, W, 3) uint8
        The photo.
    read : callable
        Reads it.
    may_show : callable, optional
        Tells at a quick look whether a picture may be read well: if not, its mirror image is
        not read at all.
    tells : callable, optional
        Tells of a piece whether its mirror image looks otherwise; left out, of all it does.

    Raises
    ------
    TableNotFoundError
        If it is mirrored, or shows nothing.
    """
    try:
        layout = read(image)
    except TableNotFoundError as error:
        refusal = find_mirrored(image, (), read, may_show, tells)
        if refusal is not None:
            raise refusal from error
        raise
    scores = [placed.score for placed in layout.placed]
    refusal = find_mirrored(image, scores, read, may_show, tells)
    if refusal is not None:
        raise refusal
    return layout


def find_mirrored(
    image: ImageBGR,
    scores: Sequence[float],
    read: Callable[[ImageBGR], Layout],
    may_show: Callable[[ImageBGR], bool] = lambda _: True,
    tells: Callable[[str], bool] = lambda _: True,
) -> TableNotFoundError | None:
    """Return the refusal of a picture whose mirror image is read where it is not; else None.

    ``scores`` are those of its pieces as it was read; the rest is as in :func:`unless_mirrored`.
    """
    is_told = sum(score >= _WELL for score in scores) >= _ENOUGH
    if len(scores) and (np.median(scores) >= _POOR or is_told):
        return None
    pieces = _seen_mirrored(image, read, may_show, tells, sum(scores))
    return _mirrored(pieces) if pieces else None


def _seen_mirrored(
    image: ImageBGR,
    read: Callable[[ImageBGR], Layout],
    may_show: Callable[[ImageBGR], bool],
    tells: Callable[[str], bool],
    total: float,
) -> int:
    """Return how many pieces the mirror image shows; 0 if it is not read clearly better."""
    mirrored = np.ascontiguousarray(image[:, ::-1])
    if not may_show(mirrored):
        return 0
    try:
        layout = read(mirrored)
    except TableNotFoundError:
        return 0
    scores = [placed.score for placed in layout.placed]
    is_clear = np.median(scores) > _POOR or 0 < _CLEARLY * total < sum(scores)
    is_clear &= sum(scores) > _BETTER * total
    told = sum(placed.score for placed in layout.placed if tells(placed.piece))
    return len(scores) if is_clear and told > _LEAST else 0


def _mirrored(pieces: int) -> TableNotFoundError:
    msg = (
        f"the photo is mirrored: its mirror image shows {pieces} pieces; needed a photo that is "
        "not mirrored: turn off mirroring in the camera app, or use the rear camera"
    )
    return TableNotFoundError(msg, is_near=True, said=message("error.mirrored", n=pieces))
