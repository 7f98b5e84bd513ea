"""How long seeing takes: every stage over the JPEG decode of the same photo, beside its peers.

The peers are OpenCV's own detectors of known marks; the fair one is ArUco with
``useAruco3Detection``, which searches a reduced picture as the program does: it is told that no
mark is smaller than the smallest card of the photo. Then all samples; the
growth with cards, with faces and with pixels; checked cloths; the whole command. All in one run,
for machines differ and drift: the ratios are what counts. Each time is the least of several, by the
clock and of the processor, on which a busy machine tells less; ratios are of the processor's time,
and the decode is told apart.
"""

import os
import resource
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from bench.common.arguments import SAMPLES
from bench.common.light_speed import light_speed
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from tests.seeing.tables import cards_of
from tests.synth import Scene, photograph, random_cards
from vision.imaging.photo import Photo, decode_photo, encode_image
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.seeing.recognition.framed_faces import index_faces
from vision.values.pieces import Faces

ROUNDS = 5
STAGES = ("detect", "classify", "rectify", "pose", "second_look")


@dataclass(frozen=True, slots=True)
class Took:
    """How long something took: by the clock, and of the processor, ms."""

    wall: float
    processor: float


def least(work: Callable[[], object], rounds: int = ROUNDS) -> Took:
    """Return the least times of several."""
    times = []
    for _ in range(rounds):
        start, used = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - start, time.process_time() - used))
    wall, processor = (min(of) * 1000 for of in zip(*times, strict=True))
    return Took(wall, processor)


def seeing(photo: Photo, bank: Faces, rounds: int = 3) -> Took:
    """Return how long all between decoding and drawing takes."""
    return least(lambda: read_layout(photo, build_detector(bank)), rounds)


def stages_of(photo: Photo, bank: Faces, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the least time of each stage, ms; their sum under ``all``."""
    looks = [read_layout(photo, build_detector(bank)).timings_ms for _ in range(rounds)]
    return {s: min(t[s] for t in looks) for s in STAGES} | {
        "all": min(sum(t.values()) for t in looks)
    }


def detectors(photo: Photo, least_share: float) -> dict[str, Took]:
    """Time OpenCV's detectors of known marks on the photo's luma, which is made before.

    ``least_share`` is the smallest mark that ArUco 3 has to find, over the picture's longer side.
    """
    gray = cv2.cvtColor(photo.image, cv2.COLOR_BGR2GRAY)
    marks = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    fast, fine = cv2.aruco.DetectorParameters(), cv2.aruco.DetectorParameters()
    fast.useAruco3Detection = True
    fast.minMarkerLengthRatioOriginalImg = least_share
    fine.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_APRILTAG
    plain, third, refined = (
        cv2.aruco.ArucoDetector(marks, how) for how in (cv2.aruco.DetectorParameters(), fast, fine)
    )
    sift = cv2.SIFT_create()
    return {
        "ArUco with useAruco3Detection": least(lambda: third.detectMarkers(gray), 3),
        "ArUco, plain": least(lambda: plain.detectMarkers(gray), 3),
        "ArUco, AprilTag refinement": least(lambda: refined.detectMarkers(gray), 1),
        "SIFT": least(lambda: sift.detectAndCompute(gray, None), 1),
    }


def drawn(bank: Faces, count: int, size_wh: tuple[int, int], **cloth: Any) -> bytes:
    """Return a drawn photo of so many cards, JPEG."""
    rng = np.random.default_rng(count)
    cards = random_cards([str(n) for n in rng.permutation(bank.card_ids)[:count]], rng)
    image, _ = photograph(Scene(cards, size_wh, seed=count, **cloth), bank)
    return encode_image(image, ".jpg", 92)


def checked(bank: Faces, count: int, size_wh: tuple[int, int], square_px: int) -> bytes:
    """Return a drawn photo of so many cards on a cloth of squares, JPEG."""
    light, dark = (
        decode_photo(drawn(bank, count, size_wh, cloth_bgr=bgr)).image
        for bgr in ((215, 215, 215), (40, 40, 130))
    )
    squares = np.add(*np.indices(light.shape[:2]) // square_px) % 2
    return encode_image(np.where(squares[..., None], light, dark), ".jpg", 92)


def command(photo: Path) -> Took:
    """Return how long ``sightline scan PHOTO --out PICTURE`` takes, from start to end.

    As on any machine where it has run once: its modules are compiled, and its faces drawn.
    """
    program = "from vision.apps.cli.main import run; run()"
    with TemporaryDirectory() as folder:
        kept = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        out = str(Path(folder) / "round.jpg")
        order = [sys.executable, "-c", program, "scan", str(photo), "--out", out]
        subprocess.run(order, check=True, capture_output=True, env=kept)
        times = []
        for _ in range(3):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(order, check=True, capture_output=True, env=kept)
            wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            times.append((wall * 1000, used * 1000))
    wall, processor = (min(of) for of in zip(*times, strict=True))
    return Took(wall, processor)


def many_faces(bank: Faces, count: int) -> Faces:
    """Return a bank that also holds noise, up to so many faces: a deck of hundreds."""
    rng = np.random.default_rng(0)
    extra = count - len(bank.images)
    small = rng.integers(0, 256, (extra, 12, 9, 3), np.uint8)
    size = bank.images.shape[2:0:-1]
    faces = [cv2.resize(face, size, interpolation=cv2.INTER_CUBIC) for face in small]
    return replace(
        bank,
        names=(*bank.names, *((f"extra-{k}",) for k in range(extra))),
        margins_mm=np.zeros((0, 4)),
        is_symmetric=np.zeros(0, bool),
        unsure=np.zeros(0),
        images=np.concatenate([bank.images, np.array(faces, np.uint8)]),
        kinds=(),
        copies=np.concatenate([bank.copies, np.ones(extra, np.int64)]),
    )


def row(name: str, took: Took, decode: Took) -> tuple[Cell, ...]:
    """Return a row of the table of stages."""
    over = took.processor / decode.processor
    return (name, f"{took.wall:.0f}", f"{took.processor:.0f}", f"{over:.2f}")


def of_one(path: Path, bank: Faces) -> Table:
    """Tell of one photo, stage by stage."""
    encoded = path.read_bytes()
    photo = decode_photo(encoded)
    layout = read_layout(photo, build_detector(bank))
    outlines = np.array([card.outline_px for card in layout.placed])
    sides = np.linalg.norm(outlines - np.roll(outlines, 1, axis=1), axis=2)
    smallest = float(sides.min() / max(photo.image.shape[:2]))
    cards = len(cards_of(layout))
    decode = least(lambda: decode_photo(encoded))
    height, width = photo.image.shape[:2]
    pixels = np.frombuffer(encoded, np.uint8)  # OpenCV 5 decodes into no buffer that is given
    stages = stages_of(photo, bank)
    rows = [
        row("decode", decode, decode),
        row("OpenCV's decode alone", least(lambda: cv2.imdecode(pixels, 1)), decode),
        *((s.replace("_", " "), f"{stages[s]:.0f}", None, None) for s in STAGES),
        row("**all between decoding and drawing**", seeing(photo, bank), decode),
    ]
    rows += [
        row(f"peer: {name}", took, decode) for name, took in detectors(photo, smallest).items()
    ]
    title = f"{path.name}: {width} x {height} pixels, {cards} cards"
    return Table(
        title, ("stage", "ms by the clock", "of the processor", "over decode"), tuple(rows)
    )


def of_many(title: str, photos: Iterable[tuple[str, bytes]], bank: Faces) -> Table:
    """Tell of photos, one in a line, and of all together."""
    every, rows = [], []
    for name, encoded in photos:
        one = least(lambda encoded=encoded: decode_photo(encoded), 3)
        took = seeing(decode_photo(encoded), bank)
        every.append((took.wall, took.processor, took.processor / one.processor))
        times = (f"{t:.0f}" for t in (one.processor, took.wall, took.processor))
        rows.append((name, *times, f"{every[-1][2]:.1f}"))
        say(*rows[-1])
    for name, of in (("median", np.median(every, axis=0)), ("worst", np.max(every, axis=0))):
        rows.append((f"**{name}**", None, f"{of[0]:.0f}", f"{of[1]:.0f}", f"{of[2]:.1f}"))
    heads = ("photo", "decode, processor ms", "seeing, ms", "of the processor", "over decode")
    return Table(title, heads, tuple(rows))


def run(options: Namespace) -> Result:
    """Time one photo (the first of PHOTOS), the samples, drawn tables and the command."""
    path = options.photos[0] if options.photos else SAMPLES / "two-teams-full.jpg"
    bank = light_speed().bank
    index_faces(bank)  # once for each deck, not for each photo
    one = of_one(path, bank)
    samples = ((p.stem, p.read_bytes()) for p in sorted(SAMPLES.glob("*.jpg")))
    large, small = (4000, 3000), (1920, 1080)
    sizes = ((10, large), (24, large), (42, large), (24, small))
    tables = ((f"{n} cards, {w} x {h}", drawn(bank, n, (w, h))) for n, (w, h) in sizes)
    squares = ((8, (1280, 960), 12), (8, (1280, 960), 24), (8, (1280, 960), 48), (14, large, 120))
    cloths = ((f"checks of {px}, {n} cards", checked(bank, n, wh, px)) for n, wh, px in squares)
    each = (
        of_many("Samples", samples, bank),
        of_many("Drawn tables", tables, bank),
        of_many("Checked cloths", cloths, bank),
    )
    photo, many = decode_photo(path.read_bytes()), many_faces(bank, 400)
    index_faces(many)
    ratio = seeing(photo, many).processor / seeing(photo, bank).processor
    took = command(path)
    told = (
        (f"{len(many.images)} faces over {len(bank.images)}, processor time", f"{ratio:.2f}"),
        (f"`sightline scan {path.name} --out`, ms by the clock", f"{took.wall:.0f}"),
        ("the same, ms of the processor", f"{took.processor:.0f}"),
        ("OpenCV's threads", cv2.getNumThreads()),
    )
    return Result((one, *each, Table("Besides", ("what", "how much"), told)))
