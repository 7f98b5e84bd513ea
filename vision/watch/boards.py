"""One table read whole: pictures in, events and the present position out; as the watch over cards.

A board, or cards with sheets beside them, is not followed piece by piece. While anything moves
nothing is read; when all is at rest and no arm reaches in, the whole position is, and what changed
since the last is told. A piece whose place is covered has not gone: then it is looked again. Like
:class:`vision.watch.WatchSession` the session has no clock, no thread and no window.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.errors import TableNotFoundError
from vision.judging.evening import Followed
from vision.judging.game import Game
from vision.seeing.detector import TableDetector
from vision.seeing.pieces.reading import PieceDetector
from vision.seeing.threads import one_thread
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray
from vision.values.ledger import PieceView
from vision.values.messages import Issue, Message, message
from vision.watch.calls import Call, verdict_calls
from vision.watch.events import Event, LaidCard
from vision.watch.motion import (
    Motion,
    absorb,
    begin_motion,
    find_changes,
    is_moving,
    observe,
    reduce_picture,
)
from vision.watch.positions import BoardReader, Position, changes, laid_pieces
from vision.watch.shown import Box
from vision.watch.spread import SpreadReader
from vision.watch.telling import Telling
from vision.watch.verdict import Verdict

__all__ = ["BoardSession", "BoardWatchSettings"]


_SAME_DOUBT_MM = 15.0  # a doubt of a piece so near an old one's place is that one
_ARM_SHARE = 0.012  # of the picture that is news at its rim: a wrist at least
_REACH_SHARE = 0.004  # likewise where cards lie on a cloth, up to the rim: a hand's fingers
_ARM_S = 20.0  # ... for so long: a shadow, a cup; the board is read as it is


@dataclass(frozen=True, slots=True)
class BoardWatchSettings:
    """When a board is read, and what ends a round."""

    #: A position ends its round after so long without a change (None: never): then it is kept.
    silence_s: float | None = 5.0
    rest_s: float = 0.5  # without movement before the board is read: hands hesitate
    retry_s: float = 1.0  # between two looks at what could not be read
    tell_s: float = 4.0  # a covered piece, or a board out of sight, is told after that long


class BoardSession(Telling):
    """The watch over one board.

    Parameters
    ----------
    game : Game
        What is played.
    detector : PieceDetector or TableDetector
        How its board and pieces, or its cards and sheets, are looked for.
    options : object, optional
        The variants played, of the game's own kind.
    settings : BoardWatchSettings, optional
        When the board is read, and what ends a round.
    planned : object, optional
        The game's own table with the orders of the round that is played out by hand: what goes
        otherwise is told.
    """

    def __init__(
        self,
        game: Game,
        detector: PieceDetector | TableDetector,
        *,
        options: Any = None,
        settings: BoardWatchSettings | None = None,
        planned: Any = None,
    ) -> None:
        self.settings = settings or BoardWatchSettings()
        super().__init__(game, self.settings.silence_s)
        self.options = options
        self._reader: BoardReader | SpreadReader
        if isinstance(detector, PieceDetector):
            self._reader, self._arm_share = BoardReader(detector, game, options), _ARM_SHARE
        else:
            self._reader, self._arm_share = SpreadReader(detector, game, options), _REACH_SHARE
        self._motion: Motion | None = None
        self._position: Position | None = None
        self._moved_s = self._tried_s = 0.0
        self._trouble_s: float | None = None  # since when the board cannot be read
        self._is_told = False  # that it cannot
        self._changed_s: float | None = None
        self._planned, self._seen = planned, list[Any]()
        self._followed = Followed()

    # --- what comes in -----------------------------------------------------------------------

    def look(self, image: ImageBGR, time_s: float) -> tuple[Event, ...]:
        """Take in a picture (H, W, 3), BGR; ``time_s`` is when it was taken, never before the last.

        Returns
        -------
        tuple of Event
            What happened, in order.
        """
        self._come_to(time_s)
        with one_thread():
            small = reduce_picture(image)
            events = self._note(image, small)
            if self._picture == "live":
                self._image = image
                if self._is_due(small):
                    events += self._read(image)
                events += self._advance()
        return tuple(events)

    def finish(self) -> tuple[Event, ...]:
        """Say that no more pictures come: the last position is read and kept."""
        events = []
        if self._image is not None and self._is_news():
            with one_thread():
                events += self._read(self._image)
        events += self.stop("end")
        if self._phase == "stopped":
            events += self._settle()
        return tuple(events)

    def new_round(self) -> tuple[Event, ...]:
        """Begin a new round; what lies on the board stays known."""
        self._changed_s = None
        return (self._begin_round("watch.board_round"),)

    # --- what goes out -----------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether something moves, or is not yet read."""
        return self._motion is not None and (is_moving(self._motion) or self._is_news())

    # --- inside ------------------------------------------------------------------------------

    def _resized(self) -> None:
        self._motion = None
        self._reader.forget()

    def _is_due(self, small: ImageGray) -> bool:
        """Take in the small picture; tell whether the board is to be read now."""
        s, now = self.settings, self._time_s
        if self._motion is None:
            self._motion, self._moved_s = begin_motion(small, now), now
            return False
        self._motion = observe(self._motion, small, now)
        if is_moving(self._motion):
            self._moved_s = now
        if now - self._moved_s < s.rest_s or now - self._tried_s < s.retry_s * self._is_stuck():
            return False
        if self._position is None and not self._is_stuck():
            return True
        return self._is_news() and (not self._has_arm() or now - self._moved_s > _ARM_S)

    def _is_stuck(self) -> bool:
        return self._trouble_s is not None

    def _is_news(self) -> bool:
        """Tell whether the picture is other than when the board was read."""
        if self._motion is None or self._position is None or self._is_stuck():
            return True
        return bool(find_changes(self._motion))

    def _has_arm(self) -> bool:
        """Tell whether something reaches in from the rim of the picture."""
        if self._motion is None or self._position is None:
            return False
        found = find_changes(self._motion)
        at_rim = [change.news.mean() for change in found if change.touches_rim]
        return max(at_rim, default=0.0) > self._arm_share

    def _veil(self) -> BoolArray | None:
        """Return what of the small picture (h, w) is changed by something from its rim."""
        if self._motion is None or self._position is None:
            return None
        found = find_changes(self._motion)
        masks = [change.mask for change in found if change.touches_rim]
        return np.logical_or.reduce(masks) if masks else None

    def _read(self, image: ImageBGR) -> list[Event]:
        """Read the board as it is at rest, and tell what changed."""
        self._tried_s = self._time_s
        try:
            now = self._reader.read(image, self._position)
        except TableNotFoundError as error:
            return self._in_trouble(Call("board_unseen", Message("watch.board_unseen", (
                ("reason", str(error)),
            )), "doubt"))  # fmt: skip
        before = self._position
        hidden = () if before is None else self._reader.hidden(before, now, self._veil())
        if hidden:
            names = tuple(dict.fromkeys(hidden))
            said = message("watch.piece_hidden", cards=names)
            return self._in_trouble(Call("piece_hidden", said, "doubt", names))
        self._position, self._trouble_s, self._is_told = now, None, False
        if self._motion is not None:
            self._motion = absorb(self._motion)
        return self._changed(before if now.follows else None, now)

    def _in_trouble(self, call: Call) -> list[Event]:
        """Wait with what cannot be read; tell it once, when it lasts."""
        if self._trouble_s is None:
            self._trouble_s = self._time_s
        if self._is_told or self._time_s - self._trouble_s < self.settings.tell_s:
            return []
        self._is_told = True
        return [self._tell(call)]

    def _changed(self, before: Position | None, now: Position) -> list[Event]:
        """Tell what is other than before, and what is not sure of it."""
        told: list[Call] = []
        if before is None:
            n = len(now.pieces)
            told.append(Call("board_read", message("watch.board_read", n=n), details={"n": n}))
        else:
            sides = {piece.id: piece.side for piece in (*before.pieces, *now.pieces)}
            told += [
                Call(f"piece_{c.kind}", c.said, "news", (c.piece,), sides.get(c.piece))
                for c in changes(self.game, before, now)
            ]
        is_changed = bool(told) and bool(now.pieces)
        told += _doubts(before, now)
        told += self._follow(now)
        events: list[Event] = []
        if is_changed and self._phase in ("stopped", "verdict"):
            events += self.new_round()
        if is_changed:
            self._phase, self._changed_s, self.verdict = "playing", self._time_s, None
        return [*events, *map(self._tell, told)]

    def _follow(self, now: Position) -> list[Call]:
        """Compare a position with the orders that are played out, if there are any."""
        game = self.game
        if self._planned is None:
            return []
        if now.scan is None:
            said = message("watch.board_partly", reason=now.lacks)
            return [Call("board_partly", said, "doubt")]
        self._seen.append(now.scan.table)
        was, self._followed = self._followed, game.follow(self._planned, self._seen)
        is_ = self._followed
        if is_.said is not None and is_.piece is not None:
            same = is_.piece == was.piece  # one that is astray is told once
            return [] if same else [Call("piece_astray", is_.said, "doubt", (is_.piece,))]
        if is_.is_done and not was.is_done:
            return [Call("board_done", message("watch.board_done"))]
        return [Call("board_right", message("watch.board_right"))] if was.said is not None else []

    def _advance(self) -> list[Event]:
        """Stop or settle, if it is time."""
        s, events = self.settings, list[Event]()
        silent = self._time_s - max(self._changed_s or 0.0, self._moved_s)
        if (
            self._phase == "playing"
            and s.silence_s is not None
            and silent >= s.silence_s
            and not self._is_news()
        ):
            events += self.stop("silence")
        if self._phase == "stopped" and not self.is_busy:
            events += self._settle()
        return events

    def _settle(self) -> list[Event]:
        """Keep the position as a round, played as it stands."""
        self._phase = "verdict"
        if self._position is None or self._position.scan is None:
            return []
        read = self._position.scan
        self.verdict = self._of_film(Verdict(read, self._position.image, 1, (), read), self.options)
        return [self._tell(call) for call in verdict_calls(self.verdict)]

    def _pieces(self) -> tuple[PieceView, ...]:
        return () if self._position is None else self._position.pieces

    def _has_pieces(self) -> bool:
        return bool(self._pieces())

    def _counts(self, laid: tuple[LaidCard, ...]) -> dict[str, int]:
        sides = [piece.side for piece in self._pieces()]
        return {side.id: sides.count(side.id) for side in self.game.sides}

    def _laid(self) -> tuple[LaidCard, ...]:
        if self._position is None:
            return ()
        return laid_pieces(self._position, self._changed_s or 0.0)

    def _box(self, names: tuple[str, ...]) -> Box | None:
        corners = [card.corners_px for card in self._laid() if card.card in names]
        if not corners:
            return None
        every = np.concatenate(corners)
        (left, top), (right, bottom) = every.min(axis=0), every.max(axis=0)
        return int(left), int(top), int(np.ceil(right - left)), int(np.ceil(bottom - top))


def _doubts(before: Position | None, now: Position) -> list[Call]:
    """Return the doubts of a position that the one before did not have: of the same, there.

    Ids may count pieces anew; so a doubt is known again by its code and the places it speaks of.
    """
    old = [] if before is None else [(issue.code, _places(before, issue)) for issue in _of(before)]
    fresh = [issue for issue in _of(now) if not _is_among(issue.code, _places(now, issue), old)]
    return [
        Call(i.code, i.said or message("watch.as_told", text=i.message), "doubt", i.cards)
        for i in fresh
    ]


def _of(position: Position) -> list[Issue]:
    issues = position.layout.doubts if position.scan is None else position.scan.issues
    return [issue for issue in issues if issue.severity == "doubt"]


def _places(position: Position, issue: Issue) -> FloatArray | tuple[str, ...]:
    """Return where the pieces of a doubt lie, (N, 2) mm; their names if that is not known."""
    middles = {piece.id: piece.outline_mm.mean(axis=0) for piece in position.pieces}
    if not issue.cards or not set(issue.cards) <= set(middles):
        return issue.cards
    return np.array([middles[name] for name in issue.cards])


def _is_among(
    code: str,
    places: FloatArray | tuple[str, ...],
    old: Sequence[tuple[str, FloatArray | tuple[str, ...]]],
) -> bool:
    for known, there in old:
        if known != code or isinstance(there, tuple) != isinstance(places, tuple):
            continue
        if isinstance(there, tuple) or isinstance(places, tuple):
            if there == places:
                return True
        elif there.shape == places.shape and np.abs(there - places).max() < _SAME_DOUBT_MM:
            return True
    return False
