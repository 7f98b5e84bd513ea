"""Silent losses: fans, heaps, half-covered and foreign cards; what is lost without a word.

``--count`` tables are drawn (``tests.synth``), of Light Speed with its drawn deck and of a deck of
drawn pictures as a learned one is read, by turns: six cards in the open, and beside them a fan, a
heap, cards half under others or under discs, or cards of no deck. How much of each card is in sight
is known exactly. ``--patterned`` lays them on gingham, check and stripes, 12 to 60 mm wide, of any
two colours. Of those of which a quarter is in sight, each counts once:

- right: placed there and named as it is; of a card of no deck: placed there without a name;
- doubted: placed there without a name or with a wrong one, and a doubt names it;
- told: not placed, and a doubt speaks of a place on it or within half a card's width of it;
- beside: not placed, and only a card that touches it is doubted;
- lost without a word, or named wrong as certain: the faults that count.

A photo that is refused tells all its cards.
"""

from argparse import ArgumentParser, Namespace
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np

from bench.common.counting import bound_of_none, share
from bench.common.light_speed import light_speed
from bench.common.real_truth import shared
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from tests.drawn_faces import draw_face
from tests.learned import bank_of, printed
from tests.synth import Pattern, Scene, photograph, random_cards
from vision.errors import ScanError
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.imaging.photo import Photo
from vision.seeing.detector import Detector, build_detector
from vision.seeing.reading import read_layout
from vision.values.arrays import FloatArray
from vision.values.layout import Layout, PlacedCard
from vision.values.pieces import Faces

SEED, COUNT = 3700, 60
KINDS = ("fan", "heap", "half covered", "foreign")
IN_SIGHT = 0.25  # of a card, from which on it must be read or told
SAME = 0.5  # of the union of two outlines that both cover: the same place
RASTER_MM = 1.0  # by which shares in sight are counted
CLOTHS = ((70, 110, 60), (34, 32, 30), (225, 230, 232), (110, 70, 40), (60, 60, 130))
PATTERNS = ("gingham", "check", "stripes")
PATTERN_MM = (12.0, 60.0)  # how wide: a card is 63.5 mm
BANDS = (0.25, 0.5, 0.75, 0.95)
VERDICTS = ("right", "doubted", "told", "beside", "lost in silence", "wrong as certain")


@dataclass(frozen=True, eq=False)
class Kit:
    """A deck: how it is read, and its faces to be photographed, those of no deck among them."""

    detector: Detector
    print_: Faces
    own: tuple[str, ...]
    foreign: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """What was told of one card."""

    table: int
    deck: str
    kind: str
    card: str
    visible: float
    verdict: str


@cache
def kits() -> dict[str, Kit]:
    """Return both decks."""
    drawn, faces = light_speed(), {f"pic-{k:02d}": draw_face(k) for k in range(24)}
    strange = {f"alien-{k}": draw_face(900 + k) for k in range(4)}
    h, w = drawn.bank.images.shape[1:3]
    art = [cv2.resize(face, (w, h), interpolation=cv2.INTER_AREA) for face in strange.values()]
    both = replace(
        drawn.bank,
        names=(*drawn.bank.names, *((name,) for name in strange)),
        images=np.concatenate([drawn.bank.images, np.stack(art)]),
        margins_mm=np.zeros((0, 4)),
        is_symmetric=np.zeros(0, bool),
        unsure=np.zeros(0),
        kinds=(),
        copies=np.ones(len(drawn.bank.names) + len(strange), np.int64),
    )
    own = tuple(name for name in drawn.bank.card_ids if "back" not in name)
    return {
        "drawn": Kit(drawn.detector, both, own, tuple(strange)),
        "pictures": Kit(
            build_detector(bank_of(faces)), printed(faces | strange), tuple(faces), tuple(strange)
        ),
    }


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--patterned", action="store_true", help="on gingham, check and stripes")


def patterned(scene: Scene, number: int, rng: np.random.Generator) -> Scene:
    """Return a scene on a cloth of two colours."""
    kind = PATTERNS[number // (2 * len(KINDS)) % len(PATTERNS)]
    b, g, r = rng.integers(20, 240, 3).tolist()
    turn = float(rng.uniform(0, np.pi))
    return replace(scene, pattern=Pattern(kind, (b, g, r), float(rng.uniform(*PATTERN_MM)), turn))


def lay(kind: str, kit: Kit, rng: np.random.Generator) -> Scene:
    """Lay six cards in the open and a group of a kind beside them; the last laid lies on top."""
    ids = rng.permutation(kit.own).tolist()
    open_ = random_cards(ids[:6], rng, gap_mm=10, spread=105)
    x = max(card.x_mm for card in open_) + 170.0
    rest, group, covers = ids[6:], list[PlacedCard](), []
    if kind == "fan":
        step, turn = float(rng.uniform(16, 40)), float(rng.uniform(0.05, 0.2))
        group = [PlacedCard(rest[k], x + step * k, 8.0 * k, turn * (k - 2)) for k in range(5)]
    elif kind == "heap":
        at, turns = rng.normal(0, 38, (6, 2)), rng.uniform(-np.pi, np.pi, 6)
        group = [
            PlacedCard(rest[k], float(x + at[k, 0]), float(at[k, 1]), float(turns[k]))
            for k in range(6)
        ]
    elif kind == "half covered":
        for k in range(3):
            y, off = 150.0 * (k - 1), rng.uniform(25, 50, 2) * rng.choice([-1, 1], 2)
            group.append(PlacedCard(rest[2 * k], x, y, float(rng.uniform(-0.4, 0.4))))
            if rng.random() < 0.6:
                turn = float(rng.uniform(-np.pi, np.pi))
                group.append(PlacedCard(rest[2 * k + 1], x + off[0], y + off[1], turn))
            else:
                covers.append((x + off[0], y + off[1], float(rng.uniform(25, 45))))
    else:
        names = [*rng.permutation(kit.foreign)[:3].tolist(), *rest[:2]]
        places = [(x + 75.0 * (k % 2), 100.0 * (k // 2) - 90.0) for k in range(5)]
        turns = rng.uniform(-0.2, 0.2, 5)
        spots = zip(names, places, turns, strict=True)
        group = [PlacedCard(n, *at, float(turn)) for n, at, turn in spots]
    return Scene(
        (*open_, *group),
        size_wh=(2000, 1500),
        tilt_deg=float(rng.uniform(0, 35)),
        azimuth_deg=float(rng.uniform(0, 360)),
        cloth_bgr=CLOTHS[int(rng.integers(len(CLOTHS)))],
        texture=float(rng.uniform(3, 12)),
        light=float(rng.uniform(0.6, 1.05)),
        noise=float(rng.uniform(1, 5)),
        blur_px=float(rng.uniform(0.5, 1.2)),
        seed=int(rng.integers(1 << 30)),
        covers=tuple((float(a), float(b), float(r)) for a, b, r in covers),
    )


def outlines_mm(scene: Scene, faces: Faces) -> FloatArray:
    """Return the corners (N, 4, 2) of the cards, table frame."""
    shape = card_corners(faces.width_mm, faces.height_mm)
    cards = scene.cards
    return np.array([table_from_card(shape, c.x_mm, c.y_mm, c.theta_rad) for c in cards])


def shares_in_sight(outlines: FloatArray, scene: Scene) -> FloatArray:
    """Return how much of each card (N,) nothing that was laid later covers."""
    low = outlines.min(axis=(0, 1)) - 60
    wide, high = np.ceil((outlines.max(axis=(0, 1)) + 60 - low) / RASTER_MM).astype(int)
    top = np.full((high, wide), -1, np.int32)
    whole = []
    for k, outline in enumerate(outlines):
        alone = np.zeros((high, wide), np.uint8)
        cv2.fillConvexPoly(alone, np.int32(np.round((outline - low) / RASTER_MM)), 1)
        whole.append(int(alone.sum()))
        top[alone > 0] = k
    for x, y, radius in scene.covers:
        at = tuple(round(v / RASTER_MM) for v in (x - low[0], y - low[1]))
        cv2.circle(top, at, round(radius / RASTER_MM), -1, -1)
    return np.array([(top == k).sum() / area for k, area in enumerate(whole)])


def verdicts(
    layout: Layout | None, quads_px: FloatArray, names: list[str], own: tuple[str, ...]
) -> list[str]:
    """Return what was told of each card (N, 4, 2)."""
    if layout is None:
        return ["told"] * len(names)
    doubts = [issue for issue in layout.doubts if issue.severity == "doubt"]
    doubted = {card for issue in doubts for card in issue.cards}
    at_px = [issue.at_px for issue in doubts if issue.at_px is not None]
    placed = layout.placed
    found = []
    overlaps = np.array([[shared(p.outline_px, quad) for p in placed] for quad in quads_px])
    owner = overlaps.argmax(axis=0)  # what is placed is one card, of those beneath it too
    for number, (quad, name) in enumerate(zip(quads_px, names, strict=True)):
        same = overlaps[number]
        mine = np.where(owner == number, same, 0.0)
        best = int(mine.argmax())
        if mine[best] > SAME:
            piece = placed[best].piece
            is_named = placed[best].identity is not None
            is_right = piece == name if name in own else not is_named
            is_told = piece in doubted
            word = "doubted" if is_told or not is_named else "wrong as certain"
            found.append("right" if is_right else word)
            continue
        reach = float(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1).min()) / 2
        inward = [cv2.pointPolygonTest(np.float32(quad), at, measureDist=True) for at in at_px]
        if any(distance > -reach for distance in inward):
            found.append("told")
            continue
        beside = [p.piece in doubted for p, both in zip(placed, same, strict=True) if both > 0]
        found.append("beside" if any(beside) else "lost in silence")
    return found


def read_table(number: int, seed: int, *, is_patterned: bool = False) -> list[Case]:
    """Lay, photograph and read a table."""
    deck, kind = ("drawn", "pictures")[number % 2], KINDS[number // 2 % len(KINDS)]
    kit = kits()[deck]
    rng = np.random.default_rng([seed, number])
    scene = lay(kind, kit, rng)
    scene = patterned(scene, number, rng) if is_patterned else scene
    image, camera = photograph(scene, kit.print_)
    outlines = outlines_mm(scene, kit.print_)
    visible = shares_in_sight(outlines, scene)
    try:
        layout = read_layout(Photo(image, scene.focal_35mm), kit.detector)
    except ScanError:
        layout = None
    quads = np.array([photo_from_table(camera, outline) for outline in outlines])
    names = [card.card_id for card in scene.cards]
    told = verdicts(layout, quads, names, kit.own)
    return [
        Case(number, deck, kind, name, round(float(seen), 3), verdict)
        for name, seen, verdict in zip(names, visible, told, strict=True)
        if seen >= IN_SIGHT
    ]


def by(cases: list[Case], key: Callable[[Case], str], title: str) -> Table:
    """Return what was told of the cards of each kind."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        groups[key(case)][case.verdict] += 1
        groups["**all**"][case.verdict] += 1

    def row(name: str) -> tuple[Cell, ...]:
        counts = groups[name]
        silent = counts["lost in silence"] + counts["wrong as certain"]
        heard = share(counts.total() - silent, counts.total())
        faults = (bound_of_none(counts[v], counts.total()) for v in VERDICTS[4:])
        return (name, counts.total(), *(counts[v] for v in VERDICTS[:4]), *faults, heard)

    heads = (title, "cards", *VERDICTS, "read or told (90 % interval)")
    names = sorted(groups, key=lambda name: (name[0] == "*", name))
    return Table(f"By {title}", heads, tuple(row(name) for name in names))


def band_of(case: Case) -> str:
    """Return the row of a share in sight."""
    low = max(edge for edge in BANDS if edge <= case.visible)
    return f"{low:.0%} and more".replace("%", " %")


def run(options: Namespace) -> Result:
    """Lay and read all tables."""
    cases = list[Case]()
    for number in range(options.count):
        mine = read_table(number, options.seed, is_patterned=options.patterned)
        cases += mine
        say(number, mine[0].deck, mine[0].kind, dict(Counter(case.verdict for case in mine)))
    tables = (
        by(cases, lambda case: case.kind, "kind of table"),
        by(cases, lambda case: case.deck, "deck"),
        by(cases, band_of, "share in sight"),
    )
    faults = tuple(
        f"table {c.table} ({c.deck}, {c.kind}): {c.card}, {c.visible:.0%} in sight, {c.verdict}"
        for c in cases
        if c.verdict in VERDICTS[4:]
    )
    rows: tuple[dict[str, Any], ...] = tuple(asdict(case) for case in cases)
    return Result(tables, faults, rows)
