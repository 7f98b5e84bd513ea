"""A game on a board of cells: tokens that stand and look, dice and cards that show something.

A subclass of :class:`BoardGame` says what there is and writes ``play`` for a table of which all is
known. Photos, notation, JSON, corrections by hand, doubts, odds and the ledger follow from that.
"""

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from pydantic import Field

from vision.errors import TableFormatError, TableNotFoundError
from vision.files.documents import is_json, read_document
from vision.files.schemas import Model
from vision.geometry import card_corners, circle
from vision.judging.doubted import Doubted, Ways, how_much, numbered, to_shares
from vision.judging.game import Game, Json
from vision.judging.grids import Grid, read_way
from vision.judging.hands import Setting, Standing, cell_at, read_pose
from vision.judging.notation import at_line, lines_of
from vision.judging.odds import endings, find_ways, not_known, odds_of
from vision.judging.options import (
    changed_options,
    options_from_json,
    options_to_json,
    parse_options,
)
from vision.judging.said import Word, closed_by, nothing_more
from vision.texts import make_issue
from vision.values.layout import Layout, Placed
from vision.values.ledger import (
    SURE,
    Chance,
    Event,
    Ledger,
    LedgerStep,
    Odds,
    PieceView,
    Tally,
    Weighed,
)
from vision.values.messages import Message, message

__all__ = ["At", "BoardGame", "BoardTable", "Played", "step"]

_CODE = "piece_doubtful"
_WEIGHED = ("die_unsure", "sheet_unsure")  # what seeing doubts that the readings play
_HELD = "held"  # what a piece or a pile holds, as the players' word
_CLOSES = {_HELD: ("piece_unsure", "token_heading_unsure", *_WEIGHED)}
_LEAST = 1e-3  # a reading less likely than that is none
_BESIDE = 0.75  # of a step: farther from all middles a token is on no cell (a corner is at 0.71)


@dataclass(frozen=True, slots=True)
class At:
    """Where a token stands, and which way it looks; ``way`` is empty if that means nothing."""

    cell: str
    way: str = ""

    def __str__(self) -> str:
        return f"{self.cell} {self.way}".strip()


Value: TypeAlias = At | str  #: of a token its place; of a die its pips, of a pile its top card
Held: TypeAlias = Mapping[str, Any]  #: what each piece or pile holds, all known
Readings: TypeAlias = tuple[tuple[Value, float], ...]


@dataclass(frozen=True, slots=True)
class BoardTable:
    """What each token, die and pile may hold, with chances; the reading that is taken first.

    ``said`` is what the players said: of which what it holds.
    """

    readings: Mapping[str, Readings]
    options: Any
    said: frozenset[Word] = field(default=frozenset(), compare=False)

    @property
    def held(self) -> dict[str, Any]:
        """What is taken of each."""
        return {spot: several[0][0] for spot, several in self.readings.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """A table played: its steps, who wins, all endings with their chances, what decides them."""

    steps: tuple[LedgerStep, ...]
    winners: tuple[str, ...]
    endings: tuple[tuple[tuple[int, ...], float], ...]
    weighed: tuple[Weighed, ...] = ()
    unknown: float = 0.0


class _Document(Model):
    """A table as JSON: what each spot holds, as in the notation."""

    pieces: dict[str, str]
    rules: dict[str, Any] = Field(default_factory=dict)


def step(title: Message, events: Iterable[Event], scores: Mapping[str, int]) -> LedgerStep:
    """Return a step of a round, and the scores after it."""
    return LedgerStep(title, tuple(events), _tally(scores))


def _tally(scores: Mapping[str, int]) -> Tally:
    return Tally({side: {"total": n} for side, n in scores.items()})


class BoardGame(Game):
    """A game whose tokens stand on cells, each piece there once."""

    board: Grid  #: the cells, in the frame of the one piece of kind ``board``
    hears_of_places = True
    ways: tuple[str, ...] = ()  #: that tokens look: up, then clockwise; none if nowhere
    piles: Mapping[str, tuple[str, ...]] = {}  #: ids of cards (``sheet``): one lies up of each pile
    laid_mm: float = 5.0  #: how far off the middle of its cell hands lay a token (1 sd), and
    laid_rad: float = 0.15  #: how askew

    @abstractmethod
    def play(self, held: Held, options: Any, /) -> Sequence[LedgerStep]:
        """Play a table of which all is known: at least one step, the last with the final scores.

        ``held`` has an :class:`At` for each token, and text for each die and pile.
        """

    def best(self, scores: Mapping[str, int], options: Any, /) -> tuple[str, ...]:
        """Return who wins with some scores: who has most, several if they have as many."""
        most = max(scores.values())
        return tuple(side for side, n in scores.items() if n == most)

    def ahead(self, cell: str, way: str) -> str | None:
        """Return the next cell in a way; None off the board."""
        return self.board.ahead(cell, self.ways.index(way) * math.tau / len(self.ways))

    # --- what there is ---------------------------------------------------------------------------

    def _holds(self) -> dict[str, tuple[str, ...]]:
        """Return what each die and pile may hold."""
        dice = {die.id: die.sides for die in self.pieces.of_kind("die")}
        return {**dice, **self.piles}

    def _tokens(self) -> dict[str, tuple[float, float]]:
        return {piece.id: piece.size_mm for piece in self.pieces.of_kind("token")}

    def _ways_of(self, token: str) -> tuple[str, ...]:
        piece = next(piece for piece in self.pieces.pieces if piece.id == token)
        return self.ways if piece.facing else ()

    def _made(self, readings: Mapping[str, Readings], options: Any) -> BoardTable:
        """Return a table with the likeliest readings that can be together taken first."""
        spots = [*self._tokens(), *self._holds()]
        missing = [spot for spot in spots if spot not in readings]
        if missing:
            msg = f"nothing is said of {' and '.join(missing)}; add a line such as: {self._line()}"
            raise TableFormatError(msg)
        ranked = {spot: tuple(sorted(readings[spot], key=lambda r: -r[1])) for spot in spots}
        table = BoardTable(ranked, options)
        doubts, ways = self._ways(table)
        likeliest = max(ways.several, key=lambda way: way.chance)
        if ways.unknown == 1.0:
            at = [str(value.cell) for value in table.held.values() if isinstance(value, At)]
            twice = next(cell for cell in at if at.count(cell) > 1)
            msg = f"two pieces stand on {twice}; a cell holds one"
            raise TableFormatError(msg)
        first = {}
        for doubt, k in zip(doubts, likeliest.chosen, strict=True):
            several = doubt.readings
            first[doubt.pieces[0]] = (several[k], *several[:k], *several[k + 1 :])
        return replace(table, readings=first)

    def _line(self) -> str:
        return next(line for line in self.notation.splitlines() if not line.startswith("game"))

    def _ways(self, table: BoardTable) -> tuple[list[Doubted], Ways]:
        """Return what may be otherwise; a cell holds one token."""
        doubts = []
        for spot, several in table.readings.items():
            claims = tuple(v.cell if isinstance(v, At) else None for v, _ in several)
            doubts.append(Doubted((spot,), (_CODE,), several, claims=claims))
        return doubts, find_ways(doubts)

    # --- from a photo ----------------------------------------------------------------------------

    def lay(self, layouts: Sequence[Layout], options: Any, /) -> BoardTable:
        """Read cells, ways, pips and cards, each with its chances."""
        placed = {p.piece: p for layout in layouts for p in layout.placed}
        tokens, readings = self._tokens(), dict[str, Readings]()
        for spot in (*tokens, *self._holds()):
            seen = [placed[name] for name in self.piles.get(spot, (spot,)) if name in placed]
            if len(seen) != 1:
                one = f"one card of {spot}" if spot in self.piles else spot
                msg = f"found {len(seen)} of {one}, needed 1: lay it in full view of the camera"
                raise TableNotFoundError(msg, is_near=True)
            (piece,) = seen
            readings[spot] = self._stands(piece) if spot in tokens else self._shows(spot, piece)
        return self._made(readings, options)

    def _stands(self, placed: Placed) -> Readings:
        at, spread = (placed.x_mm, placed.y_mm), placed.covariance
        gaps = np.linalg.norm(self.board.centres_mm - at, axis=1)
        if gaps.min() > _BESIDE * self.board.step_mm:
            msg = f"{placed.piece} lies beside the cells; lay it into one and take another photo"
            raise TableNotFoundError(msg, is_near=True)
        cells = self.board.read(at, spread[:2, :2], self.laid_mm)
        ways: Sequence[tuple[str, float]] = [("", 1.0)]
        if names := self._ways_of(placed.piece):
            read = read_way(placed.theta_rad, float(spread[2, 2]), len(names), self.laid_rad)
            ways = [(names[way], chance) for way, chance in read]
        both = [(At(cell, way), p * q) for cell, p in cells for way, q in ways]
        return _whole([(at, chance) for at, chance in both if chance > _LEAST])

    def _shows(self, spot: str, placed: Placed) -> Readings:
        cards = self.piles.get(spot)
        own = placed.side if cards is None else placed.piece
        others = [
            (o.piece if cards else o.piece.rpartition("-")[2], o.chance) for o in placed.others
        ]
        told = [(value, chance or 0.0) for value, chance in others if value in self._holds()[spot]]
        first = max(0.0, 1 - sum(chance for _, chance in told))
        return _whole([(value, p) for value, p in ((own, first), *told) if p > _LEAST])

    # --- text and JSON ---------------------------------------------------------------------------

    def read(self, text: str, /) -> BoardTable:
        """Read a table: a line for each piece, ``amber a1 e 0.7 or a2 e 0.3``, or JSON."""
        if is_json(text):
            document = read_document(text, _Document, "table", game=self.name)
            readings = {spot: self._readings(spot, v) for spot, v in document.pieces.items()}
            return self._made(readings, options_from_json(self.options, document.rules))
        readings, settings = {}, []
        for number, line in lines_of(text):
            with at_line(number):
                word, _, rest = line.partition(" ")
                if word == "rule":
                    settings.append(rest)
                elif (word, rest) != ("game", self.name):
                    readings[word] = self._readings(word, rest)
        return self._made(readings, parse_options(self.options, settings))

    def _readings(self, spot: str, text: str) -> Readings:
        """Read what a spot may hold; without chances all are as likely."""
        parts = [part.split() for part in text.replace(" ou ", " or ").split(" or ")]
        size = 1 + bool(spot in self._tokens() and self._ways_of(spot))
        read = [(self._value(spot, words[:size]), words[size:]) for words in parts]
        try:
            shares = [float(*more) if more else 1 / len(read) for _, more in read]
        except (ValueError, TypeError) as error:
            msg = f'expected a line such as "{self._line()}", got "{spot} {text}"'
            raise TableFormatError(msg) from error
        values = [value for value, _ in read]
        return tuple(zip(values, to_shares(spot, shares), strict=True))

    def _value(self, spot: str, words: Sequence[str]) -> Value:
        holds = self._holds()
        if spot in self._tokens():
            ways = self._ways_of(spot)
            cell, way = (*words, "", "")[:2]
            if cell in self.board.names and (way in ways if ways else not way):
                return At(cell, way)
            needed = f"a cell such as {self.board.names[0]}"
            needed += f" and one of {' '.join(ways)}" if ways else ""
        elif spot in holds:
            if len(words) == 1 and words[0] in holds[spot]:
                return words[0]
            needed = f"one of {', '.join(holds[spot])}"
        else:
            known = ", ".join((*self._tokens(), *holds))
            msg = f'"{spot}" is no piece; the pieces are {known}'
            raise TableFormatError(msg)
        msg = f'{spot}: expected {needed}, got "{" ".join(words)}"'
        raise TableFormatError(msg)

    def write(self, table: BoardTable, /) -> Json:
        """Return a table as JSON."""
        pieces = {
            spot: " or ".join(f"{value} {p!r}" if p < 1 else str(value) for value, p in several)
            for spot, several in table.readings.items()
        }
        head = {"schema": "sightline/table@1", "game": self.name, "pieces": pieces}
        return {**head, "rules": options_to_json(table.options)}

    def write_outcome(self, outcome: Played, /, *, language: str = "en") -> Json:
        """Return an outcome as JSON."""
        scores = {side: dict(own) for side, own in outcome.steps[-1].tally.scores.items()}
        head = {"schema": "sightline/resolution@1", "game": self.name, "scores": scores}
        return {**head, "winners": list(outcome.winners), "issues": []}

    # --- by hand ---------------------------------------------------------------------------------

    def edit(self, table: BoardTable, change: Mapping[str, Any], /) -> BoardTable:
        """Choose options, set a piece (``--set amber.at=b2``, ``die.shows=4``), or move it."""
        if options := changed_options(table.options, change):
            return replace(table, options=options)
        if (word := nothing_more(change)) is not None:
            return replace(table, said=table.said | {word})
        tokens, held = self._tokens(), table.held
        match dict(change):
            case {"kind": "set", "piece": str(name), "shows": value} if name in self._holds():
                return self._with(table, {name: self._value(name, [str(value)])})
            case {"kind": "set", "piece": str(name), **said} if (
                name in tokens and said and set(said) <= {"at", "way"}
            ):
                words = [str(said.get("at", held[name].cell)), str(said.get("way", held[name].way))]
                return self._with(table, {name: self._value(name, [w for w in words if w])})
            case {"kind": "move", "piece": str(name), **pose} if name in tokens:
                x_mm, y_mm, theta_rad = read_pose(name, pose)
                cell = cell_at(name, (x_mm, y_mm), self.board)
                ways = self._ways_of(name)
                way = ways[round(theta_rad * len(ways) / math.tau) % len(ways)] if ways else ""
                return self._with(table, {name: At(cell, way)})
            case {"kind": "identify", "piece": str(name), "identity": str(other)} if (
                name in tokens and other in tokens
            ):
                return self._with(table, {name: held[other], other: held[name]})
        msg = f"{dict(change)} is no change; set a piece: PIECE.at, PIECE.way or PIECE.shows"
        raise TableFormatError(msg)

    def _with(self, table: BoardTable, said: Mapping[str, Value]) -> BoardTable:
        """Return a table of which some pieces are no more in doubt, nor any other that they bar."""
        sure: dict[str, Readings] = {spot: ((value, 1.0),) for spot, value in said.items()}
        after = self._made({**table.readings, **sure}, table.options)
        return replace(after, said=table.said | {(spot, _HELD) for spot in said})

    def standing(self, table: BoardTable, /) -> tuple[Standing, ...]:
        """Return the tokens in the middles of their cells."""
        found = []
        for name, size in self._tokens().items():
            ways = self._ways_of(name)
            turn = math.tau / len(ways) if ways else 0.0
            at = table.held[name]
            pose = (*self.board.centre(at.cell), self._theta(name, at) or 0.0)
            found.append(Standing(name, *pose, size, self.board.step_mm, turn, is_fixed=True))
        return tuple(found)

    def spare(self, table: BoardTable, /) -> tuple[str, ...]:
        """Return no piece: each is there."""
        return ()

    def _theta(self, name: str, at: At) -> float | None:
        ways = self._ways_of(name)
        return math.remainder(ways.index(at.way) * math.tau / len(ways), math.tau) if ways else None

    def settings(self, table: BoardTable, /) -> tuple[Setting, ...]:
        """Return each die and each pile."""
        found = []
        for name, values in self._holds().items():
            change = {"kind": "set", "piece": name}
            said = [str(v) if v.isdigit() else _named(v) for v in values]
            choices = tuple((s, {**change, "shows": v}) for s, v in zip(said, values, strict=True))
            several = table.readings[name]
            chosen = values.index(str(several[0][0]))
            found.append(Setting(name, _named(name), choices, chosen, several[0][1] < SURE, name))
        return tuple(found)

    # --- played and told -------------------------------------------------------------------------

    def resolve(self, table: BoardTable, /) -> Played:
        """Play every way that the table may be."""
        doubts, ways = self._ways(table)

        def steps(chosen: tuple[int, ...]) -> tuple[LedgerStep, ...]:
            held = {d.pieces[0]: d.readings[k][0] for d, k in zip(doubts, chosen, strict=True)}
            return tuple(self.play(held, table.options))

        def ending(chosen: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(_totals(steps(chosen)).values())

        taken = steps(ways.several[0].chosen)
        scores = [ending(way.chosen) for way in ways.several]
        matters = how_much(doubts, ways, numbered(scores, key=lambda one: one))
        weighed = []
        for doubt, chance in zip(doubts, matters, strict=True):
            (spot,) = doubt.pieces
            seen = [(name,) for name in self.piles.get(spot, (spot,))]  # as seeing calls it
            weighed.append(Weighed(doubt.pieces, doubt.codes, chance))
            if spot in self._holds():
                weighed += [Weighed(name, _WEIGHED, chance) for name in seen]
        as_seen = {(name, w) for of, w in table.said for name in self.piles.get(of, (of,))}
        weighed += closed_by(as_seen, _CLOSES)
        winners = self._best(_totals(taken), table.options)
        return Played(taken, winners, endings(ways, ending), tuple(weighed), ways.unknown)

    def _best(self, scores: Mapping[str, int], options: Any) -> tuple[str, ...]:
        best = self.best(scores, options)
        return tuple(side.id for side in self.sides if side.id in best)

    def tell(self, table: BoardTable, outcome: Played, /) -> Ledger:
        """Tell the steps, what stands where, the doubts and the odds."""
        names = {side.id: side.name for side in self.sides}
        key = "wins" if len(outcome.winners) == 1 else "draw"
        doubts = [
            make_issue(_CODE, "board_game.doubtful", (spot,), piece=_named(spot), chance=own[0][1])
            for spot, own in table.readings.items()
            if own[0][1] < SURE
        ]
        return Ledger(
            game=self.name,
            sides=self.sides,
            columns=(),
            pieces=tuple(self._views(table)),
            opening=_tally(dict.fromkeys(names, 0)),
            steps=outcome.steps,
            winners=outcome.winners,
            outcome=message(f"board_game.{key}", side=names[outcome.winners[0]]),
            doubts=(*doubts, *not_known(outcome.unknown)),
            odds=self._odds(table, outcome) if len(outcome.endings) != 1 else None,
            weighed=outcome.weighed,
        )

    def _views(self, table: BoardTable) -> Iterator[PieceView]:
        """Yield the board, and each token on its cell; one named as a side is that side's."""
        (board,) = self.pieces.of_kind("board")
        yield PieceView(board.id, "board", _named(board.id), card_corners(*board.size_mm))
        sides = {side.id for side in self.sides}
        for name, size in self._tokens().items():
            at = table.held[name]
            rim = self.board.centre(at.cell) + circle(size[0] / 2)
            said, side = _named(name), name.partition("-")[0]
            own = side if side in sides else None
            yield PieceView(name, "token", said, rim, side=own, theta_rad=self._theta(name, at))

    def _odds(self, table: BoardTable, outcome: Played) -> Odds:
        names = {side.id: side.name for side in self.sides}
        told = []
        for points, chance in outcome.endings:
            totals = dict(zip(_totals(outcome.steps), points, strict=True))
            scores = tuple(
                message("board_game.score", side=names[side], n=n) for side, n in totals.items()
            )
            said = message("board_game.chance", scores=scores, chance=chance)
            told.append((Chance(totals, self._best(totals, table.options), chance), said))
        return odds_of(told, message("board_game.odds"), outcome.unknown)


def _named(piece: str) -> Message:
    return message("board_game.piece", piece=piece)


def _whole(several: Sequence[tuple[Value, float]]) -> Readings:
    """Return readings whose chances add up to 1, the likeliest first."""
    total = sum(chance for _, chance in several)
    ranked = sorted(several, key=lambda one: -one[1])
    return tuple((value, chance / total) for value, chance in ranked)


def _totals(steps: Sequence[LedgerStep]) -> dict[str, int]:
    return {side: own["total"] for side, own in steps[-1].tally.scores.items()}
