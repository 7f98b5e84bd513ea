"""No card of which a quarter shows is lost without a word, and none is named wrong for sure."""

import pytest

from bench.silent import IN_SIGHT, SEED, read_table

#: Tables on which one was lost: a verified card without a name in a fan, twice, and a card beside a
#: known one that reached far out; and one of each other kind.
TABLES = (24, 48, 5, 2, 7)


@pytest.mark.parametrize("number", TABLES)
def test_each_card_is_right_or_doubted_or_told(number):
    cases = [case for case in read_table(number, SEED) if case.visible >= IN_SIGHT]
    assert cases
    silent = [c.card for c in cases if c.verdict in ("lost in silence", "wrong as certain")]
    assert silent == []
