"""Events and snapshots: what every watch keeps of its pictures, its rounds and what it told."""

from abc import ABC, abstractmethod
from typing import Any

from vision.errors import TableFormatError
from vision.imaging.film_faults import FilmState
from vision.judging.game import Game
from vision.values.arrays import ImageBGR, ImageGray
from vision.values.messages import message
from vision.watch.by_hand import Correction, KeptCorrection
from vision.watch.calls import (
    Call,
    film_call,
    lost_call,
    picture_calls,
    size_calls,
    stop_call,
)
from vision.watch.events import Detail, Event, LaidCard, Phase, PictureState, Snapshot, StopBy
from vision.watch.foresight import Foreseen
from vision.watch.motion import is_black
from vision.watch.shown import Box, cut_out, scaled_box
from vision.watch.sources import FilmFault, LostPicture
from vision.watch.verdict import Verdict, doubt_film

__all__ = ["Telling"]


_STALE_S = 2.0  # an older picture is told as stalled
_PICTURE_MARGIN = 0.6  # round the pieces that an event shows, of their extent
_PICTURE_PX = 640  # of an event's picture, at most


class Telling(ABC):
    """A watch as its screens know it; what it follows, and how, is its own.

    ``game`` is what is played; after ``silence_s`` without news a round ends (None: never).
    """

    def __init__(self, game: Game, silence_s: float | None) -> None:
        self.game = game
        self.silence_s = silence_s
        self._image: ImageBGR | None = None
        self._seen_size: tuple[int, int] | None = None
        self._picture: PictureState = "none"
        self._pictures = self._number = 0
        self._time_s = self._stopped_s = 0.0
        self._phase: Phase = "waiting"
        self._round = 1
        self._stopped_by: StopBy | None = None
        self._notices: list[Event] = []
        self._film: FilmState = ""
        self.verdict: Verdict | None = None

    def tick(self, now_s: float) -> tuple[Event, ...]:
        """Tell the time while no picture comes; says when the picture has become too old."""
        age = now_s - self._time_s
        if self._picture in ("none", "stalled") or age < _STALE_S:
            return ()
        self._picture = "stalled"
        details: dict[str, Detail] = {"age_s": round(age, 2)}
        said = message("watch.picture_stalled", seconds=age)
        return (self._tell(Call("picture_stalled", said, "doubt", (), None, details)),)

    def stop(self, by: StopBy = "key", side: str | None = None) -> tuple[Event, ...]:
        """End the round: the verdict comes once all is at rest."""
        if self._phase not in ("playing", "waiting") or not self._has_pieces():
            return ()
        self._phase, self._stopped_by, self._stopped_s = "stopped", by, self._time_s
        return (self._tell(stop_call(by, side, self.silence_s or 0.0)),)

    def miss(self, lost: LostPicture | FilmFault) -> tuple[Event, ...]:
        """Say that a picture is left out, or what is wrong with the film: no verdict is sure."""
        self._time_s = max(self._time_s, lost.time_s)
        if isinstance(lost, LostPicture):
            return (self._tell(lost_call(lost.why)),)
        self._film = lost.state
        return (self._tell(film_call(lost.state)),)

    def snapshot(self, now_s: float | None = None) -> Snapshot:
        """Return the present state; ``now_s`` gives the picture its age."""
        age = None
        if self._picture != "none":
            age = max(0.0, (self._time_s if now_s is None else now_s) - self._time_s)
        cards = self._laid()
        return Snapshot(
            round=self._round,
            phase=self._phase,
            picture=self._picture,
            time_s=self._time_s,
            age_s=age,
            size_wh=self._seen_size,
            cards=cards,
            counts=self._counts(cards),
            notices=tuple(self._notices),
            stopped_by=self._stopped_by,
            has_verdict=self.verdict is not None,
            last_event=self._number,
            pictures=self._pictures,
        )

    @property
    def foreseen(self) -> Foreseen | None:
        """What would come of the table as it lies, where a watch can tell and is asked to."""
        return None

    def show_foreseen(self, is_shown: bool) -> None:  # noqa: B027 - a board tells nothing
        """Have it told from now on, or no more."""

    def correct(self, said: Correction) -> tuple[Event, ...]:
        """Take in what a finger says of a card, in pixels of the present picture.

        Raises
        ------
        TableFormatError
            If it does not fit the table, or this watch knows no cards.
        """
        msg = "what lies here is read as a whole; correct it on the page of its round"
        raise TableFormatError(msg)

    @property
    def corrections(self) -> tuple[KeptCorrection, ...]:
        """The corrections that stand, for a watch that begins anew under the same camera."""
        return ()

    def recall(self, kept: tuple[KeptCorrection, ...]) -> None:  # noqa: B027 - a board has none
        """Bring corrections to a table that is about to be read."""

    # --- what a watch knows of its table -----------------------------------------------------

    @abstractmethod
    def _has_pieces(self) -> bool:
        """Tell whether anything lies there."""

    @abstractmethod
    def _laid(self) -> tuple[LaidCard, ...]:
        """Return what lies there as a screen shows it."""

    @abstractmethod
    def _counts(self, laid: tuple[LaidCard, ...]) -> dict[str, int]:
        """Return how many of what lies there each side has."""

    @abstractmethod
    def _box(self, names: tuple[str, ...]) -> Box | None:
        """Return the box round some pieces in the picture that is followed."""

    @abstractmethod
    def _resized(self) -> None:
        """Forget what holds only for pictures of the size before."""

    def _picture_scale(self) -> float:
        """Return how many of the present picture's pixels one of the followed picture's is."""
        return 1.0

    # --- for its use -------------------------------------------------------------------------

    def _come_to(self, time_s: float) -> None:
        """Note when a picture was taken.

        Raises
        ------
        ValueError
            If it is older than the last.
        """
        if time_s < self._time_s:
            msg = f"time_s: expected at least {self._time_s}, got {time_s}"
            raise ValueError(msg)
        self._time_s = time_s
        self._pictures += 1

    def _note(self, image: ImageBGR, small: ImageGray) -> list[Event]:
        """Note what kind of picture it is, and tell what has changed about that."""
        was_wh, self._seen_size = self._seen_size, (image.shape[1], image.shape[0])
        if was_wh != self._seen_size:
            self._resized()
        sizes = [self._tell(call) for call in size_calls(was_wh, self._seen_size)]
        was, self._picture = self._picture, "black" if is_black(small) else "live"
        return sizes + [self._tell(call) for call in picture_calls(was, self._picture)]

    def _begin_round(self, said: str) -> Event:
        """Begin a new round; what lies there stays known."""
        self._round += 1
        self._phase, self._stopped_by, self.verdict = "waiting", None, None
        self._notices.clear()
        details: dict[str, Detail] = {"round": self._round}
        return self._tell(
            Call("new_round", message(said, round=self._round), "news", (), None, details)
        )

    def _of_film(self, verdict: Verdict, options: Any) -> Verdict:
        """Return a verdict, doubted if the film is damaged or unproven."""
        return doubt_film(verdict, self._film, self.game, options) if self._film else verdict

    def _tell(self, call: Call) -> Event:
        """Make an event of what is to be told."""
        self._number += 1
        box, picture = self._box(call.cards), None
        if call.severity != "news" and box is not None and self._image is not None:
            picture = cut_out(self._image, box, _PICTURE_MARGIN, _PICTURE_PX)
        event = Event(
            self._number,
            self._round,
            call.code,
            self._time_s,
            call.said,
            call.severity,
            call.cards,
            call.team,
            call.details,
            scaled_box(box, self._picture_scale()),
            picture,
        )
        if call.severity != "news":
            self._notices.append(event)
        return event
