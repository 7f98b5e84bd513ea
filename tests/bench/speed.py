"""How long seeing takes: ``python -m tests.bench.speed [PHOTO]``

Every stage over the JPEG decode of the same photo, beside what OpenCV's own detectors of known
marks take on it; then the growth with cards, with faces and with pixels. All in one run, for
machines differ and drift: the ratios are what counts. Each time is the least of several.
"""

import argparse
import platform
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from calibration.light_speed.looks import build_bank
from tests.bench.accuracy import SAMPLES
from tests.seeing.tables import cards_of
from tests.synth import Scene, photograph, random_cards
from vision.games.light_speed.deck import load_deck
from vision.imaging.photo import Photo, decode_photo, encode_image
from vision.seeing.faces.bordered import index_faces
from vision.seeing.reading import read_layout
from vision.seeing.sight import sight_of
from vision.values.pieces import Faces

ROUNDS = 5
STAGES = ("detect", "classify", "rectify", "second_look", "pose")


def least(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the least time of several, ms."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return min(times)


def stages_of(photo: Photo, bank: Faces, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the least time of each stage, ms; their sum under ``all``."""
    looks = [read_layout(photo, sight_of(bank)).timings_ms for _ in range(rounds)]
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
        "ArUco, plain": least(lambda: plain.detectMarkers(gray), 3),
        "ArUco, AprilTag refinement": least(lambda: refined.detectMarkers(gray), 2),
        "SIFT": least(lambda: sift.detectAndCompute(gray, None), 2),
    }


def drawn(bank: Faces, count: int, size_wh: tuple[int, int]) -> bytes:
    """Return a drawn photo of so many cards, JPEG."""
    rng = np.random.default_rng(count)
    cards = random_cards([str(n) for n in rng.permutation(bank.card_ids)[:count]], rng)
    image, _ = photograph(Scene(cards, size_wh, seed=count), bank)
    return encode_image(image, ".jpg", 92)


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


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photo", nargs="?", type=Path, default=SAMPLES / "two-teams-full.jpg")
    options = parser.parse_args(argv)
    bank = build_bank(load_deck("light-speed"))
    index_faces(bank)  # once for each deck, not for each photo
    encoded = options.photo.read_bytes()
    photo = decode_photo(encoded)
    cards = len(cards_of(read_layout(photo, sight_of(bank))))
    decode = least(lambda: decode_photo(encoded))
    height, width = photo.image.shape[:2]
    print(f"{options.photo.name}: {width} x {height} pixels, {cards} cards\n")
    print("| stage | ms | over decode |\n| --- | --- | --- |")
    print(row("decode", decode, decode))
    seeing = stages_of(photo, bank)
    for stage in STAGES:
        print(row(stage.replace("_", " "), seeing[stage], decode))
    print(row("**all between decoding and drawing**", seeing["all"], decode))
    for name, ms in detectors(photo).items():
        print(row(f"for comparison: {name}", ms, decode))

    print("\n| drawn photo | decode ms | seeing ms | over decode |\n| --- | --- | --- | --- |")
    for count, size in (
        (10, (4000, 3000)),
        (24, (4000, 3000)),
        (42, (4000, 3000)),
        (24, (1920, 1080)),
    ):
        jpeg = drawn(bank, count, size)
        one = least(lambda jpeg=jpeg: decode_photo(jpeg), 3)
        ms = stages_of(decode_photo(jpeg), bank, 3)["all"]
        name = f"{count} cards, {size[0]} x {size[1]}"
        print(f"| {name} | {one:.0f} | {ms:.0f} | {ms / one:.2f} |")
    large = many_faces(bank, 400)
    index_faces(large)
    ms = stages_of(photo, large, 3)["all"]
    print(
        f"\n{len(large.images)} faces instead of {len(bank.images)}: {ms / seeing['all']:.2f} times"
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"peak memory {peak:.0f} MB (this bench, all of it); {cv2.getNumThreads()} threads, "
        f"Python {platform.python_version()}, OpenCV {cv2.__version__}, numpy {np.__version__}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
