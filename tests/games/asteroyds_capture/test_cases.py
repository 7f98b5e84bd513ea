"""The worked cases of the rules page, word for word."""

import pytest

from tests.games.asteroyds_capture.cases import load_cases, tell_case
from vision.games.asteroyds_capture.notation import parse_table
from vision.games.asteroyds_capture.resolve import resolve

CASES = load_cases()


def test_there_are_twelve():
    assert len(CASES) == 12


@pytest.mark.parametrize("case", CASES)
def test_a_case_goes_as_told(case):
    text, told = CASES[case]
    assert tell_case(resolve(parse_table(text))) == told
