"""What the notations of all games share: lines and remarks, places, angles, exact numbers.

A line is ``NAME @X,Y ANGLEdeg ...``; ``#`` begins a remark. Numbers are written so that reading
them gives the very same values, angles with as many digits as that takes. Up to 15 digits are
turned into radians as in every file; the rare angle that no such number gives is written with more,
which are read with more than a float has.
"""

import math
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, localcontext

from vision.errors import TableFormatError

__all__ = [
    "PlacedLine",
    "at_line",
    "chance_words",
    "format_pose",
    "lines_of",
    "plain",
    "plain_number",
    "read_name",
    "read_number",
    "read_placed",
    "scaled_number",
]

_FLOAT_DIGITS = 15  # any number of so many digits is one float and back
_DIGITS = 40  # of the arithmetic for those with more
_RAD_PER_DEG = Decimal("3.14159265358979323846264338327950288419717") / 180
_FRENCH_GAME = re.compile(r"^jeu\s+(?=[^\s@;]+\s*(;|$))", re.IGNORECASE)
_PLACED = re.compile(r"(?P<name>[^@]*)@(?P<x>[^,]*),\s*(?P<y>\S*)\s*(?P<rest>.*)")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")


# --- lines -----------------------------------------------------------------------------------


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers; remarks are dropped.

    A line that names the game may be French in the notation of every game.

    >>> list(lines_of("jeu tiny  # a remark"))
    [(1, 'game tiny')]
    """
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.partition("#")[0].strip()
        if bare:
            yield number, _FRENCH_GAME.sub("game ", bare)


@contextmanager
def at_line(number: int) -> Iterator[None]:
    """Put the number of a line before what is wrong with it."""
    try:
        yield
    except (TableFormatError, ValueError) as error:
        msg = f"line {number}: {error}"
        raise TableFormatError(msg) from error


def plain(text: str) -> str:
    """Return a text in lower case without accents."""
    split = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in split if not unicodedata.combining(c))


def chance_words(chance: float) -> str:
    """Write a chance as it is read again, with six decimals at most."""
    return f"{chance:.6f}".rstrip("0").rstrip(".")


def read_name(word: str, rest: str) -> str:
    """Read the one name that follows a word."""
    parts = rest.split()
    if len(parts) != 1:
        msg = f'expected "{word} NAME", got "{word} {rest}"'
        raise TableFormatError(msg)
    return parts[0]


# --- places ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A thing at a place: its name, x and y (mm), its angle (rad), and the words after that."""

    name: str
    x_mm: float
    y_mm: float
    theta_rad: float
    extras: tuple[str, ...]


def read_placed(line: str, example: str) -> PlacedLine:
    """Read ``NAME @X,Y ANGLEdeg ...``; the words of a name are joined by dashes.

    ``example`` is shown to whoever got it wrong.
    """
    match = _PLACED.fullmatch(line)
    if match is None or not match["name"].split():
        msg = f'expected {example}, got "{line}"'
        raise TableFormatError(msg)
    angle, *extras = match["rest"].split() or [""]
    if not angle.endswith("deg"):
        msg = f'expected an angle such as "90deg" after the place, got "{angle}"'
        raise TableFormatError(msg)
    return PlacedLine(
        "-".join(match["name"].lower().split()),
        read_number("x", match["x"].strip()),
        read_number("y", match["y"]),
        read_number("the angle", angle.removesuffix("deg"), 1),
        tuple(extras),
    )


def format_pose(x_mm: float, y_mm: float, theta_rad: float) -> str:
    """Write a place and an angle as :func:`read_placed` reads them."""
    return f"@{plain_number(x_mm)},{plain_number(y_mm)} {scaled_number(theta_rad, 1)}deg"


# --- numbers ---------------------------------------------------------------------------------


def plain_number(value: float) -> str:
    """Write a float in the fewest digits that read back the same, whole numbers without a dot."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def scaled_number(value: float, power: int) -> str:
    """Write a value in rad**power as degrees**power, in the fewest digits that read back."""
    if power == 0 or value == 0:
        return plain_number(value)
    with localcontext(prec=_DIGITS):
        exact = Decimal(value) / _RAD_PER_DEG**power
        for digits in range(1, _DIGITS):
            text = f"{exact:.{digits}g}"
            if _unscaled(text, power) == value:
                break
    return f"{Decimal(text):f}" if 1e-6 <= abs(float(text)) < 1e16 else text


def _unscaled(text: str, power: int) -> float:
    if sum(c.isdigit() for c in text.lower().partition("e")[0]) <= _FLOAT_DIGITS:
        value = float(text)
        return math.radians(value) if power == 1 else value * math.radians(1) ** power
    with localcontext(prec=_DIGITS):
        return float(Decimal(text) * _RAD_PER_DEG**power)


def read_number(what: str, text: str, power: int = 0) -> float:
    """Read a finite number of degrees**power into rad**power."""
    value = _unscaled(text, power) if _NUMBER.fullmatch(text) else math.inf
    if not math.isfinite(value):
        msg = f'expected a number for {what}, got "{text}"'
        raise TableFormatError(msg)
    return value
