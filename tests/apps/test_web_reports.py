"""This is wrong: a round in one file, and the same round when it is opened elsewhere."""

import io
import json
import zipfile

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from tests.apps.web_help import SAMPLES, client_of, send, until_settled
from tests.apps.web_readers import finds_nothing
from vision import __version__
from vision.apps.cli.main import create_app
from vision.apps.reading import read
from vision.files.reports import PHOTO_CHOICES, Report, pack_report, unpack_report
from vision.imaging.photo import decode_photo

EDITS = [
    {"kind": "remove", "id": "blue-ghost"},
    {"kind": "rules", "set": ["piracy=true"]},
]


SERVER = {"read": read, "scan_seconds": 200.0, "worker_mb": 4000}


def taken_somewhere(path):
    """A photo that says where it was taken, and with what."""
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Maker", "Secret phone 9"
    exif.get_ifd(0x8825)[1] = "N"
    out = io.BytesIO()
    with Image.open(path) as photo:
        photo.save(out, "JPEG", quality="keep", exif=exif, comment=b"at home")
    return out.getvalue()


@pytest.fixture(scope="module")
def scan(client):
    body = send(client, taken_somewhere(SAMPLES / "golden-round.jpg"), wait=100).json()
    assert body["state"] == "done", body
    path = f"/api/v1/scans/{body['id']}"
    for change in EDITS:
        reply = client.post(f"{path}/edits", json={"change": change})
        assert reply.status_code == 200, reply.text
    return path


def report_of(client, scan, **asked):
    reply = client.get(f"{scan}/report.zip", params=asked)
    assert reply.status_code == 200, reply.text
    assert "attachment" in reply.headers["content-disposition"]
    return reply.content


def opened(tmp_path, content, *options):
    """What ``sightline scan`` makes of a report: its JSON and what it says beside it."""
    file = tmp_path / "report.zip"
    file.write_bytes(content)
    told = CliRunner().invoke(create_app(), ["scan", str(file), "--json", "-", *options])
    assert told.exit_code == 0, told.stderr
    return json.loads(told.stdout), told.stderr


@pytest.mark.parametrize("photo", PHOTO_CHOICES)
def test_a_report_opens_with_the_same_result(client, scan, tmp_path, photo):
    here, said = opened(tmp_path, report_of(client, scan, photo=photo, note="the ghost is gone"))
    there = client.get(f"{scan}/scan.json").json()
    assert here["resolution"] == there["resolution"]
    assert here["table"] == there["table"]
    assert here["headline"] == there["headline"]
    assert [one["message"] for one in here["issues"]] == [one["message"] for one in there["issues"]]
    assert f"Sightline {__version__}" in said
    assert "says: the ghost is gone" in said
    assert "otherwise" not in said


def test_a_report_can_be_read_again_with_the_corrections(client, scan, tmp_path):
    here, said = opened(tmp_path, report_of(client, scan), "--again")
    there = client.get(f"{scan}/scan.json").json()
    assert here["headline"]["words"] == there["headline"]["words"]
    assert here["resolution"]["scores"] == there["resolution"]["scores"]
    assert "blue-ghost" not in {card["card"] for card in here["table"]["cards"]}
    assert "otherwise" not in said


def test_nothing_says_where_the_photo_was_taken_and_no_pixel_changes(client, scan):
    report = unpack_report(report_of(client, scan))
    photo = report.photos[0]
    assert b"Secret" not in photo
    assert b"at home" not in photo
    with Image.open(io.BytesIO(photo)) as picture:
        assert 0x8825 not in picture.getexif()
        assert 0x0110 not in picture.getexif()
    was = decode_photo(taken_somewhere(SAMPLES / "golden-round.jpg"))
    assert np.array_equal(decode_photo(photo).image, was.image)


def test_what_lies_beside_the_table_is_left_out(client, scan):
    report = unpack_report(report_of(client, scan, photo="table"))
    shown = decode_photo(report.photos[0]).image.astype(int)
    was = decode_photo((SAMPLES / "golden-round.jpg").read_bytes()).image.astype(int)
    for card in report.scan["cards"]:
        x, y = np.mean(card["corners_px"], axis=0).round().astype(int)
        near = np.abs(shown[y - 9 : y + 9, x - 9 : x + 9] - was[y - 9 : y + 9, x - 9 : x + 9])
        assert near.max() < 60, card["card"]
    grey = (np.abs(shown - 128).max(axis=2) < 6).mean()
    assert 0.02 < grey < 0.9
    assert not unpack_report(report_of(client, scan, photo="none")).photos


def test_a_round_of_a_board_game_on_two_photos_opens_the_same(client, tmp_path):
    parts = [
        (SAMPLES / "asteroyds-capture" / f"evening-{part}.jpg") for part in ("board", "sheets")
    ]
    files = [("photo", (one.name, one.read_bytes(), "image/jpeg")) for one in parts]
    sent = client.post("/api/v1/scans", params={"game": "asteroyds-capture"}, files=files).json()
    body = until_settled(client, sent["id"])
    assert body["state"] == "done", body
    path = f"/api/v1/scans/{body['id']}"
    for photo, count in (("as_is", 2), ("table", 1)):
        content = report_of(client, path, photo=photo)
        assert len(unpack_report(content).photos) == count
        here, said = opened(tmp_path, content)
        there = client.get(f"{path}/scan.json").json()
        assert here["resolution"] == there["resolution"]
        assert here["headline"] == there["headline"]
        assert [(one["id"], one["piece"]) for one in here["pieces"]] == [
            (one["id"], one["piece"]) for one in there["pieces"]
        ]
        assert "otherwise" not in said


def test_a_report_without_a_photo_is_drawn_from_above(client, scan, tmp_path):
    out = tmp_path / "above.png"
    opened(tmp_path, report_of(client, scan, photo="none"), "--out", str(out))
    assert decode_photo(out.read_bytes()).image.shape[1] > 600


def test_a_photo_that_failed_is_reported_too(tmp_path_factory):
    with client_of(tmp_path_factory.mktemp("failed"), read=finds_nothing) as client:
        body = send(client, (SAMPLES / "golden-round.jpg").read_bytes()).json()
        path = f"/api/v1/scans/{body['id']}"
        assert body["state"] == "failed"
        report = unpack_report(report_of(client, path))
        assert (report.scan, len(report.photos)) == (None, 1)
        assert report.told["error"]["detail"]
        assert client.get(f"{path}/report.zip", params={"photo": "table"}).status_code == 409


def invoke(tmp_path, content, *options):
    file = tmp_path / "report.zip"
    file.write_bytes(content)
    return CliRunner().invoke(create_app(), ["scan", str(file), *options])


def test_a_report_that_is_none_says_so_in_one_line(client, scan, tmp_path):
    good = report_of(client, scan, photo="none")
    with zipfile.ZipFile(io.BytesIO(good)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    for change, says in (
        ({"joint.npy": b"nothing"}, "fit together"),
        ({"scan.json": b"{}"}, "fit together"),
        ({"joint.npy": parts["joint.npy"][:-8]}, "fit together"),
        ({"evil.sh": b"rm"}, "not opened"),
    ):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for name, content in {**parts, **change}.items():
                file.writestr(name, content)
        told = invoke(tmp_path, out.getvalue())
        assert told.exit_code == 1
        assert says in told.stderr
        assert len(told.stderr.strip().splitlines()) <= 2
    for cut in (10, len(good) // 2, len(good) - 30):
        told = invoke(tmp_path, good[:cut])
        assert (told.exit_code, "damaged" in told.stderr) == (1, True)


def test_options_that_a_report_has_itself_are_refused(client, scan, tmp_path):
    good = report_of(client, scan, photo="none")
    for options in (["--game", "none"], ["--rule", "rocks=16"], ["--closeups", str(tmp_path)]):
        assert invoke(tmp_path, good, *options).exit_code == 2
    told = invoke(tmp_path, pack_report(Report("1.0", "", "unheard-of", "none")))
    assert told.exit_code == 1
    assert "unheard-of" in told.stderr
    photo = CliRunner().invoke(create_app(), ["scan", str(SAMPLES / "golden-round.jpg"), "--again"])
    assert photo.exit_code == 2
