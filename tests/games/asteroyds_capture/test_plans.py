"""Programmes as orders: typed, as JSON, filled in like the sheet; what an order is told of."""

import json
import random
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from tests.games.asteroyds_capture.turns import random_program, random_table
from tests.typed import run
from vision.errors import TableFormatError
from vision.files.documents import adapter_of
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.games.asteroyds_capture.notation import format_program
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.values import Program
from vision.games.asteroyds_capture.words import TEXTS
from vision.texts import LANGUAGES, texts

GAME = AsteroydsCapture()
START = "game asteroyds-capture\nlayout 2v2\n"


def tables(count):
    """Tables with a ship each that has a programme: table, ship, programme."""
    for seed in range(count):
        rng = random.Random(seed)
        table = random_table(rng)
        for party in GAME.parties(table):
            pilot = next(p.pilot for p in table.pieces if p.id == party.id)
            program = random_program(rng, pilot)
            yield table, party.id, replace(program, rounds=tuple(sorted(set(program.rounds))))


def told(message, language="en"):
    return texts(language, TEXTS).tell(message)


def test_a_programme_reads_the_same_typed_as_json_and_from_its_sheet():
    for table, ship, program in tables(200):
        text = format_program(program) or None
        columns = GAME.sheet(table, ship, text)
        filled = {column.id: list(column.chosen) for column in columns}
        for given in (text, adapter_of(Program).dump_python(program, mode="json"), filled):
            assert GAME.order(table, ship, given).text == text, (ship, given)
            after = GAME.edit(table, {"kind": "orders", "orders": {ship: given}})
            assert after.programs[ship] == program
            assert GAME.orders(after)[ship] == text
        for column in columns:
            assert set(column.chosen) <= {pick.value for pick in column.picks}


def test_what_a_ship_is_told_depends_on_no_other_programme():
    for table, ship, program in tables(60):
        ships = [p.id for p in GAME.parties(table) if p.id != ship]
        others = [
            GAME.edit(table, {"kind": "orders", "orders": dict.fromkeys(ships, text)})
            for text in (None, "X X X X X X shield 1", "F L R U")
        ]
        given = format_program(program) or "-"
        assert len({GAME.order(one, ship, given) for one in others}) == 1
        assert len({GAME.sheet(one, ship, given) for one in others}) == 1


def test_the_sheet_offers_only_powers_that_work():
    """What stands in a column is offered too; all else on offer makes the ship do something."""
    for table, ship, _ in tables(60):
        for pick in GAME.sheet(table, ship, "-")[0].picks:
            assert GAME.order(table, ship, {"1": [pick.value]}).warning is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_a_programme_can_be_typed(language):
    for table, ship, program in tables(60):
        if program == Program() or (program.rounds and program.mode is None):
            continue
        said = told(GAME.order(table, ship, format_program(program)).said, language)
        assert GAME.order(table, ship, said.replace("–", "-")).text == format_program(program)


def test_ships_program_by_team_and_number_and_a_sheet_that_lies_empty_is_an_order_of_none():
    table = GAME.read(START + "plan white 1; plan red 2 F")
    assert [party.id for party in GAME.parties(table)] == ["red-1", "red-2", "white-1", "white-2"]
    assert told(GAME.parties(table)[0].name, "fr") == "rouge 1"
    assert GAME.orders(table) == {"red-2": "F", "white-1": None}


@pytest.mark.parametrize(
    ("given", "warning"),
    [
        ("P", "may not use that power in column 1"),
        ("F shield 1 2", "the earliest counts"),
        ("F shield", "lacks its round or its action: it does not count"),
    ],
)
def test_what_comes_to_nothing_is_told_before_it_is_sealed(given, warning):
    assert warning in told(GAME.order(GAME.read(START), "red-1", given).warning)


@pytest.mark.parametrize(
    "given",
    [
        *("Q", 7, [], {"7": ["forward"]}, {"1": ["forward", "left"]}, {"1": "forward"}),
        *({"1": [["fire"]]}, {"rounds": ["7"]}, {"columns": ["dance"]}, {"mode": ["hide"]}),
    ],
)
def test_what_is_no_programme_is_refused(given):
    with pytest.raises((TableFormatError, TypeError, ValueError)):
        GAME.order(GAME.read(START), "red-1", given)


def test_a_ship_that_is_not_there_is_not_programmed():
    for ship in ("red-3", "blue-1", "pod-1", "moon"):
        with pytest.raises(TableFormatError):
            GAME.order(GAME.read(START), ship, "F")
        with pytest.raises(TableFormatError):
            GAME.sheet(GAME.read(START), ship, None)


def test_orders_of_some_leave_those_of_others():
    table = GAME.read(START + "plan red 1 F; plan white 1 X")
    after = GAME.edit(table, {"kind": "orders", "orders": {"white-1": "U", "white-2": None}})
    assert GAME.orders(after) == {"red-1": "F", "white-1": "U", "white-2": None}


def test_plans_are_typed_at_the_command_line(tmp_path, capsys):
    table, out = tmp_path / "turn.txt", tmp_path / "turn.json"
    table.write_text(START + "dice red 1 white 1; plan red 1 F F F")
    plans = ("red 1 F - X", "Rouge 2 A A", 'white-1 {"columns": ["forward"]}', "blanc-2 T")
    options = [part for plan in plans[:3] for part in ("--plan", plan)]
    assert run("resolve", table, *options, "--json", out, "--coach") == 0
    document = json.loads(out.read_text())
    first = {move["ship"]: move["cells"] for move in document["rounds"][0]["moves"]}
    assert first == {"red-1": ["d2", "d3"], "red-2": ["d2", "d3"], "white-1": ["h8", "h7"]}
    assert run("resolve", table, "--plan", plans[3]) == 2
    assert "must begin with the side that gives it" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--plan", "--order"])
@pytest.mark.parametrize(
    ("typed", "mistake"),
    [
        (["blanc-2 T"], "must begin with the side that gives it"),
        (["red 1 F Q"], "is no action"),
        (["red 1 F", "red 1 L"], "there are two orders of red-1"),
        (["red 1 {]"], "is not JSON"),
    ],
)
def test_a_mistake_names_the_option_that_was_typed(tmp_path, capsys, option, typed, mistake):
    table = tmp_path / "turn.txt"
    table.write_text(START + "dice red 1 white 1; plan red 1 F F F")
    assert run("resolve", table, *(word for one in typed for word in (option, one))) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert f"{option}: " in told
    assert mistake in told


def test_two_options_give_a_ship_one_order(tmp_path, capsys):
    table = tmp_path / "turn.txt"
    table.write_text(START)
    assert run("resolve", table, "--order", "red 1 F", "--plan", "red 1 L") == 2
    assert "--plan: there are two orders of red-1" in " ".join(capsys.readouterr().err.split())


def test_the_turn_of_the_guide_is_played_with_its_command(tmp_path, capsys):
    guide = (Path(__file__).parents[3] / "docs" / "asteroyds.md").read_text("utf-8")
    turn, command = re.findall(
        r"<!-- turn -->\n```text\n(.*?)```\n\n```sh\n(.*?)\n```", guide, re.S
    )[0]
    (tmp_path / "turn.txt").write_text(turn, "utf-8")
    words = [tmp_path / one if "." in one else one for one in shlex.split(command)[1:]]
    assert run(*words) == 0
    assert "Round 1" in capsys.readouterr().out
    assert {"turn.png", "next.png"} <= {path.name for path in tmp_path.iterdir()}


def test_the_ships_of_a_table_are_those_that_stand_on_it():
    for table, _, _ in tables(40):
        ships = {p.id for p in table.pieces if p.cell and kind_of(p.id) == "ship"}
        assert {party.id for party in GAME.parties(table)} == ships
