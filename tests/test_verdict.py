"""The verdict of a round: one rule for all screens, files and languages; never sure while open."""

import io
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.games.conflit_stellaire.duels import DUEL
from vision.apps.cli.report import print_ledger
from vision.files.headlines import headline_to_json, resolution_to_json
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.tell import tell
from vision.games.light_speed.words import words
from vision.games.registry import find_game
from vision.showing.panel import panel_content
from vision.showing.words import sorted_issues, title_line
from vision.texts import LANGUAGES, texts
from vision.values.ledger import NO_MATTER, SURE, Chance, Ledger, Odds, Weighed
from vision.values.messages import Issue, Message, message
from vision.values.verdict import CLOSE_CALL, as_judged, judge, odds_said

DECK = load_deck("light-speed")
GAME = find_game("light-speed")
TABLE = parse_table("red moth @0,0 0deg\nblue ghost @5,-300 0deg\nasteroid-1 @200,0 0deg")
OUTCOME = resolve(TABLE, DECK)
PLAYED = tell(TABLE, DECK, OUTCOME)
TOTALS = {side: score["total"] for side, score in PLAYED.final.scores.items()}
DOUBTS = (CLOSE_CALL, "unreadable_card", "glare", "unread_outline")
chances = st.one_of(st.floats(0.3, 1.0), st.floats(SURE - 0.01, 1.0), st.just(1.0))
codes = st.lists(st.sampled_from(DOUBTS), unique=True)


def with_odds(won: float, scored: float, changing: str = "both") -> Ledger:
    """Return the round with a chance that it is won as told, and that it ends with that score.

    In the other score ``changing`` has another total: red, blue or both.
    """
    loser = tuple(side.id for side in PLAYED.sides if side.id not in PLAYED.winners)
    other = {side: n + (changing in (side, "both")) for side, n in TOTALS.items()}
    scores = (Chance(TOTALS, PLAYED.winners, scored), Chance(other, PLAYED.winners, 1 - scored))
    lines = (
        message("odds.head"),
        message("odds.winners", winners=(message("odds.wins", n=1, teams=("red",), chance=won),)),
        message("odds.score", score=(), chance=scored),
    )
    odds = Odds(((PLAYED.winners, won), (loser, 1 - won)), scores, lines)
    return replace(PLAYED, odds=odds)


def plain(said: Message, language: str = "en") -> str:
    return words(language).tell(said).replace("\u00a0", " ").replace(" %", "%")


# --- the rule ------------------------------------------------------------------------------------


@given(won=chances, share=chances, found=codes)
def test_a_round_is_open_where_its_winner_is_or_something_was_not_read(won, share, found):
    ledger, issues = with_odds(won, won * share), [Issue(code, "") for code in found]
    over = judge(ledger, issues)
    assert over.is_open == (won < SURE or bool(set(found) - {CLOSE_CALL}))
    assert over.winners == (() if over.is_open else PLAYED.winners)
    assert over.doubts == len(found)
    assert over.probability == pytest.approx(won)
    for language in LANGUAGES:
        said = plain(over.said, language)
        assert ("ncertain" in said) == over.is_open
        assert ("over 99%" in said or "plus de 99%" in said) == (not over.is_open)


@given(share=chances, changing=st.sampled_from(["red", "blue", "both"]), close=st.booleans())
def test_of_a_sure_winner_all_that_may_change_is_told(share, changing, close):
    ledger = with_odds(1.0, share, changing)
    over = judge(ledger, [Issue(CLOSE_CALL, "")] if close else [])
    assert not over.is_open
    told = " ".join(plain(detail) for detail in over.details)
    for side in TOTALS:
        may_change = changing in (side, "both") and 1 - share > NO_MATTER
        assert (f"{side}'s" in told) == may_change
    # The odds stand beside no total that they are not the odds of.
    is_known = changing == "blue" or share >= SURE
    assert plain(over.winner) == f"red wins{' with 2' if is_known else ''} (over 99%)"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_headline_tells_who_wins_and_how_likely(language):
    told = {
        (0.75, 0.53, ()): ("uncertain: red 75%, blue 25%", "incertain : rouge 75%, bleu 25%"),
        (0.75, 0.53, ("glare",)): (
            "uncertain: red 75%, blue 25%; 1 more doubt is still open",
            "incertain : rouge 75%, bleu 25% ; encore 1 autre doute à lever",
        ),
        (1.0, 0.8, (CLOSE_CALL,)): (
            "red wins with 2 (over 99%) · one shot could change blue's points",
            "le rouge gagne avec 2 (plus de 99%) · un tir pourrait changer les points du bleu",
        ),
        (1.0, 0.8, ()): (
            "red wins with 2 (over 99%) · blue's points as read: 80%",
            "le rouge gagne avec 2 (plus de 99%) · les points du bleu selon la lecture : 80%",
        ),
        (1.0, 1.0, ("glare", "unread_outline")): (
            "uncertain, 2 doubts; as read: red wins with 2",
            "incertain, 2 doutes ; selon la lecture : le rouge gagne avec 2",
        ),
        (1.0, 1.0, ()): ("red wins with 2 (over 99%)", "le rouge gagne avec 2 (plus de 99%)"),
    }
    for (won, scored, found), said in told.items():
        over = judge(with_odds(won, scored, "blue"), [Issue(code, "") for code in found])
        assert plain(over.said, language) == said[language == "fr"]


def test_where_nobody_has_won_no_probability_is_told():
    ledger = with_odds(1.0, 1.0)
    assert ledger.odds is not None
    nobody = replace(
        ledger,
        winners=(),
        outcome=message("report.nobody"),
        odds=replace(ledger.odds, winners=(((), 1.0),)),
    )
    over = judge(nobody, [])
    assert (over.is_open, over.winners, plain(over.said)) == (False, (), "nobody wins")
    maybe = replace(nobody, odds=replace(ledger.odds, winners=(((), 0.8), (("red",), 0.2))))
    over = judge(maybe, [])
    assert (over.is_open, plain(over.said)) == (True, "uncertain: nobody 80%, red 20%")


def test_what_no_odds_play_leaves_a_round_open():
    alone = replace(PLAYED, odds=None)
    assert not judge(alone, []).is_open
    assert judge(alone, []).probability is None
    assert judge(alone, [Issue(CLOSE_CALL, "")]).is_open  # nothing has weighed it
    assert not judge(alone, [Issue("b", "", severity="note")]).is_open


def test_odds_that_know_nothing_leave_a_round_open():
    over = judge(replace(PLAYED, odds=Odds((), ())), [])
    assert (over.is_open, over.winners, over.probability) == (True, (), 0.0)
    part = Odds(((PLAYED.winners, 0.6),), (Chance(TOTALS, PLAYED.winners, 0.6),))
    assert plain(judge(replace(PLAYED, odds=part), []).said) == "uncertain: red 60%"


def test_winners_stand_in_the_order_of_the_sides():
    turned = replace(PLAYED, winners=tuple(reversed([side.id for side in PLAYED.sides])))
    assert judge(replace(turned, odds=None), []).winners == ("red", "blue")


def test_a_position_without_orders_tells_no_result_and_its_doubts():
    waits = replace(PLAYED, winners=(), outcome=message("report.nobody"), odds=None, unordered=True)
    said = {n: judge(waits, [Issue("glare", "")] * n) for n in (0, 1)}
    assert [said[n].is_open for n in (0, 1)] == [False, True]
    assert [plain(said[n].said) for n in (0, 1)] == [
        "nobody wins",
        "nobody wins; position uncertain, 1 doubt",
    ]
    assert plain(said[1].said, "fr").endswith(" ; position incertaine, 1 doute")


ASTEROYDS = "game asteroyds-capture\nlayout 2v2\ndice red 3 white 5\n"
CONFLIT = DUEL.format(hull=4).rpartition("A fire")[0]
POSITIONS = {
    "asteroyds-capture": ASTEROYDS,
    "conflit-stellaire": CONFLIT,
    "laser-shield": "game laser-shield\norange b1 s\nblue c1 n\nblue d4 n\n",
}
#: Orders of each game: of one party, of one that passes, and such as end the game.
ORDERED = {
    "asteroyds-capture": ({"red-1": None},),
    "conflit-stellaire": ({"A": "fire a1 at B spend 2"},),
    "laser-shield": ({"blue": "move c1-c2"}, {"orange": None, "blue": None}),
}


def is_unordered(game, table) -> bool:
    return not game.orders(table) and bool(game.parties(table))


@pytest.mark.parametrize("name", sorted(POSITIONS))
def test_a_position_is_unordered_until_somebody_orders_or_passes(name):
    """Who passes has ordered: a round in which all passed said that no orders were there."""
    game = find_game(name)
    table = game.read(POSITIONS[name])
    before = game.tell(table, game.resolve(table))
    assert before.unordered
    assert is_unordered(game, table)
    assert words_of(game, before).startswith("no ")
    assert words_of(game, before).endswith(" yet")
    for orders in ORDERED[name]:
        given = game.edit(table, {"kind": "orders", "orders": orders})
        after = game.tell(given, game.resolve(given))
        assert not after.unordered
        assert not is_unordered(game, given)
        assert after.outcome != before.outcome


def words_of(game, ledger) -> str:
    return texts("en", game.texts).tell(ledger.outcome)


def test_nobody_waits_for_orders_in_a_game_that_is_over_or_takes_none():
    game = find_game("laser-shield")
    table = game.read("game laser-shield\norange b3 s\n")
    assert not game.tell(table, game.resolve(table)).unordered
    assert not PLAYED.unordered


def test_doubts_that_the_odds_play_are_not_left_beside_them():
    weighed = (Weighed(("red-moth",), ("doubtful_card",), 0.1),)
    ledger = replace(with_odds(0.9, 0.9), weighed=weighed)
    played = Issue("doubtful_card", "", ("red-moth",))
    for issues, more in (([played], ""), ([played, Issue("glare", "")], "headline.more")):
        over = judge(ledger, issues)
        assert over.is_open
        told = dict(over.said.values)["more"]
        assert (told if isinstance(told, str) else told.key) == more
    nothing = replace(ledger, weighed=(replace(weighed[0], chance=0.001),))
    assert [issue.severity for issue in ledger.weigh([played])] == ["doubt"]
    assert [issue.severity for issue in nothing.weigh([played])] == ["note"]


@given(won=chances, share=chances, found=codes)
def test_the_odds_say_nothing_is_sure_beside_a_doubt_that_they_do_not_play(won, share, found):
    ledger = with_odds(won, won * share)
    assert ledger.odds is not None
    issues = [Issue(code, "") for code in found]
    said = [words().tell(line) for line in odds_said(ledger, issues)]
    if set(found) <= {CLOSE_CALL}:
        assert len(said) == len(ledger.odds.lines)
    else:
        assert "over 99%" not in " ".join(said).replace("\u00a0", " ")
        assert not said or f"{len(set(found) - {CLOSE_CALL})} more doubt" in said[0]
    shown = as_judged(ledger, issues)
    assert shown.odds is not None
    assert shown.odds.lines == odds_said(ledger, issues)
    assert shown.winners == judge(ledger, issues).winners


# --- who asks it ---------------------------------------------------------------------------------


def printed(ledger: Ledger, issues: list[Issue], language: str) -> list[str]:
    """Return what the command line prints of a round."""
    out = io.StringIO()
    print_ledger(Console(file=out, width=100), ledger, issues, words(language))
    return out.getvalue().splitlines()


@pytest.mark.parametrize(
    ("won", "scored", "found"),
    list(product((0.6, SURE, 1.0), (0.6, 1.0), ((), (CLOSE_CALL,), ("glare", "unread_outline")))),
)
def test_every_screen_and_file_says_the_same(won, scored, found):
    ledger, issues = with_odds(won, scored), [Issue(code, code) for code in found]
    over = judge(ledger, issues)
    data = headline_to_json(ledger, issues, GAME.texts)
    resolution = resolution_to_json(OUTCOME, ledger, issues, GAME)
    assert resolution is not None
    told = (over.is_open, list(over.winners))
    assert (data["open"], data["winners"]) == (resolution["open"], resolution["winners"]) == told
    assert data["doubts"] == over.doubts == len(sorted_issues(issues)[0])
    for language in LANGUAGES:
        line = texts(language, GAME.texts).tell(over.said)
        parts = [data["winner"][language], *(one[language] for one in data["details"])]
        assert data["words"][language].lower() == " · ".join(parts).lower() == line.lower()
        lines = printed(ledger, issues, language)
        assert lines[0] == line  # the first line of the command line
        assert sum(line in one for one in lines) == 1
        mark = words(language).say("report.win_mark")
        assert any(one.endswith(f"  {mark}") for one in lines) is bool(over.winners)
        assert title_line(ledger, issues, words(language)).startswith(line)
        content = panel_content(ledger, over, words(language))
        assert content is not None
        assert content.note == (line if over.is_open or over.details else "")
        assert {row.side.id for row in content.rows if row.wins} == set(over.winners)


def test_a_resolution_that_is_none_has_no_verdict():
    nothing = find_game("none")
    assert resolution_to_json(None, replace(PLAYED, sides=()), [], nothing) is None
