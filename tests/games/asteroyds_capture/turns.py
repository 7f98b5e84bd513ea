"""Random turns of any kind: all boards, layouts and crowds, options, pilots; and how they end."""

import random
from dataclasses import replace

from tests.games.asteroyds_capture.reference import Turn
from vision.errors import TableFormatError
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.layouts import LAYOUTS
from vision.games.asteroyds_capture.pieces import PILOTS, kind_of, team_of
from vision.games.asteroyds_capture.programs import ACTIONS
from vision.games.asteroyds_capture.setup import check_table, placed
from vision.games.asteroyds_capture.turn import Played
from vision.games.asteroyds_capture.values import TEAMS, Options, Piece, Program, Round, Table


def random_options(rng: random.Random) -> Options:
    if rng.random() < 0.2:
        return Options()
    return Options(
        base=rng.choice(["zone", "zone", "platform", "home"]),
        zone=rng.randrange(5),
        platform_shelter=rng.random() < 0.6,
        numbers=rng.choice(["tile", "board"]),
        anticipated_fire=rng.choice(["none", "extra"]),
        pod_crash=rng.random() < 0.6,
        rocks=rng.choice(["destructible", "solid"]),
        rocks_move=rng.choice(["turn", "round"]),
        pilots=rng.random() < 0.6,
        target=rng.choice([None, None, 1, 2, 3, 4, 5]),
        capture_cost=rng.choice([None, None, 0, 1]),
    )


POWERS = {
    "hector": ("power",),
    "dolorosa": ("power",),
    "yayenek": ("power",),
    "mhand": ("power-120", "power-240"),
    "1634": ("power-60", "power-120", "power-240", "power-300"),
}


def random_program(rng: random.Random, pilot: str | None) -> Program:
    """Return a programme: some powers, most of them the pilot's; now and then too many rounds."""
    powers = POWERS.get(pilot or "", ACTIONS[5:]) if rng.random() < 0.8 else ACTIONS[5:]
    plain = ["forward", "forward", "left", "right", "back", "fire", "fire", None]
    columns = tuple(
        rng.choice(powers) if rng.random() < 0.1 else rng.choice(plain) for _ in range(6)
    )
    rounds = tuple(rng.randint(1, 6) for _ in range(rng.choice([0, 1, 1, 1, 2, 3])))
    return Program(columns, rng.choice([None, "shield", "shield", "fire"]), rounds)


def random_table(rng: random.Random) -> Table:
    """Return a table that may be: laid out, with ships anywhere, or all of it anywhere."""
    while True:
        table = _laid(rng) if rng.random() < 0.5 else _strewn(rng)
        if rng.random() < 0.3:
            table = _gathered(rng, table)
        ships = [p for p in table.pieces if kind_of(p.id) == "ship" and p.cell]
        programs = {p.id: random_program(rng, p.pilot) for p in ships if rng.random() < 0.95}
        dice = {team: rng.randint(1, 6) for team in TEAMS if rng.random() < 0.9}
        teams = {team_of(p.id) for p in table.pieces} - {None}
        scores = {team: rng.randint(-1, 2) for team in teams if team and rng.random() < 0.6}
        table = replace(table, programs=programs, dice=dice, scores=scores)
        try:
            check_table(table)
        except TableFormatError:
            continue
        return table


def _laid(rng: random.Random) -> Table:
    layout = rng.choice(list(LAYOUTS))
    radius = rng.choice([5, 5, 5, 6, 7])
    cells = list(board_of(radius).cells)
    near = [cell for cell in cells if max(map(abs, board_of(radius).cells[cell])) <= 4]
    pieces = {piece.id: piece for piece in placed([], layout, radius)}
    for name, piece in list(pieces.items()):
        if kind_of(name) == "ship":
            cell = rng.choice(near) if rng.random() < 0.8 else piece.cell
            pieces[name] = _crewed(rng, Piece(name, cell, rng.randrange(6)))
    for k in range(rng.choice([0, 0, 2, 3, 4])):
        pieces[f"rock-{k + 1}"] = Piece(f"rock-{k + 1}", rng.choice(near), rng.randrange(6))
    return _loaded(
        rng, Table(tuple(pieces.values()), {}, {}, {}, random_options(rng), radius, layout)
    )


def _strewn(rng: random.Random) -> Table:
    """Return a table with everything anywhere, on small boards too: things share cells."""
    radius = rng.randint(3, 7)
    cells = list(board_of(radius).cells)
    if rng.random() < 0.5:
        cells = rng.sample(cells, min(len(cells), 25))
    teams = rng.choice([TEAMS[:2], TEAMS[:2], TEAMS, ("white", "blue")])
    names = [f"pod-{k}" for k in range(1, rng.randint(1, 8))]
    names += [f"rock-{k}" for k in range(1, rng.randint(1, 5))]
    for team in teams:
        names += [f"{team}-{kind}" for kind in ("home", "platform", "asteroyd")]
        names += [f"{team}-{k}" for k in range(1, rng.randint(2, 4))]
        names += [f"{team}-turret-{k}" for k in range(1, rng.randint(1, 4))]
    pieces = [Piece(name, rng.choice(cells), _way(rng, name)) for name in names]
    pieces = [_crewed(rng, p) if kind_of(p.id) == "ship" else p for p in pieces]
    return _loaded(rng, Table(tuple(pieces), {}, {}, {}, random_options(rng), radius))


def _gathered(rng: random.Random, table: Table) -> Table:
    """Put a loose asteroyd in a cell, and most ships beside it, looking at it."""
    board = board_of(table.radius)
    middle = rng.choice(list(board.cells))
    loose = rng.choice([p.id for p in table.pieces if kind_of(p.id) == "asteroyd"])
    pieces = []
    for piece in table.pieces:
        way = rng.randrange(6)
        cell = board.next_to(middle, way)
        if piece.id == loose:
            piece = replace(piece, cell=middle, on=None)
        elif kind_of(piece.id) == "ship" and cell and rng.random() < 0.8:
            piece = replace(piece, cell=cell, way=(way + 3) % 6)
        pieces.append(piece)
    return replace(table, pieces=tuple(pieces))


def _way(rng: random.Random, name: str) -> int:
    return rng.randrange(6) if kind_of(name) in ("ship", "turret", "rock") else 0


def _crewed(rng: random.Random, ship: Piece) -> Piece:
    if rng.random() < 0.4:
        return ship
    return replace(ship, pilot=rng.choice(PILOTS), power_spent=rng.random() < 0.2)


def _loaded(rng: random.Random, table: Table) -> Table:
    """Put some asteroyds on ships, others anywhere."""
    cells = list(board_of(table.radius).cells)
    pieces = []
    for piece in table.pieces:
        ships = [p.id for p in table.pieces if kind_of(p.id) == "ship"]
        others = [ship for ship in ships if team_of(ship) != team_of(piece.id)]
        if kind_of(piece.id) == "asteroyd":
            if others and rng.random() < 0.4:
                pieces.append(replace(piece, cell=None, on=rng.choice(others)))
                continue
            if rng.random() < 0.6:
                near = [p.cell for p in table.pieces if kind_of(p.id) == "ship" and p.cell]
                around = [
                    c for c in cells if near and c in board_of(table.radius).within(near[0], 1)
                ]
                pieces.append(replace(piece, cell=rng.choice(around or cells)))
                continue
        pieces.append(piece)
    return replace(table, pieces=tuple(sorted(pieces, key=lambda p: p.id)))


def blunt_turn(table: Table) -> Turn:
    """Return a table played by the second resolver."""
    pieces = {
        p.id: {
            "cell": p.cell,
            "heading": 60 * p.way,
            "on": p.on,
            "pilot": p.pilot,
            "spent": p.power_spent,
        }
        for p in table.pieces
    }
    programs = {}
    for ship, one in table.programs.items():
        rounds = one.rounds if one.mode or _is_lawrence(table, ship) else ()
        programs[ship] = {"columns": one.columns, "mode": one.mode, "rounds": rounds}
    arguments = (pieces, programs, table.dice, table.scores, table.options, table.radius)
    return Turn(*arguments).play()


def _is_lawrence(table: Table, ship: str) -> bool:
    return any(p.id == ship and p.pilot == "lawrence" for p in table.pieces)


def records(one: Round) -> frozenset[tuple[object, ...]]:
    """Return all of a round that is told in no order, in plain tuples."""
    said: set[tuple[object, ...]] = set()
    for b in one.beams:
        said.add(("beam", b.source, 60 * b.way, b.cells, b.stopped_by, b.hits, b.evaded))
    said |= {("off", off.turret, off.by) for off in one.off}
    said |= {("destroyed", rock) for rock in one.destroyed}
    said |= {("move", m.ship, m.action, m.cells, 60 * m.way, m.crash) for m in one.moves}
    said |= {("teleport", t.ship, t.start, t.end, t.cause, t.by) for t in one.teleports}
    return frozenset(said)


def told(played: Played) -> list[tuple[object, ...]]:
    """Return a turn as the second resolver tells it."""
    return [
        (
            records(r),
            tuple((m.rock, m.start, m.end) for m in r.rocks),
            tuple((c.asteroyd, c.event, c.ships, c.cell) for c in r.asteroyds),
            dict(r.scores),
        )
        for r in played.rounds
    ]


def final_of(played: Played) -> dict[str, tuple[object, ...]]:
    """Return where everything is at the end."""
    return {
        p.id: (p.cell, 60 * p.way, p.on, p.power_spent) for p in played.position.pieces.values()
    }
