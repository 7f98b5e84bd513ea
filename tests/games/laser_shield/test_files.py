"""Notation, JSON, corrections and the ledger of Laser and Shield."""

import json
import random

import pytest

from tests.games.laser_shield.test_laws import random_table
from vision.errors import TableFormatError
from vision.files.ledger import ledger_to_json
from vision.games.laser_shield.game import LaserShield
from vision.games.laser_shield.values import Pawn, PawnReading, Table
from vision.texts import texts

GAME = LaserShield()
DOUBT = "orange b1 s\nblue e1 e 0.7 or e1 se 0.3\norder orange fire b1>c1"


def random_tables(count: int) -> list[Table]:
    tables = []
    for seed in range(count):
        pawns, orders, options = random_table(random.Random(seed))
        tables.append(Table(tuple(pawns), orders, options))
    return tables


def test_a_doubt_is_played_out() -> None:
    """The last example of the rules page."""
    outcome = GAME.resolve(GAME.read(DOUBT))
    told = [(round(e.probability, 2), e.killed) for e in outcome.endings]
    assert told == [(0.7, ("blue-1",)), (0.3, ())]
    assert outcome.winners == ("orange",)
    assert {issue.code for issue in outcome.issues} == {"piece_doubtful", "outcome_doubtful"}


def test_readings_that_cannot_be_are_dropped() -> None:
    pawns = (
        Pawn(
            "orange-1",
            "b1",
            "s",
            readings=(PawnReading("b1", "s", 0.6), PawnReading("b2", "s", 0.4)),
        ),
        Pawn("orange-2", "b2", "s"),
        Pawn("blue-1", "e1", "n"),
    )
    (ending,) = GAME.resolve(Table(pawns)).endings
    assert ending.probability == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("game laser-shield", "no pawn"),
        ("orange b1 s\nblue b1 n", "both stand on b1"),
        ("orange a2 n", "door a2"),
        ("green b1 n", "orange and blue"),
        ("orange b9 n", "a1 to f2"),
        ("orange b1 s\norder orange fire b1", "fire b1>c1"),
        ("orange b1 s\nrule gun=big", "ahead"),
        ("orange-1 b1 s\norange-1 b2 s", "each once"),
    ],
)
def test_what_cannot_be_is_refused_with_what_is_needed(text: str, says: str) -> None:
    with pytest.raises(TableFormatError, match=says):
        GAME.read(text)


def test_unknown_fields_of_a_file_are_refused() -> None:
    document = GAME.write(GAME.read(DOUBT)) | {"colour": "red"}
    with pytest.raises(TableFormatError, match="colour"):
        GAME.read(json.dumps(document))


def test_corrections_are_orders_and_places() -> None:
    table = GAME.read("start")
    table = GAME.edit(table, {"kind": "order", "team": "orange", "order": "fire c1>d2"})
    table = GAME.edit(table, {"kind": "place", "piece": "blue-3", "square": "e2", "heading": "n"})
    table = GAME.edit(table, {"kind": "remove", "id": "blue-1"})
    assert GAME.resolve(table).orders["orange"] == "fire c1>d2"
    assert [p.square for p in table.pawns if p.team == "blue"] == ["e4", "e2"]
    with pytest.raises(TableFormatError, match="both stand"):
        GAME.edit(table, {"kind": "place", "piece": "blue-3", "square": "e4", "heading": "n"})


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_sentence_of_a_ledger_can_be_said(language: str) -> None:
    words = texts(language, GAME.texts)
    for table in random_tables(300):
        outcome = GAME.resolve(table)
        told = ledger_to_json(GAME.tell(table, outcome), words)
        assert len(told["steps"]) == len(outcome.steps) + 1  # the orders, or the position
        left = {side: score["total"] for side, score in _last(told)["scores"].items()}
        assert sum(left.values()) == len(outcome.position)


def _last(told: dict) -> dict:
    return (told["steps"][-1] if told["steps"] else {"tally": told["opening"]})["tally"]
