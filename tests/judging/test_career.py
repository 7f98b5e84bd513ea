"""Careers: a log folded; what is corrected, undone or left out counts as if it had never been."""

from hypothesis import given, settings
from hypothesis import strategies as st

from vision.judging.career import (
    Career,
    Corrected,
    History,
    Named,
    Played,
    Service,
    follow,
    is_idle,
)
from vision.values.messages import message

FEW = settings(max_examples=40)  # of logs of up to twelve entries: enough for every kind of one
TOP = 12  # points at which a figure of this game is through
RANK = message("career.unnamed")


def play_of(gains):
    """A game of which each round gives points; who has enough of them makes room for another."""

    def play(entry, points):
        services = {}
        for side, before in points.items():
            gained = gains.get((entry.round, side), 0)
            is_over = before + gained >= TOP
            after = 0 if is_over else before + gained
            services[side] = Service(before, gained, after, RANK, RANK if is_over else None)
        return services

    return play


names = st.sampled_from(["ann", "ben", "cyd"])
seating = st.permutations(["ann", "ben", "cyd"]).map(lambda who: dict(zip("AB", who, strict=False)))
entries = st.one_of(
    seating.map(lambda seats: ("round", seats)),
    st.builds(Corrected, names, st.integers(0, TOP - 1)),
    st.builds(Named, names, st.integers(0, 2), st.text(max_size=3)),
)


@st.composite
def logs(draw):
    """A log with rounds numbered, and what each gives."""
    log = []
    for entry in draw(st.lists(entries, max_size=12)):
        is_round = isinstance(entry, tuple)
        log.append(Played(str(len(log)), entry[1]) if is_round else entry)
    rounds = [entry.round for entry in log if isinstance(entry, Played)]
    keys = [(name, side) for name in rounds for side in "AB"]
    return log, {key: draw(st.integers(0, 9)) for key in keys}


def folded(log, gains) -> History:
    return follow(log, play_of(gains))


@FEW
@given(logs())
def test_points_are_the_last_word_and_what_rounds_gave_since(made):
    log, gains = made
    for name, career in folded(log, gains).careers.items():
        points = 0
        for entry in log:
            if isinstance(entry, Corrected) and entry.career == name:
                points = entry.points
            for side in [s for s, who in getattr(entry, "careers", {}).items() if who == name]:
                points += gains[entry.round, side]
                points = 0 if points >= TOP else points
        assert career.points == points
        ended = [
            line for f in career.figures for line in f.lines if line.service and line.service.ended
        ]
        assert len(career.figures) == len(ended) + 1
        assert career.figures[-1].ended is None


@FEW
@given(logs(), st.data())
def test_a_round_that_is_taken_out_leaves_what_was_without_it(made, data):
    log, gains = made
    rounds = [entry for entry in log if isinstance(entry, Played)]
    if not rounds:
        return
    gone = data.draw(st.sampled_from(rounds))
    less = [entry for entry in log if entry != gone]
    told = folded(less, gains)
    lines = [ln for c in told.careers.values() for f in c.figures for ln in f.lines]
    assert gone.round not in {line.round for line in lines}
    others = {name for name in ("ann", "ben", "cyd") if name not in gone.careers.values()}
    whole = folded(log, gains)
    for name in others & set(whole.careers):
        assert told.careers[name] == whole.careers[name]


@FEW
@given(logs(), st.data())
def test_a_round_finds_what_those_before_it_left(made, data):
    """To stop at a round is to fold what comes before it; names come from anywhere."""
    log, gains = made
    rounds = [entry for entry in log if isinstance(entry, Played)]
    if not rounds:
        return
    stop = data.draw(st.sampled_from(rounds))
    found = follow(log, play_of(gains), until=stop.round).found[stop.round]
    before = folded(log[: log.index(stop)], gains).careers
    assert found == {s: before.get(who, Career()).points for s, who in stop.careers.items()}
    assert found == folded(log, gains).found[stop.round]


def test_who_played_a_side_has_what_it_gave_and_nobody_else():
    log = [Played("1", {"A": "ann"}), Played("2", {"B": "ann", "A": "ben"})]
    told = follow(log, play_of({("1", "A"): 3, ("1", "B"): 9, ("2", "B"): 4, ("2", "A"): 1}))
    assert {name: career.points for name, career in told.careers.items()} == {"ann": 7, "ben": 1}


def test_a_figure_is_named_whenever_it_is_said():
    log = [Named("ann", 1, "Orla"), Played("1", {"A": "ann"}), Named("ann", 0, "Vega")]
    first, second = follow(log, play_of({("1", "A"): TOP})).careers["ann"].figures
    assert (first.name, first.ended, second.name, second.lines) == ("Vega", RANK, "Orla", ())


def test_a_round_that_changed_nothing_is_idle_unless_it_is_open():
    log = [Played("1", {"A": "ann"}), Corrected("ann", 0)]
    quiet, by_hand = follow(log, play_of({})).careers["ann"].figures[0].lines
    assert (is_idle(quiet), is_idle(by_hand)) == (True, False)
