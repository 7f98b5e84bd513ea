"""Orders by taps and by words, and pawns laid by hand."""

import math
import random
from dataclasses import replace

import pytest

from tests.games.laser_shield.test_laws import random_table
from vision.errors import TableFormatError
from vision.games.laser_shield.board import HEADINGS, SQUARES, centre_mm, neighbour
from vision.games.laser_shield.game import LaserShield
from vision.games.laser_shield.orders import IllegalOrder, check_order, format_order
from vision.games.laser_shield.values import Fire, Move, Options, Pawn, Table, Turn
from vision.judging.orders import Choice
from vision.texts import texts

GAME = LaserShield()


def tables(count: int, *, turn_in_place: bool = True) -> list[Table]:
    made = []
    for seed in range(count):
        pawns, orders, options = random_table(random.Random(seed))
        options = replace(options, turn_in_place=turn_in_place)
        made.append(Table(tuple(pawns), orders, options))
    return made


def tapped(table: Table, party: str, so_far: str = "") -> list[Choice]:
    """Return every choice that taps lead to."""
    found = []
    for choice in GAME.choices(table, party, so_far):
        found.append(choice)
        if choice.goes_on:
            found += tapped(table, party, choice.text)
    return found


def legal_orders(table: Table, party: str) -> set[str]:
    """Return all legal orders, by trying every one there is: three moves are the most."""
    found: set[str] = set()

    def attempt(order) -> Move | None:
        try:
            allowed = check_order(party, order, table.pawns, table.options)
        except IllegalOrder:
            return None
        found.add(format_order(allowed))
        return allowed if isinstance(allowed, Move) else None

    for pawn in table.pawns:
        paths = [(pawn.square,)]
        for target in SQUARES:
            attempt(Fire(pawn.square, target))
        for side in ("left", "right"):
            attempt(Turn(pawn.square, side))
        while paths:
            path = paths.pop()
            for target in (s for way in range(8) if (s := neighbour(path[-1], way))):
                walked = attempt(Move((*path, target)))
                if walked is not None:
                    paths.append(walked.path)
                    attempt(replace(walked, turn="left"))
                    attempt(replace(walked, turn="right"))
    return found


@pytest.mark.parametrize("turn_in_place", [True, False])
def test_taps_lead_to_all_legal_orders_and_to_no_other(turn_in_place: bool) -> None:
    for table in tables(40, turn_in_place=turn_in_place):
        for party in (one.id for one in GAME.parties(table)):
            choices = tapped(table, party)
            whole = {choice.text for choice in choices if choice.is_whole}
            assert whole == legal_orders(table, party) | {"pass"}
            ends = {choice.text for choice in choices if not choice.goes_on}
            assert ends <= whole


def test_a_tapped_order_is_read_as_it_was_tapped_and_said_in_both_languages() -> None:
    for table in tables(10):
        for choice in tapped(table, "orange"):
            if not choice.is_whole:
                continue
            read = GAME.order(table, "orange", choice.text)
            assert (read.text or "pass", read.warning) == (choice.text, None)
            for language in ("en", "fr"):
                words = texts(language, GAME.texts)
                assert words.tell(read.said)
                assert words.tell(choice.said)


def told(table: Table, so_far: str, given: str | None) -> str:
    return repr((GAME.order(table, "orange", given), GAME.choices(table, "orange", so_far)))


def test_what_others_ordered_changes_nothing_of_what_a_party_is_told() -> None:
    for table in tables(60):
        bare = replace(table, orders={})
        (start, *_) = [pawn.square for pawn in table.pawns if pawn.team == "orange"]
        for so_far, given in (("", None), (start, "fire b1>c1"), ("move b2-c3", "move b2-c3")):
            assert told(bare, so_far, given) == told(table, so_far, given)


def test_an_order_that_is_lost_is_said_to_be_lost_or_refused() -> None:
    table = GAME.read("orange b1 s\nblue e1 n")
    read = GAME.order(table, "orange", "fire b1>b2")
    assert (read.text, read.warning is None) == ("fire b1>b2", False)
    assert "does not point there" in texts("en", GAME.texts).tell(read.warning)
    strict = replace(table, options=Options(illegal="error"))
    with pytest.raises(TableFormatError, match="not in line"):
        GAME.order(strict, "orange", "fire b1>b2")
    with pytest.raises(TableFormatError, match="needed one like"):
        GAME.order(table, "orange", "hit them")
    with pytest.raises(TableFormatError, match="orange and blue may"):
        GAME.order(table, "green", "pass")


def test_all_orders_come_at_once_and_none_is_a_pass() -> None:
    table = GAME.read("start")
    orders = {"orange": "fire c1>d2", "blue": None}
    assert GAME.orders(GAME.edit(table, {"kind": "orders", "orders": orders})) == orders
    with pytest.raises(TableFormatError, match="the teams are"):
        GAME.edit(table, {"kind": "orders", "orders": {"green": None}})


# --- by hand -------------------------------------------------------------------------------------


def pose(square: str, heading: str) -> dict[str, float]:
    x_mm, y_mm = centre_mm(square)
    return {"x_mm": x_mm, "y_mm": y_mm, "theta_deg": 45.0 * HEADINGS.index(heading)}


def test_a_pawn_goes_to_the_nearest_square_and_heading() -> None:
    rng = random.Random(4)
    for table in tables(40):
        (pawn, *_) = table.pawns
        x_mm, y_mm = (c + rng.uniform(-20, 20) for c in centre_mm(pawn.square))
        theta = math.degrees(GAME.standing(table)[0].theta_rad) + rng.uniform(-22, 22)
        turned = {"x_mm": x_mm, "y_mm": y_mm, "theta_deg": theta + rng.choice([-360, 0, 360])}
        after = GAME.edit(table, {"kind": "move", "piece": pawn.id, **turned})
        (laid,) = [one for one in after.pawns if one.id == pawn.id]
        assert laid == Pawn(pawn.id, pawn.square, pawn.heading)  # no other reading is left


def test_what_is_taken_away_can_be_put_back_and_renaming_twice_is_none() -> None:
    for table in tables(40):
        if len(table.pawns) < 3:
            continue
        first, second = table.pawns[0], table.pawns[-1]
        less = GAME.edit(table, {"kind": "remove", "id": first.id})
        assert first.id in GAME.spare(less)
        again = {"kind": "add", "piece": first.id, **pose(first.square, first.heading)}
        assert set(GAME.edit(less, again).pawns) == set(table.pawns)
        swap = {"kind": "identify", "piece": first.id, "identity": second.id}
        swapped = GAME.edit(table, swap)
        assert {p.square for p in swapped.pawns if p.id == second.id} == {first.square}
        assert set(GAME.edit(swapped, swap).pawns) == set(table.pawns)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"kind": "move", "piece": "blue-1", **pose("d4", "n"), "x_mm": 400.0}, "beside the board"),
        ({"kind": "move", "piece": "blue-1", **pose("e4", "n")}, "both stand on e4"),
        ({"kind": "move", "piece": "blue-1", **pose("f1", "n")}, "stands on the door"),
        ({"kind": "move", "piece": "blue-1", "x_mm": 1.0}, "needed x_mm, y_mm and theta_deg"),
        ({"kind": "move", "piece": "blue-9", **pose("b3", "n")}, "is no change"),
        ({"kind": "add", "piece": "blue-1", **pose("b3", "n")}, "is no change"),
        ({"kind": "identify", "piece": "blue-1", "identity": "board"}, "is no change"),
        ({"kind": "remove"}, "is no change"),
    ],
)
def test_what_cannot_be_laid_is_refused_in_words(change: dict, says: str) -> None:
    with pytest.raises(TableFormatError, match=says):
        GAME.edit(GAME.read("start"), change)


def test_the_next_position_is_set_up_without_orders_until_somebody_has_won() -> None:
    for table in tables(200):
        outcome = GAME.resolve(table)
        following = GAME.next_table(table, outcome)
        if outcome.winners:
            assert following is None
            continue
        assert [(p.id, p.square, p.heading) for p in following.pawns] == [
            (p.id, p.square, p.heading) for p in outcome.position
        ]
        assert GAME.orders(following) == {}
        assert GAME.resolve(following).endings[0].probability == 1.0
