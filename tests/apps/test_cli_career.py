"""Careers on the command line: a file that each round enters once, and words by hand."""

import json

import pytest

from tests.games.conflit_stellaire.duels import DUEL
from tests.typed import command


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Type a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def typed(*arguments):
        code, told = command(capsys, *arguments)
        return code, told.out, " ".join(told.err.split())

    return typed


@pytest.fixture
def evening(run, tmp_path):
    """Ann at A and Ben at B; two turns that Ann wins."""
    (tmp_path / "one.txt").write_text(DUEL.format(hull=4))
    (tmp_path / "two.txt").write_text(DUEL.format(hull=3))
    assert run("career", "c.json", "--player", "A=Ann", "--player", "B=Ben")[0] == 0
    for name in ("one.txt", "two.txt"):
        code, _, err = run("resolve", name, "--career", "c.json")
        assert code == 0, err
    return tmp_path


def points(run, player="Ann"):
    code, out, err = run("career", "c.json", "--json", "-")
    assert code == 0, err
    return json.loads(out)["players"][player]["points"]


def test_rounds_are_entered_and_shown(run, evening):
    code, out, _ = run("career", "c.json", "--name", "Ann=Vega", "--name", "Ben.1=Orla")
    assert code == 0
    assert "Ann, side A\n  Vega: captain, 16 points\n" in out
    assert "round 2 (two.txt): 8, 8 gained, then 16 (captain)" in out
    assert "  Orla: dead\n" in out
    assert run("career", "c.json")[1] == out  # names stay


def test_a_round_is_played_with_what_those_before_it_left(run, evening):
    _, out, _ = run("resolve", "two.txt", "--career", "c.json")
    assert "A: 8 points (lieutenant), then 16 (captain)" in out


def test_the_same_round_counts_once(run, evening):
    for name in ("one.txt", "two.txt", "one.txt"):
        assert "replacing the earlier entry" in run("resolve", name, "--career", "c.json")[2]
    assert points(run) == 16


def test_a_corrected_round_counts_as_corrected_and_the_next_follows(run, evening):
    (evening / "one.txt").write_text(DUEL.format(hull=5))  # nobody dies of it
    code, _, err = run("resolve", "one.txt", "--career", "c.json")
    assert code == 2
    assert "corrected (--round 1), or another (--round new)?" in err
    assert points(run) == 16
    assert run("resolve", "one.txt", "--career", "c.json", "--round", "1")[0] == 0
    assert points(run) == 8
    _, out, _ = run("career", "c.json")
    assert "round 2 (two.txt): 0, 8 gained, then 8 (lieutenant)" in out
    assert run("resolve", "one.txt", "--career", "c.json", "--round", "new")[0] == 0
    assert "round 3 in c.json" in run("resolve", "one.txt", "--career", "c.json")[2]


def test_undo_takes_back_the_last_word_and_the_last_round(run, evening):
    was = (evening / "c.json").read_bytes()
    run("career", "c.json", "--points", "Ann=97")
    assert points(run) == 97
    run("career", "c.json", "--undo")
    assert (evening / "c.json").read_bytes() == was
    run("career", "c.json", "--undo")
    assert points(run) == 8
    run("career", "c.json", "--leave-out", "1")
    assert run("career", "c.json", "--undo")[0] == 2
    assert run("resolve", "one.txt", "--career", "c.json")[2].startswith("round 3 in c.json")


def test_a_word_by_hand_counts_from_where_it_stands(run, evening):
    run("career", "c.json", "--points", "Ann=92")
    run("resolve", "one.txt", "--career", "c.json", "--round", "new")
    _, out, _ = run("career", "c.json")
    assert "by hand: 92 points\n    round 3 (one.txt): 92, 8 gained; retired" in out
    assert points(run) == 0


def test_players_change_seats_and_keep_their_careers(run, evening):
    run("career", "c.json", "--player", "A=Ben", "--player", "B=Ann")
    run("resolve", "one.txt", "--career", "c.json", "--round", "new")
    assert (points(run, "Ann"), points(run, "Ben")) == (0, 8)
    run("resolve", "two.txt", "--career", "c.json")  # played when they sat as before
    assert (points(run, "Ann"), points(run, "Ben")) == (0, 8)


def test_nothing_is_entered_where_something_fails(run, evening):
    was = (evening / "c.json").read_bytes()
    (evening / "bad.txt").write_text("seat A hull\n")
    assert run("resolve", "bad.txt", "--career", "c.json")[0] == 1
    for wish in (("--out", "no/where.png"), ("--json", "no/where.json"), ("--rule", "overflow=up")):
        assert run("resolve", "one.txt", "--career", "c.json", *wish)[0] != 0
    assert (evening / "c.json").read_bytes() == was


def test_a_file_that_changed_meanwhile_is_left_alone(run, evening, monkeypatch):
    from vision.apps.cli import keeping

    enter = keeping.Keeping.enter

    def late(self, *rest):
        self.path.write_bytes(self.found + b"\n")
        enter(self, *rest)

    monkeypatch.setattr(keeping.Keeping, "enter", late)
    code, _, err = run("resolve", "one.txt", "--career", "c.json", "--round", "new")
    assert (code, "changed by someone else" in err) == (1, True)
    assert points(run) == 16


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "c.json: line 1"),
        ('{"schema": "sightline/career@1"}', "c.json: game: is missing"),
        (
            '{"schema": "sightline/career@1", "game": "conflit-stellaire", "last": 1, "entries": '
            '[{"kind": "round", "number": 1, "source": "s", "digest": "d", "sides": {}, '
            '"table": {"cards": 3}}]}',
            "round 1:",
        ),
        (
            '{"schema": "sightline/career@1", "game": "conflit-stellaire", '
            '"seats": {"A": "Ann", "B": "Ann"}}',
            "seats: Ann sits at two sides",
        ),
    ],
)
def test_a_file_with_mistakes_is_one_line(run, tmp_path, content, said):
    (tmp_path / "c.json").write_text(content)
    (tmp_path / "one.txt").write_text(DUEL.format(hull=4))
    code, _, err = run("resolve", "one.txt", "--career", "c.json")
    assert code == 1
    assert said in err
    assert (tmp_path / "c.json").read_text() == content


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("resolve", "one.txt", "--career", "d.json"), "create it with: sightline career d.json"),
        (("resolve", "one.txt", "--round", "1"), "works only with --career FILE"),
        (("resolve", "one.txt", "--career", "c.json", "--round", "7"), "no round '7'"),
        (("resolve", "other.txt", "--career", "c.json"), "light-speed keeps no careers"),
        (("career", "d.json"), "no such file: d.json"),
        (("career", "c.json", "--player", "Q=Ann"), "no side 'Q'"),
        (("career", "c.json", "--points", "Cyd=3"), "no player is called 'Cyd'"),
        (("career", "c.json", "--points", "Ann=many"), "expected a whole number for Ann"),
        (("career", "c.json", "--name", "Ann.4=Vega"), "expected a name for one of the 1 of Ann"),
        (("career", "c.json", "--leave-out", "9"), "no round 9"),
    ],
)
def test_a_wish_that_cannot_be_granted_is_told(run, evening, typed, said):
    (evening / "other.txt").write_text("red Moth @0,0 0deg\n")
    was = (evening / "c.json").read_bytes()
    code, _, err = run(*typed)
    assert code in (1, 2)
    assert said in err
    assert (evening / "c.json").read_bytes() == was
