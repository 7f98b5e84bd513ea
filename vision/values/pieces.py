"""What may lie on a table, and what it looks like.

Lengths are millimetres unless the name says pixels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray

__all__ = ["ANY_NUMBER", "Faces", "Frame", "Looks", "Piece", "PieceSet"]

ANY_NUMBER = 1_000_000  #: of copies that nobody counts


@dataclass(frozen=True, slots=True)
class Frame:
    """A printed rectangle shared by all faces, centred on the card.

    ``darker_inside`` tells on which side of its edge the face is darker.
    """

    width_mm: float
    height_mm: float
    darker_inside: bool


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """What the cards of a deck look like, drawn or photographed.

    ``names`` are the ids of the cards that show each of K faces: several, where a deck holds the
    same picture more than once. ``images`` (K, H, W, 3) uint8 BGR is each face, upright, at
    ``px_per_mm``, cut to the card's edge; it may lie in a file and is read where it is looked at.
    ``frames`` are the printed rectangles that all faces share, outermost first (the card's own
    edge is not among them), as far as they are known to the cut's own exactness;
    ``margins_mm`` (K, 4) is the plain border at the left, top, right and bottom of each, 0 where
    there is none, or the whole left out. ``kinds`` (K names) are given where some faces play
    alike. ``is_symmetric`` (K,) tells which faces a half turn leaves as they are; left out, none.
    ``cut_sd`` (5,) is how well size and cut are known that all images share: the logarithm of width
    over height, by what share the images' width and height fall short of the card's, and how far
    beside its middle theirs lies along x and y, mm; all 0 for drawn ones. ``copies`` (K,) is how
    many cards show each face, left out as many as are named; ``ANY_NUMBER`` of them bear one name.
    Images with the same names are several pictures of one face. ``unsure`` (K,) is by what share of
    the brightness each may differ from its card, root mean square, where light lay over it; left
    out, 0. ``is_whole``: all cards of the published game have their faces here.
    """

    names: tuple[tuple[str, ...], ...]
    images: NDArray[np.uint8]
    px_per_mm: float
    width_mm: float
    height_mm: float
    frames: tuple[Frame, ...] = ()
    corner_radius_mm: float = 0.0
    kinds: tuple[str, ...] = ()
    margins_mm: FloatArray = field(default_factory=lambda: np.zeros((0, 4)))
    is_symmetric: BoolArray = field(default_factory=lambda: np.zeros(0, np.bool_))
    cut_sd: tuple[float, ...] = (0.0,) * 5
    copies: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    unsure: FloatArray = field(default_factory=lambda: np.zeros(0))
    is_whole: bool = False

    def __post_init__(self) -> None:
        k = len(self.names)
        named = np.array([len(names) for names in self.names], np.int64)
        for name, none in (
            ("margins_mm", np.zeros((k, 4))),
            ("is_symmetric", np.zeros(k, bool)),
            ("copies", named),
            ("unsure", np.zeros(k)),
        ):
            given = getattr(self, name)
            if not len(given):
                object.__setattr__(self, name, none)
            elif given.shape != none.shape:
                msg = f"{name}: expected shape {none.shape}, got {given.shape}"
                raise ValueError(msg)

    @property
    def card_ids(self) -> tuple[str, ...]:
        """The first card that shows each face."""
        return tuple(names[0] for names in self.names)

    @property
    def face_of(self) -> dict[str, int]:
        """The face that each card shows, by name."""
        return {name: k for k, names in enumerate(self.names) for name in names}

    @property
    def first_picture(self) -> IntArray:
        """The first picture (K,) of the same face as each."""
        first: dict[tuple[str, ...], int] = {}
        return np.array([first.setdefault(names, k) for k, names in enumerate(self.names)], int)

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of every card."""
        return self.width_mm, self.height_mm


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that may lie on a table.

    ``size_mm`` is width and height (of a token: its diameter twice; of a die: its edge twice; of a
    stick: its width and length). A ``pawn`` is any thing of a ``tone`` (``#RRGGBB``): its size is
    the least and the greatest width of its foot, its height the greatest. ``copies`` is how many of
    it there may be, None for any number. ``sides`` are what may lie up: the faces of a card, ``1``
    to ``6`` of a die. ``height_mm`` is how far it rises over the table. Tokens of one ``like`` play
    alike: which of them one is leaves nothing open. ``shape`` is a token's outline: a disc, or a
    hexagon with a flat side up in the box of its size.
    A board that may lie there in several sheets has ``parts``: columns and rows of the smallest
    of them. Tokens ``on`` a sheet lie nowhere else; the one of them that nobody counts (``copies``
    None) stands for any thing of a counter's size. Dice ``on`` the table lie beside all boards. Of
    a token that is not ``facing`` it means nothing which way it looks.
    """

    id: str
    kind: Literal["card", "board", "sheet", "token", "die", "stick", "pawn"]
    size_mm: tuple[float, float]
    copies: int | None = 1
    sides: tuple[str, ...] = ("front",)
    height_mm: float = 0.0
    tone: str = ""
    like: str = ""
    shape: Literal["disc", "hexagon"] = "disc"
    parts: tuple[int, int] = (1, 1)
    on: Literal["", "sheet", "table"] = ""
    facing: bool = True


@dataclass(frozen=True, slots=True)
class PieceSet:
    """What may lie on a table of a game.

    ``art`` names what draws the pieces, as ``module:function``; the function takes a piece's id
    and a scale (px/mm) and returns (H, W, 3) uint8 BGR, upright, cut to the piece's edge. An empty
    name stands for pieces that were learned from pictures.
    """

    name: str
    pieces: tuple[Piece, ...]
    art: str = ""

    def of_kind(self, *kinds: str) -> tuple[Piece, ...]:
        """Return the pieces of some kinds."""
        return tuple(piece for piece in self.pieces if piece.kind in kinds)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What the pieces of a board game look like.

    ``art`` has the picture (H, W, 3) uint8 BGR of each board, sheet and token by its id, upright,
    cut to its edge. ``prepared`` are arrays that a detector has computed of these before.
    """

    pieces: PieceSet
    art: Mapping[str, ImageBGR]
    prepared: Mapping[str, NDArray[Any]] = field(default_factory=dict)
