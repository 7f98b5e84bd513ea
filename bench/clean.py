"""Clean photos: tidy, well lit tables of all four games; doubts told, and how many were needed.

Tables of each game are drawn as a careful family lays them: nothing overlaps that need not, nothing
is strange, the light is even, the camera looks down by at most 20 degrees. All doubts are counted
but close calls, which are the table's own and no fault of seeing. A doubt is needed if what was
read in its photos differs from what lies there, in a name, a place on the board, a count or in the
result, once shots that are told as too close to call are ruled as they go; else it is needless.
Open is a table of which no winner is told.

Cards are read by their drawn faces, and as a family has them that taught its deck: Light Speed by a
picture of each card (which show its printed frame) and by photos of twelve cards each in rows; and
a deck of 24 pictures without a common frame by such photos.
"""

import json
import tempfile
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path

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
from tests.learned import draw_deck, printed
from tests.taught import by_photos, by_pictures
from vision.apps.known import Known, known_game
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
from vision.games.light_speed.values import Deck, Resolution, Ruling, TableState
from vision.imaging.photo import Photo
from vision.judging.game import Game
from vision.judging.play import play
from vision.seeing.detector import AnyDetector
from vision.seeing.reading import read_layout
from vision.values.arrays import Points
from vision.values.layout import PlacedCard
from vision.values.pieces import Faces
from vision.values.scan import Scan
from vision.values.verdict import CLOSE_CALL

SEED = 37
#: Of each deck of cards, and of each game on a board: one in twenty is told apart from one in ten
#: by some 60 tables; of the boards 10 take as long. Some 7 minutes of a processor in all.
TABLES, TABLES_OF_BOARDS = 60, 10
CARDS = 14  # on a table of cards
PICTURES = 24  # in the deck of pictures
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
    ids = ["asteroid-1", *[n for n in ships if "back" not in n][: CARDS - 1]]
    cards, photo = cards_apart(ids, bank, rng, seed)
    true = resolve(TableState(cards), deck)

    def is_right(scan: Scan) -> bool:
        names = sorted(card.card_id for card in scan.table.cards)
        is_named = names == sorted(card.card_id for card in cards)
        return is_named and hits(once_ruled(scan.table, true, deck)) == hits(true)

    return Laid((photo,), is_right)


def once_ruled(table: TableState, true: Resolution, deck: Deck) -> Resolution:
    """Play a round as read, the shots that are too close to call ruled as they truly go."""
    real = {hit[:2]: Ruling(*hit) for hit in hits(true)}
    while True:
        played = resolve(table, deck)
        close = {(shot.ship, shot.laser) for shot in played.contested()} & set(real)
        rulings = {*table.rulings, *(real[one] for one in close)}
        if len(rulings) == len(table.rulings):
            return played
        table = replace(table, rulings=tuple(rulings))


def pictures_table(rng: np.random.Generator, seed: int) -> Laid:
    """Lay cards of a deck of pictures apart, on plain cloth."""
    faces = pictures()
    ids = rng.permutation(faces.card_ids)[:CARDS].tolist()
    _, photo = cards_apart(ids, faces, rng, seed)

    def is_right(scan: Scan) -> bool:
        return sorted(card.card_id for card in scan.table.cards) == sorted(ids)

    return Laid((photo,), is_right)


@cache
def pictures() -> Faces:
    """Return the cards of a deck of pictures as they are printed."""
    return printed(draw_deck(PICTURES))


def cards_apart(
    ids: list[str], faces: Faces, rng: np.random.Generator, seed: int
) -> tuple[tuple[PlacedCard, ...], Photo]:
    """Lay cards apart and photograph them."""
    cards = synth.random_cards(ids, rng, gap_mm=12, spread=120)
    scene = synth.Scene(cards, SIZE, seed=seed, falloff=0.15, **aslant(rng))
    image, _ = synth.photograph(scene, faces)
    return cards, Photo(image, scene.focal_35mm)


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


@dataclass(frozen=True)
class Kind:
    """Tables of one kind: how one is laid, how many, and what reads and plays them.

    ``read_as`` takes a folder for what is learned on the way.
    """

    lay: Callable[[np.random.Generator, int], Laid]
    read_as: Callable[[Path], tuple[Game, AnyDetector]]
    tables: int = TABLES_OF_BOARDS


def board(game: str) -> Callable[[Path], tuple[Game, AnyDetector]]:
    """Return what reads a game by its drawn art."""
    return lambda _: both(known_game(game))


def both(known: Known) -> tuple[Game, AnyDetector]:
    """Return a game and how its pieces are looked for."""
    return known.game, known.detector()


KINDS = {
    "light-speed": Kind(
        light_speed_table, lambda _: (light_speed().game, light_speed().detector), TABLES
    ),
    "light-speed, from pictures": Kind(
        light_speed_table, lambda folder: both(by_pictures(light_speed().deck, folder)), TABLES
    ),
    "light-speed, from photos": Kind(
        light_speed_table,
        lambda folder: both(by_photos(light_speed().bank, folder, is_light_speed=True)),
        TABLES,
    ),
    "pictures, from photos": Kind(
        pictures_table,
        lambda folder: both(by_photos(pictures(), folder, is_light_speed=False)),
        TABLES,
    ),
    "laser-shield": Kind(laser_table, board("laser-shield")),
    "conflit-stellaire": Kind(conflit_table, board("conflit-stellaire")),
    "asteroyds-capture": Kind(asteroyds_table, board("asteroyds-capture")),
}


def cases(name: str, seed: int, folder: Path) -> Iterator[Case]:
    """Lay, photograph and read tables of a kind without end."""
    kind = KINDS[name]
    plays, detector = kind.read_as(folder)
    number = 0
    while True:
        number += 1
        laid = kind.lay(np.random.default_rng([seed, number]), number)
        try:
            layouts = [read_layout(photo, detector) for photo in laid.photos]
            scan = play(layouts, plays, None, {})
        except ScanError as error:
            yield Case(name, number, False, True, (), 0, str(error))
            continue
        doubts = [i.code for i in scan.issues if i.severity == "doubt" and i.code != CLOSE_CALL]
        close = sum(i.code == CLOSE_CALL and i.severity == "doubt" for i in scan.issues)
        open_ = scan.verdict.is_open
        yield Case(name, number, laid.is_right(scan), open_, tuple(doubts), close)


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
    parser.add_argument("--game", action="append", choices=KINDS, help="only this; repeatable")


def run(options: Namespace) -> Result:
    """Lay and read tables of each kind, ``--count`` of each if that is given."""
    every, rows, notes = list[Case](), [], []
    for game in options.game or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            count = options.count or KINDS[game].tables
            some = list(islice(cases(game, options.seed, Path(folder)), count))
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
