"""Laws of a turn over random tables, and a second resolver that must agree."""

import os
import random
from collections import Counter
from dataclasses import fields, is_dataclass, replace

import pytest

from tests.games.asteroyds_capture.turns import blunt_turn, final_of, random_table, told
from vision.games.asteroyds_capture.board import RADII, board_of, turned
from vision.games.asteroyds_capture.pieces import kind_of, team_of
from vision.games.asteroyds_capture.turn import play
from vision.games.asteroyds_capture.values import Table

#: 20,000 now and then; a tenth of it finds what a slip of the hand breaks
TURNS = int(os.environ.get("SIGHTLINE_TURNS", "1000"))
PARTS = 4


def tables(share: int = 1, seed: int = 0):
    for k in range(TURNS // share):
        yield seed + k, random_table(random.Random(seed + k))


# --- the second resolver -------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(PARTS))
def test_a_second_resolver_agrees(part):
    for seed, table in tables(PARTS, part * 1_000_000):
        played, blunt = play(table), blunt_turn(table)
        assert told(played) == blunt.told, seed
        assert final_of(played) == blunt.final(), seed
        assert dict(played.position.scores) == blunt.scores, seed
        assert (played.winners or (None,))[0] == blunt.winner(), seed
        assert set(played.refused) == blunt.refused, seed


def test_everything_happens_in_the_turns_that_are_drawn():
    """A law over turns in which nothing happens is none."""
    seen: Counter[str] = Counter()
    for _, table in tables(10):
        played = play(table)
        for r in played.rounds:
            seen.update(c.event for c in r.asteroyds)
            seen.update(t.cause for t in r.teleports)
            seen.update(kind_of(m.crash) or m.crash for m in r.moves if m.crash)
            seen.update(f"hit {kind_of(hit)}" for b in r.beams for hit in b.hits)
            seen.update("evaded" for b in r.beams if b.evaded)
            seen.update("rock moved" for _ in r.rocks)
            seen.update("power" for m in r.moves if m.action.startswith("power"))
            seen.update("second step" for m in r.moves if len(m.cells) == 3)
        seen.update("won" for _ in played.winners)
    wanted = {
        *("dropped", "taken", "contested", "returned", "captured", "laser", "crash", "edge"),
        *("turret", "platform", "pod", "rock", "hit ship", "hit turret", "hit rock", "evaded"),
        *("rock moved", "power", "second step", "won"),
    }
    assert wanted <= set(seen)


# --- laws ----------------------------------------------------------------------------------------


def mapped(value, cell, name, by):
    """Return a value with every cell, name and way in it changed; tuples become sorted."""
    if is_dataclass(value):
        out = [type(value).__name__]
        for one in fields(value):
            inner = getattr(value, one.name)
            out.append(by(inner) if one.name == "way" else mapped(inner, cell, name, by))
        return tuple(out)
    if isinstance(value, tuple | list):
        inner = [mapped(one, cell, name, by) for one in value]
        return tuple(sorted(inner, key=repr))
    if isinstance(value, dict):
        return tuple(sorted((name(k), mapped(v, cell, name, by)) for k, v in value.items()))
    if isinstance(value, str):
        return cell(value) if value in board_of(7).cells else name(value)
    return value


def same(value):
    return value


def rotated(table: Table) -> Table:
    """Return a table turned by 60 degrees."""
    pieces = tuple(
        replace(
            p,
            cell=p.cell and turn_cell(p.cell, table.radius),
            way=(p.way + 1) % 6 if kind_of(p.id) in ("ship", "turret", "rock") else 0,
        )
        for p in table.pieces
    )
    dice = table.dice
    if table.options.numbers == "board":
        dice = {colour: die % 6 + 1 for colour, die in dice.items()}
    return replace(table, pieces=pieces, dice=dice, layout=None)


def turn_cell(cell: str, radius: int) -> str:
    board = board_of(radius)
    return board.name(turned(board.cells[cell], 1)) or ""


def test_turning_the_board_turns_the_turn():
    for seed, table in tables(4):
        one, other = play(table), play(rotated(table))

        def cell(name: str, radius: int = table.radius) -> str:
            return turn_cell(name, radius)

        def way(k: int) -> int:
            return (k + 1) % 6

        assert mapped(one.rounds, cell, same, way) == mapped(other.rounds, same, same, same), seed
        assert one.winners == other.winners, seed


def swapped(name: str) -> str:
    """Return a name with red and white exchanged."""
    for before, after in (("red", "white"), ("white", "red")):
        if name == before or name.startswith(before + "-"):
            return after + name[len(before) :]
    return name


def test_swapping_teams_swaps_what_happens():
    for seed, table in tables(4):
        pieces = tuple(
            replace(p, id=swapped(p.id), on=p.on and swapped(p.on)) for p in table.pieces
        )
        other = play(
            replace(
                table,
                pieces=pieces,
                programs={swapped(ship): one for ship, one in table.programs.items()},
                dice={swapped(team): die for team, die in table.dice.items()},
                scores={swapped(team): score for team, score in table.scores.items()},
            )
        )
        one = play(table)

        def crashes(rounds):  # of two walls in a cell the first by id is named
            return [
                replace(r, moves=tuple(replace(m, crash=m.crash and "wall") for m in r.moves))
                for r in rounds
            ]

        before = mapped(crashes(one.rounds), same, swapped, same)
        assert before == mapped(crashes(other.rounds), same, same, same), seed
        assert tuple(map(swapped, one.winners)) == other.winners, seed


def test_the_order_of_what_is_put_in_means_nothing():
    for seed, table in tables(4):
        rng = random.Random(seed)
        mixed = replace(
            table,
            pieces=tuple(rng.sample(table.pieces, len(table.pieces))),
            programs=dict(rng.sample(list(table.programs.items()), len(table.programs))),
            dice=dict(reversed(table.dice.items())),
            scores=dict(reversed(table.scores.items())),
        )
        one, other = play(table), play(mixed)
        assert one.rounds == other.rounds, seed
        assert final_of(one) == final_of(other), seed


def test_nothing_is_lost_and_nothing_comes_from_nowhere():
    for seed, table in tables(4):
        played = play(table)
        before = {p.id: p for p in table.pieces}
        after = played.position.pieces
        assert set(before) == set(after), seed
        destroyed = {rock for r in played.rounds for rock in r.destroyed}
        for name, piece in after.items():
            kind = kind_of(name)
            if kind in ("home", "platform", "turret", "pod"):
                assert piece == before[name], seed
            if kind == "asteroyd":
                assert (piece.cell is None) == (piece.on is not None), seed
                assert piece.on is None or team_of(piece.on) != team_of(name), seed
            assert (piece.cell is None) == (
                before[name].cell is None or name in destroyed
            ) or kind == "asteroyd", seed
        captures = sum(c.event == "captured" for r in played.rounds for c in r.asteroyds)
        teams = {team_of(p.id) for p in table.pieces} - {None}
        cost = table.options.capture_cost
        cost = int(len(teams) == 3) if cost is None else cost
        scored = sum(played.position.scores.values()) - sum(table.scores.values())
        assert scored == captures * (1 - cost), seed
        out, off = set[str](), set[str]()
        for r in played.rounds:
            assert not out & {m.ship for m in r.moves}, seed
            assert not out & {b.source for b in r.beams}, seed
            assert not out & {hit for b in r.beams for hit in b.hits}, seed
            out |= {t.ship for t in r.teleports}
            assert not off & {b.source for b in r.beams}, seed
            off |= {one.turret for one in r.off}


def test_every_event_replayed_gives_the_final_position():
    for seed, table in tables(4):
        played = play(table)
        now = {p.id: p for p in table.pieces}
        scores = {team: table.scores.get(team, 0) for team in played.position.scores}
        for r in played.rounds:
            replay_round(now, r)
            for c in r.asteroyds:
                if c.event == "captured":
                    scores[team_of(c.ships[0])] += 1
                    three = len(scores) == 3
                    cost = table.options.capture_cost
                    scores[team_of(c.asteroyd)] -= int(three) if cost is None else cost
            assert scores == dict(r.scores), seed
        assert now == dict(played.position.pieces), seed


def replay_round(now, r) -> None:
    for m in r.rocks:
        assert now[m.rock].cell == m.start
        now[m.rock] = replace(now[m.rock], cell=m.end)
    for rock in r.destroyed:
        now[rock] = replace(now[rock], cell=None)
    for cause in ("laser", "crash"):
        for m in r.moves if cause == "crash" else ():
            assert now[m.ship].cell == m.cells[0]
            spent = now[m.ship].power_spent or m.action.startswith("power")
            now[m.ship] = replace(now[m.ship], cell=m.cells[-1], way=m.way, power_spent=spent)
        for t in r.teleports:
            if t.cause == cause:
                assert now[t.ship].cell == t.start
                now[t.ship] = replace(now[t.ship], cell=t.end)
    for c in r.asteroyds:
        piece = now[c.asteroyd]
        home = now[f"{team_of(c.asteroyd)}-home"].cell
        if c.event == "dropped":
            now[c.asteroyd] = replace(piece, cell=c.cell, on=None)
        elif c.event == "taken":
            assert piece.cell == c.cell
            now[c.asteroyd] = replace(piece, cell=None, on=c.ships[0])
        elif c.event in ("returned", "captured"):
            now[c.asteroyd] = replace(piece, cell=home, on=None)


# --- the board -----------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", RADII)
def test_names_and_places_of_cells(radius):
    board = board_of(radius)
    assert len(board.cells) == 3 * radius * (radius + 1) + 1
    for cell, (q, r) in board.cells.items():
        x, y = board.centre_mm(cell)
        assert (x, y) == pytest.approx((57 * q / 3**0.5, 38 * (r + q / 2)))
        assert board.name((q, r)) == cell
        assert turned((q, r), 6) == (q, r)
        ahead = board.next_to(cell, 0)
        assert ahead is None or (ahead[0] == cell[0] and int(ahead[1:]) == int(cell[1:]) + 1)


def test_the_middle_is_f6():
    assert board_of(5).name((0, 0)) == "f6"
