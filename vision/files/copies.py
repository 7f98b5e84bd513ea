"""Pieces of a scan and its issues -> ids: which of several copies of a piece an issue is about."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.values.layout import Placed
from vision.values.messages import Issue

__all__ = ["ids_of", "with_ids"]


def ids_of(placed: Sequence[Placed]) -> tuple[str, ...]:
    """Return an id for each piece: its own name, of further copies with a number behind it.

    Examples
    --------
    Three of one card and another: ``8d``, ``8d#2``, ``8d#3``, ``3c``.
    """
    names = {one.piece for one in placed}
    found: list[str] = []
    for one in placed:
        name, number = one.piece, 1
        while name in found or (number > 1 and name in names):
            number += 1
            name = f"{one.piece}#{number}"
        found.append(name)
    return tuple(found)


def with_ids(issue: Issue, placed: Sequence[Placed]) -> Issue:
    """Return an issue with the ids of its cards that are placed.

    Of copies those nearest to the place that it speaks of are meant; where it names none, the first
    of them, as many as it names.
    """
    ids, found = ids_of(placed), list[str]()
    for card in issue.cards:
        copies = [k for k, one in enumerate(placed) if one.piece == card and ids[k] not in found]
        if issue.at_px is not None and copies:
            at_px = np.array(issue.at_px)
            away = [np.linalg.norm(placed[k].outline_px.mean(axis=0) - at_px) for k in copies]
            copies = [copies[int(np.argmin(away))]]
        found += [ids[k] for k in copies[:1]]
    return replace(issue, ids=tuple(found))
