"""The golden turns, equal to the last field."""

import json
from pathlib import Path

import pytest

from vision.games.conflit_stellaire.files import read_table, table_to_json
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.conflit_stellaire.resolve import resolve

CASES = json.loads(Path(__file__).with_name("golden.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_golden_turn(case):
    table = read_table(case["table"])
    reply = ConflitStellaire().write_outcome(resolve(table))
    assert {name: reply[name] for name in case["resolution"]} == case["resolution"]
    assert read_table(table_to_json(table)) == table
