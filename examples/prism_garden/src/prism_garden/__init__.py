"""Prism Garden: two lanterns, four mirrors, a die, a weather card; README.md has the rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

import numpy as np

from vision.games.board_game import At, BoardGame, Held, step
from vision.judging.grids import squares
from vision.judging.options import option
from vision.values.ledger import Badge, Burst, Event, LedgerStep, Path, Side
from vision.values.messages import message
from vision.values.pieces import Piece, PieceSet

__all__ = ["PrismGarden"]

BED_MM, BOARD_MM, TOKEN_MM, CARD_MM = 36.0, 186.0, 27.0, (50.0, 70.0)
COLOURS = {"amber": "#d08a1e", "teal": "#14848a"}  # the two players, each with a lantern
MIRRORS = ("mirror-1", "mirror-2", "mirror-3", "mirror-4")
WEATHER = ("clear", "fog", "frost")
OTHER = {"amber": "teal", "teal": "amber"}
PIECES = PieceSet(
    "prism-garden",
    (
        Piece("board", "board", (BOARD_MM, BOARD_MM)),
        *(Piece(side, "token", (TOKEN_MM, TOKEN_MM), height_mm=2.0) for side in COLOURS),
        *(
            Piece(name, "token", (TOKEN_MM, TOKEN_MM), height_mm=2.0, like="mirror")
            for name in MIRRORS
        ),
        Piece("die", "die", (16.0, 16.0), sides=tuple("123456"), height_mm=16.0),
        *(Piece(card, "sheet", CARD_MM) for card in WEATHER),
    ),
    art="prism_garden.art:draw",
)
# How a mirror turns a light: one that looks n or s lies like "/", one that looks e or w like "\".
RISING = {"n": "e", "e": "n", "s": "w", "w": "s"}
FALLING = {"n": "w", "w": "n", "s": "e", "e": "s"}


@dataclass(frozen=True, slots=True)
class Options:
    """The variants."""

    dazzle: bool = option(True, "true or false: a light that comes back scores nothing")


@dataclass(frozen=True, slots=True)
class Light:
    """The way of a light: its beds, those where it turned, and the lantern that it met."""

    beds: tuple[str, ...]
    turns: tuple[str, ...]
    met: str | None
    is_lost_in_fog: bool = False


def shine(side: str, held: Held, garden: BoardGame) -> Light:
    """Follow the light of a lantern."""
    there = {at.cell: name for name, at in held.items() if isinstance(at, At)}
    reach = int(held["die"]) if held["weather"] == "fog" else len(there) * 100
    beds, way = [held[side].cell], held[side].way
    turns: list[str] = []
    while (bed := garden.ahead(beds[-1], way)) is not None:
        if len(beds) > reach:
            return Light(tuple(beds), tuple(turns), None, is_lost_in_fog=True)
        beds.append(bed)
        name = there.get(bed)
        if name in COLOURS:
            return Light(tuple(beds), tuple(turns), name)
        if name is not None:
            way = (RISING if held[name].way in "ns" else FALLING)[way]
            turns.append(bed)
    return Light(tuple(beds), tuple(turns), None)


class PrismGarden(BoardGame):
    """A photo of the garden, the die and the weather gives both lights and the score."""

    name = "prism-garden"
    pieces = PIECES
    sides = (
        Side("amber", message("side.amber"), COLOURS["amber"], "triangle"),
        Side("teal", message("side.teal"), COLOURS["teal"], "square"),
    )
    board = squares(5, 5, BED_MM)
    ways = ("n", "e", "s", "w")
    piles = {"weather": WEATHER}  # noqa: RUF012
    options = Options
    texts = resources.files(__package__) / "texts"
    notation = (
        "game prism-garden\namber a5 n\nteal e5 w\nmirror-1 a2 n\nmirror-2 d2 e\nmirror-3 b3 s\n"
        "mirror-4 c5 w\ndie 3\nweather clear"
    )

    def play(self, held: Held, options: Options) -> list[LedgerStep]:
        """Light both lanterns: a step each."""
        scores, steps = dict.fromkeys(COLOURS, 0), []
        for side in COLOURS:
            light = shine(side, held, self)
            each = 2 if held["weather"] == "frost" else 1
            hit = int(held["die"]) if light.met == OTHER[side] else 0
            is_dazzled = light.met == side and options.dazzle
            scores[side] = 0 if is_dazzled else each * len(light.turns) + hit
            events = tuple(self._events(side, light, each, hit, options))
            title = message("garden.shines", who=message(f"side.{side}"))
            steps.append(step(title, events, scores))
        return steps

    def _events(
        self, side: str, light: Light, each: int, hit: int, options: Options
    ) -> Iterator[Event]:
        """Tell the way of a light, then how it ends."""
        centres = [self.board.centre(bed) for bed in light.beds]
        marks = (
            [Path(np.array(centres), side, 0, fades=light.met is None)] if len(centres) > 1 else []
        )
        mirrors = (Badge(self.board.centre(bed), "count", str(each)) for bed in light.turns)
        who = message(f"side.{side}")
        n = each * len(light.turns)
        said = message("garden.turns", who=who, mirrors=len(light.turns), n=n)
        yield Event(said, (side,), (*marks, *mirrors))
        if hit:
            burst = Burst(centres[-1], hit, str(hit))
            other = message(f"side.{OTHER[side]}")
            said = message("garden.hits", who=who, other=other, n=hit)
            yield Event(said, (side, OTHER[side]), (burst,))
        elif light.met == side:
            yield Event(
                message(f"garden.back_{'lost' if options.dazzle else 'kept'}", who=who), (side,)
            )
        elif light.is_lost_in_fog:
            yield Event(message("garden.fog", who=who, bed=light.beds[-1]), (side,))
        else:
            yield Event(message("garden.leaves", who=who, bed=light.beds[-1]), (side,))
