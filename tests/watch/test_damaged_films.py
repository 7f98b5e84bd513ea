"""A film of which bytes are wrong: it is told, and no verdict of it is certain."""

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.film import Film, play
from tests.synth import random_cards
from vision.errors import SourceError
from vision.files.headlines import headline_to_json
from vision.games.light_speed.game import LightSpeed
from vision.watch import WatchSession, WatchSettings
from vision.watch.sources import FilmFault, Picture, video_pictures

SIZE_WH = (480, 320)
PICTURES = 24
FILMS = 12  # of each codec, damaged in four ways
WRONG = 12.0  # tones in the mean of 16 x 16 px: coding alone changes 0, for the film is the same
CODED = {
    "mpeg4.avi": ("mpeg4", {"b": "2000000"}, "yuv420p"),
    "mjpeg.avi": ("mjpeg", {"qmin": "3", "qmax": "5"}, "yuvj420p"),
    "h264.mp4": ("libx264", {"preset": "ultrafast", "crf": "23"}, "yuv420p"),
    "hevc.mp4": ("libx265", {"preset": "ultrafast", "x265-params": "log-level=none"}, "yuv420p"),
}


def pictures() -> list[np.ndarray]:
    """Return pictures with noise, through which a square goes."""
    rng = np.random.default_rng(0)
    wide, high = SIZE_WH
    still = cv2.resize(rng.integers(0, 255, (20, 30, 3), np.uint8), SIZE_WH)
    shown = []
    for k in range(PICTURES):
        picture = still.copy()
        picture[100:200, 10 * k : 10 * k + 80] = (40, 200, 90)
        noisy = picture + rng.normal(0, 2, (high, wide, 3))
        shown.append(np.clip(noisy, 0, 255).astype(np.uint8))
    return shown


def need(codec: str) -> None:
    """Skip the test that asks where there is no such encoder; never in CI."""
    av = pytest.importorskip("av")
    if codec not in av.codecs_available:
        assert not os.environ.get("CI"), f"PyAV's wheels have {codec}"
        pytest.skip(f"no encoder {codec} here")


def write_film(path: Path, shown: list[np.ndarray], codec: str, options: dict, pixels: str) -> None:
    av = pytest.importorskip("av")
    with av.open(str(path), "w", options={"movflags": "faststart"}) as film:
        stream = film.add_stream(codec, rate=10, options=options)
        stream.width, stream.height = shown[0].shape[1::-1]
        stream.pix_fmt = pixels
        for picture in shown:
            film.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "bgr24")))
        film.mux(stream.encode())


@pytest.fixture(scope="module", params=CODED)
def sound(request, tmp_path_factory) -> Path:
    codec, options, pixels = CODED[request.param]
    need(codec)
    path = tmp_path_factory.mktemp("films") / request.param
    write_film(path, pictures(), codec, options, pixels)
    return path


def damaged(content: bytes, seed: int) -> bytes:
    """Return a film with bytes zeroed, changed, or cut out of it, or cut off at its end."""
    rng = np.random.default_rng(seed)
    first = max(content.find(b"mdat"), content.find(b"movi")) + 64
    last = max(content.rfind(b"idx1"), first) - 64 if b"idx1" in content else len(content) - 64
    at, wrong = int(rng.integers(first, last)), bytearray(content)
    match seed % 4:
        case 0:
            wrong[at : at + 1000] = bytes(len(wrong[at : at + 1000]))
        case 1:
            for place in rng.integers(first, last, 8):
                wrong[place] ^= int(rng.integers(1, 256))
        case 2:
            del wrong[at : at + 500]
        case _:
            del wrong[at:]
    return bytes(wrong)


def means(image: np.ndarray) -> np.ndarray:
    return cv2.resize(image, None, fx=1 / 16, fy=1 / 16, interpolation=cv2.INTER_AREA).astype(float)


def test_a_sound_film_is_told_as_sound(sound):
    seen = list(video_pictures(sound))
    assert [type(one) for one in seen] == [Picture] * PICTURES


def test_a_film_with_wrong_pictures_is_told_as_damaged(sound, tmp_path):
    true = {round(one.time_s, 3): means(one.image) for one in video_pictures(sound)}
    untold, wrong = [], 0
    for seed in range(FILMS):
        film = tmp_path / f"{seed}{sound.suffix}"
        film.write_bytes(damaged(sound.read_bytes(), seed))
        try:
            seen = list(video_pictures(film))
        except SourceError:  # told, too
            continue
        shown = [one for one in seen if isinstance(one, Picture)]
        is_wrong = len(shown) < PICTURES or any(
            np.abs(means(one.image) - true[round(one.time_s, 3)]).max() > WRONG for one in shown
        )
        wrong += is_wrong
        if is_wrong and not any(isinstance(one, FilmFault) for one in seen):
            untold.append(seed)
    assert wrong >= FILMS // 2
    assert untold == []


def test_a_film_in_which_damage_is_not_noticed_is_told_as_unproven(tmp_path):
    need("libvpx")
    write_film(tmp_path / "film.webm", pictures(), "libvpx", {"b": "1000000"}, "yuv420p")
    first, *others = video_pictures(tmp_path / "film.webm")
    assert first == FilmFault(0.0, "unproven")
    assert [type(one) for one in others] == [Picture] * PICTURES


@pytest.mark.parametrize("state", ["", "unproven", "damaged"])
def test_no_verdict_of_a_damaged_film_is_certain(state, deck, bank):
    names = ["asteroid-1", "red-moth", "blue-ghost"]
    cards = random_cards(names, np.random.default_rng(5), gap_mm=20.0)
    game, film = LightSpeed(deck), Film(cards, bank)
    session = WatchSession(game, bank, settings=WatchSettings(silence_s=None))
    told = session.miss(FilmFault(0.0, state)) if state else ()
    play(session, film.rest([], 0.5))
    for k, card in enumerate(cards, start=1):
        play(session, film.visit(cards[: k - 1], cards[:k], (card.x_mm, card.y_mm)))
        play(session, film.rest(cards[:k], 1.0))
    session.finish()
    assert session.verdict is not None
    scan = session.verdict.scan
    assert {card.card_id for card in scan.table.cards} == {card.card_id for card in cards}
    assert headline_to_json(scan.ledger, scan.issues, game.texts)["open"] is bool(state)
    assert [event.code for event in told] == ([f"film_{state}"] if state else [])
    assert (f"film_{state}" in {issue.code for issue in scan.issues}) is bool(state)
