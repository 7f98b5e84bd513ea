"""From phase to phase: what changed between two positions, what was set up wrong, what is next."""

import json
import random
from dataclasses import replace

import pytest

from tests.games.laser_shield.drawn import scene
from tests.games.laser_shield.test_laws import random_table
from tests.synth_pieces import photograph
from tests.typed import command
from vision.games.laser_shield.board import DOORS, HEADINGS, SQUARES
from vision.games.laser_shield.game import LaserShield
from vision.games.laser_shield.values import Pawn, Table
from vision.games.laser_shield.words import TEXTS
from vision.imaging.photo import encode_image
from vision.judging.game import Game
from vision.texts import texts

GAME = LaserShield()
SEEDS = range(200)


def positions():
    for seed in SEEDS:
        pawns, orders, options = random_table(random.Random(seed))
        yield random.Random(-seed), Table(tuple(pawns), orders, options)


def renumbered(table, rng):
    """The same pawns by other numbers, as another photo of real pawns has them."""
    names = [pawn.id for pawn in table.pawns]
    other = []
    for team in ("orange", "blue"):
        own = [name for name in names if name.startswith(team)]
        other += rng.sample(own, len(own))
    by_old = dict(zip(sorted(names, key=lambda n: n[0] != "o"), other, strict=True))
    return replace(table, pawns=tuple(replace(p, id=by_old[p.id]) for p in table.pawns))


def moved(table, rng, name):
    """A pawn put elsewhere, or turned."""
    taken = {pawn.square for pawn in table.pawns} | set(DOORS[table.options.doors])
    free = [square for square in SQUARES if square not in taken]
    at = next(k for k, pawn in enumerate(table.pawns) if pawn.id == name)
    pawn = table.pawns[at]
    if rng.random() < 0.5:
        turned = rng.choice([h for h in HEADINGS if h != pawn.heading])
        pawn = replace(pawn, heading=turned)
    else:
        pawn = replace(pawn, square=rng.choice(free))
    return replace(table, pawns=(*table.pawns[:at], pawn, *table.pawns[at + 1 :]))


def codes(table, expected):
    return [issue.code for issue in GAME.expect(table, expected).doubts]


def test_the_game_goes_on():
    assert GAME.overrides(Game.next_table)
    assert GAME.overrides(Game.expect)
    assert GAME.overrides(Game.changes)


def test_nothing_changed_is_nothing_told_whatever_the_numbers():
    for rng, table in positions():
        for other in (table, renumbered(table, rng)):
            assert GAME.changes(table, other) == ()
            assert codes(other, table) == []


def test_one_pawn_touched_is_one_thing_told():
    """In both ways of looking; with one pawn a team it is that pawn that is named."""
    for rng, table in positions():
        name = rng.choice([pawn.id for pawn in table.pawns])
        other = moved(table, rng, name)
        told = GAME.changes(table, other)
        assert [change.kind for change in told] == ["moved"]
        (doubt,) = GAME.expect(other, table).doubts
        assert (doubt.code, doubt.severity) == ("set_up_wrong", "doubt")
        mates = [pawn for pawn in table.pawns if pawn.id.startswith(name[:4])]
        if len(mates) == 1:
            assert told[0].piece == name
            assert doubt.cards == (name,)


def test_pawns_that_come_and_go():
    for rng, table in positions():
        if len(table.pawns) == 1:
            continue
        name = rng.choice([pawn.id for pawn in table.pawns])
        less = replace(table, pawns=tuple(p for p in table.pawns if p.id != name))
        assert [change.kind for change in GAME.changes(table, less)] == ["removed"]
        assert [change.kind for change in GAME.changes(less, table)] == ["laid"]
        assert codes(less, table) == ["set_up_missing"]
        assert codes(table, less) == ["set_up_extra"]


def test_what_a_phase_leaves_is_what_is_expected_next():
    for _, table in positions():
        outcome = GAME.resolve(table)
        left = GAME.next_table(table, outcome)
        assert (left is None) == bool(outcome.winners)
        if left is not None:
            assert codes(left, left) == []
            assert {(p.id, p.square, p.heading) for p in left.pawns} == {
                (p.id, p.square, p.heading) for p in outcome.position
            }


def test_a_pawn_that_stays_is_as_doubtful_as_it_was():
    table = GAME.read(
        "game laser-shield\nblue-1 e4 n\nblue-2 e2 n 0.6 or e2 s 0.4\n"
        "orange-1 b1 n\norange-2 c3 w 0.999 or c3 n 0.001"
    )
    left = GAME.next_table(table, GAME.resolve(table))
    doubtful = {pawn.id: pawn.readings for pawn in left.pawns if pawn.readings}
    assert doubtful == {"blue-2": table.pawns[1].readings}
    turned = GAME.read("game laser-shield\nblue-1 e4 n\nblue-2 e2 s\norange-1 b1 n\norange-2 c3 w")
    assert codes(turned, left) == []


def test_after_the_end_another_game_begins():
    table = GAME.read("start")
    (over,) = GAME.expect(table, None).doubts
    assert (over.code, over.severity) == ("game_over", "note")


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_sentence_can_be_said(language):
    words = texts(language, TEXTS)
    for rng, table in positions():
        other = moved(renumbered(table, rng), rng, table.pawns[0].id)
        for one, two in ((table, other), (replace(table, pawns=table.pawns[1:]), table)):
            assert all(words.tell(change.said) for change in GAME.changes(one, two))
            assert all(words.issue(issue) for issue in GAME.expect(two, one).doubts)


def test_they_are_said_like_people_talk():
    words = texts("en", TEXTS)
    before = GAME.read("orange-2 c1 s\nblue d4 n")
    after = GAME.read("orange-2 c2 se\nblue d4 n")
    (change,) = GAME.changes(before, after)
    assert words.tell(change.said) == "Orange 2 moved c1 -> c2, turned south-east"
    (doubt,) = GAME.expect(after, before).doubts
    assert words.issue(doubt) == (
        "Orange 2 stands on c2, but the last phase left it on c1, looking south: "
        "put it back, or correct it here"
    )


# --- the command line ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A photo of the beginning, without two pawns of each team."""
    path = tmp_path_factory.mktemp("evening") / "first.jpg"
    pawns = (Pawn("orange-1", "b3", "s"), Pawn("orange-2", "b1", "w"), Pawn("blue-1", "d3", "s"))
    path.write_bytes(encode_image(photograph(scene(pawns))[0], ".jpg"))
    return path


def test_a_whole_evening_at_the_command_line(first, tmp_path, capsys):
    """Photo and order; the next position; a photo of it with one pawn wrong; the game's end."""
    read, following = tmp_path / "read.json", tmp_path / "next.json"
    picture = tmp_path / "next.png"
    order = ("--order", "orange fire b3>c3")
    code, told = command(capsys, "scan", first, *order, "--json", read, "--next", following)
    assert code == 0, told.err
    assert "Orange 1 fires from b3 to d3: the shield of blue 1 holds" in told.out
    assert "Orange 2 is dead" in told.out
    left = json.loads(following.read_text())
    assert {p["piece"]: p["square"] for p in left["pieces"]} == {"orange-1": "b3", "blue-1": "e3"}

    second = tmp_path / "second.jpg"
    wrong = (Pawn("orange-1", "b3", "s"), Pawn("blue-1", "e4", "s"))
    second.write_bytes(encode_image(photograph(scene(wrong, tilt_deg=20.0))[0], ".jpg"))
    code, told = command(capsys, "scan", second, "--after", read, "--next", picture)
    assert code == 0, told.err
    said = " ".join(told.out.split())
    assert "Blue 1 stands on e4, but the last phase left it on e3, looking south" in said
    assert picture.stat().st_size > 10_000


def test_the_end_of_a_game_is_told(tmp_path, capsys):
    table, picture = tmp_path / "end.txt", tmp_path / "next.png"
    table.write_text("game laser-shield\norange b1 s\nblue c1 n\n")
    order = ("--order", "orange fire b1>c1")
    code, told = command(capsys, "resolve", table, *order, "--next", picture)
    assert code == 0
    assert "Orange wins" in told.out
    assert "the game is over: nothing to set up" in told.err
    assert not picture.exists()


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (("--order", "fire b1>c1"), "must begin with the side that gives it (orange, blue)"),
        (("--order", "orange fly"), "'fly' is no order"),
    ],
)
def test_an_order_that_is_none_is_one_line(tmp_path, capsys, wish, said):
    table = tmp_path / "table.txt"
    table.write_text("game laser-shield\norange b1 s\nblue c1 n\n")
    code, told = command(capsys, "resolve", table, *wish)
    assert code == 2
    assert said in " ".join(told.err.split())


def test_only_games_that_go_on_have_a_next(tmp_path, capsys):
    table = tmp_path / "table.txt"
    table.write_text("red Moth @0,0 0deg\nblue Ghost @0,-200 0deg\n")
    code, told = command(capsys, "resolve", table, "--next", tmp_path / "next.png")
    assert code == 2
    assert "--next: rounds of light-speed do not follow one another" in " ".join(told.err.split())
    code, told = command(capsys, "resolve", table, "--order", "red fire")
    assert code == 2
    assert "light-speed is not played by orders" in " ".join(told.err.split())


def test_of_an_open_round_it_is_not_certain_that_the_game_is_over(tmp_path, capsys):
    game = LaserShield()
    written = game.write(game.read("game laser-shield\norange b1 s\nblue c1 n\n"))
    pawn = next(one for one in written["pieces"] if one["square"] == "c1")
    pawn["readings"] = [
        {"square": "c1", "heading": "n", "probability": 0.7},
        {"square": "e4", "heading": "n", "probability": 0.3},
    ]
    table, picture = tmp_path / "end.json", tmp_path / "next.png"
    table.write_text(json.dumps(written))
    order = ("--order", "orange fire b1>c1")
    code, told = command(capsys, "resolve", table, *order, "--next", picture)
    assert code == 0, told.err
    assert told.out.startswith("uncertain: ")
    assert "Orange wins" not in told.out
    assert "resolve its doubts before" in " ".join(told.err.split())
    assert not picture.exists()
