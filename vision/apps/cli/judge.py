"""What was typed about a table, rulings and pieces left out, and the round replayed with it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vision.apps.cli.options import RoundForm
from vision.errors import TableFormatError
from vision.judging.game import Game
from vision.judging.play import replay
from vision.texts import LANGUAGES, texts
from vision.values.scan import Scan

__all__ = ["Wishes", "piece_called"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was typed: rulings and orders as text, pieces to leave out, what is contested.

    ``dice`` are like ``red=3,white=5``, ``sets`` like ``red-1.cell=d4``: what the players say of
    what a photo shows. ``plans`` are orders that were typed as ``--plan``.
    """

    rulings: Sequence[str] = ()
    without: Sequence[str] = ()
    contested_from: float | None = None
    orders: Sequence[str] = ()
    dice: Sequence[str] = ()
    sets: Sequence[str] = ()
    plans: Sequence[str] = ()

    @classmethod
    def typed(cls, order: RoundForm) -> "Wishes":
        """Return what was typed of a round; only a photo leaves dice to be said."""
        return cls(
            order.ruling or (),
            order.without or (),
            order.contested_from,
            order.order or (),
            getattr(order, "dice", None) or (),
            order.set or (),
            order.plan or (),
        )

    def are_any(self) -> bool:
        """Tell whether anything was asked for."""
        more = self.contested_from is not None
        said = self.dice or self.sets
        ordered = self.orders or self.plans
        return bool(self.rulings or self.without or ordered or said or more)

    def judge(self, game: Game) -> Game:
        """Return the game with the chance from which a thing is contested."""
        if self.contested_from is None:
            return game
        return replace(game, contested_from=self.contested_from)

    def edit(self, game: Game, table: Any) -> Any:
        """Bring rulings to a table, leave pieces out, and give orders.

        Raises
        ------
        ValueError
            If a wish is none: a ruling of another form, a piece that is not there.
        """
        for text in self.rulings:
            ruling = {"kind": "ruling", "text": _with_ids(text, game)}
            table = _edited(game, table, ruling, "--ruling")
        for piece in self._left_out(game):
            table = _edited(game, table, _without(piece), "--without")
        for text in self.sets:
            table = _edited(game, table, _set(text, game), "--set")
        for text in self.dice:
            table = _edited(game, table, {"kind": "dice", "dice": _shown(text)}, "--dice")
        return _ordered(game, table, {"--order": self.orders, "--plan": self.plans})

    def bring_to(self, scan: Scan, game: Game) -> Scan:
        """Return a scan with the wishes brought to it and the round played again."""
        if not self.are_any():
            return scan
        gone = set(self._left_out(game))
        layouts = tuple(
            replace(
                layout,
                doubts=tuple(doubt for doubt in layout.doubts if not set(doubt.cards) & gone),
            )
            for layout in scan.layouts
        )
        table = self.edit(game, scan.table)
        return replace(replay(scan, self.judge(game), table), layouts=layouts)

    def _left_out(self, game: Game) -> list[str]:
        return [piece_called(game, piece) for piece in self.without]


def _without(said: str) -> dict[str, Any]:
    """Read what is not there: a piece, or what may lie at a place of the photo, as ``703,902``."""
    place = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", said)
    if place is None:
        return {"kind": "remove", "id": said}
    return {"kind": "nothing", "at_px": [int(one) for one in place.groups()]}


def piece_called(game: Game, said: str) -> str:
    """Return the id of a piece that is called by it, or by a name that it has in any language.

    Beside what the account calls it that is its side's word before or behind its own: *rouge moth*,
    *moth rouge*. What is no piece's name stays as it is.
    """
    ids = [piece.id for piece in game.pieces.pieces]
    if said in ids:
        return said
    names: dict[str, str] = {}
    for words in (texts(language, game.texts) for language in LANGUAGES):
        for piece in ids:
            side, _, own = piece.partition("-")
            team = words.team(side)
            called = (words.name(piece), words.title(piece), f"{team} {own}", f"{own} {team}")
            names |= {_plain(name): piece for name in called}
    return names.get(_plain(said), said)


def _with_ids(ruling: str, game: Game) -> str:
    """Return a ruling with the ids of the pieces that it names, in any language."""
    parts = re.split("([:=])", ruling)
    return "".join(piece_called(game, part.strip()) if part not in ":=" else part for part in parts)


def _plain(name: str) -> str:
    """Return a name without capitals, dashes and article."""
    words = name.lower().replace("-", " ").replace("’", "'").split()
    return " ".join(words).removeprefix("l'").removeprefix("le ").removeprefix("la ")


def _set(text: str, game: Game) -> dict[str, Any]:
    """Read ``red-1.cell=d4``: a piece, what of it, and what that is (``none``: nothing).

    Raises
    ------
    ValueError
        If it is of another form.
    """
    place, equals, value = text.partition("=")
    piece, dot, field = place.strip().rpartition(".")
    if not equals or not dot or not piece or not field:
        msg = f"--set: {text!r} is not a correction; needed PIECE.WHAT=VALUE, as in: red-1.cell=d4"
        raise ValueError(msg)
    said = value.strip()
    words: dict[str, Any] = {"none": None, "true": True, "false": False}
    number = int(said) if said.lstrip("-").isdigit() and field.endswith("_deg") else said
    what = words.get(said.lower(), number)
    return {"kind": "set", "piece": piece_called(game, piece), field.strip(): what}


def _shown(text: str) -> dict[str, int]:
    """Read ``red=3,white=5``: what dice show.

    Raises
    ------
    ValueError
        If it is of another form.
    """
    found = {}
    for part in text.split(","):
        die, equals, shown = part.partition("=")
        if not equals or not die.strip() or not shown.strip().isdigit():
            msg = f"--dice: {part.strip()!r} is not a die; needed DIE=NUMBER, as in: red=3,white=5"
            raise ValueError(msg)
        found[die.strip().lower()] = int(shown)
    return found


def _ordered(game: Game, table: Any, typed: Mapping[str, Sequence[str]]) -> Any:
    """Give the orders typed for each option: each begins with the id or a name of whose it is."""
    several = [(option, text) for option, texts_ in typed.items() for text in texts_]
    if not several:
        return table
    if not game.takes_orders:
        msg = f"{several[0][0]}: {game.name} is not played by orders"
        raise ValueError(msg)
    parties = {party.id: party.id for party in game.parties(table)}
    for words in (texts(language, game.texts) for language in LANGUAGES):
        parties |= {words.tell(party.name).lower(): party.id for party in game.parties(table)}
    given: dict[str, dict[str, Any]] = {}
    for option, text in several:
        party, order = _begun(text, parties, option)
        if any(party in orders for orders in given.values()):
            msg = f"{option}: there are two orders of {party}; keep one of them"
            raise ValueError(msg)
        given.setdefault(option, {})[party] = order
    for option, orders in given.items():
        table = _edited(game, table, {"kind": "orders", "orders": orders}, option)
    return table


def _begun(text: str, parties: Mapping[str, str], option: str) -> tuple[str, Any]:
    """Split an order from whose it is, which may be several words; what is JSON is read."""
    words = text.split()
    for count in range(len(words) - 1, 0, -1):
        party = parties.get(" ".join(words[:count]).lower())
        if party is not None:
            order = text.strip().split(maxsplit=count)[-1]
            return party, _json(order, option) if order.startswith("{") else order
    known = ", ".join(dict.fromkeys(parties.values()))
    msg = f"{option}: {text!r} must begin with the side that gives it ({known})"
    raise ValueError(msg)


def _json(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        msg = f"{option}: {text!r} is not JSON: {error}"
        raise ValueError(msg) from error


def _edited(game: Game, table: Any, change: dict[str, Any], option: str) -> Any:
    try:
        return game.edit(table, change)
    except (TableFormatError, ValueError) as error:
        msg = f"{option}: {error}"
        raise ValueError(msg) from error
