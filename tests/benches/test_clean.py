"""The bench of clean photos: what it counts as right, as needless and as silent."""

from bench.clean import Case, line, once_ruled
from bench.common.arguments import SAMPLES
from bench.common.light_speed import hits, true_round
from tests.light_speed import scanned
from tests.truth import load_truth
from vision.games.light_speed.deck import load_deck


def test_a_shot_that_is_too_close_to_call_may_go_either_way():
    scan = scanned(SAMPLES / "close-calls.jpg")
    deck = load_deck("light-speed")
    true = true_round(load_truth(SAMPLES / "close-calls.truth.json"), deck)
    assert scan.outcome.contested()
    assert hits(once_ruled(scan.table, true, deck)) == hits(true)


def test_a_doubt_is_needless_where_all_is_right_and_a_fault_is_silent_without_one():
    some = [
        Case("a", 1, is_right=True, is_open=False, doubts=(), close_calls=1),
        Case("a", 2, is_right=True, is_open=True, doubts=("glare", "glare"), close_calls=0),
        Case("a", 3, is_right=False, is_open=False, doubts=("glare",), close_calls=0),
        Case("a", 4, is_right=False, is_open=False, doubts=(), close_calls=0),
        Case("a", 5, is_right=False, is_open=True, doubts=(), close_calls=0, refused="no cards"),
    ]
    name, count, right, told, needless, *rest = line("a", some)
    assert (name, count, told, rest) == ("a", 5, "3 (1)", [2, 1, 1, "1"])
    assert (right.split(":")[0], needless.split(":")[0]) == ("2 of 5", "1 of 5")
