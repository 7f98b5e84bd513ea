"""The example of a game in a distribution of its own: installed, read, played, shown."""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.apps.web_help import client_of
from tests.synth_pieces import LaidPiece, Scene, die_face, photograph
from tests.typed import run
from vision.apps.decks import look_up
from vision.errors import TableFormatError
from vision.games.board_game import At, BoardGame
from vision.games.registry import find_game, game_names
from vision.imaging.photo import encode_image
from vision.judging.options import options_of
from vision.pipeline import scan
from vision.texts import texts
from vision.values.verdict import judge

EXAMPLE = Path(__file__).parents[2] / "examples" / "prism_garden"
TURN = {"n": "e", "e": "s", "s": "w", "w": "n"}


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardGame]:
    """Install it as pip does in place: its entry points beside a path to its source."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    site = tmp_path_factory.mktemp("site")
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head)
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLE / "src"))
        patch.syspath_prepend(str(site))
        assert "prism-garden" in game_names()
        yield find_game("prism-garden")
    for name in ("prism_garden", "prism_garden.art"):
        sys.modules.pop(name, None)


def tables(game: BoardGame, count: int) -> Iterator[dict[str, object]]:
    """Deal tables at random: what each piece holds."""
    rng = np.random.default_rng(41)
    tokens = [piece.id for piece in game.pieces.of_kind("token")]
    for _ in range(count):
        cells = rng.choice(game.board.names, len(tokens), replace=False)
        held = {
            t: At(str(c), str(rng.choice(game.ways))) for t, c in zip(tokens, cells, strict=True)
        }
        weather = str(rng.choice(game.piles["weather"]))
        yield {**held, "die": str(rng.integers(1, 7)), "weather": weather}


def scores(game: BoardGame, held: dict[str, object], **options: object) -> dict[str, int]:
    played = game.play(held, game.options(**options))[-1].tally.scores
    return {side: own["total"] for side, own in played.items()}


def lit(held: dict[str, object], side: str, dazzle: bool) -> int:
    """Score a light by other means: steps on a grid of numbers, a mirror swaps them."""
    at = {(ord(p.cell[0]), int(p.cell[1])): t for t, p in held.items() if isinstance(p, At)}
    steps = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}
    x, y = next(place for place, token in at.items() if token == side)
    dx, dy = steps[held[side].way]
    left = int(held["die"]) if held["weather"] == "fog" else 1000
    turns = 0
    while left:
        x, y, left = x + dx, y + dy, left - 1
        if not (97 <= x <= 101 and 1 <= y <= 5):
            break
        met = at.get((x, y))
        if met == side:
            return 0 if dazzle else turns * (2 if held["weather"] == "frost" else 1)
        if met in ("amber", "teal"):
            return turns * (2 if held["weather"] == "frost" else 1) + int(held["die"])
        if met is not None:
            turns += 1
            dx, dy = (-dy, -dx) if held[met].way in "ns" else (dy, dx)
    return turns * (2 if held["weather"] == "frost" else 1)


@pytest.mark.parametrize("dazzle", [True, False])
def test_two_resolvers_agree(game, dazzle):
    told = [scores(game, held, dazzle=dazzle) for held in tables(game, 2000)]
    assert told == [
        {side: lit(held, side, dazzle) for side in ("amber", "teal")} for held in tables(game, 2000)
    ]
    assert len({tuple(one.values()) for one in told}) > 20


def test_a_quarter_turn_of_the_garden_changes_no_score(game):
    def turned(cell: str) -> str:
        x, y = game.board.centre(cell)
        return next(n for n in game.board.names if game.board.centre(n) == (-y, x))

    for held in tables(game, 300):
        after = {
            k: At(turned(v.cell), TURN[v.way]) if isinstance(v, At) else v for k, v in held.items()
        }
        assert scores(game, after) == scores(game, held)


def test_what_is_written_reads_back_the_same(game):
    for held in tables(game, 100):
        text = "\n".join(f"{spot} {value}" for spot, value in held.items())
        table = game.read(text)
        assert table.held == held
        assert game.read(json.dumps(game.write(table))) == table


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("amber f1 n", 'amber: expected a cell such as a1 and one of n e s w, got "f1 n"'),
        ("amber e5 n", "two pieces stand on e5"),
        ("weather hail", 'weather: expected one of clear, fog, frost, got "hail"'),
        ("amber a1 n 0.7 or a2 n 0.1", "add up to 0.8"),
        ("gnome a1 n", '"gnome" is no piece'),
    ],
)
def test_a_wrong_line_is_said(game, line, said):
    with pytest.raises(TableFormatError, match=re.escape(said)):
        game.read(f"{game.notation}\n{line}")


def test_hands_move_turn_and_set(game):
    table = game.read(game.notation)
    at = {one.piece: one for one in game.standing(table)}["mirror-1"]
    pose = {"x_mm": at.x_mm + at.step_mm * 0.9, "y_mm": at.y_mm + 5, "theta_deg": 95}
    moved = game.edit(table, {"kind": "move", "piece": "mirror-1", **pose})
    assert moved.held["mirror-1"] == At("b2", "e")
    assert {**moved.held, "mirror-1": table.held["mirror-1"]} == table.held
    for setting in game.settings(table):
        for k, (_, change) in enumerate(setting.choices):
            after = {one.id: one for one in game.settings(game.edit(table, change))}
            assert after[setting.id].chosen == k
    swapped = game.edit(table, {"kind": "identify", "piece": "amber", "identity": "teal"})
    assert swapped.held["amber"] == table.held["teal"]
    for wrong in (
        {"kind": "move", "piece": "mirror-1", "x_mm": 900, "y_mm": 0, "theta_deg": 0},
        {"kind": "move", "piece": "amber", "x_mm": 76, "y_mm": 76, "theta_deg": 0},  # on teal
        {"kind": "remove", "id": "mirror-1"},
        {"kind": "set", "piece": "die", "shows": 7},
    ):
        with pytest.raises(TableFormatError):
            game.edit(table, wrong)


def test_a_doubt_that_turns_the_score_is_told_and_one_that_does_not_is_a_note(game):
    lines = game.notation.replace("mirror-1 a2 n", "mirror-1 a2 n 0.6 or a2 e 0.4")
    table = game.read(lines.replace("mirror-3 b3 s", "mirror-3 b3 s 0.8 or b4 s 0.2"))
    ledger = game.tell(table, game.resolve(table))
    told = {issue.cards: issue.severity for issue in ledger.weigh(ledger.doubts)}
    assert told == {("mirror-1",): "doubt", ("mirror-3",): "note"}
    assert [one.probability for one in ledger.odds.scores] == pytest.approx([0.6, 0.4])
    other = game.edit(table, {"kind": "set", "piece": "mirror-1", "way": "e"})
    assert ledger.odds.scores[1].totals == scores(game, other.held)
    assert judge(ledger, ledger.weigh(ledger.doubts)).is_open
    sure = game.edit(table, {"kind": "set", "piece": "mirror-1", "way": "n"})
    assert game.tell(sure, game.resolve(sure)).odds is None


def test_two_tokens_do_not_stand_on_one_bed(game):
    table = game.read(f"{game.notation}\nteal a5 w 0.6 or e5 w 0.4\namber a5 n 0.9 or b5 n 0.1")
    assert (table.held["amber"].cell, table.held["teal"].cell) == ("a5", "e5")
    chances = [chance for _, chance in game.resolve(table).endings]
    assert sum(chances) == pytest.approx(1.0)


# --- a photo, the command line, the page ---------------------------------------------------------


@pytest.fixture(scope="module")
def photo(game) -> bytes:
    draw = import_module("prism_garden.art").draw
    size = {piece.id: piece.size_mm for piece in game.pieces.pieces}
    table = game.read(game.notation)
    laid = [LaidPiece(draw("board", 8.0), size["board"], (0.0, 0.0, 0.0))]
    laid.append(LaidPiece(draw("fog", 8.0), size["fog"], (145.0, 10.0, 0.2)))
    for k, at in enumerate(game.standing(table)):
        pose = (at.x_mm + (-1) ** k * 4, at.y_mm + 3, at.theta_rad + 0.1)
        laid.append(LaidPiece(draw(at.piece, 8.0), size[at.piece], pose, 2.0, round=True))
    die = die_face(3, (240, 240, 240), (20, 20, 20))
    laid.append(LaidPiece(die, (16, 16), (140.0, -70.0, 0.3), 16.0, up=3))
    image, _ = photograph(Scene(tuple(laid), distance_mm=680.0))
    return encode_image(image, ".jpg", 95)


def test_a_photo_is_read_with_the_card_and_the_die(game, photo):
    _, detector = look_up(None, "prism-garden")
    found, _ = scan(photo, game, detector)
    assert found.table.held == {**game.read(game.notation).held, "weather": "fog"}
    assert not [issue for issue in found.issues if issue.severity == "doubt"]


def test_a_round_on_the_command_line(game, photo, tmp_path, capsys):
    path, out = tmp_path / "photo.jpg", tmp_path / "seen.json"
    path.write_bytes(photo)
    assert run("scan", str(path), "--game", "prism-garden", "--json", str(out)) == 0
    assert "lost in the fog" in capsys.readouterr().out
    clear = ("scan", str(path), "--game", "prism-garden", "--set", "weather.shows=clear")
    assert run(*clear) == 0
    assert "amber wins" in capsys.readouterr().out
    table = tmp_path / "table.json"
    table.write_text(json.dumps(json.loads(out.read_text())["table"]))
    assert run("resolve", str(table), "--lang", "fr") == 0
    assert "brouillard" in capsys.readouterr().out


def test_a_round_on_the_page(game, tmp_path):
    with client_of(tmp_path) as client:
        told = client.get("/api/v1/games").json()
        assert "prism-garden" in [one["game"] for one in told["games"]]
        scan_id = client.post("/api/v1/tables", content=game.notation).json()["id"]
        at = f"/api/v1/scans/{scan_id}"
        before = client.get(at).json()
        assert before["headline"]["words"]["en"] == "Amber wins"
        change = {"kind": "set", "piece": "weather", "shows": "frost"}
        reply = client.post(f"{at}/edits", json={"change": change})
        assert reply.is_success, reply.text
        after = client.get(at).json()
    assert (before["scores"], after["scores"]) == (
        {"amber": 2, "teal": 1},
        {"amber": 4, "teal": 2},
    )


def test_every_word_is_there_in_both_languages(game):
    one, other = (texts(language, game.texts) for language in ("en", "fr"))
    assert set(one.catalogue) == set(other.catalogue)
    assert all(one.has(f"option.{option.name}") for option in options_of(game.options))
    for held, language in product(tables(game, 50), (one, other)):
        for step in game.play(held, game.options()):
            assert all(language.tell(event.said) for event in step.events)


def test_it_asks_the_public_index_for_nothing_of_ours():
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["dependencies"] == []


def test_it_is_small():
    files = [*EXAMPLE.rglob("*.py")]
    assert sum(len(path.read_text("utf-8").splitlines()) for path in files) <= 300
