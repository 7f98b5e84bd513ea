"""Rulings as text: ``SHIP:LASER=TARGET``.

The laser counts from 1, as the account prints it; the target is a card's id, ``CARD:shield`` for
its shield, or ``space``. French words are read too: ``bouclier``, ``espace``.
"""

import re
from collections.abc import Iterable, Sequence

from vision.errors import TableFormatError
from vision.games.light_speed.roster import Roster
from vision.games.light_speed.values import Ruling

__all__ = ["check_rulings", "format_ruling", "merge_rulings", "parse_ruling"]

_RULING = re.compile(
    r"(?P<ship>[^:=]+):(?P<laser>[0-9]{1,3})=(?P<target>[^:=]+)(?P<shield>:(shield|bouclier))?"
)
_SPACE = ("space", "espace")


def parse_ruling(text: str) -> Ruling:
    """Read ``SHIP:LASER=TARGET``.

    Examples
    --------
    >>> parse_ruling("red-ghost:2=blue-viper:shield")
    Ruling(ship='red-ghost', laser=1, target='blue-viper', shielded=True)
    >>> parse_ruling("red-ghost:2=espace")
    Ruling(ship='red-ghost', laser=1, target=None, shielded=False)
    """
    match = _RULING.fullmatch("".join(text.split()).lower())
    if match is None or int(match["laser"]) < 1 or (match["target"] in _SPACE and match["shield"]):
        msg = (
            "expected SHIP:LASER=TARGET, such as red-ghost:2=blue-viper, with the laser counted "
            f'from 1 and for a target a card, CARD:shield or space; got "{text}"'
        )
        raise TableFormatError(msg)
    target = None if match["target"] in _SPACE else match["target"]
    return Ruling(match["ship"], int(match["laser"]) - 1, target, match["shield"] is not None)


def format_ruling(ruling: Ruling) -> str:
    """Write a ruling as :func:`parse_ruling` reads it."""
    target = "space" if ruling.target is None else ruling.target
    return f"{ruling.ship}:{ruling.laser + 1}={target}{':shield' if ruling.shielded else ''}"


def merge_rulings(before: Sequence[Ruling], more: Iterable[Ruling]) -> tuple[Ruling, ...]:
    """Add rulings to others; a later one on the same shot takes the place of the earlier."""
    merged = {(ruling.ship, ruling.laser): ruling for ruling in before}
    merged |= {(ruling.ship, ruling.laser): ruling for ruling in more}
    return tuple(merged.values())


def check_rulings(rulings: Sequence[Ruling], roster: Roster) -> None:
    """Refuse rulings that no table can follow."""
    seen = set()
    for ruling in rulings:
        name = f"ruling {format_ruling(ruling)}"
        if (ruling.ship, ruling.laser) in seen:
            msg = f"{name}: this shot is ruled twice; keep one of them"
            raise TableFormatError(msg)
        seen.add((ruling.ship, ruling.laser))
        if ruling.target == ruling.ship:
            msg = f"{name}: a ship's own card never stops its beam; name another target"
            raise TableFormatError(msg)
        if ruling.ship in roster.ships:
            count = len(roster.ships[ruling.ship][1].lasers)
            if ruling.laser >= count:
                msg = f"{name}: {ruling.ship} has {count} laser{'' if count == 1 else 's'}"
                raise TableFormatError(msg)
