"""How long seeing takes: ``python -m tests.bench.speed [PHOTO]``

Every stage over the JPEG decode of the same photo, beside what OpenCV's own detectors of known
marks take on it; all samples; then the growth with cards, with faces and with pixels, checked
cloths, and the whole command. All in one run, for machines differ and drift: the ratios are what
counts. Each time is the least of several: by the clock, and of the processor, on which a busy
machine tells less.
"""

import argparse
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from calibration.light_speed.looks import build_bank
from tests.bench.accuracy import SAMPLES
from tests.seeing.tables import cards_of
from tests.synth import Scene, photograph, random_cards
from vision.games.light_speed.deck import load_deck
from vision.imaging.photo import Photo, decode_photo, encode_image
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.seeing.recognition.framed_faces import index_faces
from vision.values.pieces import Faces

ROUNDS = 5
STAGES = ("detect", "classify", "rectify", "second_look", "pose")


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


def detectors(photo: Photo) -> dict[str, float]:
    """Time OpenCV's detectors of known marks on the photo's luma, ms."""
    gray = cv2.cvtColor(photo.image, cv2.COLOR_BGR2GRAY)
    marks = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    plain = cv2.aruco.ArucoDetector(marks)
    fine = cv2.aruco.DetectorParameters()
    fine.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_APRILTAG
    refined = cv2.aruco.ArucoDetector(marks, fine)
    sift = cv2.SIFT_create()
    return {
        "ArUco, plain": least(lambda: plain.detectMarkers(gray), 3).wall,
        "ArUco, AprilTag refinement": least(lambda: refined.detectMarkers(gray), 2).wall,
        "SIFT": least(lambda: sift.detectAndCompute(gray, None), 2).wall,
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


def row(name: str, ms: float, decode: float) -> str:
    return f"| {name} | {ms:.0f} | {ms / decode:.2f} |"


def of_one(path: Path, bank: Faces) -> Iterator[str]:
    """Tell of one photo, stage by stage."""
    encoded = path.read_bytes()
    photo = decode_photo(encoded)
    cards = len(cards_of(read_layout(photo, build_detector(bank))))
    decode = least(lambda: decode_photo(encoded)).wall
    height, width = photo.image.shape[:2]
    yield f"{path.name}: {width} x {height} pixels, {cards} cards\n"
    yield "| stage | ms | over decode |\n| --- | --- | --- |"
    yield row("decode", decode, decode)
    pixels = np.frombuffer(encoded, np.uint8)  # OpenCV 5 decodes into no buffer that is given
    yield row("OpenCV's decode alone", least(lambda: cv2.imdecode(pixels, 1)).wall, decode)
    stages = stages_of(photo, bank)
    for stage in STAGES:
        yield row(stage.replace("_", " "), stages[stage], decode)
    yield row("**all between decoding and drawing**", stages["all"], decode)
    yield row("the same, processor time", seeing(photo, bank).processor, decode)
    for name, ms in detectors(photo).items():
        yield row(f"for comparison: {name}", ms, decode)


def of_many(photos: Iterable[tuple[str, bytes]], bank: Faces) -> Iterator[str]:
    """Tell of photos, one in a line, and of all together."""
    yield "\n| photo | decode ms | seeing ms | of the processor | over decode |"
    yield "| --- | --- | --- | --- | --- |"
    every = []
    for name, encoded in photos:
        one = least(lambda encoded=encoded: decode_photo(encoded), 3)
        took = seeing(decode_photo(encoded), bank)
        every.append((took.wall, took.processor, took.processor / one.processor))
        yield (
            f"| {name} | {one.wall:.0f} | {took.wall:.0f} | {took.processor:.0f} "
            f"| {every[-1][2]:.2f} |"
        )
    for name, of in (("median", np.median(every, axis=0)), ("worst", np.max(every, axis=0))):
        yield f"| **{name}** | | {of[0]:.0f} | {of[1]:.0f} | {of[2]:.2f} |"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photo", nargs="?", type=Path, default=SAMPLES / "two-teams-full.jpg")
    path = parser.parse_args(argv).photo
    bank = build_bank(load_deck("light-speed"))
    index_faces(bank)  # once for each deck, not for each photo
    print(*of_one(path, bank), sep="\n")
    samples = ((p.stem, p.read_bytes()) for p in sorted(SAMPLES.glob("*.jpg")))
    print(*of_many(samples, bank), sep="\n")
    large, small = (4000, 3000), (1920, 1080)
    sizes = ((10, large), (24, large), (42, large), (24, small))
    tables = ((f"{n} cards, {w} x {h}", drawn(bank, n, (w, h))) for n, (w, h) in sizes)
    print(*of_many(tables, bank), sep="\n")
    squares = ((8, (1280, 960), 12), (8, (1280, 960), 24), (8, (1280, 960), 48), (14, large, 120))
    cloths = ((f"checks of {px}, {n} cards", checked(bank, n, wh, px)) for n, wh, px in squares)
    print(*of_many(cloths, bank), sep="\n")
    photo, many = decode_photo(path.read_bytes()), many_faces(bank, 400)
    index_faces(many)
    ratio = seeing(photo, many).processor / seeing(photo, bank).processor
    print(f"\n{len(many.images)} faces instead of {len(bank.images)}: {ratio:.2f} times")
    took = command(path)
    print(f"sightline scan {path.name} --out: {took.wall:.0f} ms, {took.processor:.0f} of it work")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"peak memory {peak:.0f} MB (this bench, all of it); {cv2.getNumThreads()} threads, "
        f"Python {platform.python_version()}, OpenCV {cv2.__version__}, numpy {np.__version__}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
