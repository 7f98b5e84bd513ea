"""Faces -> how their cards are looked for; nobody else asks how a deck was made."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol, TypeAlias

import cv2
import numpy as np

from vision.imaging.view import View
from vision.seeing.cards.chances import COLOURLESS
from vision.seeing.cards.comparing import Bordered, Plain, SureSettings
from vision.seeing.cards.finding import BrightBorders
from vision.seeing.cards.finding_edges import AnyEdges
from vision.seeing.cards.report import ReportSettings
from vision.seeing.cards.settle import SidePoses
from vision.seeing.cards.settle_print import PrintPoses
from vision.seeing.pieces.reading import PieceSight
from vision.seeing.solve.adjust import Priors
from vision.seeing.solve.model import Measurements, Solution
from vision.seeing.solve.plane import Plane
from vision.seeing.stages import Stages
from vision.seeing.values import Candidates, Identities, Located, Look, Match, Matched
from vision.values.arrays import BoolArray, FloatArray, ImageGray, IntArray
from vision.values.pieces import Faces

__all__ = [
    "AnySight",
    "FaceComparer",
    "OutlineFinder",
    "PoseMeasurer",
    "Sight",
    "TableSight",
    "first_scores",
    "look_at",
    "may_show",
    "sight_of",
    "tells_mirrored",
    "without_colour",
]

_READ_WELL = 0.6  # of the best outline: on 73 photos 0.68, in mirror images of poor ones 0.6


class OutlineFinder(Protocol):
    """Finds where cards may lie."""

    def looks(self, view: View) -> tuple[Look, ...]:
        """Return the looks that are taken in turn until one gives a plane."""
        ...

    def finer(self, view: View, look: Look, shown: Solution) -> Look | None:
        """Return the look that shows cards well which gave a plane; None if this one does."""
        ...

    def quads(self, view: View, look: Look | None = None) -> FloatArray:
        """Find outlines (N, 4, 2), photo frame.

        Without a look those of a part of a picture, which a card may nearly fill.
        """
        ...

    def lay(self, view: View, plane: Plane, matched: Matched, stages: Stages) -> Candidates:
        """Lay all cards of a photo on its plane, those that were matched first."""
        ...

    def glance(self, view: View, plane: Plane, shape_mm: float) -> Candidates:
        """Lay the cards of a part of a picture on a known plane, good to ``shape_mm``."""
        ...


class FaceComparer(Protocol):
    """Compares what shows with all faces, and says when that is believed.

    ``frame_share`` is the width and height of a printed edge that all cards show over the card's.
    """

    @property
    def report(self) -> ReportSettings: ...  # noqa: D102
    @property
    def sure(self) -> SureSettings: ...  # noqa: D102
    @property
    def frame_share(self) -> tuple[float, float]: ...  # noqa: D102

    def match_quads(self, view: View, quads: FloatArray, *, all_ways: bool = False) -> Matched:
        """Compare outlines with all faces."""
        ...

    def match(self, view: View, solution: Solution) -> list[Match]:
        """Compare cards at their places."""
        ...

    def name(self, matches: list[Match]) -> Identities:
        """Name cards together; none at all if no card is clearly read."""
        ...

    def name_more(
        self, view: View, located: Located, matches: list[Match], named: Identities
    ) -> tuple[list[Match], Identities]:
        """Name unread or doubtful places by other evidence."""
        ...

    def hidden(self, view: View, found: Candidates, placed: FloatArray) -> FloatArray:
        """Return poses (K, 3) of cards of which little shows beside those placed (N, 3)."""
        ...

    def tells_mirrored(self, card: str) -> bool:
        """Tell whether the mirror image of a card's face looks otherwise."""
        ...


class PoseMeasurer(Protocol):
    """Measures where cards lie, to a fraction of a pixel."""

    def locate(self, view: View, start: Solution, priors: Priors) -> Located:
        """Solve camera, plane and poses."""
        ...

    def refine(
        self, view: View, located: Located, faces: IntArray, turned: BoolArray, priors: Priors
    ) -> Located:
        """Solve once more with the named faces (N,), upside down where ``turned``."""
        ...

    def observe(
        self, gray: ImageGray, solution: Solution, reach_px: float
    ) -> tuple[Measurements, FloatArray]:
        """Measure the sides of cards: two measurements a side, and shares (N, R, 4)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """How the cards of a deck are looked for; it travels to other processes as its faces."""

    faces: Faces
    outlines: OutlineFinder
    comparer: FaceComparer
    poses: PoseMeasurer

    def __reduce__(self) -> tuple[Callable[[Faces], "Sight"], tuple[Faces]]:
        return sight_of, (self.faces,)


@dataclass(frozen=True, slots=True, eq=False)
class TableSight:
    """How cards are looked for, and beside them sheets of other sizes with tokens on them.

    ``sheets`` names the sheets of the cards' own size, which are looked for as cards.
    """

    cards: Sight
    pieces: PieceSight
    sheets: tuple[str, ...] = ()


#: How the pieces of any game are looked for.
AnySight: TypeAlias = Sight | PieceSight | TableSight


def may_show(view: View, sight: AnySight) -> bool:
    """Tell whether any outline of a picture is read as it is where cards are read well.

    What is not told by the outlines of cards with a printed frame may always be.
    """
    if isinstance(sight, PieceSight):
        return True
    cards = sight.cards if isinstance(sight, TableSight) else sight
    if not cards.faces.frames:
        return True
    found = (look_at(view, cards, look)[1] for look in cards.outlines.looks(view))
    return any((matched.scores > _READ_WELL).any() for matched in found)


def first_scores(view: View, sight: Sight | TableSight, stages: Stages) -> FloatArray:
    """Return how alike (N,) a face are outlines that may be cards, of the first look with any.

    Looks by which more is tried are not taken. Without colour faces in frames are all as alike.
    """
    cards = sight.cards if isinstance(sight, TableSight) else sight
    if not view.has_colour and cards.faces.frames:
        return np.ones(1)
    cards = cards if view.has_colour else without_colour(cards)
    sure = cards.comparer.sure
    for look in cards.outlines.looks(view):
        if not look.harder:
            _, matched = look_at(view, cards, look, stages)
            may_vote = (matched.scores > sure.scores[-1]) & (matched.leads > sure.leads[-1])
            if may_vote.any():
                return matched.scores[may_vote]
    return np.zeros(0)


def look_at(
    view: View, sight: Sight, look: Look, stages: Stages | None = None
) -> tuple[FloatArray, Matched]:
    """Return the outlines (N, 4, 2) of a look, photo frame, and those compared with all faces.

    Each look at a view is taken once.
    """
    stages = stages or Stages()

    def take(_: ImageGray) -> tuple[FloatArray, Matched]:
        with stages("detect"):
            quads = sight.outlines.quads(view, look)
        with stages("classify"):
            matched = sight.comparer.match_quads(view, quads, all_ways=look.harder)
        return quads, replace(matched, look=look)

    return view.once((sight, look), look.level, take)


def tells_mirrored(piece: str, sight: AnySight) -> bool:
    """Tell whether a piece looks otherwise in a mirror; of other pieces than cards, it may."""
    if isinstance(sight, PieceSight):
        return True
    cards = sight.cards if isinstance(sight, TableSight) else sight
    return cards.comparer.tells_mirrored(piece)


@lru_cache(maxsize=2)
def without_colour(sight: Sight) -> Sight:
    """Return how cards are looked for by lightness alone; as before by a printed frame."""
    faces = sight.faces
    if faces.frames:
        return sight
    gray = np.stack([cv2.cvtColor(face, cv2.COLOR_BGR2GRAY) for face in faces.images])
    lit = replace(faces, images=np.repeat(gray[..., None], 3, axis=3))
    return _by_pictures(Plain(lit, chances=COLOURLESS))


@lru_cache(maxsize=4)
def sight_of(faces: Faces) -> Sight:
    """Choose how cards are looked for; the last decks are remembered.

    A printed frame that all faces share, and whose place is known, makes the white border round
    it a card's mark; without one there are the pictures alone.
    """
    if faces.frames:
        bordered = Bordered(faces)
        return Sight(faces, BrightBorders(bordered), bordered, SidePoses(faces))
    return _by_pictures(Plain(faces))


def _by_pictures(plain: Plain) -> Sight:
    """Look for cards by the pictures of their faces alone."""
    return Sight(plain.faces, AnyEdges(plain), plain, PrintPoses(plain))
