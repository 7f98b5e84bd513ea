"""The words of a round: rows of the score, doubts counted and sorted, one line for all."""

from tests.told import account
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.tell import tell
from vision.games.light_speed.words import words as light_speed_words
from vision.showing import words
from vision.values.messages import Issue

DECK = load_deck("light-speed")
NOTATION = "red moth @0,0 0deg\nblue moth @5,-300 0deg\ngreen ghost @400,0 0deg"


def test_rows_stand_best_first_and_add_up():
    table = parse_table(NOTATION)
    ledger = tell(table, DECK, resolve(table, DECK))
    rows = words.score_rows(ledger, ledger.winners)
    assert [row.large for row in rows] == sorted((row.large for row in rows), reverse=True)
    assert all(row.large == sum(row.numbers) for row in rows)
    assert {row.side.id for row in rows if row.wins} == set(ledger.winners)
    assert not any(row.wins for row in words.score_rows(ledger, ()))
    assert words.score_heads(ledger, light_speed_words("en")) == ["kills", "rocks", "own", "total"]
    assert words.title_line(ledger, (), light_speed_words("en")).startswith("red wins with")


def test_close_calls_come_first_and_notes_apart():
    issues = [Issue("a", ""), Issue("b", "", severity="note"), Issue("close_call", "")]
    doubts, notes = words.sorted_issues(issues)
    assert [issue.code for issue in doubts] == ["close_call", "a"]
    assert [issue.code for issue in notes] == ["b"]


def test_nothing_happens():
    table = parse_table("asteroid-1 @0,0 0deg")
    assert account(table, DECK, resolve(table, DECK)) == [
        "No ship fires.",
        "Score",
        "  no team has a ship on the table",
    ]
