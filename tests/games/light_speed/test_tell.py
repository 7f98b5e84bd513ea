"""What is drawn of a shot is what it did: harm, rocks, a shield that held, or space."""

from collections import Counter

import pytest

from tests.games.light_speed.test_cases import CASES, RULER
from vision.games.registry import find_game
from vision.values.ledger import Badge, Burst, Path

GAME = find_game("light-speed")


def played(path):
    table = GAME.read(path.read_text("utf-8").partition(RULER)[0])
    outcome = GAME.resolve(table)
    return table, outcome, GAME.tell(table, outcome)


def shots_of(step):
    return [event for event in step.events if any(isinstance(m, Path) for m in event.marks)]


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_each_shot_is_drawn_where_it_ended_as_what_it_did(path):
    _, outcome, ledger = played(path)
    for step, told in zip(outcome.steps, ledger.steps, strict=False):
        for shot, event in zip(step.shots, shots_of(told), strict=True):
            beam, *marks = event.marks
            assert event.pieces[0] == shot.ship
            assert (beam.strength, beam.fades) == (shot.power, shot.hit is None)
            assert [tuple(at) for at in beam.points_mm] == [*map(pytest.approx, shot.path_mm)]
            assert all(mark.at_mm == shot.path_mm[1] for mark in marks)
            if shot.hit is None:
                assert not marks
            elif shot.hit.shielded:
                assert [mark.kind for mark in marks] == ["shield"]
            elif _is_rock(shot.hit, outcome):
                assert [mark.kind for mark in marks] == ["count"]
            else:
                assert [type(mark) for mark in marks[:1]] == [Burst]
                assert marks[0].strength == shot.power


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_the_rocks_told_at_beams_are_those_that_were_mined(path):
    _, outcome, ledger = played(path)
    for step, told in zip(outcome.steps, ledger.steps, strict=False):
        drawn: Counter[str] = Counter()
        for event in shots_of(told):
            for mark in event.marks:
                if isinstance(mark, Badge) and mark.kind == "count":
                    drawn[event.pieces[0]] += int(mark.text)
        mined: Counter[str] = Counter()
        for one in step.mined:
            mined[one.ship] += one.rocks
        assert +drawn == +mined


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_before_anybody_has_rocks_asteroids_alone_are_asked_for_some(path):
    """With piracy a ship is asked too: if it has any as the step begins."""
    table = GAME.edit(played(path)[0], {"kind": "rules", "set": ["piracy=true"]})
    outcome = GAME.resolve(table)
    if not outcome.steps:
        return
    for shot, event in zip(
        outcome.steps[0].shots, shots_of(GAME.tell(table, outcome).steps[0]), strict=True
    ):
        effects = dict(event.said.values).get("effects", ())
        is_asked = "account.asks" in [effect.key for effect in effects]
        is_rock = shot.hit is not None and not shot.hit.shielded and _is_rock(shot.hit, outcome)
        assert is_asked == is_rock


def _is_rock(hit, outcome):
    return hit.card.startswith("asteroid") or hit.card in outcome.pools


def test_some_rocks_are_mined_and_some_harm_is_done():
    marks = [
        mark
        for path in CASES
        for step in played(path)[2].steps
        for event in step.events
        for mark in event.marks
    ]
    assert sum(isinstance(mark, Badge) and str(mark.text) not in ("+0",) for mark in marks) > 10
    assert sum(isinstance(mark, Burst) for mark in marks) > 20
