"""What lies on a table -> the watch over it: cards one by one, or a board position by position."""

from typing import Any, TypeAlias

from vision.apps.decks import KnownDeck
from vision.apps.known import Known, KnownGame
from vision.errors import DeckError
from vision.judging.game import Game
from vision.seeing.detector import AnyDetector, TableDetector
from vision.seeing.pieces.reading import PieceDetector
from vision.watch import WatchSession, WatchSettings
from vision.watch.boards import BoardSession, BoardWatchSettings
from vision.watch.lens import Profile

__all__ = [
    "AnySession",
    "can_follow",
    "check_followed",
    "follows_cards",
    "has_beams",
    "laid_by_side",
    "watch_over",
]

AnySession: TypeAlias = WatchSession | BoardSession


def can_follow(known: Known) -> bool:
    """Tell whether it has cards that are laid by rules that a watch knows, or is read whole.

    That is a board, or a table whose game says itself what changed on it.
    """
    if isinstance(known, KnownDeck):
        return known.game.referee is not None
    is_alone = known.game.overrides(Game.changes) and known.game.most_photos == 1
    return bool(known.game.pieces.of_kind("board")) or is_alone


def check_followed(known: Known) -> None:
    """Refuse what has no round that can be followed.

    Raises
    ------
    DeckError
        If :func:`can_follow` says no.
    """
    if not can_follow(known):
        msg = f"the deck {known.name!r} has no rounds to follow; scan it instead"
        raise DeckError(msg)


def laid_by_side(known: Known) -> int:
    """Return how many pieces a side lays in a round, 0 where that is not counted."""
    return 0 if known.game.referee is None else known.game.referee.last_of_side


def follows_cards(known: Known) -> bool:
    """Tell whether cards are followed one by one, so that a finger may correct each."""
    return isinstance(known, KnownDeck)


def has_beams(known: Known) -> bool:
    """Tell whether its game says what each card would hit while cards are laid."""
    return isinstance(known, KnownDeck) and known.game.overrides(Game.foresee)


def watch_over(
    known: Known,
    options: Any,
    *,
    silence_s: float | None,
    stop_on_count: bool,
    profile: Profile | None = None,
    planned: Any = None,
) -> AnySession:
    """Make the watch over a table.

    Parameters
    ----------
    known : Known
        What lies there.
    options : object
        The variants played, of the game's own kind.
    silence_s : float or None
        After how long without a change a round ends by itself.
    stop_on_count : bool
        Whether a side that has laid all its pieces ends the round.
    profile : Profile, optional
        The camera's calibration, for cards: a board says itself how it is seen.
    planned : object, optional
        The game's own table with the orders of the round that is played out by hand.

    Raises
    ------
    DeckError
        If it cannot be followed.
    """
    check_followed(known)
    if isinstance(known, KnownDeck):
        settings = WatchSettings(stop_on_count=stop_on_count, silence_s=silence_s)
        bank = known.bank()
        return WatchSession(known.game, bank, options=options, settings=settings, profile=profile)
    detector = _detector(known)
    if not isinstance(detector, PieceDetector | TableDetector):
        msg = f"{known.name!r} has a board without a picture, so it cannot be found"
        raise DeckError(msg)
    watched = BoardWatchSettings(silence_s=silence_s)
    return BoardSession(known.game, detector, options=options, settings=watched, planned=planned)


def _detector(known: Known) -> AnyDetector:
    """Return how a watch looks for what lies there: on a board for nothing that lies beside it."""
    if isinstance(known, KnownGame) and known.game.pieces.of_kind("board"):
        return known.board_detector()
    return known.detector()
