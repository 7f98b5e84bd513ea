"""How well face, state, owner of each card of Conflit stellaire are read, by kind of photo.

PHOTOS are folders; all ``NAME.jpg`` with ``NAME.truth.json`` are read: of the samples (the
default), or the renderer's with a ``NAME.game.json`` beside it, which has ``seats``, ``hulls``,
``distances`` and ``cards`` in the order in which they were laid. Seats are compared as far as the
photo tells them: A is the one nearest to the photo's bottom, the others clockwise. What is wrong
counts as told where a reading has what is right, or a doubt names the card or its place.
"""

import json
import math
import time
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.common.arguments import SAMPLES as ALL_SAMPLES
from bench.common.arguments import photos_with_truth
from bench.common.counting import add_scores
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from vision.apps.known import known_game
from vision.errors import ScanError
from vision.geometry import table_from_photo
from vision.imaging.photo import decode_photo
from vision.judging.play import play
from vision.seeing.reading import read_layout
from vision.values.arrays import Points
from vision.values.assignment import solve_assignment
from vision.values.scan import Scan

SAMPLES = ALL_SAMPLES / "conflit-stellaire"
NAME = "conflit-stellaire"
NEAR_MM = 6.0  # of a card's middle: half the least step of a fan
TOLD_MM = 60.0  # of a doubt about a place from the middle of what is missing there: half a card
BESIDE_MM = 32.0  # of a doubt that says how large a thing shows: half a card's width
HULL, SCALE = "flagship", "distance-scale"
FIELDS = ("face", "state", "owner", "on")


@dataclass(frozen=True)
class TrueCard:
    """A card as it lies: ``on`` is the index of that which it lies on."""

    face: str
    seat: str
    engaged: bool
    on: int | None
    at_px: tuple[float, float]


@dataclass(frozen=True)
class Truth:
    """A table as it lies; ``middles_px`` are those of the hull cards, by seat."""

    seats: tuple[str, ...]
    cards: tuple[TrueCard, ...]
    hulls: Mapping[str, int]
    distances: Mapping[tuple[str, str], int]
    middles_px: Mapping[str, tuple[float, float]]


@dataclass
class Score:
    """What happened to the cards of some photos: by field, how many are right, told, wrong."""

    photos: int = 0
    failed: list[str] = field(default_factory=list)
    cards: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    doubted: int = 0  #: right in all, and shown as a doubt
    lone: int = 0  #: doubts about a place where nothing is wrong
    ratios: list[float] = field(default_factory=list)

    def row(self, kind: str) -> tuple[Cell, ...]:
        """Return the row of the table."""
        counts = self.counts
        each = (f"{counts[n, 'right']}/{counts[n, 'told']}/{counts[n, 'WRONG']}" for n in COUNTED)
        times = f"{np.median(self.ratios):.0f}, {max(self.ratios):.0f}" if self.ratios else "-"
        photos = f"{self.photos} ({len(self.failed)})"
        return (kind, photos, self.cards, *each, self.doubted, self.lone, times)


COUNTED = (*FIELDS, "extra", "fans", "hull", "uds", "seats")
COLUMNS = (
    *("right/told/wrong in silence", "photos (failed)", "cards", *COUNTED),
    *("right in doubt", "doubts of nothing", "x decode: median, most"),
)


# --- truth ---------------------------------------------------------------------------------------


def truth_of(photo: Path) -> Truth:
    """Read the truth of a photo: a sample's own, or the renderer's with the game's beside it."""
    seen = json.loads(photo.with_suffix(".truth.json").read_text())
    beside = photo.with_suffix(".game.json")
    game = seen["game"] if "game" in seen else json.loads(beside.read_text())
    seen = seen.get("origin", seen)
    turn = np.array(seen.get("stored_to_displayed") or [[1, 0, 0], [0, 1, 0]], float)

    def upright(one: Mapping[str, Any]) -> tuple[float, float]:
        x, y = np.array(one["corners_px"]).mean(axis=0) @ turn[:, :2].T + turn[:, 2]
        return float(x), float(y)

    hulls = [one for one in seen["cards"] if Path(one["art"]).stem == HULL]
    laid = [one for one in seen["cards"] if Path(one["art"]).stem != HULL]
    cards = tuple(
        TrueCard(card["card"], card["seat"], card["engaged"], card["on"], upright(one))
        for card, one in zip(game["cards"], laid, strict=True)
    )
    return Truth(
        tuple(game["seats"]),
        cards,
        game["hulls"],
        {tuple(d["between"]): d["uds"] for d in game["distances"]},
        dict(zip(game["seats"], (upright(one) for one in hulls), strict=True)),
    )


def renamed(truth: Truth, scan: Scan) -> dict[str, str]:
    """Return how each seat is called by the photo.

    A is the one nearest to the bottom of the table as the scan has it, the others clockwise.
    """
    own = list(truth.middles_px)
    at = table_from_photo(scan.layout.camera, np.array([truth.middles_px[n] for n in own]))
    cards = table_from_photo(scan.layout.camera, np.array([c.at_px for c in truth.cards]))
    count = len(truth.seats)
    owners = [truth.seats.index(card.seat) for card in truth.cards]
    places = np.concatenate([at, cards])
    whose = [*(truth.seats.index(name) for name in own), *owners]
    middle = np.mean([places[np.array(whose) == k].mean(axis=0) for k in range(count)], axis=0)
    off = places - middle
    bearing = np.arctan2(-off[:, 0], off[:, 1]) - 2 * np.pi * np.array(whose) / count
    phase = math.atan2(np.sin(bearing).mean(), np.cos(bearing).mean())
    step = 2 * math.pi / count
    ways = [round(-phase / step)]  # this seat's bearing is nearest to the bottom
    if any(issue.code == "seats_named" for issue in scan.issues):  # it said: or the next one's
        ways += [ways[0] - 1, ways[0] + 1]
    names = [
        {seat: truth.seats[(k - way) % count] for k, seat in enumerate(truth.seats)} for way in ways
    ]
    pairs = paired(truth, scan).pairs
    return max(names, key=lambda by: sum(by[truth.cards[i].seat] == c.seat for i, c in pairs))


# --- what was read -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """A place (4, 2), mm, of which the photo's doubts speak, and how near to it they speak of."""

    corners_mm: Points
    reach_mm: float

    def holds(self, at_mm: Points) -> bool:
        """Tell whether a place is spoken of."""
        at = (float(at_mm[0]), float(at_mm[1]))
        inward = cv2.pointPolygonTest(self.corners_mm.astype(np.float32), at, measureDist=True)
        return inward > -self.reach_mm


def told_places(scan: Scan) -> list[Told]:
    """Return the places of what is doubted by its place in the photo, or by how large it shows."""
    told = []
    for issue in scan.issues:
        said = dict(issue.said.values) if issue.said else {}
        if issue.severity != "doubt" or "x" not in said:
            continue
        half = np.array([float(said.get("wide", 0)), float(said.get("high", 0))]) / 2
        middle = np.array([float(str(said["x"])), float(str(said["y"]))])
        box = middle + half * [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        reach = BESIDE_MM if half.any() else TOLD_MM
        told.append(Told(np.asarray(table_from_photo(scan.layout.camera, box)), reach))
    return told


@dataclass(frozen=True)
class Pairs:
    """True cards with those read at their places, what is missing, and what is too many."""

    pairs: tuple[tuple[int, Any], ...]
    missing: tuple[int, ...]
    extra: tuple[Any, ...]
    at_mm: Points  #: of the true cards


def paired(truth: Truth, scan: Scan) -> Pairs:
    """Pair each card that lies there with one read at its place."""
    at = np.asarray(
        table_from_photo(scan.layout.camera, np.array([card.at_px for card in truth.cards]))
    )
    cards = list(scan.table.cards)
    read = np.array([(c.pose.x_mm, c.pose.y_mm) for c in cards]).reshape(-1, 2)
    away = np.linalg.norm(at[:, None] - read[None], axis=2)
    same = np.array([[t.face == c.face for c in cards] for t in truth.cards]).reshape(away.shape)
    given = solve_assignment(np.where(away < NEAR_MM, away - 2.0 * same, 1e3)).tolist()
    pairs = tuple((i, cards[k]) for i, k in enumerate(given) if k >= 0 and away[i, k] < NEAR_MM)
    found = {i for i, _ in pairs}
    taken = {card.id for _, card in pairs}
    missing = tuple(i for i in range(len(truth.cards)) if i not in found)
    return Pairs(pairs, missing, tuple(c for c in cards if c.id not in taken), at)


def fields_of(card: Any, table: Any) -> dict[str, Any]:
    """Return what is read of a card."""
    under = next((other for other in table.cards if other.id == card.on), None)
    return {
        "face": card.face,
        "state": card.engaged,
        "owner": card.seat,
        "on": None if under is None else under.id,
    }


_KEYS = {"face": "face", "state": "engaged", "owner": "seat", "on": "on"}


def is_told(card: Any, name: str, right: Any, scan: Scan, near: bool) -> bool:
    """Tell whether it is shown that a field of a card may be otherwise."""
    if any(r.fields.get(_KEYS[name], ...) == right for r in card.readings):
        return True
    return near or any(i.severity == "doubt" and card.id in i.cards for i in scan.issues)


def judge(truth: Truth, scan: Scan, score: Score) -> Iterator[str]:
    """Compare a scan with the truth; yield what is worth a line."""
    seats = renamed(truth, scan)
    score.cards += len(truth.cards)
    places, found = told_places(scan), paired(truth, scan)
    seats_told = any(issue.code.startswith("seats") for issue in scan.issues)

    def near(at: Points) -> bool:
        return any(place.holds(at) for place in places)

    def count(name: str, how: str, said: str) -> str:
        score.counts[name, how] += 1
        if how == "WRONG":
            score.wrong.append(said)
        return f"  {said}{' (told)' if how == 'told' else ' SILENTLY'}"

    whole = [seat.id for seat in scan.table.seats]
    right_seats = len(whole) == len(truth.seats)
    how = "right" if right_seats else "told" if seats_told else "WRONG"
    if how != "right":
        yield count("seats", how, f"{len(truth.seats)} seats read as {len(whole)}")
    else:
        score.counts["seats", "right"] += 1
    ids = {i: card.id for i, card in found.pairs}
    for i, card in found.pairs:
        true, read = truth.cards[i], fields_of(card, scan.table)
        on = None if true.on is None else ids.get(true.on, "?")
        wanted = {"face": true.face, "state": true.engaged, "owner": seats[true.seat], "on": on}
        told_here = near(found.at_mm[i])
        is_right = True
        for name in FIELDS:
            if read[name] == wanted[name]:
                score.counts[name, "right"] += 1
                continue
            is_right = False
            told = is_told(card, name, wanted[name], scan, told_here)
            told |= name in ("owner", "state") and seats_told
            said = f"{true.face} of {wanted['owner']}: {name} {wanted[name]} read as {read[name]}"
            yield count(name, "told" if told else "WRONG", f"{card.id} {said}")
        if is_right and (card.readings or any(card.id in d.cards for d in scan.table.doubts)):
            score.doubted += 1
    for i in found.missing:
        true, told = truth.cards[i], near(found.at_mm[i])
        x, y = true.at_px
        said = f"{true.face} of {seats[true.seat]} at {x:.0f}, {y:.0f} not seen"
        yield count("face", "told" if told else "WRONG", said)
    for card in found.extra:
        at = np.array([card.pose.x_mm, card.pose.y_mm])
        told = near(at) or is_told(card, "face", None, scan, near=False)
        yield count("extra", "told" if told else "WRONG", f"{card.id} {card.face} is none")
    yield from _judge_counts(truth, scan, seats, score, count, near, found)
    missed = [found.at_mm[i] for i in found.missing]
    wrong = [found.at_mm[i] for i, c in found.pairs if c.face != truth.cards[i].face]
    for place in places:
        if not any(place.holds(at) for at in (*missed, *wrong)):
            score.lone += 1


def _judge_counts(
    truth: Truth, scan: Scan, seats: dict[str, str], score: Score, count: Any, near: Any, found: Any
) -> Iterator[str]:
    """Compare the number of energy cells of each seat and state, hulls, and distances."""
    wanted = Counter((seats[c.seat], c.engaged) for c in truth.cards if c.face == "energy-cell")
    read = Counter((c.seat, c.engaged) for c in scan.table.cards if c.face == "energy-cell")
    for key in sorted(set(wanted) | set(read)):
        if wanted[key] == read[key]:
            score.counts["fans", "right"] += 1
            continue
        cells = [
            at
            for card, at in zip(truth.cards, found.at_mm, strict=True)
            if card.face == "energy-cell" and seats[card.seat] == key[0]
        ]
        told = any(near(at) for at in cells) or any(
            c.readings for c in scan.table.cards if c.face == "energy-cell"
        )
        said = f"{key}: {wanted[key]} cells read as {read[key]}"
        yield count("fans", "told" if told else "WRONG", said)
    doubted = {name for i in scan.issues if i.severity == "doubt" for name in i.cards}
    for seat in scan.table.seats:
        true = {seats[name]: hull for name, hull in truth.hulls.items()}.get(seat.id)
        told = bool(seat.readings) or seat.id in doubted
        how = "right" if true == seat.hull else "told" if told else "WRONG"
        if how == "right":
            score.counts["hull", "right"] += 1
        else:
            yield count("hull", how, f"hull of {seat.id}: {true} read as {seat.hull}")
    uds = {tuple(sorted((seats[a], seats[b]))): v for (a, b), v in truth.distances.items()}
    for one in scan.table.distances:
        told = bool(one.readings) or "-".join(one.between) in doubted
        true = uds.get(one.between)
        how = "right" if true == one.uds else "told" if told else "WRONG"
        if how == "right":
            score.counts["uds", "right"] += 1
        else:
            yield count("uds", how, f"distance {one.between}: {true} read as {one.uds}")


def read(encoded: bytes, known: Any) -> tuple[Scan, float]:
    """Scan a photo; return how many times as long as decoding it took (of the processor's time)."""
    start = time.process_time()
    decoded = decode_photo(encoded)
    middle = time.process_time()
    game = known.game
    scan = play([read_layout(decoded, known.detector())], game, game.options(), {})
    return scan, (time.process_time() - start) / max(middle - start, 1e-3)


def kind_of(truth: Truth, photo: Path) -> str:
    """Return what kind of photo it is: seats, how many cards, the first word of its name."""
    crowd = "to 35" if len(truth.cards) <= 35 else "to 55" if len(truth.cards) <= 55 else "to 70"
    return f"{photo.stem.split('-')[0]} {len(truth.seats)} seats, {crowd} cards"


def run(options: Namespace) -> Result:
    """Read all photos and compare."""
    cv2.setNumThreads(1)
    known = known_game(NAME)
    scores: dict[str, Score] = defaultdict(Score)
    for photo in photos_with_truth(options.photos, [SAMPLES]):
        truth = truth_of(photo)
        mine, lines = Score(photos=1), list[str]()
        try:
            scan, ratio = read(photo.read_bytes(), known)
        except ScanError as error:
            mine.failed.append(f"{photo.stem}: {error}")
            lines = [f"  {error}"]
        else:
            lines = list(judge(truth, scan, mine))
            mine.ratios.append(ratio)
        mine.wrong = [f"{photo.stem}: {said}" for said in mine.wrong]
        say(photo.stem, *mine.row(photo.stem), *lines)
        for key in (kind_of(truth, photo), "**all**"):
            add_scores(scores[key], mine)
    rows = tuple(scores[kind].row(kind) for kind in sorted(scores, key=lambda k: (k[0] == "*", k)))
    wrong = scores["**all**"].wrong + scores["**all**"].failed if scores else []
    return Result((Table("Cards in play", COLUMNS, rows),) if rows else (), tuple(wrong))
