"""One table watched, round after round: pictures in, events and the state of the game out.

The session is what every screen stands on: the command line, the web page, a recording. It has no
clock, no thread and no window; whoever has pictures gives them to ``look`` with their time, and
tells the time with ``tick`` while there are none. It is not made for several threads at once;
what it gives out is frozen and may go anywhere.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from vision.errors import ScanError, TableFormatError
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.judging.game import Game, Referee
from vision.seeing.reading import find_mirrored_table
from vision.seeing.threads import one_thread
from vision.values.arrays import ImageBGR
from vision.values.messages import Message
from vision.values.pieces import Faces
from vision.watch.battle import Joined
from vision.watch.battling import Battling
from vision.watch.by_hand import (
    Correction,
    KeptCorrection,
    as_recalled,
    corrected,
    kept_of,
    recalled,
)
from vision.watch.calls import (
    Call,
    corrected_calls,
    mirrored_call,
    verdict_calls,
)
from vision.watch.cards import Known, Laid, Mark, Sighting, make_kit
from vision.watch.events import Event, LaidCard
from vision.watch.following import begin, follow
from vision.watch.foresight import Foreseen, foresee
from vision.watch.lens import Profile, check_profile, priors_at
from vision.watch.motion import reduce_picture
from vision.watch.referee import GAP_S, Moment, judge_by_hand, judge_sightings
from vision.watch.shown import Box, box_of, fit_picture, laid_cards
from vision.watch.state import Following, focal_35mm
from vision.watch.verdict import correct_verdict, give_verdict

__all__ = ["WatchSession", "WatchSettings"]


_FEW = 2  # cards at least by which a mirrored picture shows; see vision.seeing.mirror_check
_ASK_S = 4.0  # first time that a picture with fewer is looked at in a mirror
_RECALL_S = 10.0  # after the first look: till then a card that a hand hides may come to its name
_ANSWERED = ("unreadable_card", "duplicate_card", "face_down")  # by the name that a finger gives


_STILLS = 5  # pictures that a verdict is made of
_STILL_GAP_S = 0.12  # between them: neighbours share their noise in a film
_STILL_WAIT_S = 3.0  # for a table without hands; then the verdict takes what there is


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """What ends a round."""

    stop_on_count: bool = True  # a side that has laid all its pieces ends the round: the rule
    #: A round ends after so long without a new card (None: never): players forget to call "stop".
    #: It is taken back if another card is laid.
    silence_s: float | None = 5.0


class WatchSession(Battling):
    """The watch over one table.

    Parameters
    ----------
    game : Game
        What is played.
    faces : Faces
        What its cards look like.
    options : object, optional
        The variants played, of the game's own kind.
    settings : WatchSettings, optional
        What ends a round.
    profile : Profile, optional
        The camera's calibration; by default what is believed of any camera. It is dropped, and
        that is told, if the cards contradict it.

    Examples
    --------
    ::

        session, words = WatchSession(game, faces), texts("en", game.texts)
        for picture in source:
            for event in session.look(picture.image, picture.time_s):
                print(event_to_json(event, words))
        snapshot_to_json(session.snapshot(now_s), words)
    """

    def __init__(
        self,
        game: Game,
        faces: Faces,
        *,
        options: Any = None,
        settings: WatchSettings | None = None,
        profile: Profile | None = None,
    ) -> None:
        self.settings = settings or WatchSettings()
        super().__init__(game, self.settings.silence_s)
        self.options = options
        self._rules = game.referee or Referee()
        self._kit = make_kit(faces, self._rules.face_down)
        self._profile = profile
        self._state: Following | None = None
        self._followed_s: float | None = None  # when the last picture was followed
        self._gap_s: tuple[float, float] | None = None  # in which there was none
        self._orders: dict[str, tuple[int, float]] = {}
        self._ask_cards, self._ask_s = 0, 0.0  # when it is asked next whether it is mirrored
        self._is_mirrored = False
        self._is_foreseeing = False
        self._foreseen: Foreseen | None = None
        #: the cards of which it tells
        self._foreseen_of: tuple[tuple[Known, ...], tuple[Mark, ...], Joined | None] | None = None
        self._recalling: tuple[KeptCorrection, ...] = ()  # whose cards are not seen yet
        self._stills: deque[tuple[float, ImageBGR]] = deque(maxlen=_STILLS)

    # --- what comes in -----------------------------------------------------------------------

    def look(self, image: ImageBGR, time_s: float) -> tuple[Event, ...]:
        """Take in a picture.

        Parameters
        ----------
        image : (H, W, 3) uint8
            BGR, upright; it must not be changed afterwards.
        time_s : float
            When it was taken; never before the last.

        Returns
        -------
        tuple of Event
            What happened, in order.
        """
        self._come_to(time_s)
        with one_thread():
            return self._look(image, time_s)

    def _look(self, image: ImageBGR, time_s: float) -> tuple[Event, ...]:
        reduced = reduce_picture(image)
        events = self._note(image, reduced)
        if self._picture != "live":
            return tuple(events)
        fitted = self._fitted(image)
        small = reduced if fitted is image else None
        image = fitted
        self._image = image
        if self._state is None:
            priors, calls = priors_at(self._profile, (image.shape[1], image.shape[0]))
            if calls:
                self._profile = None
            self._state = begin(image, time_s, priors, self._kit)
            return (*events, *map(self._tell, calls))
        before, was_stale = self._state.lying, self._state.is_stale
        state, sightings = follow(self._state, image, time_s, self._kit, small)
        if self._recalling:
            state, sightings = self._recalled(state, sightings, time_s)
        self._state = state
        told = self._judged(before, sightings, time_s)
        laid = [sighting.card for sighting in sightings if isinstance(sighting, Laid)]
        for card in laid:
            self._orders[card.name] = (self._next_order(), time_s)
        events += [self._tell(call) for call in told]
        events += self._ask_mirrored(image, time_s)
        if sightings:
            self._stills.clear()
        if laid:
            self._last_card_s = time_s
            events += self._card_came()
        if state.is_settled and state.looked_s is not None:
            self._keep_still(image, time_s)
            events += self._check_profile(state, image)
        if sightings or state.cards is not self._joined_of:
            events += self._join()
        events += self._advance(time_s)
        if any(not isinstance(sighting, Laid) for sighting in sightings):
            self._foreseen = None
        self._foresee(is_clear=state.is_settled or was_stale)
        return tuple(events)

    def finish(self) -> tuple[Event, ...]:
        """Say that no more pictures come: a round being played is ended and settled."""
        events = list(self.stop("end"))
        if self._phase == "stopped":
            events += self._settle()
        return tuple(events)

    def new_round(self) -> tuple[Event, ...]:
        """Begin a new round; what lies on the table stays known."""
        self._last_card_s, self._round_s = None, self._time_s
        self._own, self._judged_s = None, None
        self._orders = {card.name: (i + 1, self._time_s) for i, card in enumerate(self._cards())}
        return (self._begin_round("watch.new_round"),)

    def correct(self, said: Correction) -> tuple[Event, ...]:
        """Take in what a finger says of a card, in pixels of the present picture.

        Returns
        -------
        tuple of Event
            What has changed by it.

        Raises
        ------
        TableFormatError
            If it does not fit the table.
        """
        before, image = self._state, self._image
        if before is None or image is None:
            msg = "no picture has come yet; correct the table once it is seen"
            raise TableFormatError(msg)
        scale = self._picture_scale()
        said = replace(said, at_px=(said.at_px[0] / scale, said.at_px[1] / scale))
        with one_thread():
            after = corrected(before, said, View(image), self._time_s, self._kit)
        self._state = after
        self._follow_names(before.lying, after.lying)
        told = judge_by_hand(before.lying, after.lying, self._rules, self._kit.size_mm)
        events = [self._tell(call) for call in told]
        if said.kind == "add":
            self._last_card_s = self._time_s
            events += self._card_came()
        elif self._phase in ("stopped", "verdict"):
            events += self._judge_again(before, after)
        events += self._join()
        self._foresee(is_clear=after.is_settled)
        return tuple(events)

    @property
    def corrections(self) -> tuple[KeptCorrection, ...]:
        """The corrections that stand, for a watch that begins anew under the same camera."""
        kept = () if self._state is None else kept_of(self._state, self._kit)
        return (*kept, *self._recalling)

    def recall(self, kept: tuple[KeptCorrection, ...]) -> None:
        """Bring corrections to a table that is about to be read."""
        self._recalling = kept

    # --- what goes out -----------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether something is moving or not yet explained in the newest picture."""
        return self._state is not None and not self._state.is_settled

    @property
    def foreseen(self) -> Foreseen | None:
        """What would come of the table as it lay when a card last came to rest, if that is asked.

        None too while a card has gone or moved, or the camera, and the table is not clear again.
        """
        return self._foreseen

    def show_foreseen(self, is_shown: bool) -> None:
        """Play the table from now on whenever a card has come to rest, or no more."""
        self._is_foreseeing = is_shown
        self._foreseen, self._foreseen_of = None, None
        self._foresee(is_clear=self._state is not None and self._state.is_settled)

    # --- inside ------------------------------------------------------------------------------

    def _judged(
        self, before: tuple[Known, ...], sightings: tuple[Sighting, ...], time_s: float
    ) -> tuple[Call, ...]:
        """Say what the rules have to say; nobody is accused of what came in a gap."""
        if self._followed_s is not None and time_s - self._followed_s > GAP_S:
            self._gap_s = (self._followed_s, time_s)
        self._followed_s = time_s
        hard, since = self._is_hard_stop(), self._stopped_s
        moment = Moment(before, self._cards(), self._phase, hard, since, self._gap_s)
        return judge_sightings(sightings, moment, self._rules, self._kit.size_mm)

    def _recalled(
        self, state: Following, sightings: tuple[Sighting, ...], time_s: float
    ) -> tuple[Following, tuple[Sighting, ...]]:
        """Bring what a finger said to a watch before this one to the cards that are seen now."""
        if state.looked_s is None:
            return state, sightings
        state, left = recalled(state, self._recalling, time_s, self._kit)
        looked_s = state.looked_s or time_s
        self._recalling = left if time_s - looked_s < _RECALL_S else ()
        return state, as_recalled(sightings, state)

    def _follow_names(self, before: tuple[Known, ...], after: tuple[Known, ...]) -> None:
        """Keep order and notices of cards that a finger named otherwise, placed or denied."""
        now = {id(card.pose): card.name for card in after}
        names = {card.name: now.get(id(card.pose)) for card in before}
        gone = {name for name, new in names.items() if new is None}
        renamed = {name for name, new in names.items() if new not in (None, name)}
        orders = {names.get(name, name): order for name, order in self._orders.items()}
        self._orders = {name: order for name, order in orders.items() if name is not None}
        for card in after:
            if card.name not in self._orders:
                self._orders[card.name] = (self._next_order(), self._time_s)
        self._notices[:] = [
            notice
            for notice in self._notices
            if not gone & set(notice.cards)
            and not (notice.code in _ANSWERED and renamed & set(notice.cards))
        ]

    def _next_order(self) -> int:
        return 1 + max((order for order, _ in self._orders.values()), default=0)

    def _judge_again(self, before: Following, after: Following) -> list[Event]:
        """Go on with a round that a miscounted card had stopped, or judge it as corrected."""
        if self._stopped_by == "count" and not self._full(
            [*(card.name for card in after.lying), *self._theirs()]
        ):
            self._phase, self._stopped_by, self.verdict = "playing", None, None
            return [self._tell(Call("resumed", Message("watch.resumed")))]
        if self._phase != "verdict" or self.verdict is None:
            return []
        was = self.verdict
        own = self._own or was
        self._own = correct_verdict(own, before, after, self._kit, self.game)
        self._judged_s = self._time_s
        self.verdict = self._of_both() or self._own
        return [self._tell(call) for call in corrected_calls(was, self.verdict)]

    def _full(self, names: Iterable[str]) -> list[str]:
        """Return the sides that have laid all their cards."""
        most = self._rules.last_of_side
        return [side for side, n in self._rules.count(names).items() if 0 < most <= n]

    def _cards(self) -> tuple[Known, ...]:
        return self._state.lying if self._state is not None else ()

    def _has_pieces(self) -> bool:
        return bool(self._cards())

    def _laid(self) -> tuple[LaidCard, ...]:
        size, scale = self._kit.size_mm, self._picture_scale()
        return laid_cards(self._state, self._orders, self._rules, size, scale)

    def _counts(self, laid: tuple[LaidCard, ...]) -> dict[str, int]:
        return self._rules.count(card.card for card in laid)

    def _box(self, names: tuple[str, ...]) -> Box | None:
        return box_of(self._state, names, self._kit.size_mm)

    def _resized(self) -> None:
        self._stills.clear()

    def _picture_scale(self) -> float:
        if self._state is None or self._seen_size is None:
            return 1.0
        return max(
            self._seen_size[0] / self._state.size_wh[0], self._seen_size[1] / self._state.size_wh[1]
        )

    def _ask_mirrored(self, image: ImageBGR, time_s: float) -> list[Event]:
        """Say once that the picture is mirrored.

        It is asked when the cards are twice as many as last time; while there are hardly any, for
        a mirrored one may not be known as a card, when the film is twice as long.
        """
        state = self._state
        if self._is_mirrored or state is None or state.looked_s is None:
            return []
        n = len(state.cards)
        is_late = n < _FEW and time_s >= self._ask_s
        if n < self._ask_cards and not is_late:
            return []
        self._ask_cards = max(_FEW, 2 * n)
        self._ask_s = max(_ASK_S, 2 * time_s)
        scores = [card.match.score for card in state.cards]
        photo = Photo(image, focal_35mm(state))
        mirrored = find_mirrored_table(photo, self._kit.detector, scores)
        if mirrored is None:
            return []
        self._is_mirrored = True
        return [self._tell(mirrored_call(mirrored))]

    def _check_profile(self, state: Following, image: ImageBGR) -> list[Event]:
        """Drop a calibration that the cards on the table contradict; asked once."""
        if self._profile is None:
            return []
        checked = check_profile(self._profile, state, image, self._kit)
        if checked is None:
            return []
        self._profile = None
        self._state, calls = checked
        return [self._tell(call) for call in calls]

    def _fitted(self, image: ImageBGR) -> ImageBGR:
        """Return the picture in the size that is followed; an empty table takes any new size."""
        if self._state is None:
            return image
        size_wh = (image.shape[1], image.shape[0])
        if size_wh == self._state.size_wh:
            return image
        if not self._state.cards:
            self._state = None
            return image
        return fit_picture(image, self._state.size_wh)

    def _is_hard_stop(self) -> bool:
        return self._phase in ("stopped", "verdict") and self._stopped_by != "silence"

    def _card_came(self) -> list[Event]:
        """Go on with the round that a new card belongs to."""
        if self._phase == "waiting":
            self._phase = "playing"
            return []
        if self._phase == "playing":
            return []
        self.verdict = None
        if self._is_hard_stop():  # laid too late, and there nevertheless: judged again
            self._phase, self._stopped_s = "stopped", self._time_s
            return []
        self._phase, self._stopped_by = "playing", None
        return [self._tell(Call("resumed", Message("watch.resumed")))]

    def _foresee(self, *, is_clear: bool) -> None:
        """Play the table if it lies otherwise than when it was played last.

        ``is_clear`` says that nothing moves over the cards of the newest picture.
        """
        state, image = self._state, self._image
        if not (self._is_foreseeing and is_clear) or state is None or image is None:
            return
        joined = None if self.meeting is None else self.meeting.joined
        now, told = (state.cards, state.marks, joined), self._foreseen_of
        is_new = told is None or any(a is not b for a, b in zip(now, told, strict=True))
        if not state.is_stale and is_new:
            self._foreseen_of = now
            with one_thread():
                self._foreseen = foresee(state, image, self._kit, self.game, self.options, joined)

    def _keep_still(self, image: ImageBGR, time_s: float) -> None:
        if not self._stills or time_s - self._stills[-1][0] >= _STILL_GAP_S:
            self._stills.append((time_s, image))

    def _advance(self, time_s: float) -> list[Event]:
        """Stop, settle or begin anew, if it is time."""
        s = self.settings
        events: list[Event] = []
        names = [card.name for card in self._cards()]
        if self._phase == "playing":
            counts, full = self._rules.count(names), self._full([*names, *self._theirs()])
            if s.stop_on_count and full:
                events += self.stop("count", full[0])
            elif (
                s.silence_s is not None
                and self._last_card_s is not None
                and time_s - self._last_card_s >= s.silence_s
                and any(counts.values())
                and (self._state is None or not self._state.waiting)
            ):
                events += self.stop("silence")
        if self._phase == "stopped":
            enough = len(self._stills) >= _STILLS
            if enough or time_s - self._stopped_s >= _STILL_WAIT_S:
                events += self._settle()
        elif self._phase == "verdict" and self._rules.common.issuperset(names):
            events += self.new_round()
        return events

    def _settle(self) -> list[Event]:
        """Make the verdict from the best pictures there are."""
        self._phase = "verdict"
        pictures = [image for _, image in self._stills]
        if not pictures and self._image is not None:
            pictures = [self._image]
        if self._state is None or not pictures:
            return []
        try:
            verdict = give_verdict(
                self._state, pictures, self._kit, self.game, options=self.options
            )
        except ScanError as error:
            said = Message("watch.no_verdict", (("reason", str(error)),))
            return [self._tell(Call("no_verdict", said, "doubt"))]
        self._own = self._of_film(verdict, self.options)
        self._judged_s = self._time_s
        both = self._of_both()
        self.verdict = both or self._own
        return [self._tell(call) for call in verdict_calls(self.verdict, is_of_both=bool(both))]
