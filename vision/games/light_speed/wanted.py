"""The doubts of a round -> from where another photo of the table would decide them."""

from collections.abc import Iterator, Sequence

from vision.values.messages import Issue, Message, message

__all__ = ["wanted"]

#: Doubts that another photo may answer, by what it should be like; in the order told.
_BY_WAY = {
    "uncovered": ("table_covered", "card_hidden", "card_covered"),
    "other_side": ("glare", "glare_table"),
    "farther": ("card_cut_off",),
    "nearer": ("doubtful_card", "unreadable_card", "duplicate_card", "outline_unread"),
    "small": ("photo_small",),
    "above": ("close_call", "cards_overlap"),
}
_NAMED = 4  # cards that are told by name: more are all of them, for whoever stands at the table


def wanted(doubts: Sequence[Issue]) -> tuple[Message, ...]:
    """Return from where further photos of a table should be taken, what is easiest first.

    ``doubts`` are all that is open, of seeing and of the round; a card in glare is asked for as
    that alone.
    """
    return tuple(_wanted(doubts))


def _wanted(doubts: Sequence[Issue]) -> Iterator[Message]:
    told: set[str] = set()
    for way, codes in _BY_WAY.items():
        mine = [issue for issue in doubts if issue.code in codes]
        names = tuple(dict.fromkeys(card for issue in mine for card in issue.cards))
        left = tuple(name for name in names if name not in told)
        if not mine or (names and not left):
            continue
        told |= set(names)
        if left and len(left) <= _NAMED:
            yield message(f"wanted.{way}", cards=left)
        else:
            yield message(f"wanted.{way}_any")
