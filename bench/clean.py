"""Clean photos: tidy, well lit tables of all four games; doubts told, and how many were needed.

``--count`` tables of each game are drawn as a careful family lays them: nothing overlaps that need
not, nothing is strange, the light is even, the camera looks down by at most 20 degrees. All doubts
are counted but close calls, which are the table's own and no fault of seeing. A doubt is needed if
what was read in its photos differs from what lies there, in a name, a place on the board, a count
or in the result; else it is needless. Open is a table of which no winner is told.
"""

import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import islice

import numpy as np

from bench.asteroyds import facts_of
from bench.common.counting import bound_of_none, share
from bench.common.light_speed import hits, light_speed
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from tests import synth, synth_pieces
from tests.games.asteroyds_capture import drawn as asteroyds
from tests.games.conflit_stellaire import drawn as conflit
from tests.games.laser_shield import drawn as laser
from vision.apps.known import known_game
from vision.errors import ScanError
from vision.games.asteroyds_capture import setup
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.values import Options, Program
from vision.games.asteroyds_capture.values import Table as Turn
from vision.games.laser_shield.board import DOORS, HEADINGS, SQUARES
from vision.games.laser_shield.values import Options as LaserOptions
from vision.games.laser_shield.values import Pawn
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import TableState
from vision.imaging.photo import Photo
from vision.judging.play import play
from vision.seeing.reading import read_layout
from vision.values.arrays import Points
from vision.values.scan import Scan
from vision.values.verdict import CLOSE_CALL

SEED, COUNT = 37, 10
TILT_DEG = 20.0
MARGIN = 1.15  # so much farther a careful hand stands than where all just fits
SIZE = (2400, 1800)
LAID_MM, LAID_DEG = 1.5, 2.0  # a careful hand lays things at most so far off, and off their turn
COUNTERS_BGR = ((60, 60, 60), (235, 235, 235), (40, 40, 190), (150, 110, 40), (90, 170, 200))


@dataclass(frozen=True, eq=False)
class Laid:
    """A table: its photos, and what tells whether a scan of them is all right."""

    photos: tuple[Photo, ...]
    is_right: Callable[[Scan], bool]


@dataclass(frozen=True)
class Case:
    """What came of one table."""

    game: str
    table: int
    is_right: bool
    is_open: bool
    doubts: tuple[str, ...]
    close_calls: int
    refused: str = ""


def aslant(rng: np.random.Generator) -> dict[str, float]:
    """Return from where a careful hand photographs."""
    return {
        "tilt_deg": float(rng.uniform(0, TILT_DEG)),
        "azimuth_deg": float(rng.uniform(0, 360)),
        "roll_deg": float(rng.uniform(-5, 5)),
    }


def light_speed_table(rng: np.random.Generator, seed: int) -> Laid:
    """Lay cards apart, on plain cloth."""
    bank, deck = light_speed().bank, light_speed().deck
    teams = rng.permutation(["red", "green", "blue", "purple"])[:2].tolist()
    ships = [n for n in rng.permutation(bank.card_ids).tolist() if n.split("-")[0] in teams]
    ids = ["asteroid-1", *[n for n in ships if "back" not in n][:13]]
    cards = synth.random_cards(ids, rng, gap_mm=12, spread=120)
    scene = synth.Scene(cards, SIZE, seed=seed, falloff=0.15, **aslant(rng))
    image, _ = synth.photograph(scene, bank)
    true = resolve(TableState(cards), deck)

    def is_right(scan: Scan) -> bool:
        names = sorted(card.card_id for card in scan.table.cards)
        is_named = names == sorted(card.card_id for card in cards)
        return is_named and hits(scan.outcome) == hits(true)

    return Laid((Photo(image, scene.focal_35mm),), is_right)


def laser_table(rng: np.random.Generator, seed: int) -> Laid:
    """Lay three tokens a team on squares of the board."""
    doors = DOORS[LaserOptions().doors]
    squares = rng.permutation([s for s in SQUARES if s not in doors])[:6].tolist()
    names = [f"{team}-{k}" for team in ("orange", "blue") for k in (1, 2, 3)]
    headings = rng.choice(HEADINGS, 6).tolist()
    pawns = [Pawn(*one) for one in zip(names, squares, headings, strict=True)]
    aside = tuple(float(v) for v in rng.uniform(-2, 2, 2))
    scene = laser.scene(pawns, aside, size_wh=(1600, 1200), seed=seed, **aslant(rng))
    image, _ = synth_pieces.photograph(scene)
    true = sorted((p.id.split("-")[0], p.square, p.heading) for p in pawns)

    def is_right(scan: Scan) -> bool:
        return sorted((p.team, p.square, p.heading) for p in scan.table.pawns) == true

    return Laid((Photo(image),), is_right)


def conflit_table(rng: np.random.Generator, seed: int) -> Laid:
    """Lay a table of two seats as players do, energy cells in fans."""
    told = conflit.random_table(2, rng)
    scene = conflit.scene_of(told, seed, **aslant(rng))
    farther = replace(scene, distance_mm=MARGIN * scene.distance_mm)
    image, _ = conflit.photograph(farther)
    faces = Counter(card.face for card in told.cards)
    hulls, distances = sorted(told.hulls.values()), sorted(told.distances.values())

    def is_right(scan: Scan) -> bool:
        read = Counter(card.face for card in scan.table.cards)
        is_same = sorted(seat.hull for seat in scan.table.seats) == hulls
        return (
            is_same and read == faces and sorted(d.uds for d in scan.table.distances) == distances
        )

    return Laid((Photo(image),), is_right)


def asteroyds_table(rng: np.random.Generator, seed: int) -> Laid:
    """Lay a turn of two teams: the board and dice in one photo, four programmes in another.

    Asteroyds lie on their homes, ships on what they stand on. Tiles, ships and counters lie a
    little off; the counters of a sheet are of one colour and size.
    """
    game = known_game("asteroyds-capture").game
    pieces = {piece.id: piece for piece in setup.placed([], "2v2", 5)}
    taken = {piece.cell for piece in pieces.values()}
    free = [c for c, at in board_of(5).cells.items() if c not in taken and max(map(abs, at)) <= 4]
    ships = [name for name in pieces if name in ("red-1", "red-2", "white-1", "white-2")]
    cells = rng.permutation(free)[: len(ships)].tolist()
    said = [
        setup.Said(piece=name, cell=cell, heading_deg=60 * int(rng.integers(6)))
        for name, cell in zip(ships, cells, strict=True)
    ]
    laid = setup.placed(said, "2v2", 5)
    programs = {name: random_program(rng) for name in ships}
    numbers = {team: int(rng.integers(1, 7)) for team in ("red", "white")}
    table = Turn(laid, programs, numbers, {}, Options(), 5)
    alike = [piece.id for piece in game.pieces.pieces if piece.copies is None]
    true = facts_of(game.write(table), alike)

    def token(name: str) -> str:
        kind = name.partition("-")[0]
        return kind if kind in alike else name

    rising = sorted(laid, key=lambda p: (kind_of(p.id) == "ship", kind_of(p.id) == "asteroyd"))
    places = np.array([board_of(5).centre_mm(p.cell) for p in rising]) + laid_off(rng, len(rising))
    turns = 60 * np.array([p.way or 0 for p in rising]) + rng.uniform(
        -LAID_DEG, LAID_DEG, len(rising)
    )
    tokens = asteroyds.stacked(
        [
            (token(p.id), tuple(at), turn)
            for p, at, turn in zip(rising, places, np.radians(turns), strict=True)
        ]
    )
    board = [*asteroyds.board_pieces(), *tokens, *asteroyds.dice(numbers)]
    size = {"size_wh": (2000, 1500)}
    over = asteroyds.photo_scene(board, seed=seed, **size, **aslant(rng))
    sheets: list[synth_pieces.LaidPiece] = []
    for k, (name, program) in enumerate(programs.items()):
        pose = (150.0 * (k % 2), 120.0 * (k // 2), 0.05)
        cells = covered(program)
        at_mm = np.array([asteroyds.cell_mm(*cell) for cell in cells]).reshape(-1, 2)
        how_laid = asteroyds.Sheet(
            name,
            pose,
            counter_mm=float(rng.uniform(8.0, 11.5)),
            counter_bgr=COUNTERS_BGR[int(rng.integers(len(COUNTERS_BGR)))],
            counter_high_mm=float(rng.uniform(1.0, 3.0)),
            more=tuple(map(tuple, at_mm + laid_off(rng, len(cells)))),
        )
        sheets += asteroyds.sheet_pieces(how_laid)
    how = {**size, **aslant(rng), "distance_mm": 560.0, "focal": 0.75, "aim_mm": (75.0, 60.0)}
    beside = synth_pieces.Scene(tuple(sheets), seed=seed, **how)
    photos = tuple(Photo(synth_pieces.photograph(scene)[0]) for scene in (over, beside))

    def is_right(scan: Scan) -> bool:
        return facts_of(game.write(scan.table), alike) == true

    return Laid(photos, is_right)


def laid_off(rng: np.random.Generator, count: int) -> Points:
    """Return how far (N, 2) mm a careful hand lays things off their places."""
    angle, share = rng.uniform(0, 2 * np.pi, count), np.sqrt(rng.uniform(0, 1, count))
    return LAID_MM * share[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def random_program(rng: np.random.Generator) -> Program:
    """Return a programme of plain actions, with an anticipation in every second."""
    plain = ("forward", "left", "right", "back", "fire", None)
    columns = tuple(plain[k] for k in rng.integers(0, 6, 6))
    mode = ("shield", "fire", None, None)[int(rng.integers(4))]
    return Program(columns, mode, (int(rng.integers(1, 7)),) if mode else ())


def covered(program: Program) -> tuple[tuple[int, int], ...]:
    """Return the cells of a sheet on which a programme's counters lie."""
    rows = asteroyds.ROWS
    cells = [(k, rows.index(action) + 1) for k, action in enumerate(program.columns, 1) if action]
    cells += [(column, 7) for column in program.rounds]
    cells += [(7, {"shield": 2, "fire": 5}[program.mode])] if program.mode else []
    return tuple(cells)


GAMES: dict[str, Callable[[np.random.Generator, int], Laid]] = {
    "light-speed": light_speed_table,
    "laser-shield": laser_table,
    "conflit-stellaire": conflit_table,
    "asteroyds-capture": asteroyds_table,
}
_known = cache(known_game)


def cases(game: str, seed: int) -> Iterator[Case]:
    """Lay, photograph and read tables of a game without end."""
    if game == "light-speed":
        plays, detector = light_speed().game, light_speed().detector
    else:
        plays, detector = _known(game).game, _known(game).detector()
    number = 0
    while True:
        number += 1
        laid = GAMES[game](np.random.default_rng([seed, number]), number)
        try:
            layouts = [read_layout(photo, detector) for photo in laid.photos]
            scan = play(layouts, plays, None, {})
        except ScanError as error:
            yield Case(game, number, False, True, (), 0, str(error))
            continue
        doubts = [i.code for i in scan.issues if i.severity == "doubt" and i.code != CLOSE_CALL]
        close = sum(i.code == CLOSE_CALL and i.severity == "doubt" for i in scan.issues)
        open_ = scan.verdict.is_open
        yield Case(game, number, laid.is_right(scan), open_, tuple(doubts), close)


def line(game: str, some: Sequence[Case]) -> tuple[Cell, ...]:
    """Return the row of a game."""
    told = sum(len(case.doubts) for case in some)
    needed = sum(len(case.doubts) for case in some if not case.is_right)
    needless = sum(bool(case.doubts) and case.is_right for case in some)
    silent = sum(not case.is_right and not case.doubts and not case.refused for case in some)
    return (
        game,
        len(some),
        share(sum(case.is_right for case in some), len(some)),
        f"{told} ({needed})",
        share(needless, len(some)),
        sum(case.is_open for case in some),
        sum(case.close_calls for case in some),
        sum(bool(case.refused) for case in some),
        bound_of_none(silent, len(some)),
    )


COLUMNS = (
    *("game", "tables", "all right (90 % interval)", "doubts told (needed)"),
    *("tables with a needless doubt (90 % interval)", "open", "close calls", "refused"),
    "wrong without a doubt",
)


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--game", action="append", choices=GAMES, help="only this; repeatable")


def run(options: Namespace) -> Result:
    """Lay and read tables of each game."""
    every, rows, notes = list[Case](), [], []
    for game in options.game or GAMES:
        some = list(islice(cases(game, options.seed), options.count))
        rows.append(line(game, some))
        say(*rows[-1])
        codes = Counter(code for case in some if case.is_right for code in case.doubts)
        if codes:
            notes.append(f"{game}, needless doubts: {json.dumps(dict(codes.most_common()))}")
        wrong = [f"{c.table}: {c.refused or list(c.doubts)}" for c in some if not c.is_right]
        notes += [f"{game} {text}" for text in wrong]
        every += some
    table = Table("Clean photos", COLUMNS, tuple(rows))
    return Result((table,), tuple(notes), tuple(asdict(case) for case in every))
