"""The rules of the toy game: what each token sees, and what that is worth."""

from collections.abc import Mapping

from tests.games.toy.values import TOKENS, WAYS, Outcome, ToyOptions, ToyTable, Value
from vision.judging.doubted import Doubted
from vision.judging.grids import squares
from vision.judging.odds import endings, find_ways

__all__ = ["BOARD", "look", "play"]

BOARD = squares(3, 3, 50.0)
_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


def look(cell: str, way: str, other: str) -> tuple[list[str], bool]:
    """Return the squares before a token up to the edge, or to the other if it sees that."""
    dx, dy = _STEPS[WAYS.index(way)]
    seen: list[str] = []
    x, y = ord(cell[0]), int(cell[1])
    while f"{chr(x := x + dx)}{(y := y + dy)}" in BOARD.names:
        seen.append(f"{chr(x)}{y}")
        if seen[-1] == other:
            return seen, True
    return seen, False


def play(table: ToyTable) -> Outcome:
    """Play: who sees the other scores what the die shows, else one point a square before it."""
    doubts = [Doubted((spot,), (), several) for spot, several in table.readings.items()]

    def held(chosen: tuple[int, ...]) -> dict[str, Value]:
        return {d.pieces[0]: d.readings[r][0] for d, r in zip(doubts, chosen, strict=True)}

    ways = find_ways(doubts, lambda chosen: _points(held(chosen)) is not None)
    told = endings(ways, lambda chosen: _points(held(chosen)) or (0, 0))
    sun, moon = _points(table.best()) or (0, 0)
    points = dict(zip(TOKENS, (sun, moon), strict=True))
    return Outcome(points, winners(points, table.options), told)


def winners(points: Mapping[str, int], options: ToyOptions) -> tuple[str, ...]:
    """Return who wins; both if they have as many points."""
    best = (max if options.wins == "most" else min)(points.values())
    return tuple(token for token in TOKENS if points[token] == best)


def _points(held: Mapping[str, Value]) -> tuple[int, int] | None:
    """Return the points of sun and moon; None if both stand on one square."""
    (sun, way), (moon, other_way), die = (held[spot] for spot in ("sun", "moon", "die"))
    if sun == moon:
        return None
    found = (look(sun, way, moon), look(moon, other_way, sun))
    first, second = (die if sees else len(seen) for seen, sees in found)
    return first, second
