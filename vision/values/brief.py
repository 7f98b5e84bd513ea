"""Doubts and notes -> fewer that say the same: each thing once, notes of one kind in a line."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from vision.values.messages import Issue, Message, message

__all__ = ["brief"]

#: Notes of which several are told as one; the catalogue has a sentence ``many.CODE``.
_TOGETHER = ("card_bent", "card_covered", "face_down", "doubtful_card", "unread_card")
#: What is said of the same piece already: the reading tells of a card that could not be read, the
#: round what a die may show, with the chances.
_AGAIN = {"unknown_card": ("unreadable_card", "duplicate_card"), "die_unsure": ("die_doubtful",)}
#: Notes about cards that are not named are of one kind, whoever tells of them.
_KINDS = dict.fromkeys(("unreadable_card", "unknown_card", "duplicate_card"), "unread_card")
#: What the sentences of some kinds measure.
_MEASURES = {"card_bent": "bend", "card_covered": "visible"}


def brief(issues: Sequence[Issue]) -> list[Issue]:
    """Tell issues in fewer lines, in their order.

    What is said twice of the same pieces is said once. Notes of one kind stand together, where the
    first of them stood, with the least and the greatest of what they measure; a doubt stands alone.

    Examples
    --------
    >>> bends = (("a", 0.6), ("b", 1.1))
    >>> notes = [Issue("card_bent", "", (c,), "note", message("", bend=b)) for c, b in bends]
    >>> [(issue.cards, issue.said.key) for issue in brief(notes)]
    [(('a', 'b'), 'many.card_bent')]
    """
    known = {(issue.code, issue.cards) for issue in issues}
    told: list[Issue] = []
    groups: dict[str, list[Issue]] = {}
    for issue in issues:
        if any((other, issue.cards) in known for other in _AGAIN.get(issue.code, ())):
            continue
        kind = _kind(issue)
        if kind:
            group = groups.setdefault(kind, [])
            group.append(issue)
            if len(group) > 1:
                continue
        told.append(issue)
    return [_together(issue, groups) for issue in told]


def _kind(issue: Issue) -> str:
    """Return of which kind a note is that stands with others of it; else nothing.

    A note out of a file is its sentence alone: what it measures is not known, so it stands alone.
    """
    kind = _KINDS.get(issue.code, issue.code)
    is_known = kind not in _MEASURES or bool(_measured(issue))
    return kind if issue.severity == "note" and kind in _TOGETHER and is_known else ""


def _together(issue: Issue, groups: dict[str, list[Issue]]) -> Issue:
    """Return an issue, or all notes of its kind where it is the first of several."""
    kind = _kind(issue)
    group = groups.get(kind, [])
    if len(group) < 2:
        return issue
    measured = [value for one in group for value in _measured(one)]
    gaps = {"low": min(measured), "high": max(measured)} if measured else {}
    cards = tuple(dict.fromkeys(card for one in group for card in one.cards))
    said = message(f"many.{kind}", n=len(group), **gaps)
    return replace(issue, cards=cards, said=said, at_px=None)


def _measured(issue: Issue) -> list[float]:
    """Return what a sentence measures, by name: a file may hold 1.0 as 1."""
    values = () if issue.said is None else _values(issue.said)
    return [float(value) for key, value in values if key in _MEASURES.values()]


def _values(said: Message) -> Iterator[tuple[str, Any]]:
    """Yield what a sentence names, with what a sentence in it names: *photo 2: ...*."""
    for key, value in said.values:
        if isinstance(value, Message):
            yield from _values(value)
        else:
            yield key, value
