"""The toy game goes through every room of the house; nothing outside its folder knows it."""

import csv
import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.apps.web_help import apart
from tests.games.toy.game import BOARD, TOKENS, WAYS, Toy, look
from tests.games.toy.photo import scene
from tests.synth_pieces import photograph
from tests.typed import run
from vision.apps.decks import look_up
from vision.errors import TableFormatError, TableNotFoundError
from vision.files.ledger import ledger_to_json
from vision.games.board_game import At
from vision.games.registry import game_names, register
from vision.imaging.photo import Photo, encode_image
from vision.judging.play import play, replay
from vision.pipeline import scan
from vision.showing.above import draw_table
from vision.showing.film import draw_film
from vision.showing.overlay import annotate_photo
from vision.showing.style import AnnotateSettings
from vision.showing.words import account_lines
from vision.texts import make_issue, texts
from vision.values.layout import Other
from vision.values.scan import Scan

GAME = Toy()
TABLES = [
    GAME.read(f"sun {a} {u}\nmoon {b} {v}\ndie {n}")
    for (a, b), u, v, n in product([("a1", "c3"), ("a2", "c2"), ("b1", "b3")], WAYS, WAYS, (1, 6))
]


def scores(outcome):
    """Return what each token scored."""
    return {token: own["total"] for token, own in outcome.steps[-1].tally.scores.items()}


# --- laws ----------------------------------------------------------------------------------------


def turned(cell: str) -> str:
    """Return a square after a quarter turn of the board."""
    x, y = BOARD.centre(cell)
    return next(name for name in BOARD.names if BOARD.centre(name) == (-y, x))


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_a_quarter_turn_of_the_board_changes_no_score(table):
    held = table.held
    lines = [
        f"{t} {turned(held[t].cell)} {WAYS[(WAYS.index(held[t].way) + 1) % 4]}" for t in TOKENS
    ]
    after = GAME.read("\n".join([*lines, f"die {held['die']}"]))
    assert scores(GAME.resolve(after)) == scores(GAME.resolve(table))


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_what_is_written_reads_back_the_same(table):
    assert GAME.read(json.dumps(GAME.write(table))) == table


def test_who_sees_the_other_is_seen_when_they_change_places():
    for one, other in product(BOARD.names, repeat=2):
        for k, way in enumerate(WAYS):
            if one != other:
                assert look(At(one, way), other)[1] == look(At(other, WAYS[(k + 2) % 4]), one)[1]


# --- the house -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def photo() -> bytes:
    image, _ = photograph(scene())
    return encode_image(image, ".jpg", 95)


@pytest.fixture(scope="module")
def seen(photo: bytes) -> tuple[Scan, Photo]:
    with register("toy", Toy):
        _, detector = look_up(None, "toy")
        found, (upright,) = scan(photo, GAME, detector)
    return found, upright


def test_a_photo_is_read_and_played(seen):
    found, _ = seen
    assert found.table.held == {"sun": At("a2", "e"), "moon": At("c1", "s"), "die": "4"}
    assert scores(found.outcome) == {"sun": 2, "moon": 2}
    assert found.ledger.winners == TOKENS
    assert not found.issues


def test_without_a_die_it_says_what_is_missing():
    image, _ = photograph(scene(number=None))
    with register("toy", Toy):
        _, detector = look_up(None, "toy")
    with pytest.raises(TableNotFoundError, match="found 0 of die"):
        scan(encode_image(image, ".jpg", 95), GAME, detector)


def test_a_doubt_of_seeing_is_played_and_ends_when_the_players_say_it(seen):
    found, _ = seen
    (layout,) = found.layouts
    gaps = {"piece": "die", "number": "4", "other": "3", "x": 1, "y": 1}
    issue = make_issue("die_unsure", "issue.die_unsure", ("die",), **gaps)
    other = {"others": (Other("die-3", 0.5, 0.4),)}
    placed = [replace(p, **(other if p.piece == "die" else {})) for p in layout.placed]
    doubted = replace(layout, placed=tuple(placed), doubts=(issue,))
    scan_ = play([doubted], GAME, None, {})
    assert scan_.table.readings["die"] == (("4", pytest.approx(0.6)), ("3", pytest.approx(0.4)))
    told = {one.code: one.severity for one in scan_.issues}
    assert told == {"die_unsure": "note", "piece_doubtful": "note"}  # neither sees the other
    facing = GAME.edit(scan_.table, {"kind": "set", "piece": "moon", "at": "c2", "way": "w"})
    told = {one.code: one.severity for one in replay(scan_, GAME, facing).issues}
    assert told == {"die_unsure": "doubt", "piece_doubtful": "doubt"}
    said = GAME.edit(scan_.table, {"kind": "set", "piece": "die", "shows": "3"})
    assert replay(scan_, GAME, said).issues == ()


def test_a_token_beside_the_board_is_on_no_square(seen):
    found, _ = seen
    (layout,) = found.layouts
    placed = [replace(p, **({"x_mm": 88.0} if p.piece == "sun" else {})) for p in layout.placed]
    with pytest.raises(TableNotFoundError, match="sun lies beside the cells"):
        GAME.lay([replace(layout, placed=tuple(placed))], GAME.options())


def test_a_correction_is_played_again(seen):
    found, _ = seen
    table = GAME.edit(found.table, {"kind": "set", "piece": "moon", "at": "c2", "way": "w"})
    after = replay(found, GAME, table)
    assert scores(after.outcome) == {"sun": 4, "moon": 4}
    with pytest.raises(TableFormatError, match="is no change"):
        GAME.edit(found.table, {"kind": "set", "piece": "ghost", "at": "a1"})


def test_a_doubt_is_told_and_played_out():
    table = GAME.read("sun a1 e 0.6 or a1 w 0.4\nmoon c1 n\ndie 5")
    ledger = GAME.tell(table, GAME.resolve(table))
    assert [issue.code for issue in ledger.doubts] == ["piece_doubtful"]
    assert [round(chance, 2) for _, chance in ledger.odds.winners] == [0.6, 0.4]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_pictures_words_and_film(seen, language):
    found, upright = seen
    words = texts(language, GAME.texts)
    settings = AnnotateSettings(texts=words)
    camera = found.layout.camera
    drawn = annotate_photo(upright.image, camera, found.ledger, settings=settings)
    height = len(upright.image)
    changed = np.abs(drawn[:height].astype(int) - upright.image).max(axis=2) > 40
    assert 0.005 < changed.mean() < 0.5  # beams, tags and score, and the photo beneath them
    assert draw_table(found.ledger, settings=settings).shape[1] == 1600
    film = draw_film(upright.image, camera, found.ledger, "gif", settings=settings)
    assert film[:4] == b"GIF8"
    account = "\n".join(account_lines(found.ledger, words))
    assert words.say("toy.look") in account
    told = ledger_to_json(found.ledger, words)
    assert [side["id"] for side in told["sides"]] == list(TOKENS)
    assert told["steps"][0]["tally"]["scores"] == {"sun": {"total": 2}, "moon": {"total": 2}}


def test_the_command_line_knows_it(photo, tmp_path: Path, capsys):
    path = tmp_path / "table.jpg"
    path.write_bytes(photo)
    with register("toy", Toy):
        assert "toy" in game_names()
        assert run("game", "show", "toy") == 0
        assert "most or least" in capsys.readouterr().out
        out, document = tmp_path / "seen.png", tmp_path / "seen.json"
        told = run("scan", str(path), "--game", "toy", "--out", str(out), "--json", str(document))
        assert told == 0
        assert "a draw" in capsys.readouterr().out
        assert cv2.imread(str(out)) is not None
        scanned = json.loads(document.read_text())
        assert scanned["game"] == "toy"
        assert {piece["piece"] for piece in scanned["pieces"]} == {"board", "sun", "moon", "die"}
        table = tmp_path / "table.json"
        table.write_text(json.dumps(scanned["table"]))
        assert run("resolve", str(table), "--rule", "wins=least") == 0
        assert "a draw" in capsys.readouterr().out


def test_a_batch_reads_it(photo, tmp_path: Path, monkeypatch):
    for k in range(2):
        (tmp_path / f"table{k}.jpg").write_bytes(photo)
    monkeypatch.setenv("SIGHTLINE_GAMES", "toy=tests.games.toy.game:Toy")  # its readers know it too
    done = tmp_path / "out"
    typed = ("batch", str(tmp_path), "--out", str(done), "--game", "toy")
    assert apart(lambda: run(*typed)) == 0
    with (done / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["scores"] for row in rows] == ["sun=2 moon=2"] * 2
