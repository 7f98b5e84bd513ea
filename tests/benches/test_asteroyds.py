"""The scorer of turns tells right, told and silently wrong apart."""

import json

from bench.asteroyds import SAMPLES, endings, facts_of, judge, kind_of, told_facts
from vision.games.registry import find_game
from vision.values.messages import Issue

LAID = {
    "pieces": [
        {"piece": "red-1", "cell": "d4", "heading_deg": 60},
        {"piece": "white-asteroyd", "on": "red-1"},
        {"piece": "pod-1", "cell": "f4"},
        {"piece": "red-home", "cell": "f2", "heading_deg": 0},
    ],
    "dice": {"red": 3},
    "programs": {"red-1": {"columns": ["forward", None, "fire"], "mode": "shield", "rounds": [3]}},
}


def scored(read, issues=()):
    wanted, seen = facts_of(LAID, ["pod"]), facts_of(read, ["pod"])
    scores, _ = judge("set", wanted, seen, told_facts(read, issues))
    totals = [sum(getattr(s, name) for s in scores.values()) for name in ("right", "told")]
    return *totals, sum(len(s.wrong) for s in scores.values())


def test_a_table_read_as_it_was_laid_is_all_right():
    facts = facts_of(LAID, ["pod"])
    assert len(facts) == 14  # four places, a heading, a die, six columns, mode, rounds
    assert scored(LAID) == (14, 0, 0)
    assert {kind_of(fact) for fact in facts} >= {"place of ship", "place of pod", "die", "column"}


def test_what_is_wrong_is_silent_unless_a_reading_or_an_issue_tells_it():
    other = {**LAID, "dice": {"red": 4}}
    assert scored(other) == (13, 0, 1)
    doubted = [{"of": "red", "what": "die", "options": []}]
    assert scored({**other, "alternatives": doubted}) == (13, 1, 0)
    elsewhere = [{"of": "white", "what": "die", "options": []}]
    assert scored({**other, "alternatives": elsewhere}) == (13, 0, 1)


def test_a_column_is_told_by_its_own_number():
    programs = {"red-1": {**LAID["programs"]["red-1"], "columns": ["left", None, "fire"]}}
    other = {**LAID, "programs": programs}
    for column, told in ((1, 1), (2, 0)):
        doubt = {"of": "red-1", "what": "column", "column": column, "options": []}
        assert scored({**other, "alternatives": [doubt]})[1] == told


def test_a_pod_missed_or_too_many_counts_by_its_cell():
    moved = [piece for piece in LAID["pieces"] if piece["piece"] != "pod-1"]
    read = {**LAID, "pieces": [*moved, {"piece": "pod-1", "cell": "f8"}]}
    assert scored(read) == (13, 0, 2)
    told = Issue("piece_unseen", "", ("pod-1",))
    assert scored(read, [told]) == (13, 2, 0)


def test_pods_that_changed_numbers_end_a_turn_no_otherwise():
    """They are alike; two ships that changed places are not."""
    path = SAMPLES / "glare.truth.json"
    laid = json.loads(path.read_text("utf-8"))["table"]
    game = find_game("asteroyds-capture")

    def ending(one, other):
        names = {one: other, other: one}
        pieces = [{**p, "piece": names.get(p["piece"], p["piece"])} for p in laid["pieces"]]
        table = game.read(json.dumps({**laid, "pieces": pieces}))
        return endings(game, table, ["pod"])[0]

    as_laid = ending("pod-1", "pod-1")
    assert ending("pod-1", "pod-4") == as_laid
    assert ending("red-1", "red-2") != as_laid
