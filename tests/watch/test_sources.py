"""Where pictures come from: films, folders, recordings, and a camera in its own process."""

import json
import time
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.patience import PATIENCE_S
from tests.watch_help import open_never, open_scripted, open_steady
from vision.errors import SourceError
from vision.games.light_speed.words import words
from vision.values.messages import Message
from vision.watch import Event
from vision.watch.capture import Camera, CameraSettings
from vision.watch.recording import Recorder
from vision.watch.sources import folder_pictures, kind_of_source, video_pictures

QUICK = CameraSettings(silent_s=0.6, pauses_s=(0.05, 0.1), most_pixels=640 * 480)


def picture(tone: int) -> np.ndarray:
    return np.full((300, 400, 3), tone, np.uint8)


def write_film(path: Path, tones: list[int], rate: float = 8.0) -> None:
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), rate, (400, 300))
    for tone in tones:
        film.write(picture(tone))
    film.release()


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("0", "camera"),
        ("12", "camera"),
        ("rtsp://a/b", "stream"),
        ("HTTP://a:8080/video", "stream"),
    ],
)
def test_kinds(source, kind):
    assert kind_of_source(source) == kind


def test_kinds_of_paths(tmp_path):
    assert kind_of_source(str(tmp_path)) == "folder"
    (tmp_path / "a.avi").write_bytes(b"x")
    assert kind_of_source(str(tmp_path / "a.avi")) == "video"
    with pytest.raises(SourceError, match="no such file"):
        kind_of_source(str(tmp_path / "none.mp4"))


def test_a_film_gives_every_picture_with_its_time(tmp_path):
    write_film(tmp_path / "film.avi", [20, 60, 100, 140, 180])
    seen = list(video_pictures(tmp_path / "film.avi"))
    assert [round(float(p.image.mean()), -1) for p in seen] == [20, 60, 100, 140, 180]
    assert [p.time_s for p in seen] == pytest.approx([0, 0.125, 0.25, 0.375, 0.5], abs=0.002)
    assert [p.number for p in seen] == [0, 1, 2, 3, 4]


def test_no_film(tmp_path):
    (tmp_path / "film.avi").write_bytes(b"no film at all")
    with pytest.raises(SourceError, match="not a film"):
        list(video_pictures(tmp_path / "film.avi"))


def test_a_folder_in_order(tmp_path):
    for name, tone in (("b.png", 60), ("a.png", 20), ("c.png", 100)):
        cv2.imwrite(str(tmp_path / name), picture(tone))
    (tmp_path / "notes.txt").write_text("no picture")
    seen = list(folder_pictures(tmp_path))
    assert [int(p.image[0, 0, 0]) for p in seen] == [20, 60, 100]
    assert [p.time_s for p in seen] == pytest.approx([0, 0.1, 0.2])


def test_a_folder_with_times(tmp_path):
    for name, tone in (("x-12.5s.png", 100), ("x-2s.png", 20), ("x-3,25s.png", 60)):
        cv2.imwrite(str(tmp_path / name), picture(tone))
    seen = list(folder_pictures(tmp_path))
    assert [(p.time_s, int(p.image[0, 0, 0])) for p in seen] == [(2, 20), (3.25, 60), (12.5, 100)]


def test_an_empty_folder(tmp_path):
    with pytest.raises(SourceError, match="holds no picture"):
        list(folder_pictures(tmp_path))


def test_a_recording_is_played_again(tmp_path):
    recorder = Recorder(tmp_path / "rec", words(), "camera")
    recorder.keep((), picture(20), 0.0)
    for k in range(1, 50):
        recorder.keep((), picture(20), k * 0.1)
    recorder.keep((Event(1, 1, "card_laid", 5.0, Message("watch.resumed")),), picture(90), 5.0)
    recorder.keep((Event(2, 1, "card_laid", 5.2, Message("watch.resumed")),), picture(160), 5.2)
    recorder.keep((), picture(160), 9.0, last=True)
    files = sorted(path.name for path in (tmp_path / "rec").iterdir())
    assert files == [*(f"00000{k}.jpg" for k in range(4)), "events.jsonl", "recording.json"]
    seen = list(folder_pictures(tmp_path / "rec"))
    times = [p.time_s for p in seen]
    assert times == sorted(set(times))
    tones = [round(float(p.image.mean()), -1) for p in seen]
    assert tones == [20] * 3 + [90] * 3 + [160] * 6
    lines = (tmp_path / "rec" / "events.jsonl").read_text().splitlines()
    assert [json.loads(line)["number"] for line in lines] == [1, 2]


@pytest.mark.parametrize(
    "content",
    ["{", "[]", '{"pictures": [{"file": "a.jpg"}]}', '{"pictures": []}',
     '{"pictures": [{"file": "../a.jpg", "time_s": 1}]}'],
)  # fmt: skip
def test_a_broken_recording(tmp_path, content):
    (tmp_path / "recording.json").write_text(content)
    with pytest.raises(SourceError, match=r"recording\.json"):
        list(folder_pictures(tmp_path))


# --- a camera --------------------------------------------------------------------------------


def wait_for(camera: Camera, seconds: float = PATIENCE_S):
    """Return the next picture; generous, for machines that are busy."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        seen = camera.read(0.1)
        if seen is not None:
            return seen
    raise AssertionError("no picture")


def test_a_camera_gives_its_newest_picture_once():
    with Camera("x", QUICK, open_steady) as camera:
        first = wait_for(camera)
        assert first.image.shape == (48, 64, 3)
        time.sleep(0.3)
        second = wait_for(camera)
        assert (
            int(second.image[0, 0, 0]) - int(first.image[0, 0, 0]) > 3
        )  # the newest, not the next
        assert second.time_s > first.time_s
        assert camera.now_s >= second.time_s
        assert camera.pictures == 2


def test_another_size_and_a_picture_too_large():
    with Camera("script:small*3,large*3,huge", QUICK, open_scripted) as camera:
        shapes = set()
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until and (250, 375, 3) not in shapes:
            seen = camera.read(0.05)
            if seen is not None:
                shapes.add(seen.image.shape)
        assert (250, 375, 3) in shapes  # halved three times


@pytest.mark.parametrize("how", ["hang", "die", "end"])
def test_a_camera_that_stops_is_started_again(how):
    with Camera(f"script:small*5,{how}", QUICK, open_scripted) as camera:
        wait_for(camera)
        seen, until = 0, time.monotonic() + PATIENCE_S
        restarted = False
        while time.monotonic() < until and not (restarted and seen):
            if camera.restarts:
                restarted, seen = True, 0
            if camera.read(0.05) is not None:
                seen += 1
        assert restarted
        assert seen
        child = camera._child
    assert camera._child is None
    assert child is None or not _is_alive(child)


def _is_alive(child) -> bool:
    try:
        return child.is_alive()
    except ValueError:  # closed
        return False


def test_no_camera_is_told_by_its_tries():
    with Camera("9", replace(QUICK, open_s=1.0), open_never) as camera:
        until = time.monotonic() + PATIENCE_S
        while camera.restarts < 2 and time.monotonic() < until:
            assert camera.read(0.05) is None
        assert camera.restarts >= 2
        assert camera.pictures == 0
