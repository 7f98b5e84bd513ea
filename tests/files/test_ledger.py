"""The JSON of a ledger: plain, whole, and the same in every language but for its words."""

import json
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from tests.games.light_speed.test_cases import CASES, RULER
from vision.files.ledger import ledger_to_json
from vision.games.light_speed.corrections import edit
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.tell import tell
from vision.games.light_speed.values import TableState
from vision.games.light_speed.words import words
from vision.values.ledger import Badge, Burst, Cross, Event, Ledger, Outline, Path, Tag

MARKS = {kind.__name__.lower(): kind for kind in (Path, Burst, Badge, Outline, Tag, Cross)}
WORDS = {
    "said",
    "other",
    "title",
    "label",
    "name",
    "note",
    "outcome",
    "reason",
    "message",
    "text",
    "words",
}


def ledger_of(notation: str) -> Ledger:
    table = parse_table(notation)
    deck = load_deck(table.deck)
    return tell(table, deck, resolve(table, deck))


def without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_words(v) for k, v in value.items() if k not in (*WORDS, "lines")}
    return [without_words(item) for item in value] if isinstance(value, list) else value


def read_mark(form: dict[str, Any]) -> Any:
    """Read a mark back from its JSON."""
    kind = MARKS[form["kind"]]
    names = [field.name for field in fields(kind)]
    return kind(**{name: form["style" if name == "kind" else name] for name in names})


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_a_ledger_is_told_whole_in_both_languages(path):
    ledger = ledger_of(path.read_text(encoding="utf-8").partition(RULER)[0])
    english, french = (ledger_to_json(ledger, words(language)) for language in ("en", "fr"))
    assert json.loads(json.dumps(english, allow_nan=False)) == english
    assert without_words(english) == without_words(french)
    ids = {piece["id"] for piece in english["pieces"]}
    columns = {column["id"] for column in english["columns"]}
    sides = {side["id"] for side in english["sides"]}
    for tally in (english["opening"], *(step["tally"] for step in english["steps"])):
        assert set(tally["pieces"]) == ids
        assert set(tally["scores"]) == sides
        assert all(set(score) == columns for score in tally["scores"].values())
    for step, told in zip(ledger.steps, english["steps"], strict=True):
        for event, form in zip(step.events, told["events"], strict=True):
            assert set(form["pieces"]) <= ids
            assert form["contested"] == ledger.is_contested(event)
            for mark, plain in zip(event.marks, form["marks"], strict=True):
                back = read_mark(plain)
                assert type(back) is type(mark)
                place = "points_mm" if hasattr(mark, "points_mm") else "at_mm"
                assert np.allclose(getattr(back, place), getattr(mark, place), atol=5e-4)
                assert back.__slots__ == mark.__slots__


def test_a_choice_can_be_given_back_to_the_game():
    notation = "red moth @0,0 0deg\nblue moth @20,-300 0deg\nasteroid-1 @120,200 0deg"
    table, deck = parse_table(notation), load_deck("light-speed")

    def shot(state: TableState) -> Event:
        events = tell(state, deck, resolve(state, deck)).steps[0].events
        return next(event for event in events if event.id == "red-moth-laser-1")

    event = shot(table)
    assert len(event.choices) >= 2
    for _, change in event.choices:
        ruled = edit(table, change, deck)
        again = shot(ruled)
        assert again.ruled
        assert again.undo == {"kind": "withdraw", "ship": "red-moth", "laser": 0}
        there = [] if change["target"] is None else [change["target"]]
        assert list(again.pieces) == ["red-moth", *there]
