"""What the rules page leaves open, as ruled: a position each, and a law over random phases.

``docs/laser_shield.md``, section "Rulings", says the same in words.
"""

import random
from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.games.laser_shield.test_laws import random_table
from vision.apps.cli.main import create_app
from vision.errors import IllegalOrderError
from vision.games.laser_shield.game import LaserShield
from vision.games.laser_shield.phase import Played, play

GAME = LaserShield()
PHASES = 2000  # random phases of a law: a second
#: Both fire at each other's last pawn: the beams strike at the same time.
DRAW = "game laser-shield\norange b3 s\nblue d3 n\norder blue fire d3>c3\norder orange fire b3>c3\n"


# --- sides ---------------------------------------------------------------------------------------


def test_winners_and_sides_stand_in_the_game_s_own_order():
    """Orange, blue: by the alphabet and in the file blue is first."""
    told = GAME.write_outcome(GAME.resolve(GAME.read(DRAW)))
    assert told["winners"] == ["orange", "blue"]
    assert [way["winners"] for way in told["outcomes"]] == [["orange", "blue"]]
    assert list(told["orders"]) == ["orange", "blue"]
    by = [kill["by"] for step in told["steps"] for kill in step["killed"]]
    assert sorted(by) == [["blue"], ["orange"]]


def test_both_teams_of_one_kill_stand_in_that_order():
    """Two beams strike one pawn at the same time, blue's from the pawn that is named first."""
    lines = ("blue c3 ne", "orange c2 n", "orange b1 s", "order blue fire c3>c2")
    told = GAME.write_outcome(
        GAME.resolve(GAME.read("\n".join([*lines, "order orange fire b1>c2"])))
    )
    assert [kill["by"] for kill in told["steps"][0]["killed"]] == [["orange", "blue"]]


# --- the first line and illegal orders -----------------------------------------------------------


RULE = "rule illegal=error\n"
START = "game laser-shield\nstart\n"
ORDER = "order blue fire f2>e3\n"  # not in line with its gun


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (START + RULE + ORDER, []),
        (START + ORDER, ["--rule", "illegal=error"]),
        (START + RULE, ["--order", "blue fire f2>e3"]),
        (START, ["--order", "blue fire f2>e3", "--rule", "illegal=error"]),
    ],
    ids=["file", "rule typed", "order typed", "both typed"],
)
def test_an_illegal_order_that_is_an_error_is_status_1_and_one_line(tmp_path, text, options):
    (tmp_path / "t.txt").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(create_app(), ["resolve", str(tmp_path / "t.txt"), *options])
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert "the order of blue is illegal: not_in_line" in result.stderr


def test_where_illegal_orders_are_lost_there_is_a_result(tmp_path):
    (tmp_path / "t.txt").write_text(START + ORDER, encoding="utf-8")
    assert CliRunner().invoke(create_app(), ["resolve", str(tmp_path / "t.txt")]).exit_code == 0
    with pytest.raises(IllegalOrderError):
        GAME.resolve(GAME.read(START + RULE + ORDER))


# --- a law ---------------------------------------------------------------------------------------


def named(value: Any, names: dict[str, str]) -> Any:
    """Return what came of a phase with pawns renamed; lists by pawn in no order."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple | list):
        return frozenset(named(one, names) for one in value)
    if hasattr(value, "__dataclass_fields__"):
        return tuple(named(getattr(value, name), names) for name in value.__dataclass_fields__)
    return value


def test_which_number_a_pawn_has_changes_nothing():
    for seed in range(PHASES):
        rng = random.Random(seed)
        pawns, orders, options = random_table(rng)
        names: dict[str, str] = {}
        for team in ("orange", "blue"):
            own = [pawn.id for pawn in pawns if pawn.team == team]
            names |= dict(zip(own, rng.sample([f"{team}-{k}" for k in (1, 2, 3)], len(own)),
                              strict=True))  # fmt: skip
        one: Played = play(pawns, orders, options)
        other = play([replace(p, id=names[p.id]) for p in pawns], orders, options)
        assert [named(step, names) for step in one.steps] == [named(s, {}) for s in other.steps], (
            seed
        )
        assert named(one.position, names) == named(other.position, {}), seed
        assert (one.winners, one.spent) == (other.winners, other.spent), seed
