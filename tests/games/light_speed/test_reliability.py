"""What is said to have 90 % is right 90 % of the time: 300 tables, small ones, of known error."""

from functools import cache

from bench.reliability import Tallies, measure_tables

FAR_SIGMA = 3.5  # of a band's expected scatter; a band of five cases is one case wide at least


@cache
def tallies() -> Tallies:
    return measure_tables(300, 7, samples=300, seed=5, mm=0.9)


def test_scores_come_true_as_often_as_told():
    assert tallies().scores.worst() < FAR_SIGMA
    assert tallies().all_scores.worst() < FAR_SIGMA
    unsure = [p for p in tallies().scores.told if p < 0.95]
    assert len(unsure) > 20


def test_winners_come_true_as_often_as_told():
    assert tallies().winners.worst() < FAR_SIGMA


def test_shots_go_as_often_as_told():
    assert tallies().shots.worst() < FAR_SIGMA


def test_no_wrong_score_is_certain():
    assert tallies().scores.wrong_and_certain() == 0
    assert tallies().winners.wrong_and_certain() == 0


def test_overconfidence_would_be_seen():
    """The same tables, told with a third of their true spread, fail the test above."""
    from dataclasses import replace

    told = tallies()
    sharper = replace(told.scores, told=[p**0.3 for p in told.scores.told])
    assert sharper.worst() > FAR_SIGMA
