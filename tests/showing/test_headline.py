"""The line over a round: nobody is shown as sure while anything is open."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.files.headlines import headline_to_json
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.tell import tell
from vision.games.light_speed.words import words
from vision.games.registry import find_game
from vision.texts import LANGUAGES
from vision.texts.headline import beside, headline, odds_said
from vision.values.ledger import Chance, Ledger, Odds, Weighed
from vision.values.messages import Issue, message

DECK = load_deck("light-speed")
TABLE = parse_table("red moth @0,0 0deg\nblue ghost @5,-300 0deg\nasteroid-1 @200,0 0deg")
PLAYED = tell(TABLE, DECK, resolve(TABLE, DECK))
TOTALS = {side: score["total"] for side, score in PLAYED.final.scores.items()}
DOUBTS = ("close_call", "unreadable_card", "glare", "unread_outline")


def with_odds(won: float, scored: float) -> Ledger:
    """Return the round with a chance that it is won as told, and that it ends with that score."""
    loser = tuple(side.id for side in PLAYED.sides if side.id not in PLAYED.winners)
    other = {side: total + 1 for side, total in TOTALS.items()}
    scores = (Chance(TOTALS, PLAYED.winners, scored), Chance(other, PLAYED.winners, 1 - scored))
    return replace(PLAYED, odds=Odds(((PLAYED.winners, won), (loser, 1 - won)), scores))


@given(
    won=st.floats(0.3, 1.0),
    share=st.floats(0.5, 1.0),
    codes=st.lists(st.sampled_from(DOUBTS), unique=True),
)
def test_what_is_open_is_never_said_to_be_sure(won, share, codes):
    ledger = with_odds(won, won * share)
    over = headline(ledger, [Issue(code, "") for code in codes])
    for language in LANGUAGES:
        said = words(language).tell(over.said)
        assert ("ncertain" in said) == over.is_open
        if over.is_open:
            assert "over 99%" not in said
            assert "plus de 99" not in said
    assert over.is_open >= bool(codes)
    assert over.is_open >= (won * share < 0.95)
    assert over.doubts == len(codes)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_headline_tells_who_wins_and_how_likely(language):
    told = {
        (0.75, 0.53, ()): ("uncertain: red 75%, blue 25%", "incertain : rouge 75%, bleu 25%"),
        (0.75, 0.53, ("glare",)): (
            "uncertain: red 75%, blue 25%, if 1 more doubt changes nothing",
            "incertain : rouge 75%, bleu 25%, si 1 autre doute n'y change rien",
        ),
        (1.0, 0.8, ("close_call",)): (
            "uncertain: red wins with 2, 80%",
            "incertain : le rouge gagne avec 2, 80%",
        ),
        (1.0, 1.0, ("glare", "unread_outline")): (
            "uncertain, 2 doubts; as it was read: red wins with 2",
            "incertain, 2 doutes ; tel que lu : le rouge gagne avec 2",
        ),
        (1.0, 1.0, ()): ("red wins with 2 (over 99%)", "le rouge gagne avec 2 (plus de 99%)"),
    }
    for (won, scored, codes), said in told.items():
        over = headline(with_odds(won, scored), [Issue(code, "") for code in codes])
        plain = words(language).tell(over.said).replace("\u00a0", " ").replace(" %", "%")
        assert plain == said[language == "fr"]


def test_certain_codes_and_notes_leave_nothing_open():
    ledger = replace(PLAYED, certain=("no_die",))
    assert not headline(ledger, [Issue("no_die", ""), Issue("b", "", severity="note")]).is_open


def test_json_holds_both_languages():
    over = headline_to_json(PLAYED, (Issue("glare", ""),), find_game("light-speed").texts)
    assert over["open"]
    assert over["doubts"] == 1
    assert over["words"]["en"].startswith("Uncertain")
    assert over["words"]["fr"].startswith("Incertain")


def test_doubts_that_the_odds_play_are_not_left_beside_them():
    weighed = (Weighed(("red-moth",), ("doubtful_card",), 0.1),)
    ledger = replace(with_odds(0.9, 0.9), weighed=weighed)
    played = Issue("doubtful_card", "", ("red-moth",))
    for issues, more in (([played], ""), ([played, Issue("glare", "")], "headline.more")):
        over = headline(ledger, issues)
        assert over.is_open
        told = dict(over.said.values)["more"]
        assert (told if isinstance(told, str) else told.key) == more
    nothing = replace(ledger, weighed=(replace(weighed[0], chance=0.001),))
    assert [issue.severity for issue in ledger.weigh([played])] == ["doubt"]
    assert [issue.severity for issue in nothing.weigh([played])] == ["note"]


@given(
    won=st.floats(0.3, 1.0),
    share=st.floats(0.5, 1.0),
    codes=st.lists(st.sampled_from(DOUBTS), unique=True),
)
def test_the_odds_say_nothing_is_sure_beside_a_doubt_that_they_do_not_play(won, share, codes):
    ledger = with_odds(won, won * share)
    lines = (
        message("odds.head"),
        message("odds.winners", winners=(message("odds.wins", n=1, teams=("red",), chance=won),)),
        message("odds.score", score=(), chance=won * share),
    )
    assert ledger.odds is not None
    ledger = replace(ledger, odds=replace(ledger.odds, lines=lines))
    issues = [Issue(code, "") for code in codes]
    said = [words().tell(line) for line in odds_said(ledger, issues)]
    if set(codes) <= {"close_call"}:
        assert len(said) == len(lines)
    else:
        assert "over 99%" not in " ".join(said).replace("\u00a0", " ")
        assert not said or f"{len(set(codes) - {'close_call'})} more doubt" in said[0]
    assert beside(ledger, issues).odds.lines == odds_said(ledger, issues)
