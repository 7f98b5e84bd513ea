"""A law of all games: a piece that a full table lacks is a doubt until somebody accounts for it."""

import json
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tests.games.asteroyds_capture.test_lay import die, photo, pieces_of
from tests.games.conflit_stellaire.test_lay import duel
from tests.games.conflit_stellaire.test_lay import piece as card_of
from tests.games.laser_shield.test_lay import token
from tests.games.toy.game import SPOTS, Toy
from vision.apps.cli.judge import Wishes
from vision.errors import TableNotFoundError
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.laser_shield.game import LaserShield
from vision.games.light_speed.game import light_speed
from vision.judging.game import Game
from vision.judging.play import changes_after, play
from vision.texts import make_issue
from vision.values.layout import Camera, Layout, Placed
from vision.values.scan import Scan

CAMERA = Camera(np.eye(3), np.zeros(2), np.eye(3))
SHIELD, ASTEROYDS, CONFLIT, SPEED = (
    LaserShield(),
    AsteroydsCapture(),
    ConflitStellaire(),
    light_speed(),
)
PAWNS = {
    "orange-1": ("b1", 135.0), "orange-2": ("c3", 90.0), "orange-3": ("d2", 0.0),
    "blue-1": ("d4", 0.0), "blue-2": ("e4", 315.0), "blue-3": ("f2", 270.0),
}  # fmt: skip


def layout(*placed: Placed) -> Layout:
    count = 3 * len(placed)
    return Layout(placed, np.zeros((count, count)), CAMERA, (4000, 3000))


def pawns(*lost: str) -> Layout:
    return layout(*(token(name, *at) for name, at in PAWNS.items() if name not in lost))


def cards(*names: str) -> Layout:
    spread = np.diag([0.01, 0.01, 1e-6])
    laid = [
        Placed(name, name, 100.0 * k, 40.0 * (k % 2), 0.3, spread, np.zeros((4, 2)))
        for k, name in enumerate(names)
    ]
    return layout(*laid)


def read(game: Game, *layouts: Layout) -> Scan:
    return play(layouts, game, None, {})


def doubts(scan: Scan) -> set[str]:
    """Return the codes of what leaves a round open."""
    return {issue.code for issue in scan.issues if issue.severity == "doubt"}


def changed(game: Game, scan: Scan, *changes: dict[str, Any]) -> Scan:
    table = scan.table
    for change in changes:
        table = game.edit(table, change)
    outcome = game.resolve(table)
    return replace(scan, table=table, outcome=outcome, ledger=game.tell(table, outcome))


# --- Laser and Shield ----------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 5])
def test_pawns_that_lack_are_doubts_until_each_is_said_to_be_dead(count: int) -> None:
    assert not doubts(read(SHIELD, pawns()))
    for lost in combinations(PAWNS, count):
        scan = read(SHIELD, pawns(*lost))
        assert "pawn_missing" in doubts(scan)
        assert {name for one in SHIELD.shortfalls(scan.table) for name in one.missing} == set(lost)
        some = changed(SHIELD, scan, *({"kind": "remove", "id": name} for name in lost[1:]))
        assert "pawn_missing" in doubts(some)
        closed = Wishes(without=lost).bring_to(scan, SHIELD)
        assert not doubts(closed)
        assert not SHIELD.shortfalls(closed.table)


def test_a_missing_pawn_is_no_doubt_once_it_is_put_where_it_stands() -> None:
    scan = read(SHIELD, pawns("orange-2"))
    square = {"kind": "set", "piece": "orange-2", "square": "c3"}
    heading = {"kind": "set", "piece": "orange-2", "heading": "e"}
    assert doubts(changed(SHIELD, scan, square)) == {"piece_doubtful"}
    assert not doubts(changed(SHIELD, scan, square, heading))


def test_what_a_missing_pawn_could_do_is_in_the_odds() -> None:
    """The shot along row 4 kills orange 2 if it lives there."""
    lost = ("orange-1", "orange-2", "blue-1", "blue-3")
    scan = read(SHIELD, pawns(*lost))
    fires = {"kind": "orders", "orders": {"blue": "fire e4>d4"}}
    scan = changed(SHIELD, scan, {"kind": "gone", "pieces": ["orange-1", "blue-1", "blue-3"]})
    told = {e.killed: e.probability for e in changed(SHIELD, scan, fires).outcome.endings}
    hurt = sum(p for killed, p in told.items() if "orange-2" in killed)
    assert 0 < hurt < 0.03  # the chance that it lives at all
    sure = changed(SHIELD, scan, {"kind": "remove", "id": "orange-2"}, fires)
    assert all("orange-2" not in ending.killed for ending in sure.outcome.endings)
    assert sum(e.probability for e in sure.outcome.endings) == pytest.approx(1)


def test_what_the_phase_before_left_accounts_for_the_dead() -> None:
    before = read(SHIELD, pawns("blue-3"))
    before = changed(SHIELD, before, {"kind": "remove", "id": "blue-3"})
    left = SHIELD.next_table(before.table, before.outcome)
    for lost, told in (
        (("blue-3",), False),
        (("blue-3", "orange-1"), True),
        (("blue-2", "blue-3"), True),
    ):
        scan = read(SHIELD, pawns(*lost))
        changes = [dict(change) for change in changes_after(SHIELD, scan.table, left)]
        after = changed(SHIELD, scan, *changes)
        table = SHIELD.expect(after.table, left)
        outcome = SHIELD.resolve(table)
        again = replace(after, table=table, ledger=SHIELD.tell(table, outcome), outcome=outcome)
        assert doubts(again) == ({"set_up_missing"} if told else set())
        assert not doubts(Wishes(without=set(lost) - {"blue-3"}).bring_to(again, SHIELD))


def test_a_pawn_that_nobody_accounted_for_stays_open_in_the_next_phase_and_in_files() -> None:
    scan = read(SHIELD, pawns("blue-3"))
    again = SHIELD.read(json.dumps(SHIELD.write(scan.table)))
    assert again.missing == ("blue-3",)
    left = SHIELD.next_table(scan.table, scan.outcome)
    assert not changes_after(SHIELD, scan.table, left)


def test_something_unread_is_a_doubt_only_while_a_pawn_is_missing() -> None:
    thing = replace(token("orange-2", "c3", 90.0), piece="unknown-1", spot="unknown-1", score=0.0)
    doubt = make_issue("thing_unread", "issue.thing_unread", ("unknown-1",), x="1", y="2")
    full = replace(pawns(), placed=(*pawns().placed, thing), doubts=(doubt,))
    short = replace(pawns("orange-2"), placed=(*pawns("orange-2").placed, thing), doubts=(doubt,))
    assert not doubts(read(SHIELD, full))
    assert doubts(read(SHIELD, short)) == {"pawn_missing", "thing_unread"}
    assert read(SHIELD, short).table.unread == ("c3",)


# --- Asteroyds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["1v1", "2v2", "3v3", "3v2", "2v2v2"])
def test_a_piece_of_asteroyds_that_lacks_is_a_doubt(form: str) -> None:
    """A home below its own asteroyd is not in sight: there it is told, and lies by the layout."""
    every = pieces_of(form)
    assert not doubts(read(ASTEROYDS, photo(*every)))
    for gone in every:
        rest = [placed for placed in every if placed is not gone]
        scan = read(ASTEROYDS, photo(*rest))
        if not gone.piece.endswith("-home"):
            assert doubts(scan), gone.piece
            continue
        assert not doubts(scan)
        assert [i.cards for i in scan.issues if i.code == "piece_supposed"] == [(gone.piece,)]
        asteroyd = gone.piece.replace("-home", "-asteroyd")
        assert doubts(read(ASTEROYDS, photo(*(one for one in rest if one.piece != asteroyd))))


def test_a_die_that_lacks_is_a_doubt_until_it_is_said() -> None:
    dice = [die("red", 3), die("white", 4)]
    programs = [
        {"kind": "program", "ship": ship, "program": "F L"}
        for ship in ("red-1", "red-2", "white-1", "white-2")
    ]
    full = changed(ASTEROYDS, read(ASTEROYDS, photo(*pieces_of(), *dice)), *programs)
    assert not doubts(full)
    for gone, left in (dice, dice[::-1]):
        scan = changed(ASTEROYDS, read(ASTEROYDS, photo(*pieces_of(), left)), *programs)
        colour = gone.piece.partition("-")[0]
        assert doubts(scan) == {"die_missing"}
        (short,) = ASTEROYDS.shortfalls(scan.table)
        assert short.missing == (f"{colour}-die",)
        for shows in (3, None):
            said = {"kind": "dice", "dice": {colour: shows}}
            assert not doubts(changed(ASTEROYDS, scan, said))


def test_a_ship_that_lacks_is_closed_by_a_word() -> None:
    scan = read(ASTEROYDS, photo(*pieces_of(leave=["red-2"])))
    assert doubts(scan) == {"ship_missing"}
    assert not doubts(changed(ASTEROYDS, scan, {"kind": "remove", "id": "red-2"}))
    assert not doubts(changed(ASTEROYDS, scan, {"kind": "set", "piece": "red-2", "cell": "d4"}))


# --- Light Speed ---------------------------------------------------------------------------------

SHIPS = ("red-moth", "red-viper", "blue-moth", "blue-ghost")


@pytest.mark.parametrize(
    ("there", "missed"),
    [
        (("asteroid-1",), ()),
        (("asteroid-1", "asteroid-2"), ()),
        (("asteroid-1-back", "asteroid-2-back"), ()),
        ((), ("asteroid-1",)),
        (("asteroid-2-back",), ("asteroid-1",)),
    ],
)
def test_asteroids_that_lack_are_a_doubt_until_they_are_accounted_for(
    there: tuple[str, ...], missed: tuple[str, ...]
) -> None:
    scan = read(SPEED, cards(*SHIPS, *there))
    assert ("asteroid_missing" in doubts(scan)) == bool(missed)
    assert tuple(name for one in SPEED.shortfalls(scan.table) for name in one.missing) == missed
    again = SPEED.read(json.dumps(SPEED.write(scan.table)))
    assert SPEED.shortfalls(again) == SPEED.shortfalls(scan.table)
    for name in missed:
        at = {"x_mm": -300.0, "y_mm": -300.0, "theta_deg": 0.0}
        for change in ({"kind": "remove", "id": name}, {"kind": "add", "card": name, **at}):
            assert "asteroid_missing" not in doubts(changed(SPEED, scan, change))


# --- Conflit stellaire, and the game of the tests ------------------------------------------------


def test_a_hull_or_a_scale_that_lacks_is_a_doubt() -> None:
    every = duel(card_of("twin-laser", 0, 250), card_of("screen", 0, -250, 90))
    assert not doubts(read(CONFLIT, layout(*every)))
    for gone in every:
        if gone.piece in ("flagship", "distance-scale", "marker"):
            rest = [placed for placed in every if placed is not gone]
            assert doubts(read(CONFLIT, layout(*rest))), gone.spot


@pytest.mark.parametrize("gone", SPOTS)
def test_the_game_of_the_tests_refuses_a_table_that_lacks_something(gone: str) -> None:
    rest = [token(spot, "c2", 0.0) for spot in SPOTS if spot != gone]
    with pytest.raises(TableNotFoundError, match=gone):
        read(Toy(), layout(*rest))


def test_every_game_of_the_house_with_a_fixed_number_of_pieces_knows_it() -> None:
    assert all(game.overrides(Game.shortfalls) for game in (SHIELD, ASTEROYDS, SPEED))
