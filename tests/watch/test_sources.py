"""Where pictures come from: films, folders, recordings, and a camera in its own process."""

import json
import struct
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
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
from vision.watch.sources import (
    LostPicture,
    Picture,
    folder_pictures,
    kind_of_source,
    video_pictures,
)

CODED_TONES = 4.0  # mean difference by the film's coding; a picture turned wrongly has 30 or more
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
    with pytest.raises(SourceError, match="not a readable film"):
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


# --- what is shown is what the file says -----------------------------------------------------


def corner_film(path: Path) -> np.ndarray:
    """Write an MP4 whose picture tells all its ways to be turned; return the picture."""
    image = picture(40)
    image[:150, :100] = 230
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 8.0, (400, 300))
    for _ in range(3):
        film.write(image)
    film.release()
    return image


def set_matrix(path: Path, a: float, b: float, c: float, d: float) -> None:
    """Write another matrix into the header of an MP4's only track."""
    whole = bytearray(path.read_bytes())
    at = whole.index(b"tkhd") + 4 + 40
    for place, value in ((0, a), (4, b), (12, c), (16, d)):
        struct.pack_into(">i", whole, at + place, round(value * 65536))
    path.write_bytes(whole)


@pytest.mark.parametrize(
    "matrix",
    [(1, 0, 0, 1), (-1, 0, 0, 1), (-1, 0, 0, -1), (1, 0, 0, -1),
     (0, 1, 1, 0), (0, 1, -1, 0), (0, -1, -1, 0), (0, -1, 1, 0)],
)  # fmt: skip
def test_a_film_is_turned_and_mirrored_as_its_header_says(tmp_path, matrix):
    stored = corner_film(tmp_path / "film.mp4")
    set_matrix(tmp_path / "film.mp4", *matrix)
    shown = next(iter(video_pictures(tmp_path / "film.mp4"))).image
    # by the definition: where each stored pixel (x, y) comes to lie, from the picture's middle
    a, b, c, d = matrix
    y, x = np.indices(stored.shape[:2])
    x, y = 2 * x - 399, 2 * y - 299
    to_x, to_y = a * x + c * y, b * x + d * y
    expected = np.zeros((300, 400, 3) if a else (400, 300, 3), np.uint8)
    expected[(to_y - to_y.min()) // 2, (to_x - to_x.min()) // 2] = stored
    assert shown.shape == expected.shape
    assert cv2.absdiff(shown, expected).mean() < CODED_TONES


def test_a_film_that_is_to_be_turned_by_an_angle_is_refused(tmp_path):
    corner_film(tmp_path / "film.mp4")
    set_matrix(tmp_path / "film.mp4", 0.8, 0.6, -0.6, 0.8)
    with pytest.raises(SourceError, match="not turned by quarter turns"):
        list(video_pictures(tmp_path / "film.mp4"))


@pytest.mark.parametrize(
    ("wide", "high", "size_wh"), [(4, 3, (533, 300)), (1, 2, (400, 600)), (1, 1, (400, 300))]
)
def test_a_film_of_wide_pixels_is_made_square(tmp_path, wide, high, size_wh):
    av = pytest.importorskip("av")
    with av.open(str(tmp_path / "film.mp4"), "w") as film:
        stream = film.add_stream("mpeg4", rate=8)
        stream.width, stream.height, stream.pix_fmt = 400, 300, "yuv420p"
        stream.codec_context.sample_aspect_ratio = Fraction(wide, high)
        for _ in range(3):
            film.mux(stream.encode(av.VideoFrame.from_ndarray(picture(90), "bgr24")))
        film.mux(stream.encode())
    height, width = next(iter(video_pictures(tmp_path / "film.mp4"))).image.shape[:2]
    assert (width, height) == size_wh


def test_a_codec_that_cannot_be_read_is_named_in_one_line(tmp_path):
    av = pytest.importorskip("av")
    if "libsvtav1" not in av.codecs_available:
        pytest.skip("no encoder of AV1 here")
    write = (
        "import sys, av, numpy as np\n"
        "with av.open(sys.argv[1], 'w') as film:\n"
        "    stream = film.add_stream('libsvtav1', rate=8)\n"
        "    stream.width, stream.height, stream.pix_fmt = 400, 300, 'yuv420p'\n"
        "    gray = np.full((300, 400, 3), 90, np.uint8)\n"
        "    film.mux(stream.encode(av.VideoFrame.from_ndarray(gray, 'bgr24')))\n"
        "    film.mux(stream.encode())\n"
    )
    # a process of its own: run by root, SVT-AV1 makes its process a real-time one for good, and
    # all that it starts; browsers and servers of later tests then let nothing else run
    subprocess.run([sys.executable, "-c", write, str(tmp_path / "film.mp4")], check=True,
                   capture_output=True)  # fmt: skip
    script = (
        "import sys, pathlib\n"
        "from vision.errors import SourceError\n"
        "from vision.watch.sources import video_pictures\n"
        "try:\n    list(video_pictures(pathlib.Path(sys.argv[1])))\n"
        "except SourceError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "film.mp4")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "AV1" in done.stdout
    assert "H.264" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("content", [b"", b"\xff\xd8\xff", b"no picture"])
def test_a_picture_that_cannot_be_read_does_not_end_a_folder(tmp_path, content):
    for name, tone in (("a.png", 20), ("c.png", 100)):
        cv2.imwrite(str(tmp_path / name), picture(tone))
    (tmp_path / "b.png").write_bytes(content)
    seen = list(folder_pictures(tmp_path))
    assert [type(one) for one in seen] == [Picture, LostPicture, Picture]
    assert [one.time_s for one in seen] == pytest.approx([0, 0.1, 0.2])
    assert "b.png" in seen[1].why


def test_a_folder_of_which_no_picture_can_be_read_is_refused(tmp_path):
    (tmp_path / "a.png").write_bytes(b"")
    with pytest.raises(SourceError, match=r"no readable picture.*a\.png"):
        list(folder_pictures(tmp_path))


def test_a_damaged_picture_is_left_out_of_a_folder(tmp_path):
    noisy = np.random.default_rng(0).integers(0, 255, (300, 400, 3), np.uint8)
    encoded = bytearray(cv2.imencode(".jpg", noisy)[1].tobytes())
    (tmp_path / "a.jpg").write_bytes(encoded)
    encoded[20_000:21_000] = bytes(1000)
    (tmp_path / "b.jpg").write_bytes(encoded)
    seen = list(folder_pictures(tmp_path))
    assert [type(one) for one in seen] == [Picture, LostPicture]
    assert "damaged" in seen[1].why


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
