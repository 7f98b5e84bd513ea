"""Laws of a phase over random tables, and a second resolver; SIGHTLINE_PHASES=20000 plays more."""

import os
import random
from dataclasses import replace

import pytest

from tests.games.laser_shield.reference import run_phase
from vision.games.laser_shield.board import (
    DOORS,
    HEADINGS,
    RED,
    SQUARES,
    landing,
    neighbour,
    opposite,
)
from vision.games.laser_shield.orders import GUNS
from vision.games.laser_shield.phase import Played, play
from vision.games.laser_shield.values import TEAMS, Fire, Move, Options, Order, Pawn, Turn

PHASES = int(os.environ.get("SIGHTLINE_PHASES", "4000"))
Table = tuple[list[Pawn], dict[str, Order | None], Options]


def random_table(rng: random.Random) -> Table:
    """Return pawns, legal orders and options of any kind; crowded ones too."""
    options = Options(
        gun=rng.choice(["left", "ahead", "cross"]),
        shield=rng.choice(["side", "front", "narrow"]),
        deflection=rng.choice(["bounce", "bend"]),
        push=rng.choice(["away", "back"]),
        doors=rng.choice(list(DOORS)),
        turn_in_place=True,
    )
    free = [square for square in SQUARES if square not in DOORS[options.doors]]
    count = rng.choice([1, 2, 3, 3]), rng.choice([1, 2, 3, 3])
    squares = rng.sample(free, sum(count))
    names = [f"{team}-{k + 1}" for team, n in zip(TEAMS, count, strict=True) for k in range(n)]
    pawns = [
        Pawn(name, square, rng.choice(HEADINGS))
        for name, square in zip(names, squares, strict=True)
    ]
    orders = {team: random_order(team, pawns, options, rng) for team in TEAMS}
    return pawns, orders, options


def random_order(
    team: str, pawns: list[Pawn], options: Options, rng: random.Random
) -> Order | None:
    pawn = rng.choice([p for p in pawns if p.team == team])
    way = HEADINGS.index(pawn.heading)
    aims = [a for n in GUNS[options.gun] if (a := neighbour(pawn.square, way + n))]
    kind = rng.choice(["fire", "fire", "fire", "move", "move", "turn", "none"])
    if kind == "fire" and aims:
        return Fire(pawn.square, rng.choice(aims))
    if kind == "turn":
        return Turn(pawn.square, rng.choice(["left", "right"]))
    if kind == "move":
        return Move(random_path(pawn, options, rng), rng.choice([None, "left", "right"]))
    return None


def random_path(pawn: Pawn, options: Options, rng: random.Random) -> tuple[str, ...]:
    path, at, used, allowed = [pawn.square], pawn.square, set[str](), True
    while allowed:
        target = rng.choice([n for w in range(8) if (n := neighbour(at, w))])
        stands = landing(at, target, DOORS[options.doors])
        path += [target] if stands == target else [target, stands]
        allowed = stands in RED and stands not in used and rng.random() < 0.8
        used |= {stands} & set(RED)
        at = stands
    return tuple(path)


def blunt(order: Order | None, doors: tuple[str, str]) -> tuple[object, ...] | None:
    """Write an order as the second resolver takes it: a path without its landings."""
    match order:
        case Fire(start, target):
            return ("fire", start, target)
        case Turn(at, side):
            return ("turn", at, side)
        case Move(path, side):
            aims = [s for s, before in zip(path[1:], path, strict=False) if before not in doors]
            return ("move", path[0], aims, side)
    return None


def records(played: Played) -> list[set[tuple[object, ...]]]:
    out = []
    for step in played.steps:
        said: set[tuple[object, ...]] = {
            ("beam", b.pawn, b.line, b.squares, b.end) for b in step.beams
        }
        said |= {("moved", m.pawn, m.to, m.reason) for m in step.moves}
        said |= {("pushed", m.pawn, m.to, m.reason) for m in step.pushed}
        said |= {("turned", t.pawn, t.heading) for t in step.turned}
        said |= {("killed", k.pawn, k.square) for k in step.killed}
        out.append(said)
    return out


@pytest.mark.parametrize("part", range(4))
def test_a_second_resolver_agrees(part: int) -> None:
    for seed in range(part * PHASES // 4, (part + 1) * PHASES // 4):
        pawns, orders, options = random_table(random.Random(seed))
        played = play(pawns, orders, options)
        doors = DOORS[options.doors]
        told, standing, dead, won, spent = run_phase(
            {p.id: (p.square, p.heading) for p in pawns},
            {team: blunt(order, doors) for team, order in orders.items()},
            options,
        )
        assert records(played) == told, seed
        assert {p.id: (p.square, p.heading) for p in played.position} == standing, seed
        assert set(played.killed) == dead, seed
        assert set(played.winners) == won, seed
        assert set(played.spent) == spent, seed


def turned(pawn: Pawn) -> Pawn:
    """Return a pawn of the other team, seen from the other side of the board."""
    team = "blue" if pawn.team == "orange" else "orange"
    heading = HEADINGS[(HEADINGS.index(pawn.heading) + 4) % 8]
    return Pawn(f"{team}-{pawn.id[-1]}", opposite(pawn.square), heading)


def turned_order(order: Order | None) -> Order | None:
    match order:
        case Fire(start, target):
            return Fire(opposite(start), opposite(target))
        case Turn(at, side):
            return Turn(opposite(at), side)
        case Move(path, side):
            return Move(tuple(opposite(square) for square in path), side)
    return None


def test_half_a_turn_with_teams_swapped_changes_nothing() -> None:
    for seed in range(PHASES // 4):
        pawns, orders, options = random_table(random.Random(seed))
        played = play(pawns, orders, options)
        swapped = play(
            [turned(p) for p in pawns],
            {"blue": turned_order(orders["orange"]), "orange": turned_order(orders["blue"])},
            options,
        )
        assert {turned(p) for p in played.position} == set(swapped.position), seed
        assert len(played.steps) == len(swapped.steps), seed


def test_order_of_pawns_means_nothing_and_none_is_lost() -> None:
    for seed in range(PHASES // 4):
        rng = random.Random(seed)
        pawns, orders, options = random_table(rng)
        played = play(pawns, orders, options)
        mixed = rng.sample(pawns, len(pawns))
        backwards = dict(reversed(orders.items()))
        assert play(mixed, backwards, options) == played, seed
        left = {p.id for p in played.position}
        assert left | set(played.killed) == {p.id for p in pawns}, seed
        assert not left & set(played.killed), seed
        squares = [p.square for p in played.position]
        assert len(set(squares)) == len(squares), seed
        assert not set(squares) & set(DOORS[options.doors]), seed
        lines = [b.line for step in played.steps for b in step.beams]
        assert max(lines, default=0) <= 24, seed


def test_more_shield_never_kills_in_the_first_line() -> None:
    """Whom a first line does not kill behind a narrow shield it does not kill behind a side one."""
    for seed in range(PHASES // 10):
        pawns, orders, options = random_table(random.Random(seed))
        alone = {team: o for team, o in orders.items() if isinstance(o, Fire)}
        ends = [
            {
                (b.pawn, b.end)
                for step in play(pawns, alone, replace(options, shield=shield)).steps
                for b in step.beams
                if b.line == 1
            }
            for shield in ("narrow", "side")
        ]
        killed = [{pawn for pawn, end in some if end == "killed"} for some in ends]
        assert killed[1] <= killed[0], seed
