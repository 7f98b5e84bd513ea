"""What is not sure is weighed by what it changes of the turn: nothing, and it is a note."""

import random
from dataclasses import replace

import pytest

from tests.games.asteroyds_capture.turns import random_table
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.games.asteroyds_capture.resolve import own_value, read_as
from vision.games.asteroyds_capture.turn import play
from vision.games.asteroyds_capture.values import OtherValues
from vision.values.brief import brief
from vision.values.ledger import NO_MATTER, graded
from vision.values.messages import Issue

GAME = AsteroydsCapture()
START = "game asteroyds-capture\nlayout 2v2\nplan red 1 F\nplan red 2 F\nplan white 1 F\n"


def account(table):
    played = play(table)
    return played.rounds, played.winners, played.refused, dict(played.position.pieces)


def told(table):
    """Return all doubts and notes of a table as they are graded."""
    outcome = GAME.resolve(table)
    return GAME.tell(table, outcome).weigh(outcome.issues)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_weighed_is_the_chance_of_the_readings_that_change_the_turn(seed):
    """Law, one thing in doubt: any other reading counts if the turn played with it differs."""
    rng = random.Random(seed)
    table = random_table(rng)
    spots = [(ship, "column", rng.randint(1, 6)) for ship in table.programs]
    spots += [(colour, "die", 0) for colour in table.dice]
    spot = rng.choice(spots)
    values = range(1, 7) if spot[1] == "die" else ("forward", "left", "back", "fire", None)
    own = own_value(table, spot)
    others = rng.sample([value for value in values if value != own], 2)
    options = ((own, 0.7), (others[0], 0.2), (others[1], 0.1))
    doubted = replace(table, alternatives=(OtherValues(*spot[:2], options, spot[2]),))
    changing = sum(
        chance
        for value, chance in options[1:]
        if account(read_as(doubted, {spot: value})) != account(table)
    )
    (weighed,) = GAME.resolve(doubted).weighed
    assert weighed.chance == pytest.approx(changing)
    graded_as = {one.severity for one in told(doubted) if one.code.endswith("_doubtful")}
    assert graded_as == {"doubt" if changing > NO_MATTER else "note"}


def test_doubts_that_change_the_turn_only_together_stay_doubts():
    """A mode without a round is no shield, nor is a round without a mode."""
    table = GAME.read(
        "game asteroyds-capture\nlayout 2v2\nred 1 @g5 0\nwhite 1 @g6 0\nplan red 1 X"
    )
    mode = OtherValues("white-1", "mode", ((None, 0.9), ("shield", 0.1)))
    rounds = OtherValues("white-1", "rounds", (((), 0.9), ((1,), 0.1)))
    both = GAME.resolve(replace(table, alternatives=(mode, rounds))).weighed
    assert [one.chance for one in both] == [pytest.approx(0.01)] * 2
    (alone,) = GAME.resolve(replace(table, alternatives=(mode,))).weighed
    assert alone.chance == 0


def test_a_die_that_is_not_sure_is_told_once():
    """Seeing says that it may show something else, the game what, with the chances."""
    table = GAME.read(f"{START}dice red 3 white 5\n")
    doubted = replace(table, alternatives=(OtherValues("red", "die", ((3, 0.8), (4, 0.2))),))
    seen = [Issue("die_unsure", "", (f"{colour}-die",)) for colour in ("red", "white")]
    outcome = GAME.resolve(doubted)
    issues = brief(graded((*seen, *outcome.issues), outcome.weighed))
    dice = [(one.code, one.cards) for one in issues if one.code.startswith("die_")]
    assert sorted(dice) == [("die_doubtful", ("red-die",)), ("die_unsure", ("white-die",))]
