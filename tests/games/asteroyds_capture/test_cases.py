"""The worked cases of the rules page, word for word."""

import json

import pytest

from tests.games.asteroyds_capture.cases import load_cases, tell_case
from vision.games.asteroyds_capture.files import read_table, table_to_json
from vision.games.asteroyds_capture.notation import format_table, parse_table
from vision.games.asteroyds_capture.resolve import resolve

CASES = load_cases()


def test_there_are_twelve():
    assert len(CASES) == 12


@pytest.mark.parametrize("case", CASES)
def test_a_case_goes_as_told(case):
    text, told = CASES[case]
    assert tell_case(resolve(parse_table(text))) == told


@pytest.mark.parametrize("case", CASES)
def test_a_case_reads_back_as_text_and_as_json(case):
    table = parse_table(CASES[case][0])
    assert parse_table(format_table(table)) == table
    assert read_table(json.dumps(table_to_json(table))) == table
