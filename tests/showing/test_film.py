"""A film shows the steps in order, nothing before it happens, and the score as it then stands."""

import io

import numpy as np
import pytest
from PIL import Image

from tests.games.light_speed.test_cases import CASES, RULER
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.tell import tell
from vision.games.light_speed.words import words
from vision.showing.above import table_camera
from vision.showing.film import FilmSettings, as_film_kind, draw_film, frames_of
from vision.showing.style import AnnotateSettings
from vision.showing.vector import draw_svg
from vision.values.ledger import Ledger, Outline, Path

DECK = load_deck("light-speed")
SETTINGS = AnnotateSettings(texts=words())


def ledger_of(notation: str) -> Ledger:
    table = parse_table(notation)
    return tell(table, DECK, resolve(table, DECK))


@pytest.mark.parametrize("path", CASES[:8], ids=[path.stem for path in CASES[:8]])
def test_frames_stand_in_order(path):
    ledger = ledger_of(path.read_text(encoding="utf-8").partition(RULER)[0])
    film = FilmSettings()
    frames = [shown for shown, _ in frames_of(ledger, film)]
    assert len(frames) == 2 + len(ledger.steps) * (len(film.growth) + 1)
    assert frames[0].final == ledger.opening
    assert frames[-1].winners == ledger.winners
    assert not any(frame.winners or frame.odds for frame in frames[:-1])
    assert (frames[-1].odds, frames[-1].doubts) == (ledger.odds, ledger.doubts)
    for k, step in enumerate(ledger.steps):
        before = ledger.steps[k - 1].tally if k else ledger.opening
        *growing, done = frames[1 + 4 * k : 5 + 4 * k]
        assert [frame.final for frame in growing] == [before] * 3
        assert done.final == step.tally
        moving = [m for e in growing[0].steps[-1].events for m in e.marks]
        lit = [mark for mark in moving if isinstance(mark, Outline)]
        assert all(mark.lit for mark in lit)
        ways = [mark for mark in moving if mark not in lit]
        assert all(isinstance(mark, Path) and mark.fades for mark in ways)
        assert bool(lit) == bool(ways)  # who acts is lit
        old = [m for s in done.steps[:-1] for e in s.events for m in e.marks]
        assert not any(isinstance(mark, Path) for mark in old)


@pytest.mark.parametrize("kind", ["gif", "webp"])
def test_a_film_moves(kind):
    ledger = ledger_of("red moth @0,0 0deg\nblue moth @5,-300 0deg\nasteroid-1 @200,0 0deg")
    camera, (width, height) = table_camera(ledger, 240)
    photo = np.full((height, width, 3), 60, np.uint8)
    film = Image.open(
        io.BytesIO(draw_film(photo, camera, ledger, as_film_kind(kind), settings=SETTINGS))
    )
    assert film.n_frames > 4  # frames alike may be joined
    with pytest.raises(ValueError, match="expected one of gif"):
        as_film_kind("avi")


def test_the_score_stands_below_from_the_first_frame_to_the_last():
    """It does not jump over the table to where there happens to be room."""
    ledger = ledger_of("red moth @0,0 0deg\nblue moth @5,-300 0deg\nasteroid-1 @200,0 0deg")
    camera, (width, height) = table_camera(ledger, 240)
    photo = np.full((height, width, 3), 60, np.uint8)
    film = Image.open(io.BytesIO(draw_film(photo, camera, ledger, "webp", settings=SETTINGS)))
    for k in range(film.n_frames):
        film.seek(k)
        below = np.asarray(film.convert("L"))[height:]
        assert below.max() > 200  # digits are white


def test_an_svg_holds_every_path_and_number():
    ledger = ledger_of("red moth @0,0 0deg\nblue ghost @5,-300 0deg\nasteroid-1 @200,0 0deg")
    camera, size = table_camera(ledger, 400)
    text = draw_svg(b"", size, camera, ledger, SETTINGS).decode()
    assert text.count("<polyline") >= 2 * sum(len(step.events) > 0 for step in ledger.steps)
    for number in ("1", "6"):
        assert f">{number}</text>" in text or number not in {p.number for p in ledger.pieces}
    assert "<script" not in text
