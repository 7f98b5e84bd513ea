"""What players have said of a table -> the doubts that it closes, of seeing and of judging alike.

A word is of which piece, and what of it: ``("red-1", "cell")``. A game keeps the words in its table
and lists the codes that each of them closes. Seeing calls a thing by what it took it for, and tells
where in the photo it lies; a piece that was seen is found by both. That nothing more lies at a
place of the photo is a word too: ``{"kind": "nothing", "at_px": [703, 902]}``.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from vision.errors import TableFormatError
from vision.values.ledger import Weighed
from vision.values.messages import Issue

__all__ = ["Closes", "PlacePx", "Word", "closed_by", "is_of_place", "left_open", "nothing_more"]

Word: TypeAlias = tuple[str, str]  #: of which piece, and what of it
Closes: TypeAlias = Mapping[str, Sequence[str]]  #: by what is said, codes of doubts
PlacePx: TypeAlias = tuple[float, float]  #: as an issue has it, whole pixels

_NOTHING = ""  #: of which piece a word about a place is
#: Doubts of seeing whether something more lies at a place.
_OF_PLACES = (
    *("card_hidden", "glare", "glare_table", "outline_unread", "table_covered"),
    *("pawn_extra", "sheet_unnamed", "sheet_unread", "thing_unread"),
)


def nothing_more(change: Mapping[str, Any]) -> Word | None:
    """Read the word that nothing more lies at a place; None if a change is another.

    Raises
    ------
    TableFormatError
        If it is that word without a place.
    """
    if change.get("kind") != "nothing":
        return None
    at = change.get("at_px")
    if not isinstance(at, list | tuple) or len(at) != 2 or set(change) != {"kind", "at_px"}:
        at = (math.nan, math.nan)
    if not all(isinstance(x, int | float) and math.isfinite(x) for x in at):
        msg = 'needed the place of a doubt in the photo: {"kind": "nothing", "at_px": [703, 902]}'
        raise TableFormatError(msg)
    return _NOTHING, f"{at[0]:.0f},{at[1]:.0f}"


def is_of_place(issue: Issue) -> bool:
    """Tell whether an issue is closed by the word that nothing more lies at its place."""
    return issue.at_px is not None and issue.code in _OF_PLACES


def closed_by(
    said: Collection[Word], closes: Closes, seen: Mapping[str, PlacePx] | None = None
) -> Iterator[Weighed]:
    """Yield what is closed by words of players, by the codes that each kind of word closes.

    ``seen`` is where in a photo each piece was seen.
    """
    for of, what in sorted(said):
        if of == _NOTHING:
            x, y = map(float, what.split(","))
            yield Weighed((), _OF_PLACES, 0.0, (x, y), is_said=True)
        elif codes := tuple(closes.get(what, ())):
            yield Weighed((of,), codes, 0.0, is_said=True)
            if seen and of in seen:
                yield Weighed((), codes, 0.0, seen[of], is_said=True)


def left_open(issues: Iterable[Issue], said: Collection[Word], closes: Closes) -> tuple[Issue, ...]:
    """Return the issues of judging that no word has closed."""
    over = tuple(closed_by(said, closes))
    return tuple(issue for issue in issues if not any(one.is_of(issue) for one in over))
