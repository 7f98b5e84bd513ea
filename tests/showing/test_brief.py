"""Fewer words: each thing once, notes of one kind in one line, no doubt lost."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.games.light_speed.words import words
from vision.showing.words import sorted_issues
from vision.texts import LANGUAGES, make_issue
from vision.values.brief import brief
from vision.values.messages import Issue, message

CODES = ("card_bent", "card_covered", "unreadable_card", "unknown_card", "glare", "close_call")


@st.composite
def issues(draw: st.DrawFn) -> list[Issue]:
    count = draw(st.integers(0, 8))
    return [
        Issue(
            draw(st.sampled_from(CODES)),
            f"{k}",
            (draw(st.sampled_from(["a", "b", "c"])),),
            draw(st.sampled_from(["note", "doubt"])),
        )
        for k in range(count)
    ]


def bent(card: str, mm: float) -> Issue:
    gaps = {"card": card, "x": "1", "y": "2"}
    return make_issue("card_bent", "issue.card_bent", (card,), "note", bend=mm, **gaps)


@given(issues())
def test_no_doubt_and_no_piece_is_lost(several):
    told = brief(several)
    assert len(told) <= len(several)
    assert {card for one in told for card in one.cards} == {c for i in several for c in i.cards}
    about = {(i.cards, i.code == "glare") for i in several if i.severity == "doubt"}
    if not any(i.code == "unknown_card" for i in several):
        assert [i for i in told if i.severity == "doubt"] == [
            i for i in several if i.severity == "doubt"
        ]
    assert {c for i in told if i.severity == "doubt" for c in i.cards} <= {
        c for cards, _ in about for c in cards
    }
    assert brief(told) == told


def test_notes_of_one_kind_stand_in_one_line():
    notes = [bent("red-moth", 0.64), Issue("glare", "x"), bent("red-viper", 1.1)]
    (doubts, told) = sorted_issues(notes)
    assert [i.code for i in doubts] == ["glare"]
    assert words().issue(told[0]) == "2 cards are bent by 0.6 to 1.1 mm: press them flat"
    assert told[0].cards == ("red-moth", "red-viper")
    assert brief(notes[:2]) == notes[:2]  # one alone is told as it is


def test_notes_of_further_photos_stand_with_those_of_the_first():
    further = bent("red-viper", 1.1)
    said = message("issue.of_photo", n=2, said=further.said)
    notes = [bent("red-moth", 0.64), replace(further, said=said, at_px=None)]
    (told,) = brief(notes)
    assert words().issue(told) == "2 cards are bent by 0.6 to 1.1 mm: press them flat"
    assert words().issue(brief(notes[1:])[0]).startswith("photo 2: red-viper at 1, 2")


def test_a_card_that_could_not_be_read_is_told_once():
    seen = Issue("unreadable_card", "a", ("unknown-1",))
    judged = Issue("unknown_card", "b", ("unknown-1",))
    assert brief([seen, judged]) == [seen]
    assert brief([judged]) == [judged]


def test_every_kind_that_stands_together_has_its_words():
    for language in LANGUAGES:
        for code in ("card_bent", "card_covered", "doubtful_card", "unreadable_card", "face_down"):
            notes = [
                Issue(code, "", (f"{k}",), "note", bent("red-moth", 0.5 + k).said) for k in (0, 1)
            ]
            (one,) = brief(notes)
            assert "2" in words(language).issue(one)


@pytest.mark.parametrize(("code", "measure"), [("card_bent", "bend"), ("card_covered", "visible")])
def test_a_whole_number_out_of_a_file_is_a_measure_too(code, measure):
    values = {"card": "red-moth", "x": 3, "y": 4}
    notes = [
        Issue(code, "", (f"{k}",), "note", message(f"issue.{code}", **values, **{measure: k}))
        for k in (0, 1)
    ]
    (one,) = brief(notes)
    assert one.said is not None
    assert dict(one.said.values) == {"n": 2, "low": 0.0, "high": 1.0}


@pytest.mark.parametrize("code", ["card_bent", "card_covered"])
def test_notes_out_of_a_file_that_measure_nothing_stand_as_they_are(code):
    notes = [Issue(code, f"told of {k}", (f"{k}",), "note") for k in (0, 1)]
    assert brief(notes) == notes
    for language in LANGUAGES:
        assert [words(language).issue(one) for one in brief(notes)] == ["told of 0", "told of 1"]
