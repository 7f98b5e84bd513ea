"""Ids of pieces in a scan: each is its own, and every issue joins to the pieces it is about."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.files.copies import ids_of, with_ids
from vision.values.layout import Placed
from vision.values.messages import Issue

NAMES = ("8d", "8d#2", "3c", "asteroid-1", "unknown-1")
tables = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 40)), unique_by=lambda x: x[1])


def lay(name: str, column: int) -> Placed:
    """Lay a card; no two of one table in one column."""
    outline = 100.0 * column + np.array([[0.0, 0.0], [60.0, 0.0], [60.0, 80.0], [0.0, 80.0]])
    return Placed(str(column), name, 0.0, 0.0, 0.0, np.eye(3), outline)


@given(table=tables)
def test_every_piece_has_an_id_of_its_own(table):
    placed = [lay(*one) for one in table]
    ids = ids_of(placed)
    assert len(set(ids)) == len(placed)
    for own, one in zip(ids, placed, strict=True):
        assert own == one.piece or own.startswith(f"{one.piece}#")
    for name in {one.piece for one in placed}:
        assert name in ids  # what lies there once keeps its name


@given(table=tables, data=st.data())
def test_every_issue_joins_to_the_pieces_it_is_about(table, data):
    placed = [lay(*one) for one in table]
    ids = ids_of(placed)
    for own, one in zip(ids, placed, strict=True):
        x, y = one.outline_px.mean(axis=0).round().tolist()  # sentences round
        told = with_ids(Issue("doubtful_card", "", (one.piece,), at_px=(x, y)), placed)
        assert told.ids == (own,)
    cards = data.draw(st.lists(st.sampled_from([*NAMES, "not-there"]), max_size=6))
    told = with_ids(Issue("half_turn_open", "", tuple(cards)), placed)
    assert len(set(told.ids)) == len(told.ids)
    joined = [placed[ids.index(own)].piece for own in told.ids]
    for name in {*cards}:
        there = sum(one.piece == name for one in placed)
        assert joined.count(name) == min(cards.count(name), there)
