"""A table as text, one card a line, and back.

::

    rule piracy=true                     # a rule that differs from the rulebook's
    asteroid-1 @0,0 0deg                 # a card, its centre in mm, its angle clockwise from up
    red moth @120,-85 90deg
    blue ghost @-40.5,12 -33deg conf=0.9 cov=0.01,0,0,0.01,0,0.002
    object coaster asteroid 200,0 290,0 290,90 200,90
    ruling red-moth:2=blue-ghost:shield  # the players' word on a shot: laser 2 of 1, 2, ...

A card is called by team and ship, or by its id. ``cov`` is the upper triangle of the covariance
of (x mm, y mm, angle deg), row by row; ``conf`` the confidence, 1 if it is not said; ``print`` is
where the print lies on a card that was not cut exactly round it (x mm, y mm, turn deg, card
frame), with ``printcov`` the covariance of that. ``game`` and
``deck`` lines name another game or deck. A ruling names a card, ``CARD:shield`` or ``space``.
``#`` begins a remark.

Numbers are written so that reading them gives the very same values, angles with as many digits
as that takes. Up to 15 digits are turned into radians as in every file; the rare angle that no
such number gives is written with more, which are read with more than a float has.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal, localcontext

import numpy as np

from vision.errors import TableFormatError
from vision.games.light_speed.options import format_options, parse_options
from vision.games.light_speed.ruling_text import format_ruling, parse_ruling
from vision.games.light_speed.values import RuleOptions, Ruling, TableObject, TableState
from vision.values.arrays import FloatArray
from vision.values.layout import PlacedCard, PrintOffset

__all__ = ["format_card", "format_table", "parse_table"]

_FLOAT_DIGITS = 15  # any number of so many digits is one float and back
_DIGITS = 40  # of the arithmetic for those with more
_RAD_PER_DEG = Decimal("3.14159265358979323846264338327950288419717") / 180
_UNITS = (0, 0, 1)  # how often the angle's unit is in each row and column of the covariance
_UPPER = [(i, j) for i in range(3) for j in range(i, 3)]
_CARD = re.compile(r"(?P<name>[^@]*)@(?P<x>[^,]*),\s*(?P<y>\S*)\s*(?P<rest>.*)")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
_WHOLE_IDS = ("asteroid", "ship-back", "unknown")  # ids that are not team and ship


# --- writing ---------------------------------------------------------------------------------


def format_table(table: TableState) -> str:
    r"""Write a table as text; :func:`parse_table` gives the same table back, bit for bit.

    >>> format_table(TableState((PlacedCard("red-moth", 120.0, -85.0, math.pi / 2),)))
    'red moth @120,-85 90deg\n'
    """
    plain = TableState(())
    lines = [
        f"{name} {value}"
        for name, value in (("game", table.game), ("deck", table.deck))
        if value != getattr(plain, name)
    ]
    lines += [f"rule {setting}" for setting in format_options(table.rules)]
    lines += [format_card(card) for card in table.cards]
    for thing in table.objects:
        corners = " ".join(f"{_plain(x)},{_plain(y)}" for x, y in thing.outline_mm.tolist())
        lines.append(f"object {thing.id} {thing.kind} {corners}")
    lines += [f"ruling {format_ruling(ruling)}" for ruling in table.rulings]
    return "".join(f"{line}\n" for line in lines)


def format_card(card: PlacedCard) -> str:
    """Write one card as a line without its end."""
    name = card.card_id
    if not name.startswith(_WHOLE_IDS):
        name = name.replace("-", " ", 1)
    parts = [name, f"@{_plain(card.x_mm)},{_plain(card.y_mm)}", f"{_scaled(card.theta_rad, 1)}deg"]
    if card.confidence != 1.0:
        parts.append(f"conf={_plain(card.confidence)}")
    if card.covariance is not None:
        parts.append(f"cov={_format_covariance(card.covariance)}")
    if card.printed is not None:
        p = card.printed
        parts.append(f"print={_plain(p.x_mm)},{_plain(p.y_mm)},{_scaled(p.turn_rad, 1)}")
        if p.covariance is not None:
            parts.append(f"printcov={_format_covariance(p.covariance)}")
    return " ".join(parts)


def _format_covariance(covariance: FloatArray) -> str:
    """Write the upper triangle in mm and degrees."""
    return ",".join(_scaled(float(covariance[i, j]), _UNITS[i] + _UNITS[j]) for i, j in _UPPER)


def _plain(value: float) -> str:
    """Write a float in the fewest digits that read back the same, whole numbers without a dot."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def _scaled(value: float, power: int) -> str:
    """Write a value in rad**power as degrees**power, in the fewest digits that read back."""
    if power == 0 or value == 0:
        return _plain(value)
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


# --- reading ---------------------------------------------------------------------------------


def parse_table(text: str) -> TableState:
    """Read a table from text.

    Parameters
    ----------
    text : str
        In the form of the module's docstring; order, blank lines and remarks are free. Ids are
        not compared with a deck here.

    Raises
    ------
    TableFormatError
        With the line's number, what is wrong with it and what was expected.
    """
    cards: list[PlacedCard] = []
    objects: list[TableObject] = []
    settings: list[str] = []
    names: dict[str, str] = {}
    taken: dict[str, int] = {}
    ruled: dict[tuple[str, int], Ruling] = {}
    rules = RuleOptions()
    for number, line in _lines(text):
        word, _, rest = line.partition(" ")
        try:
            if word == "rule" and "@" not in line:
                settings.append(rest.strip())
                rules = parse_options(settings)
            elif word == "ruling" and "@" not in line:
                ruling = parse_ruling(rest)
                if (ruling.ship, ruling.laser) in ruled:
                    msg = f"{ruling.ship} laser {ruling.laser + 1} is ruled on already"
                    raise TableFormatError(msg)
                ruled[ruling.ship, ruling.laser] = ruling
            elif word in ("game", "deck") and "@" not in line:
                names[word] = _one_word(word, rest)
            else:
                thing: PlacedCard | TableObject
                if word == "object" and "@" not in line:
                    thing = _read_object(rest)
                    objects.append(thing)
                    name = thing.id
                else:
                    thing = _read_card(line)
                    cards.append(thing)
                    name = thing.card_id
                if taken.setdefault(name, number) != number:
                    msg = f'"{name}" is already on line {taken[name]}; each card is there once'
                    raise TableFormatError(msg)
        except (TableFormatError, ValueError) as error:
            msg = f"line {number}: {error}"
            raise TableFormatError(msg) from error
    plain = TableState(tuple(cards), tuple(objects), rules, rulings=tuple(ruled.values()))
    game, deck = names.get("game", plain.game), names.get("deck", plain.deck)
    return replace(plain, game=game, deck=deck)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.partition("#")[0].strip()
        if bare:
            yield number, bare


def _one_word(word: str, rest: str) -> str:
    parts = rest.split()
    if len(parts) != 1:
        msg = f'expected "{word} NAME", got "{word} {rest}"'
        raise TableFormatError(msg)
    return parts[0]


def _read_card(line: str) -> PlacedCard:
    match = _CARD.fullmatch(line)
    if match is None or not match["name"].split():
        msg = f'expected a card such as "red moth @120,-85 90deg", got "{line}"'
        raise TableFormatError(msg)
    angle, *extras = match["rest"].split() or [""]
    if not angle.endswith("deg"):
        msg = f'expected an angle such as "90deg" after the place, got "{angle}"'
        raise TableFormatError(msg)
    confidence, covariance = 1.0, None
    offset: tuple[float, float, float] | None = None
    print_covariance = None
    seen: set[str] = set()
    for extra in extras:
        key, equals, value = extra.partition("=")
        if not equals or key not in ("conf", "cov", "print", "printcov") or key in seen:
            msg = (
                'expected "conf=", "cov=", "print=" or "printcov=" after the angle, each once, '
                f'got "{extra}"'
            )
            raise TableFormatError(msg)
        seen.add(key)
        if key == "conf":
            confidence = _number("conf", value)
        elif key == "print":
            offset = _read_offset(value)
        elif key == "cov":
            covariance = _read_covariance(value)
        else:
            print_covariance = _read_covariance(value)
    if offset is None and print_covariance is not None:
        msg = 'expected "print=" where "printcov=" is given'
        raise TableFormatError(msg)
    printed = None if offset is None else PrintOffset(*offset, print_covariance)
    return PlacedCard(
        "-".join(match["name"].lower().split()),
        _number("x", match["x"].strip()),
        _number("y", match["y"]),
        _number("the angle", angle.removesuffix("deg"), 1),
        covariance,
        confidence,
        printed,
    )


def _read_offset(text: str) -> tuple[float, float, float]:
    entries = text.split(",")
    if len(entries) != 3:
        msg = f'print: expected x mm, y mm and degrees such as "0.2,-0.1,0.05", got "{text}"'
        raise TableFormatError(msg)
    x, y, turn = entries
    return _number("print", x), _number("print", y), _number("print", turn, 1)


def _read_covariance(text: str) -> FloatArray:
    entries = text.split(",")
    if len(entries) != len(_UPPER):
        msg = f"cov: expected the {len(_UPPER)} numbers of an upper triangle, got {len(entries)}"
        raise TableFormatError(msg)
    covariance = np.zeros((3, 3))
    for (i, j), entry in zip(_UPPER, entries, strict=True):
        covariance[i, j] = covariance[j, i] = _number("cov", entry, _UNITS[i] + _UNITS[j])
    return covariance


def _read_object(rest: str) -> TableObject:
    name, kind, *corners = [*rest.split(), *[""] * max(0, 2 - len(rest.split()))]
    if kind != "asteroid" or len(corners) < 3:
        msg = (
            'expected an object such as "object coaster asteroid 0,0 90,0 90,90", with three '
            f'corners or more, got "object {rest}"'
        )
        raise TableFormatError(msg)
    outline = []
    for corner in corners:
        x, comma, y = corner.partition(",")
        if not comma:
            msg = f'expected a corner such as "90,0", got "{corner}"'
            raise TableFormatError(msg)
        outline.append((_number("x", x), _number("y", y)))
    return TableObject(name, "asteroid", np.array(outline))


def _number(what: str, text: str, power: int = 0) -> float:
    value = _unscaled(text, power) if _NUMBER.fullmatch(text) else math.inf
    if not math.isfinite(value):
        msg = f'expected a number for {what}, got "{text}"'
        raise TableFormatError(msg)
    return value
