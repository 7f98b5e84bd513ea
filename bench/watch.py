"""How fast and how surely a table is watched, drawn at 1920 x 1080 or on films with a truth.

Draws a table, watches it at rest, with hands and with cards coming, and tells what a picture costs
in ratio to decoding it, how long a new card takes to be read, and what memory does over a long film
(``--minutes``). ``--hands SECONDS`` counts events over a still table under hands. PHOTOS are films
with ``.truth.json`` beside them, as the table renderer writes it: every card must be told once, in
order, by its name, within a second of the hand's leaving.
"""

import json
import resource
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from bench.common.light_speed import light_speed
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from tests.film import Film
from tests.synth import Scene, random_cards
from vision.pipeline import scan as read_scan
from vision.watch import WatchSession, WatchSettings
from vision.watch.sources import video_pictures

SIZE = (1920, 1080)
QUALITY = 88  # of a webcam's own JPEG
Rows = list[tuple[Cell, ...]]


def new_session() -> WatchSession:
    """Return a watch that never ends of itself."""
    settings = WatchSettings(silence_s=None)
    return WatchSession(light_speed().game, light_speed().bank, settings=settings)


def rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


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

    def row(self, name: str) -> tuple[Cell, ...]:
        """Return the row of the table."""

        def spread(values: list[float]) -> str:
            low, mid, high = np.percentile(values, [10, 50, 90])
            return f"{mid:.2f} ({low:.2f} to {high:.2f})"

        ratio = np.median(self.look) / np.median(self.decode)
        rate = 1000 / (np.mean(self.look) + np.mean(self.decode))
        return (
            name,
            len(self.look),
            spread(self.decode),
            spread(self.look),
            f"{ratio:.2f}",
            f"{rate:.0f}",
        )


def speed(seconds: float) -> tuple[Table, list[str]]:
    """Watch a drawn table at rest, under hands, and while cards come."""
    bank = light_speed().bank
    rng = np.random.default_rng(7)
    names = [str(n) for n in rng.permutation(bank.card_ids[:40])[:19]] + ["asteroid-1"]
    cards = random_cards(names, rng, gap_mm=12.0)
    film = Film(cards, bank, Scene((), SIZE, tilt_deg=6.0, noise=0.0), step_s=1 / 30)
    session = new_session()
    warm, rest, hands, laying = (Clock(session) for _ in range(4))
    warm.show(encoded(film.rest(cards[:12], 1.0)))
    rest.show(encoded(film.rest(cards[:12], seconds)))
    for k in range(3):
        spot = (float(rng.uniform(-200, 200)), float(rng.uniform(-150, 150)))
        hands.show(encoded(film.visit(cards[:12], cards[:12], spot, hold_s=0.5 * k)))
    for k in range(12, len(cards)):
        spot = (cards[k].x_mm, cards[k].y_mm)
        laying.show(encoded(film.visit(cards[:k], cards[: k + 1], spot, seconds=0.5)))
        laying.show(encoded(film.rest(cards[: k + 1], 0.6)))
    told = [event.cards[0] for event in laying.events if event.code == "card_laid"]
    notes = [
        f"told while nothing changed: {len(rest.events) + len(hands.events)} events",
        f"told {len(told)} of {len(cards) - 12} cards, in order: {told == names[12:]}",
        f"a new card read in {np.median(laying.card):.0f} ms, {max(laying.card):.0f} at most",
    ]
    rows = (rest.row("at rest"), hands.row("hands over the table"), laying.row("cards coming"))
    heads = ("12 cards", "pictures", "decode ms (10 to 90 %)", "look ms (10 to 90 %)")
    more = ("look over decode, medians", "pictures a second")
    return Table(f"Drawn, {SIZE[0]} x {SIZE[1]}", (*heads, *more), rows), notes


def memory(minutes: float) -> str:
    """Watch a film in a loop; return what memory it took, tenth by tenth."""
    rng = np.random.default_rng(1)
    cards = random_cards(["asteroid-1", "red-moth", "blue-ghost", "red-viper"], rng)
    film = Film(cards, light_speed().bank, Scene((), SIZE, tilt_deg=6.0, noise=0.0), step_s=1 / 10)
    last = (cards[3].x_mm, cards[3].y_mm)
    loop = list(encoded(film.visit(cards, cards, (0.0, 0.0), seconds=2.0)))
    loop += list(encoded(film.visit(cards, cards[:3], last)))
    loop += list(encoded(film.rest(cards[:3], 1.0)))
    loop += list(encoded(film.visit(cards[:3], cards, last)))
    loop += list(encoded(film.rest(cards, 2.0)))
    session, pictures, laid = new_session(), int(minutes * 60 * 30), 0
    seen: list[float] = []
    for k in range(pictures):
        jpeg, _ = loop[k % len(loop)]
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        laid += sum(e.code == "card_laid" for e in session.look(image, k / 10))
        if k % max(1, pictures // 10) == 0:
            seen.append(rss_mb())
    text = ", ".join(f"{mb:.0f}" for mb in seen)
    return f"memory over {pictures} pictures ({laid} cards laid): {text} MB"


def under_hands(seconds: float) -> list[str]:
    """Move hands over a still table; return what was told, which should be nothing."""
    rng = np.random.default_rng(11)
    cards = random_cards(["asteroid-1", "red-moth", "blue-ghost", "red-viper", "blue-viper"], rng)
    scene = Scene((), (1280, 720), tilt_deg=6.0, noise=0.0)
    film, session, events = Film(cards, light_speed().bank, scene, noise=3.0), new_session(), []
    for image, time_s in film.rest(cards, 1.0):
        session.look(image, time_s)
    while film.time_s < seconds:
        spot = (float(rng.uniform(-250, 250)), float(rng.uniform(-200, 200)))
        held = {"seconds": rng.uniform(0.6, 2.5), "hold_s": float(rng.choice([0, 0, 1, 3]))}
        for image, time_s in film.visit(cards, cards, spot, **held):
            events += session.look(image, time_s)
        for image, time_s in film.rest(cards, float(rng.uniform(0.1, 1.5))):
            events += session.look(image, time_s)
    lines = [f"{e.time_s:.1f} {e.code} {e.cards} {dict(e.details)}" for e in events]
    return [f"events in {film.time_s:.0f} s of hands over a still table: {len(events)}", *lines]


def clip(path: Path) -> tuple[Cell, ...]:
    """Watch a film; return the row of the table."""
    truth = json.loads(path.with_suffix("").with_suffix(".truth.json").read_text())
    frames, session, last = truth["frames"], new_session(), None
    laid: list[tuple[str, float]] = []
    other = []
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
    late = [t - free for (_, t), (_, free) in zip(laid, wanted, strict=False)]
    assert session.verdict is not None
    assert last is not None
    scores = {k: v.total for k, v in session.verdict.scan.outcome.scores.items()}
    still = cv2.imencode(".png", last.image)[1].tobytes()
    scan, _ = read_scan(still, light_speed().game, light_speed().detector)
    from_still = {k: v.total for k, v in scan.outcome.scores.items()}
    is_right = names == [name for name, _ in wanted]
    late_s = ", ".join(f"{s:.2f}" for s in late)
    told = (len(wanted), "yes" if is_right else " ".join(names), " ".join(other), late_s)
    return (path.name, *told, str(scores), str(from_still))


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--seconds", type=float, default=6.0, help="at rest")
    parser.add_argument("--minutes", type=float, default=2.0, help="of looped film at 30/s")
    parser.add_argument("--hands", type=float, default=60.0, help="seconds of hands")


def run(options: Namespace) -> Result:
    """Watch films, or what is drawn."""
    if options.photos:
        rows: Rows = []
        for path in options.photos:
            rows.append(clip(path))
            say(*rows[-1])
        heads = ("film", "cards", "right and in order", "otherwise told", "after the hand, s")
        more = ("score", "score from the last picture")
        return Result((Table("Films", (*heads, *more), tuple(rows)),))
    table, notes = speed(options.seconds)
    return Result((table,), (*notes, *under_hands(options.hands), memory(options.minutes)))
