"""Advice for a better photo, and doubts where light hides something.

A photo that is poor in one of these ways may still be read correctly: then the issue is a note.
Glare that hides a face may hide the next card too: that is a doubt. So is a photo that is too small
for its cards.

References
----------
.. [1] Canny, A Computational Approach to Edge Detection, 1986 (a blurred step's slope).
"""

from collections.abc import Sequence

import numpy as np

from vision.errors import TableNotFoundError
from vision.geometry import card_corners, map_points, solve_homographies
from vision.imaging.photo import Photo
from vision.imaging.view import View, sample
from vision.seeing.values import SMALL_CARD_PX, WELL_READ_SCORE, FaceMatch
from vision.texts import make_issue, where_px
from vision.values.arrays import FloatArray, ImageGray
from vision.values.layout import Placed
from vision.values.messages import Issue, message

__all__ = [
    "damaged_file_error",
    "report_colourless",
    "report_damaged_file",
    "report_photo_quality",
]


# From where on a word is said.
_GLARE_DOUBT = 0.9  # lightness of what is printed dark, white = 1: no face is left
_GLARE_NOTE = 0.7  # of the same: print is faint, the next photo would show it better
_DARK_WHITE = 60.0  # tones of the white border, 0..255: print is lost in noise below
_LOST_PX = 44.0  # of most cards: below, whole cards go missing (samples made smaller)
_STEEP_DEG = 60.0  # off the vertical: a millimetre of depth shows as half of one
_BLUR_MM = 0.8  # spread of an edge: a stroke of the print is as wide
_BLUR_CARDS = 6  # that are asked
_REACH_MM = 2.5  # to either hand of a printed edge, in which its step lies
_STEP_MM = 0.1  # of the samples across it
_SIDE_SAMPLES = 12  # along a side, whose median no stroke or shadow moves
_LEAST_STEP = 25.0  # tones across an edge that can tell its blur


def report_photo_quality(
    cards: Sequence[tuple[Placed, FaceMatch]],
    frame_share: tuple[float, float],
    gray: ImageGray,
    tilt_rad: float,
) -> tuple[Issue, ...]:
    """Report what is wrong with a photo, and where.

    Parameters
    ----------
    cards : sequence of Placed and FaceMatch
        All that were found, with how they compare with the faces.
    frame_share : (float, float)
        Width and height of the printed frame over those of the card.
    gray : (H, W) uint8
        Luma of the photo.
    tilt_rad : float
        Between the camera's axis and the vertical.

    Returns
    -------
    tuple of Issue
        By card, then of the photo as a whole.
    """
    found: list[Issue] = []
    for card, match in cards:
        found += _glare(card, match)
    if not cards:
        return ()
    corners = np.array([card.outline_px for card, _ in cards])
    white = float(np.median([match.white for _, match in cards]))
    if white < _DARK_WHITE:
        found.append(make_issue("photo_dark", "issue.photo_dark", (), "note", white=white / 255))
    widths = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    if widths.min() < SMALL_CARD_PX:
        small = cards[int(widths.argmin())][0].piece
        gaps = {"card": small, "px": float(widths.min())}
        found.append(make_issue("cards_small", "issue.cards_small", (small,), "note", **gaps))
    if (usual := float(np.median(widths))) < _LOST_PX:
        found.insert(0, make_issue("photo_small", "issue.photo_small", (), "doubt", px=usual))
    tilt_deg = float(np.degrees(tilt_rad))
    if tilt_deg > _STEEP_DEG:
        found.append(make_issue("photo_steep", "issue.photo_steep", (), "note", tilt=tilt_deg))
    some = corners[:: -(-len(corners) // _BLUR_CARDS)]
    blur_mm = _blur_mm(gray, some, frame_share)
    if blur_mm > _BLUR_MM:
        found.append(make_issue("photo_blurred", "issue.photo_blurred", (), "note", blur=blur_mm))
    return tuple(found)


def report_colourless(view: View) -> tuple[Issue, ...]:
    """Report a photo without colour."""
    if view.has_colour:
        return ()
    return (make_issue("photo_colourless", "issue.photo_colourless", (), "note"),)


def _glare(card: Placed, match: FaceMatch) -> list[Issue]:
    """Report glare on a card."""
    if match.haze < _GLARE_NOTE:
        return []
    is_read = card.identity is not None  # that a card is unread is a doubt of its own
    is_doubt = match.haze >= _GLARE_DOUBT and match.score < WELL_READ_SCORE and is_read
    key = f"issue.glare.{'doubt' if is_doubt else 'note'}"
    gaps = {"card": card.piece, **where_px(*card.outline_px.mean(axis=0))}
    return [make_issue("glare", key, (card.piece,), "doubt" if is_doubt else "note", **gaps)]


def _blur_mm(gray: ImageGray, corners_px: FloatArray, frame_share: tuple[float, float]) -> float:
    """Return the median blur of the printed frames' edges, mm; 0 if not measurable."""
    half_mm = 63.5 / 2  # the scale along a card hardly matters here
    steps = np.arange(-_REACH_MM, _REACH_MM, _STEP_MM) / half_mm
    along = 0.7 * np.linspace(-1, 1, _SIDE_SAMPLES)
    sides = [(0, -1), (1, 0), (0, 1), (-1, 0)]
    spreads = []
    for photo_from_unit in solve_homographies(card_corners(2.0, 2.0), corners_px):
        for x, y in sides:
            reach = frame_share[0] if x else frame_share[1]
            across = (reach + steps)[None, :, None] * np.array([x, y], float)
            places = across + along[:, None, None] * np.array([-y, x], float)
            at = map_points(photo_from_unit, places.reshape(-1, 2)).reshape(places.shape)
            spreads.append(_spread(np.median(sample(gray, at).astype(float), axis=0)))
    told = np.array([s for s in spreads if s is not None])
    return float(np.median(told)) if len(told) else 0.0


def _spread(profile: FloatArray) -> float | None:
    """Return the deviation of a blurred step, mm: its height over its steepest gradient."""
    step = float(np.ptp(profile))
    if step < _LEAST_STEP:
        return None
    slope = float(np.abs(np.diff(profile)).max()) / _STEP_MM
    return step / (slope * float(np.sqrt(2 * np.pi)))


def report_damaged_file(photo: Photo) -> tuple[Issue, ...]:
    """Report a damaged file, which puts everything in the photo in doubt."""
    if not photo.is_damaged:
        return ()
    return (make_issue("file_damaged", "issue.file_damaged", kind=photo.kind),)


def damaged_file_error(photo: Photo) -> TableNotFoundError:
    """Return the error for a damaged file that shows nothing."""
    return TableNotFoundError(
        f"the {photo.kind} file is damaged, and what is left of the picture cannot be read; "
        "needed the original file: copy or send it again",
        of_photo=True,
        said=message("error.file_damaged", kind=photo.kind),
    )
