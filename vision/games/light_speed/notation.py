"""A table as text, one card a line, and back.

::

    rule piracy=true                     # a rule that differs from the rulebook's
    asteroid-1 @0,0 0deg                 # a card, its centre in mm, its angle clockwise from up
    red moth @120,-85 90deg
    blue ghost @-40.5,12 -33deg conf=0.9 cov=0.01,0,0,0.01,0,0.002
    object coaster asteroid 200,0 290,0 290,90 200,90
    ruling red-moth:2=blue-ghost:shield  # the players' word on a shot: laser 2 of 1, 2, ...
    claim leaning red-moth               # what they say happened that no photo shows

A card is called by team and ship, or by its id. ``cov`` is the upper triangle of the covariance
of (x mm, y mm, angle deg), row by row; ``conf`` the confidence, 1 if it is not said; ``print`` is
where the print lies on a card that was not cut exactly round it (x mm, y mm, turn deg, card frame),
with ``printcov`` the covariance of that; ``or`` what it may be instead, with the chance of each, as
in ``or=red-viper:0.2,nothing:0.05`` (nothing: no card lies there). ``game`` and ``deck`` lines name
another game or deck.
A ruling names a card, ``CARD:shield`` or ``space``. A claim is ``leaning``, ``late``, ``stuck``
(the lower card), ``slid``, ``foreign`` or ``overhang`` with a card; ``pushed`` with an asteroid and
where it lay (``pushed asteroid-1 10,-20,5``); ``two_stops`` or ``nine`` with a team. ``claim not``
says that it did not happen; what follows is for the option of the same name to say.
Places, numbers and remarks are those of :mod:`vision.judging.notation`.
"""

from dataclasses import replace

import numpy as np

from vision.errors import TableFormatError
from vision.games.light_speed.claims import format_claim, parse_claim
from vision.games.light_speed.ruling_text import format_ruling, parse_ruling
from vision.games.light_speed.values import Claim, RuleOptions, Ruling, TableObject, TableState
from vision.judging.notation import (
    at_line,
    format_pose,
    lines_of,
    plain_number,
    read_name,
    read_number,
    read_placed,
    scaled_number,
)
from vision.judging.options import format_options, parse_options
from vision.values.arrays import FloatArray
from vision.values.layout import Alternative, PlacedCard, PrintOffset

__all__ = ["format_card", "format_table", "parse_table"]

_UNITS = (0, 0, 1)  # how often the angle's unit is in each row and column of the covariance
_UPPER = [(i, j) for i in range(3) for j in range(i, 3)]
_NOTHING = "nothing"
_WORDS = ("rule", "ruling", "claim", "game", "deck", "object")
_EXTRAS = ("conf", "cov", "print", "printcov", "or")
_WHOLE_IDS = ("asteroid", "ship-back", "unknown")  # ids that are not team and ship


# --- writing ---------------------------------------------------------------------------------


def format_table(table: TableState) -> str:
    r"""Write a table as text; :func:`parse_table` gives the same table back, bit for bit.

    >>> format_table(TableState((PlacedCard("red-moth", 120.0, -85.0, 0.0),)))
    'red moth @120,-85 0deg\n'
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
        corners = " ".join(
            f"{plain_number(x)},{plain_number(y)}" for x, y in thing.outline_mm.tolist()
        )
        lines.append(f"object {thing.id} {thing.kind} {corners}")
    lines += [f"ruling {format_ruling(ruling)}" for ruling in table.rulings]
    lines += [f"claim {format_claim(claim)}" for claim in table.claims]
    return "".join(f"{line}\n" for line in lines)


def format_card(card: PlacedCard) -> str:
    """Write one card as a line without its end."""
    name = card.card_id
    if not name.startswith(_WHOLE_IDS):
        name = name.replace("-", " ", 1)
    parts = [name, format_pose(card.x_mm, card.y_mm, card.theta_rad)]
    if card.confidence != 1.0:
        parts.append(f"conf={plain_number(card.confidence)}")
    if card.covariance is not None:
        parts.append(f"cov={_format_covariance(card.covariance)}")
    if card.printed is not None:
        p = card.printed
        parts.append(
            f"print={plain_number(p.x_mm)},{plain_number(p.y_mm)},{scaled_number(p.turn_rad, 1)}"
        )
        if p.covariance is not None:
            parts.append(f"printcov={_format_covariance(p.covariance)}")
    if card.may_be:
        others = (f"{one.piece or _NOTHING}:{plain_number(one.chance)}" for one in card.may_be)
        parts.append(f"or={','.join(others)}")
    return " ".join(parts)


def _format_covariance(covariance: FloatArray) -> str:
    """Write the upper triangle in mm and degrees."""
    return ",".join(
        scaled_number(float(covariance[i, j]), _UNITS[i] + _UNITS[j]) for i, j in _UPPER
    )


# --- reading ---------------------------------------------------------------------------------


def parse_table(text: str) -> TableState:
    """Read a table from text; order, blank lines and remarks are free.

    Ids are not compared with a deck here.
    """
    cards: list[PlacedCard] = []
    objects: list[TableObject] = []
    settings: list[str] = []
    names: dict[str, str] = {}
    taken: dict[str, int] = {}
    ruled: dict[tuple[str, int], Ruling] = {}
    rules = RuleOptions()
    claims: list[Claim] = []
    claimed: dict[str, int] = {}
    for number, line in lines_of(text):
        word, _, rest = line.partition(" ")
        with at_line(number):
            if "@" in line or word not in _WORDS:
                cards.append(_read_card(line))
                _once(taken, cards[-1].card_id, number)
            elif word == "rule":
                settings.append(rest.strip())
                rules = parse_options(RuleOptions, settings)
            elif word == "claim":
                claim = parse_claim(rest)
                _once(claimed, f"claim {claim.kind} {claim.of}", number)
                claims.append(claim)
            elif word == "ruling":
                ruling = parse_ruling(rest)
                if (ruling.ship, ruling.laser) in ruled:
                    msg = f"{ruling.ship} laser {ruling.laser + 1} is ruled on already"
                    raise TableFormatError(msg)
                ruled[ruling.ship, ruling.laser] = ruling
            elif word == "object":
                objects.append(_read_object(rest))
                _once(taken, objects[-1].id, number)
            else:
                names[word] = read_name(word, rest)
    plain = TableState(
        tuple(cards), tuple(objects), rules, rulings=tuple(ruled.values()), claims=tuple(claims)
    )
    game, deck = names.get("game", plain.game), names.get("deck", plain.deck)
    return replace(plain, game=game, deck=deck)


def _once(taken: dict[str, int], name: str, number: int) -> None:
    """Refuse a second thing of one name."""
    if taken.setdefault(name, number) != number:
        msg = f'"{name}" is already on line {taken[name]}; each card is there once'
        raise TableFormatError(msg)


def _read_card(line: str) -> PlacedCard:
    placed = read_placed(line, 'a card such as "red moth @120,-85 90deg"')
    confidence, covariance = 1.0, None
    offset: tuple[float, float, float] | None = None
    print_covariance = None
    may_be: tuple[Alternative, ...] = ()
    seen: set[str] = set()
    for extra in placed.extras:
        key, equals, value = extra.partition("=")
        if not equals or key not in _EXTRAS or key in seen:
            known = ", ".join(f'"{name}="' for name in _EXTRAS[:-1])
            msg = f'expected {known} or "{_EXTRAS[-1]}=" after the angle, each once, got "{extra}"'
            raise TableFormatError(msg)
        seen.add(key)
        if key == "conf":
            confidence = read_number("conf", value)
        elif key == "print":
            offset = _read_offset(value)
        elif key == "or":
            may_be = _read_others(placed.name, value)
        elif key == "cov":
            covariance = _read_covariance(value)
        else:
            print_covariance = _read_covariance(value)
    if offset is None and print_covariance is not None:
        msg = 'expected "print=" where "printcov=" is given'
        raise TableFormatError(msg)
    printed = None if offset is None else PrintOffset(*offset, print_covariance)
    pose = placed.x_mm, placed.y_mm, placed.theta_rad
    return PlacedCard(placed.name, *pose, covariance, confidence, printed, may_be)


def _read_others(card: str, text: str) -> tuple[Alternative, ...]:
    found = []
    for entry in text.split(","):
        piece, colon, chance = entry.partition(":")
        if not colon or not piece:
            msg = f'or: expected a card and its chance such as "red-viper:0.2", got "{entry}"'
            raise TableFormatError(msg)
        found.append(Alternative(None if piece == _NOTHING else piece, read_number("or", chance)))
    try:
        return PlacedCard(card, 0.0, 0.0, 0.0, may_be=tuple(found)).may_be
    except ValueError as error:
        raise TableFormatError(str(error)) from error


def _read_offset(text: str) -> tuple[float, float, float]:
    entries = text.split(",")
    if len(entries) != 3:
        msg = f'print: expected x mm, y mm and degrees such as "0.2,-0.1,0.05", got "{text}"'
        raise TableFormatError(msg)
    x, y, turn = entries
    return read_number("print", x), read_number("print", y), read_number("print", turn, 1)


def _read_covariance(text: str) -> FloatArray:
    entries = text.split(",")
    if len(entries) != len(_UPPER):
        msg = f"cov: expected the {len(_UPPER)} numbers of an upper triangle, got {len(entries)}"
        raise TableFormatError(msg)
    covariance = np.zeros((3, 3))
    for (i, j), entry in zip(_UPPER, entries, strict=True):
        covariance[i, j] = covariance[j, i] = read_number("cov", entry, _UNITS[i] + _UNITS[j])
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
        outline.append((read_number("x", x), read_number("y", y)))
    return TableObject(name, "asteroid", np.array(outline))
