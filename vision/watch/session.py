"""One table watched, round after round: pictures in, events and the state of the game out.

The session is what every screen stands on: the command line, the web page, a recording. It has no
clock, no thread and no window; whoever has pictures gives them to ``look`` with their time, and
tells the time with ``tick`` while there are none. It is not made for several threads at once;
what it gives out is frozen and may go anywhere.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import cv2
import numpy as np

from vision.errors import ScanError
from vision.games.light_speed.deck import is_asteroid, team_of
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.values import Deck, RuleOptions
from vision.imaging.photo import encode_image
from vision.imaging.view import to_gray
from vision.seeing.solve.adjust import Priors
from vision.seeing.solve.plane import camera_priors
from vision.seeing.threads import one_thread
from vision.values.arrays import ImageBGR, ImageGray
from vision.values.messages import Message
from vision.values.pieces import Faces
from vision.watch.cards import FollowSettings, Known, Laid, make_kit
from vision.watch.events import Detail, Event, LaidCard, Phase, PictureState, Snapshot
from vision.watch.following import begin, follow
from vision.watch.ground import corners_in_picture, settle_ground
from vision.watch.motion import is_black, reduce_picture
from vision.watch.referee import Call, count_ships, judge_sightings
from vision.watch.state import Following
from vision.watch.verdict import Verdict, give_verdict

__all__ = ["PriorsOf", "StopBy", "WatchSession", "WatchSettings", "fit_picture"]

StopBy: TypeAlias = Literal["key", "count", "silence", "end"]
PriorsOf: TypeAlias = Callable[[tuple[int, int]], Priors | None]


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """What ends a round, and when a picture is too old.

    ``stop_on_count``: when a team has laid all its ships. ``silence_s``: after so long without a
    new card (None: never); such a stop is taken back if another card is laid.
    """

    stop_on_count: bool = True
    silence_s: float | None = 5.0
    stale_s: float = 2.0  # an older picture is told as stalled
    stills: int = 5  # pictures that a verdict is made of
    still_gap_s: float = 0.12  # between them: neighbours share their noise in a film
    still_wait_s: float = 3.0  # for a table without hands; then the verdict takes what there is
    picture_margin: float = 0.6  # round the cards that an event shows, of their extent
    picture_px: int = 640  # of an event's picture, at most
    profile_cards: int = 4  # by which a calibration is checked
    profile_slack: float = 1.15  # by how much worse than without it the cards may agree
    follow: FollowSettings = field(default_factory=FollowSettings)


class WatchSession:
    """The watch over one table.

    Parameters
    ----------
    deck, bank : Deck and Faces
        What the cards do, and what they look like.
    rules : RuleOptions, optional
        As for a scan.
    settings : WatchSettings, optional
        What ends a round.
    priors : callable, optional
        What a calibration says of the camera for a picture size (width, height), None where it
        does not fit; by default what is believed of any camera. It is dropped, and that is told,
        if the cards contradict it.
    profile : str
        What that calibration is called.

    Examples
    --------
    ::

        session = WatchSession(deck, bank)
        for picture in source:
            for event in session.look(picture.image, picture.time_s):
                print(event_to_json(event))
        snapshot_to_json(session.snapshot(now_s))
    """

    def __init__(
        self,
        deck: Deck,
        bank: Faces,
        *,
        rules: RuleOptions | None = None,
        settings: WatchSettings | None = None,
        priors: PriorsOf | None = None,
        profile: str = "",
    ) -> None:
        self.deck = deck
        self.rules = rules or RuleOptions()
        self.settings = settings or WatchSettings()
        self._kit = make_kit(bank, self.settings.follow, ("ship-back",))
        self._priors_of = priors
        self._profile = profile
        self._state: Following | None = None
        self._seen_size: tuple[int, int] | None = None
        self._picture: PictureState = "none"
        self._pictures = 0
        self._time_s = 0.0
        self._phase: Phase = "waiting"
        self._round = 1
        self._stopped_by: StopBy | None = None
        self._stopped_s = 0.0
        self._last_card_s: float | None = None
        self._orders: dict[str, tuple[int, float]] = {}
        self._notices: list[Event] = []
        self._number = 0
        self._stills: deque[tuple[float, ImageBGR]] = deque(maxlen=self.settings.stills)
        self._image: ImageBGR | None = None
        self.verdict: Verdict | None = None

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
        if time_s < self._time_s:
            msg = f"time_s: expected at least {self._time_s}, got {time_s}"
            raise ValueError(msg)
        with one_thread():
            return self._look(image, time_s)

    def _look(self, image: ImageBGR, time_s: float) -> tuple[Event, ...]:
        self._time_s = time_s
        self._pictures += 1
        reduced = reduce_picture(image, self.settings.follow.motion)
        events = self._look_at_picture(image, reduced)
        if self._picture != "live":
            return tuple(events)
        fitted = self._fitted(image)
        small = reduced if fitted is image else None
        image = fitted
        self._image = image
        if self._state is None:
            priors, told = self._priors(image)
            self._state = begin(image, time_s, priors, self._kit)
            return (*events, *told)
        before = self._state.cards
        state, sightings = follow(self._state, image, time_s, self._kit, small)
        self._state = state
        calls = judge_sightings(
            sightings,
            before,
            state.cards,
            self.deck,
            phase=self._phase,
            is_hard_stop=self._is_hard_stop(),
        )
        laid = [sighting.card for sighting in sightings if isinstance(sighting, Laid)]
        for card in laid:
            self._orders[card.name] = (len(self._orders) + 1, time_s)
        events += [self._tell(call) for call in calls]
        if sightings:
            self._stills.clear()
        if laid:
            self._last_card_s = time_s
            events += self._card_came()
        if state.is_settled and state.looked_s is not None:
            self._keep_still(image, time_s)
            events += self._check_profile(image)
        events += self._advance(time_s)
        return tuple(events)

    def tick(self, now_s: float) -> tuple[Event, ...]:
        """Tell the time while no picture comes; says when the picture has become too old."""
        if self._picture in ("none", "stalled") or now_s - self._time_s < self.settings.stale_s:
            return ()
        self._picture = "stalled"
        age = now_s - self._time_s
        said = Message("watch.picture_stalled", (("seconds", age),))
        details: dict[str, Detail] = {"age_s": round(age, 2)}
        return (self._tell(Call("picture_stalled", said, "doubt", (), None, details)),)

    def stop(self, by: StopBy = "key", team: str | None = None) -> tuple[Event, ...]:
        """End the round: "stop" was called. The verdict comes with one of the next pictures."""
        if self._phase not in ("playing", "waiting") or not self._cards():
            return ()
        self._phase, self._stopped_by, self._stopped_s = "stopped", by, self._time_s
        silence = self.settings.silence_s or 0.0
        said = {
            "key": Message("watch.stopped.key"),
            "count": Message("watch.stopped.count", (("team", team),)),
            "silence": Message("watch.stopped.silence", (("seconds", silence),)),
            "end": Message("watch.stopped.end"),
        }[by]
        return (self._tell(Call("stopped", said, "news", (), team, {"by": by})),)

    def finish(self) -> tuple[Event, ...]:
        """Say that no more pictures come: a round being played is ended and settled."""
        events = list(self.stop("end"))
        if self._phase == "stopped":
            events += self._settle()
        return tuple(events)

    def new_round(self) -> tuple[Event, ...]:
        """Begin a new round; what lies on the table stays known."""
        self._round += 1
        self._phase, self._stopped_by, self.verdict = "waiting", None, None
        self._last_card_s = None
        self._notices.clear()
        self._orders = {card.name: (i + 1, self._time_s) for i, card in enumerate(self._cards())}
        said = Message("watch.new_round", (("round", self._round),))
        return (self._tell(Call("new_round", said, "news", (), None, {"round": self._round})),)

    # --- what goes out -----------------------------------------------------------------------

    def snapshot(self, now_s: float | None = None) -> Snapshot:
        """Return the present state; ``now_s`` gives the picture its age."""
        cards = self._laid_cards()
        age = None
        if self._picture != "none":
            age = max(0.0, (self._time_s if now_s is None else now_s) - self._time_s)
        return Snapshot(
            round=self._round,
            phase=self._phase,
            picture=self._picture,
            time_s=self._time_s,
            age_s=age,
            size_wh=self._seen_size,
            cards=cards,
            counts=count_ships((card.card for card in cards), self.deck),
            notices=tuple(self._notices),
            stopped_by=self._stopped_by,
            has_verdict=self.verdict is not None,
            last_event=self._number,
            pictures=self._pictures,
        )

    @property
    def is_busy(self) -> bool:
        """Whether something is moving or not yet explained in the newest picture."""
        return self._state is not None and not self._state.is_settled

    # --- inside ------------------------------------------------------------------------------

    def _cards(self) -> tuple[Known, ...]:
        return self._state.cards if self._state is not None else ()

    def _laid_cards(self) -> tuple[LaidCard, ...]:
        state = self._state
        if state is None or state.ground is None or not state.cards:
            return ()
        size = (self.deck.width_mm, self.deck.height_mm)
        corners = corners_in_picture(state.ground, state.poses, size)
        scale = self._picture_scale()
        told = []
        for card, quad in zip(state.cards, corners, strict=True):
            order, time_s = self._orders.get(card.name, (0, card.time_s))
            x, y, theta = (float(value) for value in card.pose)
            team = team_of(self.deck, card.name)
            turn = float((theta + np.pi) % (2 * np.pi) - np.pi)
            told.append(
                LaidCard(card.name, order, time_s, team, x, y, turn, quad * scale, card.match.score)
            )
        return tuple(sorted(told, key=lambda card: card.order))

    def _picture_scale(self) -> float:
        """Return how many of the present picture's pixels one of the followed picture's is."""
        if self._state is None or self._seen_size is None:
            return 1.0
        return max(
            self._seen_size[0] / self._state.size_wh[0], self._seen_size[1] / self._state.size_wh[1]
        )

    def _priors(self, image: ImageBGR) -> tuple[Priors, list[Event]]:
        """Return what is believed of the camera, and what is to be told about that."""
        size_wh = (image.shape[1], image.shape[0])
        plain = camera_priors(size_wh, None)
        if self._priors_of is None:
            return plain, []
        known = self._priors_of(size_wh)
        if known is not None:
            return known, []
        self._priors_of = None
        return plain, [self._unfit("its pictures have another shape")]

    def _unfit(self, reason: str) -> Event:
        said = Message("watch.profile_unfit", (("name", self._profile), ("reason", reason)))
        return self._tell(Call("profile_unfit", said, "doubt", (), None, {"reason": reason}))

    def _check_profile(self, image: ImageBGR) -> list[Event]:
        """Drop a calibration that the cards on the table contradict."""
        state = self._state
        if self._priors_of is None or state is None or state.ground is None:
            return []
        if state.is_stale or state.ground.cards < self.settings.profile_cards:
            return []
        self._priors_of = None  # asked once
        plain = camera_priors(state.size_wh, None)
        gray = to_gray(image)
        free = replace(state.ground, priors=plain)
        try:
            ground, _ = settle_ground(gray, free, state.poses, self._kit.rectangles)
        except ScanError:
            return []
        most = self.settings.profile_slack * ground.residual_px + 0.03
        if state.ground.residual_px <= most:
            return []
        self._state = replace(state, priors=plain, ground=free, is_stale=True)
        reason = f"{state.ground.residual_px:.2f} px off, without it {ground.residual_px:.2f} px"
        return [self._unfit(reason)]

    def _look_at_picture(self, image: ImageBGR, small: ImageGray) -> list[Event]:
        """Note what kind of picture it is, and tell what has changed about that."""
        events = []
        size_wh = (image.shape[1], image.shape[0])
        was, self._seen_size = self._seen_size, size_wh
        sizes: dict[str, Detail] = {"width": size_wh[0], "height": size_wh[1]}
        black = is_black(small, self.settings.follow.motion)
        now: PictureState = "black" if black else "live"
        if was is None:
            said = Message("watch.picture_first", tuple(sizes.items()))
            events.append(self._tell(Call("picture_first", said, "news", (), None, sizes)))
        elif was != size_wh:
            gaps = sizes | {"was_width": was[0], "was_height": was[1]}
            said = Message("watch.picture_size", tuple(gaps.items()))
            events.append(self._tell(Call("picture_size", said, "doubt", (), None, gaps)))
            self._stills.clear()
        before, self._picture = self._picture, now
        if now == "black" and before != "black":
            said = Message("watch.picture_black")
            events.append(self._tell(Call("picture_black", said, "doubt")))
        elif now == "live" and before in ("black", "stalled"):
            events.append(self._tell(Call("picture_back", Message("watch.picture_back"))))
        return events

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

    def _keep_still(self, image: ImageBGR, time_s: float) -> None:
        if not self._stills or time_s - self._stills[-1][0] >= self.settings.still_gap_s:
            self._stills.append((time_s, image))

    def _advance(self, time_s: float) -> list[Event]:
        """Stop, settle or begin anew, if it is time."""
        s = self.settings
        events: list[Event] = []
        names = [card.name for card in self._cards()]
        if self._phase == "playing":
            counts = count_ships(names, self.deck)
            full = [team for team, n in counts.items() if n >= len(self.deck.ships)]
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
            enough = len(self._stills) >= s.stills
            if enough or time_s - self._stopped_s >= s.still_wait_s:
                events += self._settle()
        elif self._phase == "verdict" and all(is_asteroid(self.deck, name) for name in names):
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
            self.verdict = give_verdict(
                self._state,
                pictures,
                self._kit,
                LightSpeed(self.deck),
                options=self.rules,
            )
        except ScanError as error:
            said = Message("watch.no_verdict", (("reason", str(error)),))
            return [self._tell(Call("no_verdict", said, "doubt"))]
        events = []
        scores = self.verdict.scan.outcome.scores
        if self.verdict.stray:
            stray = self.verdict.stray
            said = Message("watch.table_differs", (("cards", stray),))
            events.append(self._tell(Call("table_differs", said, "doubt", stray)))
        totals: dict[str, Detail] = {team: score.total for team, score in scores.items()}
        said = Message(
            "watch.verdict", (("n", self.verdict.pictures), ("sentence", self._sentence()))
        )
        events.append(self._tell(Call("verdict", said, "news", (), None, totals)))
        return events

    def _sentence(self) -> Message:
        """Say who wins."""
        assert self.verdict is not None
        resolution = self.verdict.scan.outcome
        if not resolution.scores:
            return Message("report.no_card")
        if not resolution.winners:
            return Message("report.nobody")
        teams = tuple(team for team in resolution.scores if team in resolution.winners)
        total = resolution.scores[teams[0]].total
        if len(teams) == 1:
            return Message("report.wins", (("team", teams[0]), ("total", total)))
        return Message("report.share", (("teams", teams), ("total", total)))

    def _tell(self, call: Call) -> Event:
        """Make an event of what is to be told."""
        self._number += 1
        box = self._box_of(call.cards)
        picture = None
        if call.severity != "news" and box is not None and self._image is not None:
            picture = _cut(self._image, box, self.settings)
        scale = self._picture_scale()
        shown = None
        if box is not None:
            shown = (
                round(box[0] * scale),
                round(box[1] * scale),
                round(box[2] * scale),
                round(box[3] * scale),
            )
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
            shown,
            picture,
        )
        if call.severity != "news":
            self._notices.append(event)
        return event

    def _box_of(self, names: tuple[str, ...]) -> tuple[int, int, int, int] | None:
        """Return the box round some cards in the followed picture."""
        state = self._state
        if state is None or state.ground is None:
            return None
        poses = [card.pose for card in state.cards if card.name in names]
        if not poses:
            return None
        size = (self.deck.width_mm, self.deck.height_mm)
        corners = corners_in_picture(state.ground, np.array(poses), size).reshape(-1, 2)
        low, high = corners.min(axis=0), corners.max(axis=0)
        x, y = int(low[0]), int(low[1])
        return x, y, int(np.ceil(high[0])) - x, int(np.ceil(high[1])) - y


def fit_picture(image: ImageBGR, size_wh: tuple[int, int]) -> ImageBGR:
    """Bring a picture to a size, its shape kept: scaled to fit inside, the rest black.

    Parameters
    ----------
    image : (H, W, 3) uint8
        Any size.
    size_wh : (int, int)
        The wanted width and height.
    """
    height, width = image.shape[:2]
    scale = min(size_wh[0] / width, size_wh[1] / height)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    scaled = cv2.resize(image, size, interpolation=way)
    if size == size_wh:
        return np.asarray(scaled, np.uint8)
    fitted = np.zeros((size_wh[1], size_wh[0], 3), np.uint8)
    x, y = (size_wh[0] - size[0]) // 2, (size_wh[1] - size[1]) // 2
    fitted[y : y + size[1], x : x + size[0]] = scaled
    return fitted


def _cut(image: ImageBGR, box: tuple[int, int, int, int], settings: WatchSettings) -> bytes:
    """Return a JPEG of a box with its surroundings."""
    x, y, w, h = box
    margin = int(settings.picture_margin * max(w, h))
    height, width = image.shape[:2]
    left, right = max(0, min(x - margin, width - 2)), min(width, max(x + w + margin, 2))
    top, bottom = max(0, min(y - margin, height - 2)), min(height, max(y + h + margin, 2))
    cut = image[top:bottom, left:right]
    scale = settings.picture_px / max(cut.shape[:2])
    if scale < 1:
        size = (max(1, int(cut.shape[1] * scale)), max(1, int(cut.shape[0] * scale)))
        cut = np.asarray(cv2.resize(cut, size, interpolation=cv2.INTER_AREA), np.uint8)
    return encode_image(np.ascontiguousarray(cut), ".jpg", 85)
