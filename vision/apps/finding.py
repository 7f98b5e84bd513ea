"""Photos of a table -> which of several games lies there, and what was read of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from statistics import median
from typing import TYPE_CHECKING, Protocol, TypeVar

from vision.errors import DeckError, TableNotFoundError

if TYPE_CHECKING:
    from vision.apps.known import Known
    from vision.values.scan import Scan

__all__ = ["DrawnGames", "find_out", "is_plain"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_MANY = 4  # pieces read: fewer may be chance, or left over from another game
_WELL = 0.7  # median likeness of pieces where theirs is the game that lies there
_POORLY = 0.25  # of the worst: cards of another game reach 0.24, and what is unread has 0


class ReadAs(Protocol[T_co]):
    """Reads the photos as a table of a game: all of them, or one alone, by its number from 0."""

    def __call__(self, known: "Known", photo: int | None = None) -> T_co: ...


class DrawnGames:
    """What may lie on a table of which nothing is said, each game loaded when it is come to.

    Games whose pieces nothing draws are read from files alone: no photo is taken for one of them.
    """

    def __iter__(self) -> "Iterator[Known]":
        """Go through the games, the program's own first."""
        from vision.apps.decks import KnownDeck
        from vision.apps.known import known_game
        from vision.games.registry import each_game_name

        for name in each_game_name():
            known = known_game(name)
            if isinstance(known, KnownDeck) or known.game.pieces.art:
                yield known


def find_out(
    tables: "Iterable[Known]",
    photos: int,
    read: "ReadAs[T]",
    is_sure: "Callable[[T], bool]",
    likely: "Known | None" = None,
) -> "tuple[Known, T]":
    """Read photos as a table of the one game; of several, find out which of them it is.

    Cards are looked for first; where they are found no board is, which would take as long again.
    Once a reading is sure, no other game is asked, nor come to. If several photos are no table of
    any game, each is read alone as a table of the games that take fewer photos.

    Parameters
    ----------
    tables : iterable of Known
        What may lie there.
    photos : int
        How many photos there are: games that are not spread over so many are left out.
    read : callable
        Reads the photos as a table of one of them: all, or one alone.
    is_sure : callable
        Tells of a reading that nothing else can lie there, as :func:`is_plain` does.
    likely : Known, optional
        What is played just now: it is asked before all others, also where it has a board.

    Raises
    ------
    TableNotFoundError
        If none of them does: of what was recognised, of each photo, or that nothing was found.
    DeckError
        If several fit; it names them.
    """
    found: list[tuple[Known, T]] = []
    misses: list[TableNotFoundError] = []
    smaller: list[Known] = []
    others = _cards_first(tables)
    if likely is not None:
        others = chain((likely,), (known for known in others if known.name != likely.name))
    for known in others:
        if photos > known.game.most_photos:
            smaller.append(known)
            continue
        if found and _has_board(known):
            continue
        try:
            found.append((known, read(known)))
        except TableNotFoundError as error:
            misses.append(error)
            continue
        if is_sure(found[-1][1]):
            return found[-1]
    if not found and misses:
        raise _each_alone(smaller, photos, read, _missed(misses))
    if len(found) != 1:
        fitting = [known.game.name for known, _ in found] or [known.game.name for known in tables]
        told = ", ".join(dict.fromkeys(fitting))
        msg = f"this may be a table of {told}; choose one with --game NAME"
        raise DeckError(msg)
    return found[0]


def is_plain(scan: "Scan") -> bool:
    """Tell whether all that was seen is read well, so that it is of no other game."""
    scores = [placed.score for layout in scan.layouts for placed in layout.placed]
    return len(scores) >= _MANY and min(scores) >= _POORLY and median(scores) >= _WELL


def _each_alone(
    smaller: "Iterable[Known]", photos: int, read: "ReadAs[object]", missed: TableNotFoundError
) -> TableNotFoundError:
    """Return the error that tells which photos alone show a table of which game; else ``missed``.

    ``smaller`` are the games that take fewer photos; ``missed`` is why all photos together are no
    table of another game.
    """
    from vision.texts import texts
    from vision.values.messages import message

    shown: dict[int, str] = {}
    for known in smaller:
        for photo in range(photos):
            if photo in shown:
                continue
            try:
                read(known, photo)
            except TableNotFoundError as error:
                if not error.is_near:
                    continue
            shown[photo] = known.game.name
    if not shown:
        return missed
    each = tuple(message("error.photo_shows", n=n + 1, game=shown[n]) for n in sorted(shown))
    said = message("error.scan_alone", each=each)
    if missed.is_near and len(shown) < photos:  # the others are of a game that was recognised
        said = message("error.and_others", shown=said, others=str(missed))
    return TableNotFoundError(texts("en").tell(said), is_near=True, said=said)


def _missed(misses: "Sequence[TableNotFoundError]") -> TableNotFoundError:
    """Return what is said of photos that are no table of any game that was asked.

    That is what the game that was recognised says, or the only one, or one that finds the photo at
    fault; else that nothing was found.
    """
    from vision.texts import texts
    from vision.values.messages import message

    near = [error for error in misses if error.is_near]
    if near or len(misses) == 1:
        return (near or misses)[-1]
    for error in misses:
        if error.of_photo:
            return error
    said = message("error.nothing_found")
    return TableNotFoundError(texts("en").tell(said), said=said)


def _cards_first(tables: "Iterable[Known]") -> "Iterator[Known]":
    """Go through the tables, those with a board last."""
    boards = []
    for known in tables:
        if _has_board(known):
            boards.append(known)
        else:
            yield known
    yield from boards


def _has_board(known: "Known") -> bool:
    return bool(known.game.pieces.of_kind("board"))
