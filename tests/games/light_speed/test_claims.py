"""Ten questions that the rulebook leaves open: each is an option, and told where it mattered."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import random_table
from tests.told import account
from vision.errors import TableFormatError
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.files import read_table, table_to_json
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.notation import format_table, parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import Claim, RuleOptions
from vision.games.light_speed.variants import CLAIM_KINDS, OF_TEAMS
from vision.judging.options import options_of, parse_options
from vision.texts import LANGUAGES, texts

DECK = load_deck("light-speed")
GAME = LightSpeed(DECK)
MUZZLE = DECK.ships[0].lasers[0].muzzle_mm[0]  # of the moth's forward laser, power 2
DUEL = f"red moth @0,0 0deg\nblue moth @{MUZZLE},-250 0deg\n"  # the blue moth would be shot
HALF = DECK.width_mm / 2

#: Of each question: a table, what is said of it, and the score by the default and otherwise.
EXAMPLES = {
    "leaning": (DUEL, "leaning blue-moth", {"red": 1, "blue": 0}, {"red": 0, "blue": 0}),
    "late": (DUEL, "late blue-moth", {"red": 1, "blue": 0}, {"red": 0, "blue": 0}),
    "slid": (DUEL, "slid blue-moth", {"red": 1, "blue": 0}, {"red": 0, "blue": 0}),
    "stuck": (DUEL, "stuck blue-moth", {"red": 0, "blue": 0}, {"red": 1, "blue": 0}),
    "pushed": (
        "red moth @0,0 0deg\nasteroid-1 @300,-250 0deg\n",
        f"pushed asteroid-1 {MUZZLE},-250,0",
        {"red": 0},
        {"red": 2},
    ),
    "foreign": (
        f"red moth @0,0 0deg\nunknown-1 @{MUZZLE},-120 0deg\nblue moth @{MUZZLE},-250 0deg\n",
        "foreign unknown-1",
        {"red": 0, "blue": 0},
        {"red": 1, "blue": 0},
    ),
    "seam": (
        f"red moth @0,0 0deg\nblue viper @{MUZZLE - HALF},-150 0deg\n"
        f"blue ghost @{MUZZLE + HALF},-150 0deg\nasteroid-1 @{MUZZLE},-300 0deg\n",
        None,
        {"red": 2, "blue": 3},
        {"red": 0, "blue": 3},
    ),
}


def totals(table):
    return {team: score.total for team, score in resolve(table, DECK).scores.items()}


def laid(kind, *, choice=None):
    """The example of a question, by its default or another choice."""
    text, said, *_ = EXAMPLES[kind]
    table = parse_table(text + (f"claim {said}\n" if said else ""))
    rules = table.rules if choice is None else parse_options(RuleOptions, [f"{kind}={choice}"])
    return replace(table, rules=rules)


def other_choice(kind):
    (option,) = [one for one in options_of(RuleOptions) if one.name == kind]
    return next(choice for choice in option.choices if choice != option.default)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_each_choice_gives_its_score(kind):
    *_, by_default, otherwise = EXAMPLES[kind]
    assert totals(laid(kind)) == by_default
    assert totals(laid(kind, choice=other_choice(kind))) == otherwise


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_account_says_how_it_was_decided_and_what_the_other_choice_would_give(kind, language):
    *_, by_default, otherwise = EXAMPLES[kind]
    words = texts(language, GAME.texts)
    for choice, other, score in (
        (None, other_choice(kind), otherwise),
        (other_choice(kind), getattr(RuleOptions(), kind), by_default),
    ):
        told = [i for i in resolve(laid(kind, choice=choice), DECK).issues if i.code == "claim"]
        assert len(told) == 1
        said = words.issue(told[0])
        assert f"{kind}={other}" in said
        assert str(score["red"]) in said
        assert told[0].severity == "note"


def test_what_did_not_matter_is_told_in_short():
    table = parse_table("red moth @0,0 0deg\nblue moth @-400,430 0deg\nclaim leaning blue-moth\n")
    (told,) = [i for i in resolve(table, DECK).issues if i.code == "claim"]
    assert "mattered" not in told.message
    assert "It mattered: leaning=out would give Red 0 – Blue 0." in "\n".join(
        issue.message for issue in resolve(laid("leaning"), DECK).issues
    )
    assert any(
        "leans on another card" in one
        for one in account(laid("leaning"), DECK, resolve(laid("leaning"), DECK))
    )


def test_two_calls_of_stop_save_what_the_second_laid_late():
    text = DUEL + "claim late blue-moth\nclaim two_stops blue\n"
    for rules, blue_is_there in (
        ("late=out", True),
        ("late=out two_stops=first", False),
        ("two_stops=first", True),
    ):
        table = replace(parse_table(text), rules=parse_options(RuleOptions, rules.split()))
        assert totals(table)["red"] == int(blue_is_there), rules
    told = resolve(replace(table, rules=parse_options(RuleOptions, ["late=out"])), DECK).issues
    assert any("two_stops=first would give" in issue.message for issue in told)


def test_a_round_begun_with_nine_ships_stands_or_is_void():
    table = parse_table(DUEL + "claim nine red\n")
    assert resolve(table, DECK).winners == ("red",)
    void = resolve(replace(table, rules=RuleOptions(nine="void")), DECK)
    assert void.winners == ()
    (told,) = [issue for issue in void.issues if issue.code == "claim"]
    assert told.severity == "doubt"
    assert "nobody wins" in told.message


def test_counters_over_an_edge_leave_the_shots_to_the_table():
    table = parse_table(DUEL + "claim overhang blue-moth\n")
    assert not [i for i in resolve(table, DECK).issues if i.code == "ask_overhang"]
    asks = replace(table, rules=RuleOptions(overhang="table"))
    (asked,) = [i for i in resolve(asks, DECK).issues if i.code == "ask_overhang"]
    assert (asked.severity, asked.cards) == ("doubt", ("red-moth", "blue-moth"))
    ruled = GAME.edit(asks, {"kind": "ruling", "text": "red-moth:1=space"})
    assert not [i for i in resolve(ruled, DECK).issues if i.code == "ask_overhang"]
    assert totals(ruled)["red"] == 0


def test_the_program_asks_only_where_the_answer_would_matter():
    overlapping = parse_table("red moth @0,0 0deg\nblue moth @30,30 20deg\n")
    asks = {"ask_leaning", "ask_late", "ask_slid", "ask_pushed", "ask_nine"}
    assert not asks & {issue.code for issue in resolve(overlapping, DECK).issues}
    rules = RuleOptions(leaning="out", late="out", slid="out", pushed="back", nine="void")
    asked = resolve(replace(overlapping, rules=rules), DECK).issues
    assert asks <= {issue.code for issue in asked}
    (leaning,) = [issue for issue in asked if issue.code == "ask_leaning"]
    assert leaning.severity == "doubt"
    answered = replace(overlapping, rules=rules)
    for piece, said in (
        ("red-moth", "leaning"),
        ("red-moth", "late"),
        ("red-moth", "slid"),
        ("red", "nine"),
    ):
        answered = GAME.edit(answered, {"kind": "set", "piece": piece, said: False})
    left = asks & {issue.code for issue in resolve(answered, DECK).issues}
    assert left == {"ask_pushed"}


def test_without_a_claim_no_choice_but_the_seam_changes_a_round():
    rng = np.random.default_rng(42)
    ids = [i for i in card_ids(DECK) if "back" not in i]
    others = [f"{kind}={other_choice(kind)}" for kind in CLAIM_KINDS]
    for _ in range(20):
        table = random_table(rng, ids, 8)
        changed = replace(table, rules=parse_options(RuleOptions, others, table.rules))
        assert resolve(changed, DECK).scores == resolve(table, DECK).scores
        assert resolve(changed, DECK).steps == resolve(table, DECK).steps


CLAIMS = st.builds(
    lambda kind, is_so, place: Claim(
        kind,
        "red" if kind in OF_TEAMS else "asteroid-1" if kind == "pushed" else "red-moth",
        is_so,
        place if kind == "pushed" and is_so else None,
    ),
    st.sampled_from(CLAIM_KINDS),
    st.booleans(),
    st.tuples(st.integers(-500, 500), st.integers(-500, 500), st.just(0.0)),
)


@given(st.lists(CLAIMS, max_size=4, unique_by=lambda claim: (claim.kind, claim.of)))
def test_claims_are_written_and_read_the_same(claims):
    table = replace(
        parse_table("red moth @0,0 0deg\nasteroid-1 @300,0 0deg\n"), claims=tuple(claims)
    )
    assert parse_table(format_table(table)).claims == table.claims
    assert read_table(json.dumps(table_to_json(table)), deck=DECK).claims == table.claims


def test_a_claim_is_set_changed_and_taken_back():
    table = parse_table("red moth @0,0 0deg\nasteroid-1 @300,0 0deg\n")
    put = {"kind": "set", "piece": "red-moth", "leaning": True}
    assert GAME.edit(table, put).claims == (Claim("leaning", "red-moth"),)
    assert GAME.edit(GAME.edit(table, put), put | {"leaning": None}).claims == ()
    pushed = GAME.edit(table, {"kind": "set", "piece": "asteroid-1", "pushed": "10,-20,90"})
    (claim,) = pushed.claims
    assert claim.was_at == pytest.approx((10, -20, np.pi / 2))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"piece": "red-moth", "leaned": True}, "no claim is called 'leaned'"),
        ({"piece": "blue-moth", "leaning": True}, "no card or object 'blue-moth'"),
        ({"piece": "red-moth", "nine": True}, "no team 'red-moth'"),
        ({"piece": "asteroid-1", "pushed": True}, "a place is given of what was pushed"),
        ({"piece": "asteroid-1", "pushed": "1,2"}, "expected a place"),
        ({"piece": "asteroid-1", "pushed": "1,nan,2"}, "within 100 m"),
        ({"piece": "red-moth"}, "one thing"),
    ],
)
def test_what_is_no_claim_is_refused(change, says):
    table = parse_table("red moth @0,0 0deg\nasteroid-1 @300,0 0deg\n")
    with pytest.raises(TableFormatError, match=says):
        GAME.edit(table, {"kind": "set", **change})


def test_what_the_table_is_asked_is_set_by_a_tap():
    table = replace(parse_table(DUEL), rules=RuleOptions(leaning="out"))
    offered = {one.id: one for one in GAME.settings(table)}
    assert set(offered) == {"leaning-red-moth", "leaning-blue-moth"}
    for number, is_so in enumerate((True, False)):
        _, change = offered["leaning-blue-moth"].choices[number]
        tapped = GAME.edit(table, change)
        assert tapped.claims == (Claim("leaning", "blue-moth", is_so),)
        again = {one.id: one for one in GAME.settings(tapped)}["leaning-blue-moth"]
        assert again.chosen == number
    assert GAME.settings(parse_table(DUEL)) == ()


def test_a_claim_follows_its_card_when_that_is_named_anew():
    table = parse_table(DUEL + "claim leaning blue-moth\n")
    named = GAME.edit(table, {"kind": "identify", "card": "blue-moth", "identity": "blue-viper"})
    assert named.claims == (Claim("leaning", "blue-viper"),)
