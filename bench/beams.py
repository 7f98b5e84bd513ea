"""How old is a picture when the beams that it brings are known? On one core, at 1920 x 1080.

A film of a table on which cards are laid one by one comes at the pace of a camera. A picture waits
while an earlier one is looked at, and gives way to a newer one, as on the live table. The age of a
picture runs from when it came, as a JPEG, to when the beams of the card that it brought are known
in its pixels. The goal is 300 ms on one core.
"""

import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager

import cv2
import numpy as np

from bench.common.light_speed import light_speed
from bench.common.record import Result, say
from bench.common.tables import Table
from bench.watch import encoded, new_session
from tests.film import Film
from tests.synth import Scene, random_cards
from vision.apps.server.live.beams import beams_of

SEED, COUNT = 7, 3
SIZE = (1920, 1080)
STEP_S = 1 / 15  # between two pictures of a phone
CARDS = (8, 20)  # on the table at the end
LAID = 6  # of them one by one


@contextmanager
def one_core() -> Iterator[None]:
    """Let this process run on one core alone, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def pictures(cards: int, rng: np.random.Generator) -> list[tuple[bytes, float]]:
    """Return a film in which the last cards of a table are laid one by one."""
    bank = light_speed().bank
    names = [str(n) for n in rng.permutation(bank.card_ids[:40])[: cards - 1]]
    lying = random_cards(["asteroid-1", *names], rng, gap_mm=12.0)
    film = Film(lying, bank, Scene((), SIZE, tilt_deg=6.0, noise=0.0), step_s=STEP_S)
    shown = list(encoded(film.rest(lying[: cards - LAID], 1.5)))
    for k in range(cards - LAID, cards):
        spot = (lying[k].x_mm, lying[k].y_mm)
        shown += encoded(film.visit(lying[:k], lying[: k + 1], spot, seconds=0.6))
        shown += encoded(film.rest(lying[: k + 1], 0.8))
    return shown


def ages(shown: list[tuple[bytes, float]]) -> tuple[list[tuple[float, float]], int]:
    """Return the age of each picture that brought beams (clock ms, processor ms), and of how many.

    What is waited for is reckoned: a picture is looked at when it has come and the one before it
    is done, unless a newer one has come by then.
    """
    session, free, found, looked = new_session(), 0.0, [], 0
    session.show_foreseen(True)
    before = None
    for k, (jpeg, came) in enumerate(shown):
        begin = max(came, free)
        if k + 1 < len(shown) and shown[k + 1][1] <= begin:
            continue
        looked += 1
        clock, spent = time.perf_counter(), time.process_time()
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        session.look(image, came)
        now = session.foreseen
        is_new = now is not None and now is not before
        if is_new and now is not None:
            beams_of(now, SIZE)
        clock, spent = time.perf_counter() - clock, time.process_time() - spent
        free = begin + clock
        if is_new:
            wait = begin - came
            found.append((1000 * (wait + clock), 1000 * (wait + spent)))
        before = now
    return found[1:], looked  # the first is of the cards that lay there as it began


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--cards", type=int, nargs="+", default=CARDS, help="at the end")


def run(options: Namespace) -> Result:
    """Lay cards on tables of each size; measure the pictures that bring beams."""
    rows = []
    for cards in options.cards:
        found: list[tuple[float, float]] = []
        looked = 0
        for k in range(options.count):
            shown = pictures(cards, np.random.default_rng(options.seed + k))
            with one_core():
                more, number = ages(shown)
            found, looked = found + more, looked + number
        clock, spent = np.array(found).T
        high = [np.percentile(clock, 95), clock.max(), np.median(spent), spent.max()]
        told = [f"{value:.0f}" for value in (np.median(clock), *high)]
        rows.append((cards, LAID * options.count, len(found), looked, *told))
        say(*rows[-1])
    columns = ("cards", "laid", "beams anew", "pictures looked at", "ms, median", "ms, 95 %")
    more_columns = ("ms, most", "processor ms, median", "processor ms, most")
    title = f"From picture to beams, one core, {SIZE[0]} x {SIZE[1]}"
    return Result((Table(title, (*columns, *more_columns), tuple(rows)),))
