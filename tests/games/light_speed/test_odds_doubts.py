"""Doubts of names and of presence are played: the odds are those of all that a table may be."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import validator_for

from tests.strategies import LIGHT, random_table
from vision.errors import TableFormatError
from vision.files.codec import json_schema
from vision.games.light_speed.battlefield import set_board
from vision.games.light_speed.bodies import find_gap, find_push
from vision.games.light_speed.corrections import edit
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.files import read_table, resolution_to_json, table_to_json
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.notation import format_table, parse_table
from vision.games.light_speed.odds import OddsSettings
from vision.games.light_speed.readings import by_teams
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.roster import call_roll
from vision.games.light_speed.tell import tell
from vision.games.light_speed.values import Resolution, TableState
from vision.games.light_speed.words import words
from vision.values.layout import Alternative, MissingCard
from vision.values.messages import Issue
from vision.values.verdict import judge

DECK = load_deck("light-speed")
WHOLE = JudgeSettings(odds=OddsSettings(samples=60, rare=0.0, told=10_000, ways=1000, least=60))

# red moth shoots at what lies above it: blue viper, or a card that plays nothing
NAMED = """
asteroid-1 @900,0 0deg
red moth @0,0 0deg
blue viper @0,-200 0deg or=unknown-7:0.25
blue bastion @500,500 0deg
"""


def scores_of(told: Resolution) -> dict[tuple[tuple[str, int], ...], float]:
    assert told.odds is not None
    return {tuple(c.totals.items()): c.probability for c in told.odds.scores}


def total_of(told: Resolution) -> tuple[tuple[str, int], ...]:
    return tuple((team, score.total) for team, score in told.scores.items())


def test_a_name_that_is_doubted_is_played_as_likely_as_it_is() -> None:
    table = parse_table(NAMED)
    told = resolve(table, DECK)
    as_other = NAMED.replace("blue viper", "unknown-7").replace(" or=unknown-7:0.25", "")
    other = resolve(parse_table(as_other), DECK)
    assert total_of(told) != total_of(other)
    assert scores_of(told) == pytest.approx({total_of(told): 0.75, total_of(other): 0.25})
    assert [(w.pieces, w.chance) for w in told.weighed] == [(("blue-viper",), 0.25)]


@st.composite
def doubted_tables(draw: st.DrawFn) -> TableState:
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    table = random_table(rng, [*card_ids(DECK), "unknown-1"], 10)
    chosen = rng.permutation(len(table.cards))[:2].tolist()
    absent = sorted(set(card_ids(DECK)) - {c.card_id for c in table.cards})
    cards = list(table.cards)
    for i in chosen:
        names = rng.permutation(absent)[:2].tolist()
        shares = rng.dirichlet([2.0] * 4)
        others = (*zip(names, shares.tolist(), strict=False), (None, float(shares[2])))
        cards[i] = replace(cards[i], may_be=tuple(Alternative(n, p) for n, p in others))
        if draw(st.booleans()):
            cards[i] = replace(cards[i], covariance=np.diag([1.0, 1.0, 1e-3]))
    return replace(table, cards=tuple(cards))


@given(doubted_tables())
@LIGHT
def test_doubts_on_exact_poses_are_the_mixture_of_all_tables_there_may_be(table) -> None:
    """With a doubt settled each way, the odds add up to those of the doubt."""
    table = replace(table, cards=tuple(replace(c, covariance=None) for c in table.cards))
    doubted = next(card for card in table.cards if card.may_be)
    told = scores_of(resolve(table, DECK, settings=WHOLE))
    own = (doubted.card_id, 1 - sum(one.chance for one in doubted.may_be))
    mixed: dict[tuple[tuple[str, int], ...], float] = {}
    whole = 0.0
    for piece, chance in (own, *((one.piece, one.chance) for one in doubted.may_be)):
        others = [c for c in table.cards if c.card_id != doubted.card_id]
        if piece is not None:
            others.append(replace(doubted, card_id=piece, may_be=()))
        # of what the other card may be, as much as is left beside this one
        left = 1 - sum(
            one.chance for c in others for one in c.may_be if one.piece == piece and piece
        )
        whole += chance * left
        settled = resolve(replace(table, cards=tuple(others)), DECK, settings=WHOLE)
        ends = scores_of(settled) if settled.odds else {total_of(settled): 1.0}
        for end, share in ends.items():
            mixed[end] = mixed.get(end, 0.0) + chance * left * share
    assert told == pytest.approx({end: share / whole for end, share in mixed.items()})


def test_a_tap_settles_what_a_card_is_and_each_tap_has_the_chance_of_its_score() -> None:
    game, table = LightSpeed(DECK), parse_table(NAMED)
    told, (setting,) = scores_of(resolve(table, DECK)), game.settings(table)
    assert (setting.of, setting.is_doubtful) == ("blue-viper", True)
    said = [words("en").tell(words_) for words_, _ in setting.choices]
    assert (setting.chosen, said) == (0, ["Blue Viper (75%)", "a card that does not play (25%)"])
    for (_, change), chance in zip(setting.choices, (0.75, 0.25), strict=True):
        settled = game.edit(table, change)
        assert game.settings(settled) == ()
        assert told[total_of(resolve(settled, DECK))] == pytest.approx(chance)


@given(doubted_tables())
def test_each_way_to_settle_a_card_leaves_one_doubt_less_and_the_likelier_stands_first(table):
    game = LightSpeed(DECK)
    doubted = [card.card_id for card in table.cards if card.may_be]
    assert [one.of for one in game.settings(table)] == doubted
    for setting in game.settings(table):
        chances = [dict(said.values)["chance"] for said, _ in setting.choices]
        assert chances == sorted(chances, reverse=True)
        for _, change in setting.choices:
            left = [card for card in game.edit(table, change).cards if card.may_be]
            assert len(left) == len(doubted) - 1


@given(doubted_tables())
@LIGHT
def test_chances_add_up_and_the_same_table_gives_the_same_odds(table) -> None:
    told = resolve(table, DECK, settings=WHOLE)
    assert sum(scores_of(told).values()) == pytest.approx(1)
    assert told.odds is not None
    assert sum(p for _, p in told.odds.winners) == pytest.approx(1)
    assert told.odds == resolve(table, DECK, settings=WHOLE).odds
    mixed = replace(table, cards=tuple(reversed(table.cards)))
    again = scores_of(resolve(mixed, DECK, settings=WHOLE))
    assert again == pytest.approx(scores_of(told))
    by_reading: dict[tuple[tuple[str, int], ...], float] = {}
    for reading in told.odds.readings:
        key = tuple(reading.totals.items())
        by_reading[key] = by_reading.get(key, 0.0) + reading.probability
    assert sum(by_reading.values()) <= 1 + 1e-9
    schema = json_schema("resolution", Resolution)
    validator_for(schema).validate(resolution_to_json(told))


@given(doubted_tables())
@LIGHT
def test_a_doubted_table_is_written_and_read_back(table) -> None:
    text = format_table(table)
    assert format_table(parse_table(text)) == text
    again = read_table(table_to_json(table), deck=DECK)
    assert [c.may_be for c in again.cards] == [c.may_be for c in table.cards]


def test_without_doubts_nothing_is_weighed() -> None:
    told = resolve(parse_table(NAMED.replace(" or=unknown-7:0.25", "")), DECK)
    assert told.odds is None
    assert told.weighed == ()


def test_a_card_that_is_named_by_hand_is_doubted_no_more() -> None:
    table = parse_table(NAMED)
    said = {"kind": "identify", "card": "blue-viper", "identity": "blue-viper"}
    settled = edit(table, said, DECK)
    assert resolve(settled, DECK).weighed == ()
    moved = {"kind": "move", "card": "blue-viper", "x_mm": 1, "y_mm": -200, "theta_deg": 0}
    assert resolve(edit(table, moved, DECK), DECK).weighed == ()  # a hand saw what it is


def test_a_doubt_that_changes_nothing_is_a_note_and_one_that_does_is_the_headline() -> None:
    far = NAMED.replace("blue viper @0,-200", "blue viper @3000,-3000")
    idle = far.replace("blue viper", "unknown-1").replace("unknown-7:0.25", "unknown-8:0.25")
    told = resolve(parse_table(idle), DECK)
    assert [(i.code, i.severity) for i in told.issues] == [("unknown_card", "note")]
    deciding = NAMED.replace("blue viper", "unknown-1").replace("unknown-7", "blue-viper")
    told = resolve(parse_table(deciding), DECK)
    assert [(i.code, i.severity) for i in told.issues] == [("unknown_card", "doubt")]
    over = judge(tell(parse_table(deciding), DECK, told), told.issues)
    assert over.is_open
    assert over.said.key == "headline.winners"
    assert dict(over.said.values)["more"] == ""  # the odds play it: nothing is left beside them


def test_what_matters_more_is_told_first() -> None:
    rare = NAMED.replace("unknown-7:0.25", "unknown-7:0.02")
    text = rare + "unknown-3 @500,-200 0deg or=green-moth:0.4\ngreen viper @500,0 0deg\n"
    told = resolve(parse_table(text), DECK)
    ledger = tell(parse_table(text), DECK, told)
    chances = [w.chance for w in told.weighed]
    assert len(chances) == 2
    seen = [Issue("doubtful_card", "", (name,)) for name in ("unknown-3", "blue-viper")]
    other = Issue("photo_small", "")
    by_chance = sorted(told.weighed, key=lambda one: -one.chance)
    weighed = ledger.weigh([other, *seen])
    assert [issue.cards for issue in weighed] == [*(one.pieces for one in by_chance), ()]
    assert weighed == ledger.weigh([*reversed(seen), other])


def test_what_a_card_may_be_is_of_the_deck() -> None:
    with pytest.raises(TableFormatError, match="blue-fish"):
        resolve(parse_table(NAMED.replace("unknown-7", "blue-fish")), DECK)
    written = table_to_json(parse_table(NAMED))
    written["cards"][2]["may_be"][0]["card"] = "blue-fish"
    with pytest.raises(TableFormatError, match=r"cards\[2\]\.may_be\[0\]\.card"):
        read_table(written, deck=DECK)
    with pytest.raises(TableFormatError, match="chances"):
        parse_table(NAMED.replace("0.25", "1.25"))


def test_cards_are_of_teams_that_play() -> None:
    cards = parse_table(NAMED + "unknown-1 @0,500 0deg or=red-viper:0.3,green-viper:0.3").cards
    told = {one.piece: one.chance for one in by_teams(cards, DECK)[-1].may_be}
    assert told["red-viper"] > 10 * told["green-viper"] > 0
    own = 1 - sum(told.values())  # between what may be as it was read nothing changes
    assert own / told["red-viper"] == pytest.approx(0.4 / 0.3)
    assert by_teams(cards[:1], DECK) == cards[:1]


@pytest.mark.parametrize("rule", ["teams=red,blue", "kill_credit=opponent"])
def test_a_reading_that_the_rules_forbid_is_none(rule) -> None:
    """Of a side that does not play: the others are as likely to each other as they were."""
    doubted = NAMED.replace("or=unknown-7:0.25", "or=blue-moth:0.3,green-moth:0.3")
    told = resolve(parse_table(doubted + f"rule {rule}\n"), DECK)
    free = NAMED.replace("or=unknown-7:0.25", f"or=blue-moth:{3 / 7}")
    assert scores_of(told) == pytest.approx(scores_of(resolve(parse_table(free), DECK)))


# --- where something may lie, and cards that overlap -----------------------------------------


def unseen(chance: float, x_mm: float = 0.0, y_mm: float = -120.0) -> MissingCard:
    return MissingCard("table_covered", (812.0, 433.0), x_mm, y_mm, 4.0, chance)


@given(st.floats(0.05, 0.9))
@LIGHT
def test_a_card_that_may_lie_unseen_stops_as_many_beams_as_it_is_likely(chance) -> None:
    """Between the red moth and what it shoots at: a card there, however it lies, is hit."""
    plain = parse_table(NAMED.replace(" or=unknown-7:0.25", ""))
    told = resolve(replace(plain, unseen=(unseen(chance),)), DECK)
    as_seen = scores_of(told)[total_of(resolve(plain, DECK))]
    assert as_seen == pytest.approx(1 - chance, abs=1e-6)
    assert total_of(told) == total_of(resolve(plain, DECK))
    issue = Issue("table_covered", "", at_px=(812.0, 433.0))
    elsewhere = Issue("table_covered", "", at_px=(10.0, 10.0))
    (weighed,) = told.weighed
    assert weighed.is_of(issue)
    assert not weighed.is_of(elsewhere)
    assert weighed.chance == pytest.approx(chance, abs=1e-6)


def test_a_card_put_where_one_may_lie_unseen_settles_it() -> None:
    table = replace(parse_table(NAMED.replace(" or=unknown-7:0.25", "")), unseen=(unseen(0.4),))
    put = {"kind": "add", "card": "blue-moth", "x_mm": 5, "y_mm": -125, "theta_deg": 10}
    assert resolve(edit(table, put, DECK), DECK).weighed == ()


def test_what_may_lie_far_off_matters_less() -> None:
    """Another asteroid there would still part the rocks otherwise."""
    table = replace(parse_table(NAMED), unseen=(unseen(0.9, 4000.0, 4000.0),))
    far = resolve(table, DECK).weighed[-1]
    assert far.codes == ("table_covered",)
    near = resolve(replace(table, unseen=(unseen(0.9),)), DECK).weighed[-1]
    assert far.chance < 0.1 < 0.8 < near.chance
    assert far.chance >= 0.9 / 14  # twelve cards were drawn: another might matter, it is no note


def test_where_a_card_may_lie_unseen_is_written_and_read_back() -> None:
    table = replace(parse_table(NAMED), unseen=(unseen(0.25),))
    assert read_table(table_to_json(table), deck=DECK).unseen == table.unseen
    written = table_to_json(table)
    written["unseen"][0]["chance"] = 2
    with pytest.raises(TableFormatError, match=r"unseen\[0\]: .*chance.* 0 to 1"):
        read_table(written, deck=DECK)


@pytest.mark.parametrize(("y_mm", "severity"), [(-200, "doubt"), (900, "note")])
def test_of_cards_that_overlap_as_measured_one_may_have_slid_there(y_mm, severity) -> None:
    """Before the red moth's laser that matters, far behind it does not."""
    text = f"red moth @0,0 0deg\nblue viper @55,{y_mm} 0deg\nblue bastion @-5,{y_mm} 0deg"
    typed = parse_table(text)
    cards = tuple(replace(c, covariance=np.diag([1e-6, 1e-6, 1e-10])) for c in typed.cards)
    told = resolve(replace(typed, cards=cards), DECK)
    (weighed,) = told.weighed
    assert set(weighed.pieces) == {"blue-viper", "blue-bastion"}
    assert weighed.codes == ("cards_overlap",)
    assert [i.severity for i in told.issues if i.code == "cards_overlap"] == [severity]
    assert resolve(typed, DECK).weighed == ()  # what is typed lies as it is typed


@given(st.integers(0, 10_000))
@LIGHT
def test_two_cards_that_overlap_are_pushed_until_they_touch(seed) -> None:
    rng = np.random.default_rng(seed)
    table = random_table(rng, card_ids(DECK), 2, 30.0)
    board = set_board(table, DECK, call_roll(table, DECK))
    if find_gap(board.bodies, 0, 1) >= 0:
        return
    x, y = find_push(board.bodies, 0, 1)
    moved = next(c for c in table.cards if c.card_id == board.bodies.ids[1])
    there = replace(moved, x_mm=moved.x_mm + x, y_mm=moved.y_mm + y)
    other = tuple(there if c is moved else c for c in table.cards)
    after = set_board(replace(table, cards=other), DECK, call_roll(table, DECK))
    assert find_gap(after.bodies, 0, 1) == pytest.approx(0, abs=1e-9)
