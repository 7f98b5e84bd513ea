"""The live games of a server: who may feed them, what they have told, how they stand.

A game lives in the event loop; its process (``process``) is spoken with in a thread, whose
messages come in here one by one. Everything is kept in memory but the verdicts, which are stored
as ordinary rounds.
"""

import asyncio
import hmac
import logging
import secrets
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from calibration.learned.shelf import split_reference
from vision.apps.server.live.clock import PictureClock
from vision.apps.server.live.process import Frame, LiveProcess
from vision.apps.server.live.verdicts import LiveOrder, keep_verdict
from vision.apps.server.live.worker import LiveTask
from vision.apps.server.problems import Problem, status_of
from vision.apps.server.reading.bell import Bell, in_thread
from vision.apps.server.settings import Settings
from vision.apps.server.storage import Storage, new_id
from vision.errors import ScanError
from vision.texts import LANGUAGES, texts

__all__ = ["LiveGame", "Shown", "Told", "refusal_of"]

Json = dict[str, Any]
_log = logging.getLogger(__name__)
#: What the state of a game tells of a verdict.
_OF_VERDICT = ("round", "scores", "winners", "doubts", "headline")
_WATCHED_S = 5.0  # after a viewer asked for a picture, pictures are made for viewers

State = Literal["starting", "ready", "failed", "ended"]


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """An event as it was told, in every language; ``number`` counts in the whole game."""

    number: int
    words: dict[str, Json]
    picture: bytes | None


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A picture for viewers, encoded once for all of them."""

    number: int
    content: bytes
    at: float


class LiveGame:
    """One table; every method but ``hear`` is called in the event loop.

    ``of`` is how many pieces a side lays; ``source`` the operator's camera, empty if the game is
    fed by who began it.
    """

    def __init__(
        self, order: LiveOrder, settings: Settings, storage: Storage, *, of: int, source: str
    ) -> None:
        self.id, self.key, self.order = new_id(), secrets.token_urlsafe(18), order
        self.settings, self.storage, self.source = settings, storage, source
        self.created = time.time()
        self.touched = time.monotonic()
        self.state: State = "starting"
        self.trouble: Json | None = None  # of the source: code and detail
        self.restarts = 0
        self.viewers = 0
        self.news = Bell()  # something was told, or the state changed
        self.shows = Bell()  # there is a new picture
        self.log: deque[Told] = deque(maxlen=settings.live_log)
        self.rounds: list[Json] = []
        self.picture: Shown | None = None
        self.encoded = 0
        self.version = 0
        self._watch: Json | None = None
        self._watch_at = 0.0
        self._base = 0  # of event numbers, when a process was replaced
        self._rounds_before = 0  # likewise
        self._answers: dict[int, asyncio.Future[Json]] = {}
        self._asked = 0
        self._watched_at = 0.0
        self._clock = PictureClock()
        self._keeping: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self.of = of
        self.limits = settings.live_limits
        task = LiveTask(
            deck=order.deck,
            rules=order.rules,
            decks=settings.decks,
            view_px=settings.view_px,
            show_px=settings.live_show_px,
            memory_mb=settings.live_mb,
            limits=self.limits,
            silence_s=order.silence_s,
            stop_on_count=order.stop_on_count,
            source=source,
            game=order.game,
        )
        self.process = LiveProcess(task, self.hear, patience_s=settings.live_seconds)

    # --- who may -----------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether everyone at the table may stop the round: it is the operator's own camera."""
        return bool(self.source)

    def ask_key(self, given: str | None) -> None:
        """Let only those pass who began the game.

        Raises
        ------
        Problem
            403 for others.
        """
        if self.is_open or hmac.compare_digest((given or "").encode(), self.key.encode()):
            return
        detail = "only who began this live game feeds and stops it; you may watch"
        raise Problem(403, "live_not_yours", detail)

    def ask_running(self) -> None:
        """Let pass only while the game runs.

        Raises
        ------
        Problem
            409 if it has ended.
        """
        if self.state in ("ended", "failed"):
            raise Problem(409, "live_ended", "this live game has ended; begin a new one")

    # --- what comes in -----------------------------------------------------------------------

    async def look(self, content: bytes, taken_s: float | None, arrived: float) -> Json:
        """Give a picture; return whether it was looked at, once that is known.

        Parameters
        ----------
        content : bytes
            The picture as it came.
        taken_s : float, optional
            When it was taken, seconds on the sender's own clock.
        arrived : float
            When it began to come in (monotonic).
        """
        self.touched = time.monotonic()
        return await self._ask(
            lambda number: self.process.offer(
                Frame(number, content, self._clock.time_of(taken_s, arrived))
            ),
            self.settings.live_seconds,
        )

    async def command(self, kind: str) -> Json:
        """Ask for a stop or a new round; return what came of it."""
        self.touched = time.monotonic()
        return await self._ask(
            lambda number: self.process.command({"kind": kind, "answers": number}),
            self.settings.live_seconds,
        )

    async def _ask(self, send: Any, seconds: float) -> Json:
        self._asked += 1
        number = self._asked
        future = self._loop.create_future()
        self._answers[number] = future
        try:
            send(number)
            return await asyncio.wait_for(future, seconds)
        except TimeoutError:
            return {"kind": "skipped"}
        finally:
            self._answers.pop(number, None)

    def hear(self, message: Json) -> None:
        """Take a message of the process; called in its thread."""
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._hear, message)

    def _hear(self, message: Json) -> None:
        if self.state == "ended":
            return
        match message["kind"]:
            case "ready":
                self.state = "ready"
            case "source":
                code = message["code"]
                self.trouble = {"code": code, "detail": message["detail"]} if code else None
                if code:
                    said = message["detail"] or code.replace("_", " ")
                    _log.warning("live table, source %s: %s", self.source, said)
            case "told":
                self._told(message)
            case "died" | "failed":
                self._died(message)
        answer = self._answers.get(message.get("answers") or 0)
        if answer is not None and not answer.done():
            answer.set_result(message)
        if message["kind"] not in ("skipped", "refused", "told"):
            self._change()

    def _change(self) -> None:
        """Wake who follows the game."""
        self.version += 1
        self.news.ring()

    def _told(self, message: Json) -> None:
        now = time.monotonic()
        for event in message["events"]:
            number = self._base + event["number"]
            round_ = self._rounds_before + event["words"]["en"]["round"]
            own = {"number": number, "round": round_}
            words = {lang: {**said, **own} for lang, said in event["words"].items()}
            self._note(Told(number, words, event["picture"]))
        state, before = message["state"], self._watch
        self._watch = {**state, "last_event": self._base + state["last_event"]}
        self._watch["round"] = self._rounds_before + state["round"]
        self._watch["notices"] = [self._base + number for number in state["notices"]]
        self._watch_at = now
        if message["events"] or before is None or _lasting(before) != _lasting(self._watch):
            self._change()
        if message["picture"] is not None:
            self.encoded += 1
            age = state["age_s"] or 0.0
            number = (self.picture.number if self.picture else 0) + 1
            self.picture = Shown(number, message["picture"], now - age)
            self.shows.ring()
        if message["verdict"] is not None:
            verdict = message["verdict"]
            verdict = {**verdict, "round": self._rounds_before + verdict["round"]}
            task = asyncio.create_task(self._keep(verdict))
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)

    def _note(self, told: Told) -> None:
        self.log.append(told)
        with_pictures = [k for k, one in enumerate(self.log) if one.picture is not None]
        for k in with_pictures[: -self.settings.live_pictures]:
            old = self.log[k]
            words = {lang: {**said, "has_picture": False} for lang, said in old.words.items()}
            self.log[k] = Told(old.number, words, None)

    def _died(self, message: Json) -> None:
        """Say that the process is gone; its table is read anew by the next."""
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result({"kind": "skipped"})
        is_failed = message["kind"] == "failed"
        self.state = "failed" if is_failed else "starting"
        self.restarts += 1
        number = self.log[-1].number + 1 if self.log else self._base + 1
        code = "watch_failed" if is_failed else "watch_restarted"
        self._base = number
        if self._watch is not None:  # a round with a verdict is over; one being played goes on
            is_over = self._watch["has_verdict"]
            self._rounds_before = self._watch["round"] - (0 if is_over else 1)
        round_ = self._watch["round"] if self._watch else 1
        words = {lang: self._said(number, code, round_, lang) for lang in LANGUAGES}
        self._note(Told(number, words, None))
        self._watch = None

    def _said(self, number: int, code: str, round_: int, language: str) -> Json:
        """Return an event of our own as one of the watch."""
        return {
            "schema": "sightline/watch-event@1",
            "number": number,
            "round": round_,
            "code": code,
            "severity": "doubt",
            "time_s": round(self._clock.last_s, 3),
            "cards": [],
            "team": None,
            "message": texts(language).say(f"watch.{code.removeprefix('watch_')}"),
            "details": {},
            "box_px": None,
            "has_picture": False,
        }

    async def _keep(self, verdict: Json) -> None:
        """Store a verdict as a round; the one of the same round that was stored before goes."""
        old = next((one["scan"] for one in self.rounds if one["round"] == verdict["round"]), None)
        try:
            scan = await in_thread(keep_verdict, self.storage, self.order, verdict, old)
        except Exception:  # noqa: BLE001 - a database in trouble must not end the game
            _log.exception("a verdict could not be stored")
            self.trouble = {"code": "not_stored", "detail": "the verdict could not be stored"}
        else:
            self.rounds = [one for one in self.rounds if one["round"] != verdict["round"]]
            shown = {k: verdict[k] for k in _OF_VERDICT}
            self.rounds.append({**shown, "scan": scan, "page": f"/#/round/{scan}"})
        self._change()

    # --- what goes out -----------------------------------------------------------------------

    def view(self, language: str) -> Json:
        """Return how the game stands (plain JSON)."""
        watch = None
        if self._watch is not None:
            words = {told.number: told.words[language] for told in self.log}
            watch = {
                **self._watch,
                "notices": [words[n] for n in self._watch["notices"] if n in words],
                "age_s": self.age_s(),
            }
        return {
            "schema": "sightline/live@1",
            "id": self.id,
            "name": self.order.name,
            "created": self.created,
            "source": "server" if self.source else "browser",
            "is_open": self.is_open,
            "state": self.state,
            "trouble": self.trouble,
            "restarts": self.restarts,
            "viewers": self.viewers,
            "ships": self.of,
            "deck": split_reference(self.order.deck)[0],
            "rules": self.order.rules,
            "last_event": self.log[-1].number if self.log else 0,
            "rounds": list(self.rounds),
            "watch": watch,
        }

    def age_s(self) -> float | None:
        """Return how old the newest picture is that was looked at."""
        age = self._watch["age_s"] if self._watch is not None else None
        return None if age is None else round(age + time.monotonic() - self._watch_at, 3)

    def events_after(self, number: int) -> list[Told]:
        """Return what was told after an event."""
        return [told for told in self.log if told.number > number]

    def event(self, number: int) -> Told | None:
        """Return an event that is still kept."""
        return next((told for told in self.log if told.number == number), None)

    async def newest_picture(self, after: int, seconds: float) -> Shown | None:
        """Return the newest picture once it is newer than one, or None after some time."""
        self.note_viewer()
        end = time.monotonic() + seconds
        while True:
            if self.picture is not None and self.picture.number > after:
                return self.picture
            if self.state in ("ended", "failed"):
                return None
            left = end - time.monotonic()
            if left <= 0:
                return None
            await self.shows.wait(left)

    def note_viewer(self) -> None:
        """Note that someone looks: pictures are made for viewers from now on, for a while."""
        if not self._watched_at and self.state != "ended":
            self.process.command({"kind": "watched", "is_watched": True})
        self._watched_at = time.monotonic()

    # --- its end -----------------------------------------------------------------------------

    def tidy(self) -> bool:
        """Save work nobody asks for; return whether the game has been idle for too long."""
        now = time.monotonic()
        if self._watched_at and now - self._watched_at > _WATCHED_S:
            self._watched_at = 0.0
            self.process.command({"kind": "watched", "is_watched": False})
        return not self.source and now - self.touched > self.settings.live_idle_minutes * 60

    def end(self) -> None:
        """End the game; those who follow it are told."""
        self.state = "ended"
        self.process.end()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result({"kind": "skipped"})
        self._change()
        self.shows.ring()


def _lasting(watch: Json) -> Json:
    """Return what of a state is news; that time passes is none."""
    passing = ("time_s", "age_s", "pictures")
    return {key: value for key, value in watch.items() if key not in passing}


def refusal_of(error: ScanError) -> Problem:
    """Return what to say of a picture that cannot be read."""
    return Problem(status_of(error), error.code, str(error))
