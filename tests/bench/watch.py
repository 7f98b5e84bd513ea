"""How fast and how surely a table is watched: ``python -m tests.bench.watch [CLIP ...]``.

Draws a table at 1920 x 1080, watches it at rest, with hands and with cards coming, and prints what
a picture costs in ratio to decoding it, how long a new card takes to be read, and what memory does
over a long film (``--minutes``). ``--hands SECONDS`` counts events over a still table under hands.
A CLIP is a film with ``.truth.json`` beside it, as the table renderer writes it: every card must be
told once, in order, by its name, within a second of the hand's leaving.
"""

import argparse
import json
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from calibration.light_speed.looks import build_bank
from tests.film import Film
from tests.synth import Scene, random_cards
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.imaging.photo import decode_photo
from vision.pipeline import scan as read_scan
from vision.seeing.detector import build_detector
from vision.watch import WatchSession, WatchSettings
from vision.watch.sources import video_pictures

DECK = load_deck("light-speed")
BANK = build_bank(DECK)
SIZE = (1920, 1080)
QUALITY = 88  # of a webcam's own JPEG


def rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def spread(values: list[float]) -> str:
    low, mid, high = np.percentile(values, [10, 50, 90])
    return f"{mid:.2f} ms (10 %: {low:.2f}, 90 %: {high:.2f}, n = {len(values)})"


def encoded(frames: Iterator[tuple[np.ndarray, float]]) -> Iterator[tuple[bytes, float]]:
    for image, time_s in frames:
        done, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        assert done
        yield jpeg.tobytes(), time_s


class Clock:
    """Times decoding and looking, picture by picture."""

    def __init__(self, session: WatchSession) -> None:
        self.session = session
        self.decode: list[float] = []
        self.look: list[float] = []
        self.card: list[float] = []
        self.events: list = []

    def show(self, frames: Iterator[tuple[bytes, float]]) -> None:
        for jpeg, time_s in frames:
            start = time.perf_counter()
            image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
            middle = time.perf_counter()
            events = self.session.look(image, time_s)
            end = time.perf_counter()
            self.decode.append((middle - start) * 1000)
            self.look.append((end - middle) * 1000)
            if any(event.code == "card_laid" for event in events):
                self.card.append(self.look[-1])
            self.events += events

    def report(self, title: str) -> None:
        ratio = np.median(self.look) / np.median(self.decode)
        mean = np.mean(self.look) / np.mean(self.decode)
        rate = 1000 / (np.mean(self.look) + np.mean(self.decode))
        print(f"{title}")
        print(f"  decode {spread(self.decode)}")
        print(f"  look   {spread(self.look)}")
        print(f"  look / decode: median {ratio:.2f}, mean {mean:.2f}; {rate:.0f} pictures/s in all")


def speed(seconds: float) -> None:
    rng = np.random.default_rng(7)
    names = [str(n) for n in rng.permutation(BANK.card_ids[:40])[:19]] + ["asteroid-1"]
    cards = random_cards(names, rng, gap_mm=12.0)
    film = Film(cards, BANK, Scene((), SIZE, tilt_deg=6.0, noise=0.0), step_s=1 / 30)
    session = WatchSession(LightSpeed(DECK), BANK, settings=WatchSettings(silence_s=None))
    warm = Clock(session)
    warm.show(encoded(film.rest(cards[:12], 1.0)))
    rest = Clock(session)
    rest.show(encoded(film.rest(cards[:12], seconds)))
    rest.report(f"at rest, {SIZE[0]} x {SIZE[1]}, 12 cards")
    assert not rest.events, rest.events
    hands = Clock(session)
    for k in range(3):
        spot = (float(rng.uniform(-200, 200)), float(rng.uniform(-150, 150)))
        hands.show(encoded(film.visit(cards[:12], cards[:12], spot, hold_s=0.5 * k)))
    hands.report("hands over the table")
    assert not hands.events, hands.events
    laying = Clock(session)
    for k in range(12, len(cards)):
        spot = (cards[k].x_mm, cards[k].y_mm)
        laying.show(encoded(film.visit(cards[:k], cards[: k + 1], spot, seconds=0.5)))
        laying.show(encoded(film.rest(cards[: k + 1], 0.6)))
    told = [event.cards[0] for event in laying.events if event.code == "card_laid"]
    laying.report("cards coming")
    print(f"  told {len(told)} of {len(cards) - 12}, in order: {told == names[12:]}")
    print(f"  a new card read in {spread(laying.card)}, worst {max(laying.card):.0f} ms")


def memory(minutes: float) -> None:
    rng = np.random.default_rng(1)
    cards = random_cards(["asteroid-1", "red-moth", "blue-ghost", "red-viper"], rng)
    film = Film(cards, BANK, Scene((), SIZE, tilt_deg=6.0, noise=0.0), step_s=1 / 10)
    loop = list(encoded(film.visit(cards, cards, (0.0, 0.0), seconds=2.0)))
    loop += list(encoded(film.visit(cards, cards[:3], (cards[3].x_mm, cards[3].y_mm))))
    loop += list(encoded(film.rest(cards[:3], 1.0)))
    loop += list(encoded(film.visit(cards[:3], cards, (cards[3].x_mm, cards[3].y_mm))))
    loop += list(encoded(film.rest(cards, 2.0)))
    session = WatchSession(LightSpeed(DECK), BANK, settings=WatchSettings(silence_s=None))
    pictures = int(minutes * 60 * 30)
    seen: list[tuple[int, float]] = []
    laid = 0
    for k in range(pictures):
        jpeg, _ = loop[k % len(loop)]
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        laid += sum(e.code == "card_laid" for e in session.look(image, k / 10))
        if k % max(1, pictures // 10) == 0:
            seen.append((k, rss_mb()))
    text = ", ".join(f"{mb:.0f}" for _, mb in seen)
    print(f"memory over {pictures} pictures ({laid} cards laid): {text} MB")


def hands(seconds: float) -> None:
    rng = np.random.default_rng(11)
    cards = random_cards(["asteroid-1", "red-moth", "blue-ghost", "red-viper", "blue-viper"], rng)
    film = Film(cards, BANK, Scene((), (1280, 720), tilt_deg=6.0, noise=0.0), noise=3.0)
    session = WatchSession(LightSpeed(DECK), BANK, settings=WatchSettings(silence_s=None))
    events = []
    for image, time_s in film.rest(cards, 1.0):
        session.look(image, time_s)
    while film.time_s < seconds:
        spot = (float(rng.uniform(-250, 250)), float(rng.uniform(-200, 200)))
        visit = film.visit(
            cards,
            cards,
            spot,
            seconds=float(rng.uniform(0.6, 2.5)),
            hold_s=float(rng.choice([0, 0, 1, 3])),
        )
        for image, time_s in visit:
            events += session.look(image, time_s)
        for image, time_s in film.rest(cards, float(rng.uniform(0.1, 1.5))):
            events += session.look(image, time_s)
    print(f"events in {film.time_s:.0f} s of hands over a still table: {len(events)}")
    for event in events:
        print(f"  {event.time_s:.1f} {event.code} {event.cards} {dict(event.details)}")


def clip(path: Path) -> None:
    truth = json.loads(path.with_suffix("").with_suffix(".truth.json").read_text())
    frames = truth["frames"]
    session = WatchSession(LightSpeed(DECK), BANK, settings=WatchSettings(silence_s=None))
    laid: list[tuple[str, float]] = []
    other = []
    last = None
    for picture in video_pictures(path):
        last = picture
        for event in session.look(picture.image, picture.time_s):
            if event.code == "card_laid":
                laid.append((event.cards[0], event.time_s))
            else:
                other.append(event.code)
    session.finish()
    wanted = []
    for card in truth["cards"]:
        first = card["first_frame_on_table"]
        gone = next((f for f in frames[first:] if not f["hand"]), None)
        if gone is not None:
            wanted.append((Path(card["art"]).stem, gone["time_s"]))
    names = [name for name, _ in laid]
    late = [t - free for (name, t), (_, free) in zip(laid, wanted, strict=False)]
    print(f"{path.name}: told {names}")
    print(f"  right and in order: {names == [name for name, _ in wanted]}; otherwise told: {other}")
    print(f"  after the hand had left: {', '.join(f'{s:.2f}' for s in late)} s")
    assert session.verdict is not None
    scores = {k: v.total for k, v in session.verdict.scan.outcome.scores.items()}
    still = cv2.imencode(".png", last.image)[1].tobytes()
    decode_photo(still)
    scan, _ = read_scan(still, LightSpeed(DECK), build_detector(BANK))
    from_still = {k: v.total for k, v in scan.outcome.scores.items()}
    print(f"  score {scores}; from the last picture as a photo {from_still}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clips", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=6.0, help="at rest")
    parser.add_argument("--minutes", type=float, default=2.0, help="of looped film at 30/s")
    parser.add_argument("--hands", type=float, default=60.0, help="seconds of hands")
    options = parser.parse_args()
    for path in options.clips:
        clip(path)
    if options.clips:
        return
    speed(options.seconds)
    hands(options.hands)
    memory(options.minutes)


if __name__ == "__main__":
    main()
