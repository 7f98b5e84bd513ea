"""What is known of a die while dice are read, and how they are sought."""

from dataclasses import dataclass

from vision.values.arrays import FloatArray
from vision.values.layout import Placed

__all__ = ["PIPS", "DieFace", "DieSettings", "FoundDie"]

PIPS = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((-1, -1), (1, -1), (0, 0), (1, 1), (-1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)  # of the faces 1 to 6, in units of the pips' distance from the middle


@dataclass(frozen=True, slots=True)
class DieSettings:
    """How dice are sought."""

    edge_px: float = 32.0  # of a die where it is read: a pip is six pixels wide
    pip: float = 0.095  # radius of a pip, of the edge: dice have 0.08 to 0.11
    pip_at: float = 0.25  # how far pips lie from the middle lines: dice have 0.22 to 0.28
    pips: int = 240  # at most, the strongest: a patterned cloth has as many dots
    round: float = 0.3  # of the bends along and across a pip, 1 for a disc: a grain's is 0
    similarity: float = 0.4  # of the strengths of two pips of a face: glare takes half
    contrast: float = 12.0  # grey levels of a pip on its face
    places: int = 700  # at most, that are compared
    kept: int = 60  # the likest of them, that are compared exactly
    score: float = 0.76  # of a face with its pattern; wood and print reach 0.75
    side_lead: float = 0.15  # an upper face is read that much worse than a side at most
    covered: float = 0.35  # of a die's foot that hides the board's print: white hides white less
    outside: float = 10.0  # grey levels (any channel) over an edge: a white die on white paper
    sides: int = 3  # of four that must show such an edge: dots of a board have none
    inner: float = 0.43  # of the edge from the middle: within the round of the edges
    outer: float = 0.59  # and without
    sharpness: float = 40.0  # of a chance by score: 0.12 of correlation are one in a hundred
    by_chance: float = 24.0  # ... that it is no upright face: those that lean reach 0.95
    alone: float = 0.1  # that much less where nothing of the die's own tone is seen behind it
    faint: float = 12.0  # grey levels over the faintest edge: as often a die leans as it does not
    least_chance: float = 0.001  # of another number, to be told
    sure: float = 0.99  # chance of a number: below, the next is told at any rate
    chance: float = 0.76  # score of what has the pattern of a face by chance
    lead: float = 0.08  # of score, of a die of which there is one over another of its tone
    by_pip: float = 0.03  # of score for each pip more: dots by chance make no pattern
    within: float = 0.45  # of the edge: middles nearer than that are of one face
    apart: float = 0.7  # of the edge: the middles of two dice cannot lie nearer
    place_sd: float = 0.04  # of the edge: dice have round corners
    height_sd: float = 0.03  # of the edge
    tone: float = 0.3  # by which a face may differ from a die's tone, of its lightness
    plain: float = 0.3  # of colour by lightness: above, a tone is told by its hue
    sliver: float = 0.12  # of the depth of a side: what shows of it is narrower than a gap
    behind: tuple[float, float] = (0.62, 0.78)  # of the edge from the middle: beyond the edges
    turn_sd: float = 0.03  # rad: the edges tell it to two degrees


@dataclass(frozen=True, slots=True, eq=False)
class FoundDie:
    """A die as found; ``placed.side`` is what it shows, its others are ``<piece>-<number>``."""

    placed: Placed
    edge_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class DieFace:
    """A square that may be the upper face of a die: middle, turn, how alike to each number."""

    pose: FloatArray
    scores: FloatArray
    base_mm: float
    edge_mm: float
    tone: FloatArray
    weakest: float  #: grey levels over the faintest of its four edges
    behind: float = 0.0  #: how far what is seen behind it is from its own tone, at the least
