"""A log that only grows: an undo is an entry too; what stands is found by reading it whole."""

from collections.abc import Sequence
from typing import Any

__all__ = ["fold"]


def fold(log: Sequence[tuple[str, Any]]) -> tuple[list[Any], list[Any]]:
    """Return the changes that stand and those that can be done again, from the log.

    >>> fold([("move", 1), ("move", 2), ("undo", None)])
    ([1], [2])
    """
    done: list[Any] = []
    undone: list[Any] = []
    for kind, change in log:
        if kind == "undo":
            if done:
                undone.append(done.pop())
        elif kind == "redo":
            if undone:
                done.append(undone.pop())
        else:
            done.append(change)
            undone.clear()
    return done, undone
