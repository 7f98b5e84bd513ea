"""The game that docs/games.md writes is played as it stands there."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apps.web_help import client_of
from tests.synth_pieces import LaidPiece, Scene, die_face, photograph
from vision.apps.cli.main import create_app
from vision.apps.decks import look_up
from vision.errors import TableFormatError
from vision.games.registry import find_game
from vision.imaging.photo import encode_image
from vision.judging.game import Game
from vision.pipeline import scan

WHITE, BLACK = (240, 240, 240), (20, 20, 20)
GUIDE = (Path(__file__).parents[2] / "docs" / "games.md").read_text("utf-8")


def block(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)\n```", GUIDE, re.DOTALL)
    assert found, name
    return found.group(1)


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    package = tmp_path / "high_die"
    (package / "texts").mkdir(parents=True)
    (package / "__init__.py").write_text(block("game"), "utf-8")
    for language in ("en", "fr"):
        (package / "texts" / f"{language}.toml").write_text(block("words"), "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SIGHTLINE_GAMES", "high-die=high_die:HighDie")
    yield find_game("high-die")
    sys.modules.pop("high_die")


def run(*argv: str) -> int:
    with pytest.raises(SystemExit) as end:
        create_app()(list(argv))
    return int(end.value.code or 0)


def test_a_typed_table_is_played_and_drawn(game, tmp_path, capsys):
    path, out = tmp_path / "table.txt", tmp_path / "above.png"
    path.write_text(game.notation)
    assert run("game", "show", "high-die") == 0
    assert "true or false: the lower die wins" in capsys.readouterr().out
    assert run("resolve", str(path), "--out", str(out)) == 0
    assert "red wins" in capsys.readouterr().out
    assert out.stat().st_size > 1000
    assert run("resolve", str(path), "--rule", "low=true") == 0
    assert "white wins" in capsys.readouterr().out
    path.write_text("game high-die\nred 7\n")
    assert run("resolve", str(path)) != 0
    assert 'expected a line like "red 5", got "red 7"' in capsys.readouterr().err


def test_what_is_written_reads_back_the_same(game):
    table = game.read(game.notation)
    assert game.read(json.dumps(game.write(table))) == table


def test_a_die_is_set_and_anything_else_refused(game):
    table = game.read(game.notation)
    equal = game.edit(table, {"kind": "set", "piece": "white", "shows": 5})
    assert game.resolve(equal) == ("red", "white")
    with pytest.raises(TableFormatError, match=r"red\.shows=4"):
        game.edit(table, {"kind": "set", "piece": "white", "shows": 7})


def test_it_has_a_page(game, tmp_path):
    with client_of(tmp_path) as client:
        reply = client.post("/api/v1/tables", content=game.notation)
        assert reply.status_code == 201
        told = client.get(f"/api/v1/scans/{reply.json()['id']}/round").json()
    assert (told["game"], told["headline"]["words"]["en"]) == ("high-die", "Red wins")


def test_a_photo_of_it_is_read_and_played(game):
    board = sys.modules["high_die"].draw("board", 8.0)
    laid = [LaidPiece(board, (120.0, 120.0), (0.0, 0.0, 0.0))]
    for bgr, pips, number, x in (((48, 48, 192), WHITE, 2, -30.0), (WHITE, BLACK, 6, 30.0)):
        face = die_face(number, bgr, pips)
        laid.append(LaidPiece(face, (16, 16), (x, 12.0, 0.3), 16.0, up=number, pip_bgr=pips))
    image, _ = photograph(Scene(tuple(laid), distance_mm=420.0))
    _, detector = look_up(None, "high-die")
    found, _ = scan(encode_image(image, ".jpg", 95), game, detector)
    assert found.table.dice == {"red": 2, "white": 6}
    assert found.ledger.winners == ("white",)
    assert not [issue for issue in found.issues if issue.severity == "doubt"]


def test_every_method_of_the_base_class_is_in_the_guide():
    methods = {
        name
        for name in vars(Game)
        if not name.startswith("_") and name not in ("overrides", "contested_from", "write_outcome")
    }
    named = set(re.findall(r"`(\w+)", GUIDE)) | set(re.findall(r"game\.(\w+)", GUIDE))
    assert methods - named == set()
