"""Pictures of a fixed camera -> where something changed, and where it has come to rest.

All of this happens in a small gray picture, so that a table on which nothing happens costs next
to nothing. Two pictures are kept: the ``backdrop``, what the table looked like when all was known;
and the ``anchor``, what each pixel showed when it last changed. A pixel that stays near its anchor
is at rest; one that is off the backdrop is news. Slow hands are seen as well as quick ones, and
the rate of pictures does not matter.
"""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray

__all__ = [
    "STILL_S",
    "Change",
    "Motion",
    "absorb",
    "begin_motion",
    "find_changes",
    "is_black",
    "is_moving",
    "is_uncovered",
    "observe",
    "reduce_picture",
    "reduction",
]


# How change is told from noise; tones are of 255.
_WORK_PX = 480  # about, width of the small picture: a card is 25 pixels there
_STEP_TONES = 9.0  # off by more: something else is there, however quiet the camera
_STEP_NOISE = 6.5  # ... and by more than so many deviations of a noisy one: 2 tones
_NOISE_SHARE = 0.1  # by which the noise follows each picture
STILL_S = 0.3  # longer than a hand hesitates over a card, short enough for "at once"
_SETTLE_S = 0.2  # in which the anchor comes near: it was taken from a moving thing
_QUIET_SHARE = 0.01  # of a change that may seem to move: noise, a flickering glint
_JOIN_PX = 5  # gaps in a thing's change: where hand and cloth happen to look alike
_LEAST_HOOD = 3  # of 3 x 3 pixels, itself among them: a line is, noise is not
_LEAST_PX = 6  # of a change: a card nudged by 2 mm shows some 30
_DRIFT_S = 1.0  # how often the backdrop follows the light
_DRIFT_SHARE = 0.25  # by how much of what it is off
_GAIN_LIMITS = (0.6, 1.6)  # of a camera that sets its exposure anew
_DARK_TONE = 12.0  # a picture whose brightest parts are below is black


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """What is remembered of the pictures, all (h, w) of the small size.

    ``level`` is the newest, its brightness brought to the backdrop's; ``since_s`` when each pixel
    last changed; ``noise`` the deviation of a pixel from one picture to the next, in tones.
    """

    backdrop: ImageGray
    anchor: ImageGray
    level: ImageGray
    since_s: FloatArray
    time_s: float
    drifted_s: float
    noise: float = 1.0

    @property
    def step(self) -> float:
        """By how many tones a pixel must be off to count."""
        return max(_STEP_TONES, _STEP_NOISE * self.noise)


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A connected part of the small picture that is off the backdrop or still moving.

    ``mask`` (h, w) is all of it, gaps closed; ``news`` (h, w) the pixels off the backdrop;
    ``box`` x, y, width, height. ``is_quiet`` says that nothing in it has moved for a while.
    """

    mask: BoolArray
    news: BoolArray
    box: tuple[int, int, int, int]
    is_quiet: bool
    touches_rim: bool


def reduction(size_wh: tuple[int, int]) -> int:
    """Return by what power of two pictures of a size are reduced."""
    return int(2 ** max(0, round(math.log2(max(1, size_wh[0]) / _WORK_PX))))


def reduce_picture(image: ImageBGR) -> ImageGray:
    """Return the small gray picture (h, w), each pixel the mean of those it stands for."""
    small = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    for _ in range(int(math.log2(reduction((image.shape[1], image.shape[0]))))):
        height, width = (side // 2 for side in small.shape)  # by two: a quick path of its own
        whole = small[: 2 * height, : 2 * width]
        small = cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def is_black(small: ImageGray) -> bool:
    """Tell whether a picture shows nothing: a covered lens, or a camera that is starting."""
    return bool(np.percentile(small[::4, ::4], 98) < _DARK_TONE)


def begin_motion(small: ImageGray, time_s: float) -> Motion:
    """Start from one picture, taken for the backdrop."""
    since = np.full(small.shape, time_s)
    return Motion(small, small, small, since, time_s, time_s)


def observe(motion: Motion, small: ImageGray, time_s: float) -> Motion:
    """Take in the next picture (h, w)."""
    level = _levelled(small, motion.backdrop)
    noise = motion.noise + _NOISE_SHARE * (_noise(level, motion.level) - motion.noise)
    step = motion.step
    moved = cv2.absdiff(level, motion.anchor) > step
    share = 1 - math.exp(-max(0.0, time_s - motion.time_s) / _SETTLE_S)
    anchor = np.asarray(cv2.addWeighted(level, share, motion.anchor, 1 - share, 0), np.uint8)
    since = motion.since_s
    if moved.any():
        since = since.copy()
        anchor[moved] = level[moved]
        since[moved] = time_s
    backdrop, drifted_s = motion.backdrop, motion.drifted_s
    if time_s - drifted_s >= _DRIFT_S:
        still = (time_s - since > STILL_S) & (cv2.absdiff(level, backdrop) <= step)
        share = _DRIFT_SHARE
        mixed = cv2.addWeighted(level, share, backdrop, 1 - share, 0)
        backdrop = np.where(still, mixed, backdrop)
        anchor = np.where(still, backdrop, anchor)
        drifted_s = time_s
    return Motion(backdrop, anchor, level, since, time_s, drifted_s, noise)


def _noise(level: ImageGray, before: ImageGray) -> float:
    """Return the deviation of a pixel between two pictures, in tones; what moves is too little."""
    few = (slice(None, None, 5),) * 2
    away = np.abs(level[few].astype(np.int16) - before[few])
    # of whole numbers: the share within one tone tells more than their median
    within = float((away <= 1).mean())
    for sigma in (0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0):
        if within >= math.erf(1.5 / (2 * sigma)):
            return sigma
    return 5.0


def _levelled(small: ImageGray, backdrop: ImageGray) -> ImageGray:
    """Bring the brightness of a picture to the backdrop's, by the median of their ratio."""
    few = (slice(None, None, 6),) * 2
    ratio = (small[few].astype(np.float64) + 1) / (backdrop[few].astype(np.float64) + 1)
    gain = float(np.clip(np.median(ratio), *_GAIN_LIMITS))
    if abs(gain - 1) < 0.01:
        return small
    return np.asarray(cv2.convertScaleAbs(small, alpha=1 / gain), np.uint8)


def find_changes(motion: Motion) -> tuple[Change, ...]:
    """Return what is off the backdrop or moving, each connected part on its own."""
    news = cv2.absdiff(motion.level, motion.backdrop) > motion.step
    if not news.any():  # what passed by is over as soon as it has gone
        return ()
    moving = _without_specks(motion.time_s - motion.since_s < STILL_S)
    news = _without_specks(news)
    kernel = np.ones((_JOIN_PX,) * 2, np.uint8)
    joined = cv2.dilate((news | moving).astype(np.uint8), kernel)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    height, width = news.shape
    found = []
    for k in range(1, count):
        x, y, w, h = (int(v) for v in stats[k, :4])
        mask = labels == k
        inside = mask & news
        if int(inside.sum()) < _LEAST_PX:
            continue
        is_quiet = int((mask & moving).sum()) <= _QUIET_SHARE * int(mask.sum())
        rim = x <= 1 or y <= 1 or x + w >= width - 1 or y + h >= height - 1
        found.append(Change(mask, inside, (x, y, w, h), is_quiet, rim))
    return tuple(found)


def _without_specks(mask: BoolArray) -> BoolArray:
    """Drop pixels (h, w) that stand nearly alone: at the edge of what counts, noise decides."""
    counts = cv2.boxFilter(mask.astype(np.uint8), -1, (3, 3), normalize=False)
    return mask & (counts >= _LEAST_HOOD)


def is_moving(motion: Motion) -> bool:
    """Tell whether anything in the picture moves, were it back where it was when it stops."""
    fresh = motion.time_s - motion.since_s < STILL_S
    return int(_without_specks(fresh).sum()) >= _LEAST_PX


def is_uncovered(motion: Motion, mask: BoolArray) -> bool:
    """Tell whether a part (h, w) that is off the backdrop shows what was covered there before.

    A thing that came has its outline in the newest picture, one that went in the backdrop.
    """
    if not mask.any():
        return False
    kernel = np.ones((3, 3), np.uint8)
    grown = cv2.dilate(mask.astype(np.uint8), kernel)
    ring = (grown > 0) & (cv2.erode(mask.astype(np.uint8), kernel) == 0)
    now, before = (float(_slope(p)[ring].mean()) for p in (motion.level, motion.backdrop))
    return now < 0.6 * before


def _slope(picture: ImageGray) -> NDArray[np.float32]:
    x, y = (cv2.Sobel(picture, cv2.CV_32F, dx, 1 - dx) for dx in (1, 0))
    return np.asarray(cv2.magnitude(x, y), np.float32)


def absorb(motion: Motion, mask: BoolArray | None = None) -> Motion:
    """Take the newest picture for the backdrop, where a mask (h, w) says or everywhere."""
    if mask is None:
        return replace(motion, backdrop=motion.level, anchor=motion.level)
    backdrop = np.where(mask, motion.level, motion.backdrop)
    anchor = np.where(mask, motion.level, motion.anchor)
    return replace(motion, backdrop=backdrop, anchor=anchor)
