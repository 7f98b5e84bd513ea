"""A stroke alphabet with cut corners, so that no font file is needed.

Each glyph is drawn on a grid 4 wide and 6 high (y down); the strokes of one are divided by ``|``
and a point is two digits, x and y. Capitals with the accents of French, figures, a dash, a dot, an
apostrophe and a plus; other letters are set as capitals.
"""

import unicodedata
from dataclasses import dataclass

from calibration.art.drawing import Colour, Point, Shape, Stroke

__all__ = ["Script", "letter", "text_width_mm"]

_ROWS = 6  # grid steps in the height of a capital
_GAP = 1.5  # grid steps between two glyphs, besides the stroke's own width
_SPACE = 3.0
_GLYPHS = {
    "A": "06 02 20 42 46|04 44",
    "B": "00 06 36 45 44 33 03|33 42 41 30 00",
    "C": "41 30 10 01 05 16 36 45",
    "D": "00 06 26 44 42 20 00",
    "E": "40 00 06 46|03 33",
    "F": "40 00 06|03 33",
    "G": "41 30 10 01 05 16 36 45 43 23",
    "H": "00 06|40 46|03 43",
    "I": "00 06",
    "J": "40 45 36 16 05 04",
    "K": "00 06|40 03 46",
    "L": "00 06 46",
    "M": "06 00 23 40 46",
    "N": "06 00 46 40",
    "O": "10 30 41 45 36 16 05 01 10",
    "P": "06 00 30 41 42 33 03",
    "Q": "10 30 41 45 36 16 05 01 10|24 46",
    "R": "06 00 30 41 42 33 03|23 46",
    "S": "41 30 10 01 02 13 33 44 45 36 16 05",
    "T": "00 40|20 26",
    "U": "00 05 16 36 45 40",
    "V": "00 26 40",
    "W": "00 16 23 36 40",
    "X": "00 46|40 06",
    "Y": "00 23 40|23 26",
    "Z": "00 40 06 46",
    "0": "10 30 41 45 36 16 05 01 10",
    "1": "02 20 26",
    "2": "01 10 30 41 42 06 46",
    "3": "01 10 30 41 42 33 13|33 44 45 36 16 05",
    "4": "36 30 04 44",
    "5": "40 00 03 33 44 45 36 16 05",
    "6": "41 30 10 01 05 16 36 45 44 33 03",
    "7": "00 40 16",
    "8": "10 30 41 42 33 13 02 01 10|13 04 05 16 36 45 44 33",
    "9": "05 16 36 45 41 30 10 01 02 13 43",
    "-": "13 33",
    ".": "06 06",
    "'": "00 02",
    "+": "05 45|23 26",
}
_MARKS: dict[str, list[tuple[Point, ...]]] = {  # strokes over a letter 4 wide
    "\u0301": [((1.5, -1.2), (3.0, -2.4))],  # acute
    "\u0300": [((2.5, -1.2), (1.0, -2.4))],  # grave
    "\u0302": [((0.8, -1.2), (2.0, -2.4), (3.2, -1.2))],  # circumflex
    "\u0308": [((0.8, -1.7), (0.8, -1.7)), ((3.2, -1.7), (3.2, -1.7))],  # diaeresis
}


@dataclass(frozen=True, slots=True)
class Script:
    """How text is set: ``height_mm`` of a capital between the centres of its strokes, their width.

    ``stretch`` is how wide a glyph is against its plain form; below 1 is condensed.
    """

    height_mm: float
    width_mm: float
    stretch: float = 1.0


def letter(
    text: str, top_left: Point, script: Script, colour: Colour, *, halo_mm: float = 0.0
) -> list[Shape]:
    """Set a line of text.

    Parameters
    ----------
    text : str
        Letters, figures, dashes, dots and spaces.
    top_left : Point
        Where the centre of the first stroke may begin, mm.
    script : Script
        How it is set.
    colour : Colour
        Of the strokes.
    halo_mm : float
        By how much more the strokes are wide than the setting goes by: for a ground behind text.

    Returns
    -------
    list of Shape
        The strokes.

    Raises
    ------
    ValueError
        If there is no glyph for a character.
    """
    step = script.height_mm / _ROWS
    x, y = top_left
    shapes: list[Shape] = []
    for character in _characters(text):
        for points in _strokes(character):
            placed = tuple((x + step * script.stretch * u, y + step * v) for u, v in points)
            shapes.append(Stroke(placed, script.width_mm + halo_mm, colour))
        x += step * script.stretch * (_advance(character) + _GAP) + script.width_mm
    return shapes


def text_width_mm(text: str, script: Script) -> float:
    """Return the width of a line of text between the centres of its outer strokes."""
    step = script.stretch * script.height_mm / _ROWS
    characters = _characters(text)
    gaps = (step * _GAP + script.width_mm) * max(len(characters) - 1, 0)
    return step * sum(_advance(character) for character in characters) + gaps


def _characters(text: str) -> list[str]:
    """Part a text into capitals, each with the mark over it; a ligature is two of them."""
    spelt = unicodedata.normalize("NFC", text.upper().replace("\u0152", "OE"))
    return [unicodedata.normalize("NFD", character) for character in spelt]


def _strokes(character: str) -> list[tuple[Point, ...]]:
    if character == " ":
        return []
    base, mark = character[0], character[1:]
    if base not in _GLYPHS or mark not in ("", *_MARKS):
        told = unicodedata.normalize("NFC", character)
        msg = f"text: expected letters, figures, dashes, dots and spaces, got {told!r}"
        raise ValueError(msg)
    strokes = [
        tuple((float(pair[0]), float(pair[1])) for pair in stroke.split())
        for stroke in _GLYPHS[base].split("|")
    ]
    return [*strokes, *_MARKS[mark]] if mark else strokes


def _advance(character: str) -> float:
    if character == " ":
        return _SPACE
    return max(x for stroke in _strokes(character[0]) for x, _ in stroke)
