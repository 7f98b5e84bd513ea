"""A live game that this server follows: fed, told, kept, its process spoken with.

A game lives in the event loop; its process (``process``) is spoken with in a thread, whose
messages come in here one by one. What is told is kept before anyone hears it: another server goes
on from there if this one dies. Verdicts are stored as ordinary rounds.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from calibration.learned.shelf import split_reference
from vision.apps.server.live.battle import Battle
from vision.apps.server.live.beams import BeamsFor
from vision.apps.server.live.carried import Carrier, LiveBells
from vision.apps.server.live.clock import PictureClock, steady_clock
from vision.apps.server.live.process import Frame, LiveProcess
from vision.apps.server.live.standing import Begun, Shown, Standing, Told
from vision.apps.server.live.verdicts import keep_verdict
from vision.apps.server.live.worker import LiveTask
from vision.apps.server.reading.bell import in_thread
from vision.apps.server.settings import Settings
from vision.apps.server.storage import Storage
from vision.apps.server.storage.live import KeptEvent
from vision.texts import LANGUAGES, texts
from vision.values.messages import message
from vision.watch import Event, event_to_json

__all__ = ["LiveGame"]

Json = dict[str, Any]
_log = logging.getLogger(__name__)
#: What the state of a game tells of a verdict.
_OF_VERDICT = ("round", "scores", "open", "winners", "doubts", "headline")
_NUMBERS_S = 100.0  # by which pictures are numbered a second: more than a camera gives
_WATCHED_S = 5.0  # after a viewer asked for a picture, pictures are made for viewers


class LiveGame(Standing):
    """One table; every method but ``hear`` is called in the event loop.

    Parameters
    ----------
    begun : Begun
        What of it never changes.
    settings, storage
        Of the server.
    owner : str
        By what the server holds the game.
    bells : LiveBells
        Rung for other servers.
    """

    def __init__(
        self, begun: Begun, settings: Settings, storage: Storage, owner: str, bells: LiveBells
    ) -> None:
        super().__init__(begun, settings.live_log)
        self.wall: Callable[[], float] = steady_clock
        self.other: Battle | None = None  # table of a battle
        self.settings, self.storage, self.owner, self.bells = settings, storage, owner, bells
        self._carrier = Carrier(begun.id, storage.objects, bells.shows)
        self.touched = time.monotonic()
        self.is_resumed = False  # taken over, and no picture has come since
        self.is_dirty = False  # stands otherwise than is kept
        self.encoded = 0
        self.limits = settings.live_limits
        self._base = 0  # of event numbers, when a process was replaced
        self._rounds_before = 0  # likewise
        self._answers: dict[int, asyncio.Future[Json]] = {}
        self._asked = 0
        self._watched_at = 0.0
        self._clock = PictureClock()
        self._unkept: list[Told] = []
        self._pen = asyncio.Lock()
        self._inbox: asyncio.Queue[Json] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._worker: asyncio.Task[None] | None = None
        task = _task_of(begun, settings)
        self.process = LiveProcess(task, self.hear, patience_s=settings.live_seconds)

    def start(self) -> None:
        """Begin to follow the table."""
        self._worker = asyncio.create_task(self._work())
        self.process.start()

    async def go_on(self, idle_s: float) -> None:
        """Begin where another server, or an earlier start of this one, was gone."""
        self.touched, self.is_resumed = time.monotonic() - idle_s, True
        self._clock.last_s = self.time_s
        if self.beams_for != "nobody":
            self._want_beams()
        self.process.task = replace(self.process.task, corrected=tuple(self.corrected))
        if self.battle_link is not None:
            self._meet(self.battle_link)
        await self._begin_anew("watch_taken_over")
        self.start()

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
        self.touched, self.is_resumed = time.monotonic(), False

        def offer(number: int) -> None:
            time_s = self._clock.time_of(taken_s, arrived)
            if self.other is not None:
                self.other.note_picture(self.wall() - (time.monotonic() - arrived) - time_s)
            self.process.offer(Frame(number, content, time_s))

        return await self._ask(offer, self.settings.live_seconds)

    async def command(self, kind: str, **more: Json) -> Json:
        """Ask for a stop, a new round or a correction; return what came of it."""
        self.touched = time.monotonic()
        return await self._ask(
            lambda number: self.process.command({"kind": kind, "answers": number, **more}),
            self.settings.live_seconds,
        )

    async def show_beams(self, whom: BeamsFor) -> None:
        """Have the beams shown to these from now on; they are worked out for nobody else."""
        self.beams_for = whom
        if whom == "nobody":
            self.beams = None
        self._want_beams()
        self.change()
        await self._keep([], self.watch)

    async def take_part(self, link: str | None) -> None:
        """Take part in a battle by another table's link; by ours, if it is empty; None: no more."""
        if self.other is not None:
            self.other.end()
            self.other = self.battle = None
        self.battle_link = link
        if link is not None:
            self._meet(link)
        self.change()
        await self._keep([], self.watch)

    def _meet(self, link: str) -> None:
        deck, _ = split_reference(self.order.deck)
        about = {"id": self.id, "game": self.order.game, "deck": deck, "rules": self.order.rules}
        self.other = Battle(about, link, self.wall, self.process.command, self._note_battle)
        self.other.begin()
        self._note_battle()

    def battle_now(self) -> Json | None:
        """Return what is shown of the other table of a battle."""
        return None if self.other is None else self.other.view()

    def _note_battle(self) -> None:
        """Show how the battle stands, if it stands otherwise than is shown."""
        was, now = self.battle or {}, self.battle_now() or {}
        if {**was, "away_s": None} != {**now, "away_s": None}:  # that time passes is no news
            self.battle, self.is_dirty = now or None, True
            self.change()

    def _want_beams(self) -> None:
        self.process.command({"kind": "beams", "is_shown": self.beams_for != "nobody"})

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
            self._loop.call_soon_threadsafe(self._inbox.put_nowait, message)

    async def _work(self) -> None:
        """Take the messages of the process, one after the other."""
        while True:
            message = await self._inbox.get()
            try:
                await self._take(message)
            except Exception:  # noqa: BLE001 - one message must not end the game
                _log.exception("live game %s: a message was not understood", self.id)

    async def _take(self, message: Json) -> None:
        match message["kind"]:
            case "ready":
                self.state = "ready"
            case "source":
                code = message["code"]
                self.trouble = {"code": code, "detail": message["detail"]} if code else None
                if code:
                    said = message["detail"] or code.replace("_", " ")
                    _log.warning("live table, source %s: %s", self.begun.source, said)
            case "told":
                await self._tell(message)
            case "died" | "failed":
                self._drop_answers()
                self.restarts += 1
                self.state = "failed" if message["kind"] == "failed" else "starting"
                code = "watch_failed" if message["kind"] == "failed" else "watch_restarted"
                await self._begin_anew(code)
        answer = self._answers.get(message.get("answers") or 0)
        if answer is not None and not answer.done():
            answer.set_result(message)
        if message["kind"] not in ("skipped", "refused", "told"):
            self.is_dirty = True
            self.change()

    async def _tell(self, message: Json) -> None:
        if message["verdict"] is not None:  # a round is stored before anyone hears of it
            verdict = message["verdict"]
            await self._store({**verdict, "round": self._rounds_before + verdict["round"]})
        told = []
        for event in message["events"]:
            number = self._base + event["number"]
            own = {
                "number": number,
                "round": self._rounds_before + event["words"]["en"]["round"],
            }
            words = {lang: {**said, **own} for lang, said in event["words"].items()}
            told.append(Told(number, words, event["picture"]))
        state, before, now = message["state"], self.watch, time.monotonic()
        watch = {
            **state,
            "last_event": self._base + state["last_event"],
            "round": self._rounds_before + state["round"],
            "notices": [self._base + number for number in state["notices"]],
        }
        self.time_s = self._clock.last_s
        if self.other is not None and message["battle"] is not None:
            if self.begun.source:
                self.other.note_picture(self.wall() - state["time_s"] - (state["age_s"] or 0.0))
            self.other.note_own(message["battle"])
            self._note_battle()
        beams = message["beams"] if self.beams_for != "nobody" else None
        is_news = bool(told) or before is None or _lasting(before) != _lasting(watch)
        is_news |= beams != self.beams
        self.beams = beams
        if message["corrected"] != self.corrected:  # a process that follows this one has them too
            self.corrected = message["corrected"]
            self.process.task = replace(self.process.task, corrected=tuple(self.corrected))
            self.is_dirty = True
        if told or message["verdict"] is not None:
            await self._keep(told, watch)
        self.watch, self.watch_at = watch, now
        if is_news:
            self.is_dirty = self.is_dirty or not told
            self.change()
        if message["picture"] is not None:
            self._show(message["picture"], now - (state["age_s"] or 0.0))

    async def _begin_anew(self, code: str) -> None:
        """Say that the process is gone; its table is read anew by the next."""
        self._base = number = self.last + 1
        self.beams = None
        if self.watch is not None:  # a round with a verdict is over; one being played goes on
            is_over = self.watch["has_verdict"]
            self._rounds_before = self.watch["round"] - (0 if is_over else 1)
        round_ = self.watch["round"] if self.watch else self._rounds_before + 1
        said = message(f"watch.{code.removeprefix('watch_')}")
        event = Event(number, round_, code, self._clock.last_s, said, "doubt")
        words = {lang: event_to_json(event, texts(lang)) for lang in LANGUAGES}
        await self._keep([Told(number, words)], self.watch)

    # --- what is kept ------------------------------------------------------------------------

    async def _keep(self, told: list[Told], watch: Json | None) -> None:
        """Keep events and how things stand, then have them told."""
        async with self._pen:
            await self._keep_now(told, watch)

    async def _keep_now(self, told: list[Told], watch: Json | None) -> None:
        self._unkept += told
        try:
            kept, is_ours = await in_thread(self._write, tuple(self._unkept), self.kept(watch))
        except Exception:  # noqa: BLE001 - a database in trouble must not end the game
            _log.exception("live game %s: what was told could not be kept; tried again", self.id)
            self.is_dirty = True
            self.log.extend(told)
        else:
            if not is_ours:
                self.leave()
                return
            self._unkept, self.is_dirty = [], False
            self.log.extend(one for one in kept if one.number > self.last)
            self.bells.news.ring()
        self._forget_pictures()

    async def flush(self) -> None:
        """Keep how things stand, if that has changed without an event."""
        if self.is_dirty:
            await self._keep([], self.watch)

    def _write(self, told: tuple[Told, ...], standing: str) -> tuple[list[Told], bool]:
        """Keep it; return the events as they are kept, and whether the game is still ours."""
        kept = []
        for one in told:
            key = one.key
            if one.picture is not None:
                with suppress(Exception):  # full: told without, and shown while this server runs
                    key = self.storage.objects.put(one.picture)
            kept.append(Told(one.number, one.words, None if key else one.picture, key))
        events = tuple(KeptEvent(one.number, json.dumps(one.words), one.key) for one in kept)
        live, most = self.storage.records.live, self.settings.live_log
        return kept, live.tell(self.id, self.owner, standing, events, most)

    def _forget_pictures(self) -> None:
        """Let go of all but the newest pictures."""
        with_pictures = [k for k, one in enumerate(self.log) if one.picture or one.key]
        for k in with_pictures[: -self.settings.live_pictures]:
            old = self.log[k]
            words = {lang: {**said, "has_picture": False} for lang, said in old.words.items()}
            self.log[k] = Told(old.number, words)

    async def _store(self, verdict: Json) -> None:
        """Store a verdict as a round; the one of the same round that was stored before goes."""
        old = next((one["scan"] for one in self.rounds if one["round"] == verdict["round"]), None)
        try:
            scan = await in_thread(keep_verdict, self.storage, self.order, verdict, old)
        except Exception:  # noqa: BLE001 - a database in trouble must not end the game
            _log.exception("live game %s: a verdict could not be stored", self.id)
            self.trouble = {"code": "not_stored", "detail": "the verdict could not be stored"}
            return
        shown = {k: verdict[k] for k in _OF_VERDICT}
        others = [one for one in self.rounds if one["round"] != verdict["round"]]
        self.rounds = [*others, {**shown, "scan": scan, "page": f"/#/round/{scan}"}]

    # --- viewers, and its end ----------------------------------------------------------------

    def note_viewer(self) -> None:
        """Note that someone looks: pictures are made for viewers from now on, for a while."""
        if not self._watched_at and self.state not in ("ended", "left"):
            self.process.command({"kind": "watched", "is_watched": True})
        self._watched_at = time.monotonic()

    def note_far_viewer(self) -> None:
        """Note that someone looks on another server: pictures are carried there, for a while."""
        self._carrier.ask()
        if self._watched_at and self.picture is not None:
            self._carrier.offer(self.picture)
        self.note_viewer()  # nobody looked: a new picture is made, and carried

    def _show(self, content: bytes, at: float) -> None:
        """Show a new picture, numbered by its time: on every server that follows the game."""
        self.encoded += 1
        last = self.picture.number if self.picture else 0
        number = max(last + 1, int((time.time() - self.begun.created) * _NUMBERS_S))
        self.picture = Shown(number, content, at)
        self.shows.ring()
        self._carrier.offer(self.picture)

    def tidy(self) -> bool:
        """Save work nobody asks for; return whether the game has been idle for too long."""
        now = time.monotonic()
        if self._watched_at and now - self._watched_at > _WATCHED_S:
            self._watched_at = 0.0
            self.process.command({"kind": "watched", "is_watched": False})
        idle_s = self.settings.live_idle_minutes * 60
        return not self.begun.source and now - self.touched > idle_s

    def end(self) -> None:
        """End the game; those who follow it are told."""
        self.state = "ended"
        self._finish()

    def leave(self) -> None:
        """Let go of the game: another server, or this one after its next start, goes on."""
        if self.state != "ended":
            self.state = "left"
        self._finish()

    def _finish(self) -> None:
        if self.other is not None:
            self.other.end()
        self.process.end()
        if self._worker is not None and self._worker is not asyncio.current_task():
            self._worker.cancel()
        self._drop_answers()
        self.change()
        self.shows.ring()

    def _drop_answers(self) -> None:
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result({"kind": "skipped"})


def _task_of(begun: Begun, settings: Settings) -> LiveTask:
    order = begun.order
    return LiveTask(
        deck=order.deck,
        rules=order.rules,
        decks=settings.decks,
        view_px=settings.view_px,
        show_px=settings.live_show_px,
        memory_mb=settings.live_mb,
        limits=settings.live_limits,
        silence_s=order.silence_s,
        stop_on_count=order.stop_on_count,
        source=begun.source,
        game=order.game,
    )


def _lasting(watch: Json) -> Json:
    """Return what of a state is news; that time passes is none."""
    passing = ("time_s", "age_s", "pictures")
    return {key: value for key, value in watch.items() if key not in passing}
