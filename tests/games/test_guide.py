"""The game that docs/games.md writes is played as it stands there."""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.apps.web_help import client_of
from tests.synth_pieces import LaidPiece, Scene, die_face, photograph
from tests.typed import run
from vision.apps.decks import look_up
from vision.errors import TableNotFoundError
from vision.games.board_game import At
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
    package = tmp_path / "lookout"
    (package / "texts").mkdir(parents=True)
    (package / "__init__.py").write_text(block("game"), "utf-8")
    for language in ("en", "fr"):
        (package / "texts" / f"{language}.toml").write_text(block("words"), "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SIGHTLINE_GAMES", "lookout=lookout:Lookout")
    yield find_game("lookout")
    sys.modules.pop("lookout")


def test_a_typed_table_is_played_and_drawn(game, tmp_path, capsys):
    path, out = tmp_path / "table.txt", tmp_path / "above.png"
    path.write_text(game.notation)
    assert run("game", "show", "lookout") == 0
    assert "true or false: the die counts twice" in capsys.readouterr().out
    assert run("resolve", str(path), "--out", str(out)) == 0
    assert "red wins" in capsys.readouterr().out
    assert out.stat().st_size > 1000
    assert run("resolve", str(path), "--rule", "twice=true") == 0
    assert "red scores 8 points" in capsys.readouterr().out
    assert run("resolve", str(path), "--set", "red.way=n") == 0
    assert "a draw" in capsys.readouterr().out
    assert run("resolve", str(path), "--set", "red.way=up") == 2
    assert "--set: red: expected a cell such as a1" in capsys.readouterr().err
    path.write_text("game lookout\nred a7 e\n")
    assert run("resolve", str(path)) != 0
    assert "line 2: red: expected a cell such as a1 and one of n e s w" in capsys.readouterr().err


def test_its_sheets_are_printed(game, tmp_path):
    assert run("deck", "print", "lookout", "--out", str(tmp_path / "sheets.pdf")) == 0
    assert (tmp_path / "sheets.pdf").read_bytes()[:4] == b"%PDF"


def test_what_is_written_reads_back_the_same(game):
    table = game.read("red a1 e 0.7 or a1 s 0.3\nblue d1 s\ndie 4 or 5\nrule twice=true")
    assert game.read(json.dumps(game.write(table))) == table


def test_it_has_a_page(game, tmp_path):
    with client_of(tmp_path) as client:
        reply = client.post("/api/v1/tables", content=game.notation)
        assert reply.status_code == 201
        told = client.get(f"/api/v1/scans/{reply.json()['id']}/round").json()
    assert (told["game"], told["headline"]["words"]["en"]) == ("lookout", "Red wins")


def test_a_photo_of_it_is_read_and_played(game):
    draw = sys.modules["lookout"].draw
    laid = [LaidPiece(draw("board", 8.0), (170.0, 170.0), (0.0, 0.0, 0.0))]
    for name, pose in (("red", (-58.0, 22.0, 1.6)), ("blue", (61.0, 18.0, 0.1))):
        laid.append(LaidPiece(draw(name, 8.0), (28.0, 28.0), pose, 2.0, round=True))
    laid.append(LaidPiece(die_face(5, WHITE, BLACK), (16, 16), (20.0, 110.0, 0.3), 16.0, up=5))
    image, _ = photograph(Scene(tuple(laid), distance_mm=520.0))
    _, detector = look_up(None, "lookout")
    found, _ = scan(encode_image(image, ".jpg", 95), game, detector)
    assert found.table.held == {"red": At("a3", "e"), "blue": At("d3", "n"), "die": "5"}
    assert found.ledger.winners == ("red",)
    assert not [issue for issue in found.issues if issue.severity == "doubt"]
    with pytest.raises(TableNotFoundError, match="found 0 of red"):
        game.lay([replace(one, placed=one.placed[:1]) for one in found.layouts], game.options())


def test_every_method_of_the_base_class_is_in_the_guide():
    methods = {
        name
        for name in vars(Game)
        if not name.startswith("_") and name not in ("overrides", "contested_from", "write_outcome")
    }
    named = set(re.findall(r"`(\w+)", GUIDE)) | set(re.findall(r"game\.(\w+)", GUIDE))
    assert methods - named == set()
