"""The command line: what comes out where, with which exit status, and what is left on disk."""

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import vision
from tests.apps.web_help import apart
from tests.test_codebase import kinds
from vision import __version__
from vision.apps.cli.judge import piece_called
from vision.apps.cli.main import create_app
from vision.apps.cli.talk import reporting
from vision.apps.decks import find_deck
from vision.errors import ScanError, SourceError, TableNotFoundError
from vision.files import whole as files
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.files import table_to_json
from vision.games.light_speed.notation import parse_table
from vision.games.registry import find_game, game_names
from vision.geometry import card_corners
from vision.imaging.photo import decode_photo
from vision.judging.play import play
from vision.texts import LANGUAGES, texts
from vision.values.layout import Camera, Layout, Placed
from vision.values.messages import Issue

ROOT = Path(vision.__file__).parents[1]
DUEL = {
    "schema": "sightline/table@1",
    "game": "light-speed",
    "deck": "light-speed",
    "rules": {"piracy": False, "rocks": None, "asteroids": "auto", "kill_credit": "auto"},
    "cards": [
        {"card": "asteroid-1", "x_mm": 0, "y_mm": -160, "theta_deg": 0},
        {"card": "red-moth", "x_mm": 0, "y_mm": 40, "theta_deg": 0},
        {"card": "blue-ghost", "x_mm": 160, "y_mm": 200, "theta_deg": 30},
    ],
}
DUEL_SCORES = {"red": 2, "blue": 0}  # the moth mines 2 with its forward laser
NOT_READ = "found 0 cards; needed one that can be read: come closer"


def fake_scan(photos, known, options):
    """Read any photo as the duel, with one doubt of the reading."""
    photo = decode_photo(photos[0])
    height, width = photo.image.shape[:2]
    shift = np.array([[0.9, 0, width / 2], [0, 0.9, height / 2], [0, 0, 1]])
    matrix = np.array([[width, 0, width / 2], [0, width, height / 2], [0, 0, 1]])
    camera = Camera(matrix, np.zeros(2), shift)
    face = card_corners(50.0, 80.0) + np.array([width, height]) / 2
    placed = tuple(
        Placed(
            c["card"],
            c["card"],
            c["x_mm"],
            c["y_mm"],
            np.radians(c["theta_deg"]),
            np.eye(3) * 1e-6,
            face + np.array([c["x_mm"], c["y_mm"]]),
            score=0.9,
        )
        for c in DUEL["cards"]
    )
    issue = Issue("card_covered", "blue-ghost: only 60% of its face is visible", ("blue-ghost",))
    layout = Layout(placed, np.eye(9) * 1e-6, camera, (width, height), (issue,))
    return play([layout], known.game, options, {"decode": 1.0}), (photo,)


def fail_with(error):
    def scan(photos, known, options):
        raise error

    return scan


@pytest.fixture
def cli():
    runner = CliRunner()

    def call(*args, scan=fake_scan, stdin=None):
        return runner.invoke(create_app(scan), [str(arg) for arg in args], input=stdin)

    return call


@pytest.fixture
def photo(tmp_path):
    path = tmp_path / "été – table 1.jpg"  # a name with spaces and letters beyond ASCII
    image = np.full((600, 800, 3), 90, np.uint8)
    path.write_bytes(cv2.imencode(".jpg", image)[1].tobytes())
    return path


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "ma table.json"
    path.write_text(json.dumps(DUEL), encoding="utf-8")
    return path


def one_line(result):
    """Check that a failure says one line on standard error and nothing else; return it."""
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("sightline: ")
    assert "Traceback" not in result.output
    return lines[0]


# --- scan ------------------------------------------------------------------------------------


def test_scan_prints_doubts_score_and_account(cli, photo):
    result = cli("scan", photo)
    assert result.exit_code == 0, result.output
    out = result.stdout
    assert out.startswith("uncertain, 1 doubt; as read: red wins with 2\n")
    assert out.index("60% of its face") < out.index("Speed 1") < out.index("red moth laser 1")
    assert re.search(r"red\s+0\s+2\s+0\s+2\n", out)  # nobody has won while it is open
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "--out" in result.stderr  # how to get a picture


def test_notes_are_no_doubts(cli, photo):
    def scan(photos, known, options):
        seen, upright = fake_scan(photos, known, options)
        notes = tuple(replace(issue, severity="note") for issue in seen.layout.doubts)
        ledger = replace(seen.ledger, doubts=())
        layouts = (replace(seen.layout, doubts=notes),)
        return replace(seen, layouts=layouts, ledger=ledger), upright

    result = cli("scan", photo, scan=scan)
    assert "uncertain" not in result.stdout
    assert "- blue-ghost: only 60% of its face is visible" in result.stdout


def test_scan_writes_picture_and_json(cli, photo, tmp_path):
    out, doc = tmp_path / "ä b" / "ronde.jpg", tmp_path / "ä b" / "ronde.json"
    out.parent.mkdir()
    result = cli("scan", photo, "--out", out, "--json", doc)
    assert result.exit_code == 0, result.output
    image = cv2.imdecode(np.frombuffer(out.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    assert image.shape[1] == 800
    assert json.loads(doc.read_text())["schema"] == "sightline/scan@1"
    assert "ronde.jpg" in result.stderr
    assert "red wins" in result.stdout
    assert sorted(path.name for path in out.parent.iterdir()) == ["ronde.jpg", "ronde.json"]


@pytest.mark.parametrize("suffix", [".png", ".JPG", ".jpeg", ".webp"])
def test_the_suffix_says_the_format(cli, photo, tmp_path, suffix):
    out = tmp_path / f"round{suffix}"
    assert cli("scan", photo, "--out", out).exit_code == 0
    head = out.read_bytes()[:12]
    magic = {".png": b"\x89PNG", ".webp": b"RIFF"}.get(suffix, b"\xff\xd8\xff")
    assert head.startswith(magic)


def test_json_on_standard_output_is_json_and_nothing_else(cli, photo, tmp_path):
    result = cli("scan", photo, "--json", "-", "--out", tmp_path / "o.png")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["schema"] == "sightline/scan@1"
    assert document["timings_ms"]["annotate"] > 0
    assert {team: score["total"] for team, score in document["resolution"]["scores"].items()} == (
        DUEL_SCORES
    )
    assert result.stderr == ""
    assert result.stdout.isascii()


def test_scan_reads_standard_input(cli, photo):
    result = cli("scan", "-", stdin=photo.read_bytes())
    assert result.exit_code == 0, result.output
    assert "red wins" in result.stdout


def test_rules_reach_the_scan(cli, photo):
    seen = []

    def scan(photos, known, options):
        seen.append((known.deck.name, options))
        return fake_scan(photos, known, options)

    result = cli("scan", photo, "--rule", "rocks=1", "-r", "piracy=true", scan=scan)
    assert result.exit_code == 0
    assert seen[0][0] == "light-speed"
    assert (seen[0][1].rocks, seen[0][1].piracy) == (1, True)


@pytest.mark.parametrize("kind", sorted(kinds(ScanError), key=lambda kind: kind.__name__))
def test_every_scan_error_is_one_line_and_its_status(cli, photo, kind):
    asked = ("--deck", "light-speed", "--out", photo.parent / "o.png")
    result = cli("scan", photo, *asked, scan=fail_with(kind(NOT_READ)))
    assert result.exit_code == 1
    assert NOT_READ in one_line(result)
    assert photo.name in result.stderr
    assert [path.name for path in photo.parent.iterdir()] == [photo.name]  # nothing is left


def test_a_later_error_class_is_covered_by_its_parent(cli, photo):
    class NewKindError(TableNotFoundError):
        pass

    assert cli("scan", photo, scan=fail_with(NewKindError("x"))).exit_code == 1


def test_a_message_of_many_lines_becomes_one(cli, photo):
    odd = fail_with(TableNotFoundError("a\nb\x1b[31m c"))
    result = cli("scan", photo, "--deck", "light-speed", scan=odd)
    assert one_line(result).endswith("a b?[31m c")


def test_a_file_that_is_no_picture(cli, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    assert cli("scan", path).exit_code == 1
    assert "not a readable picture" in one_line(cli("scan", path))


def test_files_that_cannot_be_read(cli, tmp_path):
    missing = cli("scan", tmp_path / "nothing here.jpg")
    assert missing.exit_code == 1
    assert "nothing here.jpg: no such file" in one_line(missing)
    folder = cli("scan", tmp_path)
    assert folder.exit_code == 1
    assert "a folder" in one_line(folder)


def test_an_address_in_place_of_a_file_is_told_as_it_was_typed(cli, capsys):
    for command in ("scan", "resolve"):
        refused = cli(command, "http://example.org/table.jpg")
        assert refused.exit_code == 1
        assert "http://example.org/table.jpg: needed a file, not" in one_line(refused)
    with pytest.raises(typer.Exit), reporting(Path("rtsp://10.0.0.7/live")):
        raise SourceError(0)
    assert capsys.readouterr().err == "sightline: rtsp://10.0.0.7/live: 0\n"


def test_ctrl_c_ends_with_130(cli, photo):
    result = cli("scan", photo, scan=fail_with(KeyboardInterrupt()))
    assert result.exit_code == 130
    assert "Traceback" not in result.output


# --- wrong usage -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        ["scan"],
        ["scan", "PHOTO", "--nonsense"],
        ["scan", "PHOTO", "--out", "round.gif"],
        ["scan", "PHOTO", "--out", "round"],
        ["scan", "PHOTO", "--out", "-"],
        ["scan", "PHOTO", "--out", "PHOTO"],
        ["scan", "PHOTO", "--out", "a.png", "--json", "a.png"],
        ["scan", "PHOTO", "--rule", "piracy"],
        ["scan", "PHOTO", "--rule", "pirates=true"],
        ["scan", "PHOTO", "--rule", "rocks=many"],
        ["resolve"],
        ["resolve", "TABLE", "--json", "TABLE"],
        ["resolve", "TABLE", "--rule", "asteroids=three"],
        ["deck", "show"],
        ["deck", "art", "light-speed"],
        ["deck", "art", "light-speed", "--out", "x", "--dpi", "0"],
        ["deck", "print", "light-speed", "--out", "cards.png"],
        ["deck", "print", "light-speed", "--out", "cards.pdf", "--paper", "a5"],
        ["launder"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2_and_does_nothing(cli, photo, table, args, monkeypatch):
    monkeypatch.chdir(photo.parent)
    before = sorted(path.name for path in photo.parent.iterdir())
    names = {"PHOTO": photo, "TABLE": table}
    called = []
    result = cli(*(names.get(arg, arg) for arg in args), scan=lambda *a: called.append(a))
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr
    assert "Traceback" not in result.output
    assert not called
    assert sorted(path.name for path in photo.parent.iterdir()) == before


def test_outputs_are_checked_before_the_scan(cli, photo, tmp_path):
    called = []
    for option, name in (("--out", "no such folder/o.png"), ("--json", "no such folder/o.json")):
        result = cli("scan", photo, option, tmp_path / name, scan=lambda *a: called.append(a))
        assert result.exit_code == 1
        assert "folder does not exist" in one_line(result)
    result = cli("scan", photo, "--json", tmp_path, scan=lambda *a: called.append(a))
    assert result.exit_code == 1
    assert "is a folder" in one_line(result)
    assert not called


# --- resolve ---------------------------------------------------------------------------------


def test_resolve_prints_and_writes(cli, table, tmp_path):
    out, doc = tmp_path / "r.png", tmp_path / "r.json"
    result = cli("resolve", table, "--out", out, "--json", doc)
    assert result.exit_code == 0, result.output
    assert "red wins with 2" in result.stdout
    document = json.loads(doc.read_text())
    assert document["schema"] == "sightline/resolution@1"
    assert document["winners"] == ["red"]
    assert cv2.imdecode(np.frombuffer(out.read_bytes(), np.uint8), cv2.IMREAD_COLOR) is not None


def test_resolve_reads_standard_input_and_rules_override(cli, table):
    text = table.read_text()
    result = cli("resolve", "-", "--json", "-", "--rule", "rocks=1", stdin=text)
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["scores"]["red"]["rocks"] == 1  # of the two that its laser could carry
    assert document["steps"][0]["gone"] == ["asteroid-1"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"schema": "sightline/table@9"}', '{"cards": 3}', "\x00\xff"],
    ids=repr,
)
def test_a_broken_table_is_one_line(cli, tmp_path, text):
    path = tmp_path / "t.json"
    path.write_bytes(text.encode("latin-1"))
    result = cli("resolve", path)
    assert result.exit_code == 1
    assert "t.json" in one_line(result)


def test_a_table_with_a_strange_card(cli, tmp_path):
    path = tmp_path / "t.json"
    document = {**DUEL, "cards": [{"card": "red-canoe", "x_mm": 0, "y_mm": 0, "theta_deg": 0}]}
    path.write_text(json.dumps(document))
    result = cli("resolve", path)
    assert result.exit_code == 1
    assert "red-canoe" in one_line(result)


# --- deck ------------------------------------------------------------------------------------


def test_deck_list_and_show(cli):
    listed = cli("deck", "list")
    assert listed.exit_code == 0
    assert listed.stdout.startswith("light-speed  10 ships")
    shown = cli("deck", "show", "light-speed")
    assert shown.exit_code == 0
    for ship in load_deck("light-speed").ships:
        assert ship.name in shown.stdout
    assert max(len(line) for line in shown.stdout.splitlines()) <= 80


def test_deck_show_json(cli):
    result = cli("deck", "show", "light-speed", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["schema"] == "sightline/deck@1"
    assert len(document["ships"]) == 10
    assert result.stderr == ""


@pytest.mark.parametrize("command", ["show", "art", "print"])
def test_an_unknown_deck(cli, tmp_path, command):
    out = {"show": [], "art": ["--out", tmp_path], "print": ["--out", tmp_path / "c.pdf"]}[command]
    result = cli("deck", command, "light-sped", *out)
    assert result.exit_code == 1
    assert "light-sped" in one_line(result)
    assert "light-speed" in result.stderr  # the one that there is
    assert not list(tmp_path.iterdir())


def test_deck_art(cli, tmp_path):
    out = tmp_path / "new" / "faces"
    result = cli("deck", "art", "light-speed", "--out", out, "--dpi", "50.8")
    assert result.exit_code == 0, result.output
    assert "63.5 x 88.9 mm" in result.stdout
    face = cv2.imread(str(out / "red-moth.png"))
    assert face.shape == (178, 127, 3)  # 2 px/mm
    assert (out / "asteroid-2-back.png").exists()


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_deck_print(cli, tmp_path, paper):
    out = tmp_path / "mes cartes.pdf"
    result = cli("deck", "print", "light-speed", "--out", out, "--paper", paper)
    assert result.exit_code == 0, result.output
    assert out.read_bytes().startswith(b"%PDF")
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_decks_of_any_game(cli, tmp_path):
    assert "laser-shield  1 board 262 x 178 mm, 6 tokens 34 x 34 mm" in cli("deck", "list").stdout
    shown = cli("deck", "show", "laser-shield")
    assert "6 tokens 34 x 34 mm: orange-1" in shown.stdout
    document = json.loads(cli("deck", "show", "laser-shield", "--json").stdout)
    assert document["schema"] == "sightline/pieces@1"
    kinds = [piece["kind"] for piece in document["pieces"]]
    assert kinds == ["board", *["token"] * 6, *["pawn"] * 2, *["stick"] * 2]
    drawn = cli("deck", "art", "laser-shield", "--out", tmp_path / "art", "--dpi", "50.8")
    assert "each board is 262 x 178 mm, each token is 34 x 34 mm" in drawn.stdout
    assert cv2.imread(str(tmp_path / "art" / "board.png")).shape == (356, 524, 3)  # 2 px/mm
    of_several = cli("deck", "art", "asteroyds-capture", "--out", tmp_path / "art", "--dpi", "50.8")
    assert "tokens are 17 x 17, 24 x 24, 39.26 x 34, 12 x 12, 10 x 10 mm" in of_several.stdout
    assert "3 dice 16 x 16 mm" in cli("deck", "show", "asteroyds-capture").stdout
    printed = cli("deck", "print", "laser-shield", "--out", tmp_path / "sheets.pdf")
    assert printed.exit_code == 0, printed.output
    told = cli("deck", "show", "conflit-stellaire")
    assert "48 faces, 63.5 x 88.9 mm" in told.stdout
    assert "twin-laser       4/2  range 7, 2 of them" in told.stdout
    document = json.loads(cli("deck", "show", "conflit-stellaire", "--json").stdout)
    assert document["schema"] == "sightline/deck@1"
    assert len(document["faces"]) == 48


def test_a_game_that_nothing_draws_is_not_printed(cli, tmp_path):
    from tests.games.toy.game import Toy
    from vision.games.registry import register
    from vision.values.pieces import PieceSet

    class Undrawn(Toy):
        """A game whose pieces come from elsewhere."""

        pieces = PieceSet("toy", Toy.pieces.pieces)

    with register("toy", Undrawn):
        refused = cli("deck", "print", "toy", "--out", tmp_path / "none.pdf")
    assert refused.exit_code == 1
    assert "without art" in one_line(refused)


# --- the frame -------------------------------------------------------------------------------


def test_version_and_help(cli):
    assert cli("--version").stdout == f"sightline {__version__}\n"
    for args in ([], ["scan"], ["resolve"], ["deck"], ["deck", "show"], ["deck", "art"]):
        result = cli(*args, "--help")
        assert result.exit_code == 0
        assert "Usage:" in result.stdout


def run_module(*args, **environment):
    """Run the real program, off a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "vision.apps.cli.main", *map(str, args)],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        timeout=300,
    )


def test_no_escape_codes_off_a_terminal(table, tmp_path):
    done = run_module("resolve", table, "--out", tmp_path / "o.png")
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout + done.stderr


def test_colour_on_demand_and_never_against_the_wish(table):
    """FORCE_COLOR is how rich is told that colour shows; NO_COLOR beats it."""
    assert b"\x1b[" in run_module("resolve", table, FORCE_COLOR="1").stdout
    plain = run_module("resolve", table, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert not re.search(rb"\x1b\[[0-9;]*3[0-7]m", plain)


def test_a_terminal_without_unicode(table):
    done = run_module("deck", "show", "light-speed", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert b"moth" in done.stdout


def test_an_error_of_the_real_program(tmp_path):
    done = run_module("resolve", tmp_path / "gone.json")
    assert done.returncode == 1
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 1
    assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_error_message(table):
    """``sightline deck show light-speed --json | head -0``: nothing on standard error."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "vision.apps.cli.main", "deck", "show", "light-speed", "--json"],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=300,
    )
    os.close(write)
    assert done.stderr == b""


# --- files -----------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "keep.json"
    path.write_text("old")

    def write_half():
        with files.atomic_path(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["keep.json"]


def test_a_write_keeps_links_and_permissions(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    files.write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path):
    old = os.umask(0o027)
    try:
        files.write_atomically(tmp_path / "a", b"x")
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(old)


def test_devices_are_written_to_and_not_replaced():
    files.write_atomically(Path(os.devnull), b"x")
    assert Path(os.devnull).is_char_device()


def test_os_errors_are_explained():
    for error in (FileNotFoundError(2, "No such file or directory", "a b.jpg"), OSError("odd")):
        text = files.explain_os_error(error)
        assert "\n" not in text
        assert text.startswith("a b.jpg: no such file" if error.errno else "odd")


def test_every_error_without_a_file_name_is_told(cli):
    result = cli("scan", "-", stdin=b"", scan=fail_with(ScanError.__subclasses__()[1]("boo")))
    assert result.exit_code == 1
    assert "standard input: boo" in one_line(result)


def test_read_bytes_of_standard_input(monkeypatch):
    class Stream:
        buffer = io.BytesIO(b"abc")

    monkeypatch.setattr(sys, "stdin", Stream())
    assert files.read_bytes(Path("-")) == b"abc"


# --- how sure, rulings, what if, languages ---------------------------------------------------

CLOSE_TABLE = """
red moth @0,0 0deg cov=0.01,0,0,0.01,0,0.0001
blue ghost @{x},-200 0deg cov=0.01,0,0,0.01,0,0.0001
"""


@pytest.fixture
def close_table(tmp_path):
    """A table whose first shot passes a corner within its error, as a file."""
    deck = load_deck("light-speed")
    x = deck.ships[0].lasers[0].muzzle_mm[0] + deck.width_mm / 2 - 0.05
    path = tmp_path / "close.json"
    path.write_text(json.dumps(table_to_json(parse_table(CLOSE_TABLE.format(x=x)))))
    return path


def resolved(*arguments):
    """Return what ``sightline resolve`` prints, on one line."""
    result = CliRunner().invoke(create_app(), ["resolve", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.replace("\u00a0", " ").split())


def test_close_calls_come_first_and_then_how_sure(close_table):
    told = resolved(close_table)
    assert re.match(
        r"uncertain: red \d\d%, red and blue \d\d% \? Red Moth, laser 1: hits Blue Ghost, "
        "0.05 mm inside its corner; the photo is accurate to ±",
        told,
    )
    assert told.index("Undecided.") < told.index("How sure") < told.index("Speed 1")


def test_a_ruling_is_followed_and_marked(close_table):
    told = resolved(close_table, "--ruling", "red-moth:1=space")
    assert "red moth laser 1 (power 2) goes into space (ruled by the players)" in told
    assert "Undecided" not in told
    shield = resolved(close_table, "--ruling", "red-moth:1=blue-ghost:shield")
    assert "meets the shield of blue ghost" in shield


@pytest.mark.parametrize(
    ("said", "as_ids"),
    [
        ("red moth:1=space", "red-moth:1=space"),
        ("moth rouge:1=espace", "red-moth:1=space"),
        ("le moth rouge : 1 = ghost bleu : bouclier", "red-moth:1=blue-ghost:shield"),
        ("Rouge Moth:1=Blue Ghost", "red-moth:1=blue-ghost"),
    ],
)
def test_a_ruling_names_cards_in_english_and_french(close_table, said, as_ids):
    assert resolved(close_table, "--ruling", said) == resolved(close_table, "--ruling", as_ids)


@pytest.mark.parametrize("said", ["red moth", "moth rouge", "Rouge Moth", "le moth rouge"])
def test_a_card_is_left_out_by_its_name_in_either_language(close_table, said):
    by_id = resolved(close_table, "--without", "red-moth")
    assert by_id != resolved(close_table)
    assert resolved(close_table, "--without", said) == by_id


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", game_names())
def test_every_piece_of_every_game_may_be_called_as_the_account_calls_it(name, language):
    game = find_game(name)
    words = texts(language, game.texts)
    for piece in (one.id for one in game.pieces.pieces):
        for said in (piece, words.name(piece), words.title(piece), words.title(piece).upper()):
            assert piece_called(game, said) == piece, said


def test_a_ruling_without_effect_is_told(close_table):
    told = resolved(close_table, "--ruling", "green-moth:1=space")
    assert "the ruling on green-moth laser 1 has no effect: this shot is never fired" in told


def test_a_card_can_be_left_out(close_table):
    told = resolved(close_table, "--without", "blue-ghost")
    for name in ("Blue Ghost", "bleu ghost", "Ghost bleu"):
        assert resolved(close_table, "--without", name) == told
    assert "red moth laser 1 (power 2) goes into space" in told
    assert "blue" not in told


def test_what_if_tells_the_smallest_change(close_table):
    told = resolved(close_table, "--what-if", "--rule", "rocks=12")
    assert "What if" in told


def test_the_threshold_is_a_setting(close_table):
    assert "Undecided" not in resolved(close_table, "--contested-from", "0.9")


def test_french_on_request_and_by_locale(close_table, monkeypatch):
    asked = resolved(close_table, "--lang", "fr")
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    assert resolved(close_table) == asked
    assert "Vitesse 1" in asked
    assert "Indécis." in asked
    assert "Speed 1" in resolved(close_table, "--lang", "en")
    # the JSON speaks English unless it is asked to
    assert "Undecided." in resolved(close_table, "--json", "-")
    assert "Ind\\u00e9cis." in resolved(close_table, "--json", "-", "--lang", "fr")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ruling", "red-moth"], "SHIP:LASER=TARGET"),
        (["--ruling", "red-moth:3=space"], "has 2 lasers"),
        (["--ruling", "red-moht:1=space"], "did you mean"),
        (["--ruling", "red-moth:1=blue-vipr"], "did you mean"),
        (["--without", "green-moth"], "there is no"),
        (["--lang", "de"], "de"),
        (["--contested-from", "2"], "--contested-from"),
    ],
)
def test_wishes_that_cannot_be_granted_are_wrong_usage(close_table, arguments, said):
    result = CliRunner().invoke(create_app(), ["resolve", str(close_table), *arguments])
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


# --- games and batches -----------------------------------------------------------------------


def test_the_games_are_listed_and_shown(cli):
    listed = cli("game", "list").stdout
    assert listed.startswith("light-speed  42 x card")
    assert "none" not in listed
    shown = cli("game", "show", "light-speed").stdout
    assert "piracy: true or false" in shown
    assert "red moth @120,-85 90deg" in shown
    told = json.loads(cli("game", "show", "light-speed", "--json").stdout)
    assert [one["name"] for one in told["options"]][:2] == ["piracy", "rocks"]
    assert told["pieces"][0]["width_mm"] == 63.5
    assert "did you mean" in one_line(cli("game", "show", "light-sped"))


def test_a_game_of_the_tests_is_listed_found_and_resolved(cli, tmp_path):
    from tests.games.toy.game import Toy
    from vision.games.registry import register

    table = tmp_path / "t.txt"
    table.write_text("game toy\nsun a1 e\nmoon c1 w\ndie 4\n")
    with register("toy", Toy):
        assert "1 x board, 2 x token, 1 x die" in cli("game", "list").stdout
        told = cli("resolve", table, "--lang", "en")
        assert told.exit_code == 0, told.output
        data = json.loads(cli("resolve", table, "--json", "-").stdout)
    assert data["game"] == "toy"
    assert not data["open"]
    assert any(winner in told.stdout.lower() for winner in data["winners"])


def test_the_game_may_be_named(cli, photo):
    assert cli("scan", photo, "--game", "light-speed").exit_code == 0
    assert "no game is called" in one_line(cli("scan", photo, "--game", "chess"))
    told = cli("scan", photo, "--deck", "light-speed", "--game", "none")
    assert "is of the game light-speed" in one_line(told)


def test_of_two_games_that_fit_the_program_asks_which(cli, photo):
    from tests.games.toy.game import Toy
    from vision.games.registry import register
    from vision.values.pieces import Piece, PieceSet

    def scan(photos, known, options):
        if known.game.name != "light-speed":
            raise TableNotFoundError("no card of it")
        return fake_scan(photos, known, options)

    def either(photos, known, options):
        return fake_scan(photos, find_deck("light-speed"), None)

    class Cards(Toy):
        """A second game of cards."""

        pieces = PieceSet("toy", (Piece("sun", "card", (63.0, 88.0)),), art="toy")

    with register("toy", Cards):
        told = cli("scan", photo, scan=scan)
        assert told.exit_code == 0, told.output
        assert "game: light-speed" in told.stderr
        assert "light-speed, conflit-stellaire, toy; choose one with --game" in one_line(
            cli("scan", photo, scan=either)
        )


def test_a_table_of_one_photo_takes_no_two(cli, photo):
    told = cli("scan", photo, photo, "--game", "laser-shield")
    assert told.exit_code == 2
    assert "is on one photo" in " ".join(told.stderr.replace("\u2502", " ").split())


def test_a_batch_reads_what_it_can_and_goes_on_where_it_was(cli, tmp_path):
    golden = Path(vision.__file__).parents[1] / "sample_photos" / "golden-round.jpg"
    photos = tmp_path / "photos"
    photos.mkdir()
    (photos / "a.jpg").write_bytes(golden.read_bytes())
    (photos / "b.jpg").write_bytes(b"no photo")
    out = tmp_path / "out"
    done = apart(lambda: cli("batch", photos, "--out", out, "--pictures"))
    assert done.exit_code == 11, done.output  # 10 and one that failed
    assert "1 of 2 tables read" in done.stdout
    assert "b.jpg" in done.stderr
    scan = json.loads((out / "a.json").read_text())
    assert scan["game"] == "light-speed"
    assert decode_photo((out / "a.jpg").read_bytes()).image.shape[2] == 3
    rows = (out / "results.csv").read_text().splitlines()
    assert f"a,{photos / 'a.jpg'},light-speed,red,False,red=4 blue=2,Red wins with 4" in rows[1]
    assert rows[0].endswith(",score_red,score_blue")
    assert rows[1].endswith(",4,2")
    assert rows[2].startswith(f"b,{photos / 'b.jpg'},,,,,,")
    (out / "a.json").write_text("kept")
    assert apart(lambda: cli("batch", photos, "--out", out)).exit_code == 11
    assert (out / "a.json").read_text() == "kept"  # not read again
    assert apart(lambda: cli("batch", photos / "b.jpg", "--out", out)).exit_code == 1
