"""What should lie on a table against what does: nothing that lacks is passed over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.judging.counts import Expected, find_shortfalls

NAMES = tuple("abcdef")


@given(
    least=st.integers(0, 6),
    there=st.sets(st.sampled_from(NAMES)),
    gone=st.sets(st.sampled_from(NAMES)),
)
def test_what_lacks_is_missed_unless_it_is_accounted_for(
    least: int, there: set[str], gone: set[str]
) -> None:
    """As many are missed as lack; none that is there, none that is said to be gone."""
    found = find_shortfalls([Expected("group", NAMES, least)], there, gone)
    lacking = least - len(there) - len(gone - there)
    assert sum(len(one.missing) for one in found) == max(0, lacking)
    for one in found:
        assert not set(one.missing) & (there | gone)
        assert (one.there, one.least) == (len(there), least)


def test_more_than_there_are_cannot_be_expected() -> None:
    with pytest.raises(ValueError, match="expected 0 to 2 pieces, got 3"):
        Expected("team", ("a", "b"), 3)
