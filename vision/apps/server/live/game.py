"""The live games of a server: who may feed them, what they have told, how they stand.

A game lives in the event loop; its process (``live_process``) is spoken with in a thread, whose
messages come in here one by one. Everything is kept in memory but the verdicts, which are stored
as ordinary rounds.
"""

import asyncio
import hmac
import json
import logging
import secrets
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import anyio.to_thread
from sqlalchemy import exists, insert, select, update

from vision.apps.server.live.process import Frame, LiveProcess
from vision.apps.server.live.worker import LiveTask
from vision.apps.server.reading.runner import Bell, in_thread
from vision.apps.server.rounds.rounds import rules_to_json
from vision.apps.server.routes.problems import Problem, status_of
from vision.apps.server.settings import Settings
from vision.apps.server.storage.store import Store, edits, evenings, jobs, new_id, scans
from vision.errors import DeckError, ScanError
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.values import RuleOptions
from vision.imaging.photo import DecodeLimits
from vision.judging.options import parse_options
from vision.texts import LANGUAGES, texts

__all__ = ["LiveGame", "LiveGames", "LiveOrder", "Shown", "Told", "refusal_of"]

Json = dict[str, Any]
_log = logging.getLogger(__name__)
_WATCHED_S = 5.0  # after a viewer asked for a picture, pictures are made for viewers
_KEEP_HOUSE_S = 5.0
_CLOCK_SLACK_S = 0.5  # by which a sender's clock may run back before it is set anew

State = Literal["starting", "ready", "failed", "ended"]


@dataclass(frozen=True, slots=True)
class LiveOrder:
    """What is asked of a live game: as for a photo, and what stops a round."""

    deck: str
    rules: Json
    name: str = ""
    evening: str | None = None
    silence_s: float | None = 5.0
    stop_on_count: bool = True


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
    """One table; every method but ``hear`` is called in the event loop."""

    def __init__(self, order: LiveOrder, settings: Settings, store: Store, source: str) -> None:
        self.id, self.key, self.order = new_id(), secrets.token_urlsafe(18), order
        self.settings, self.store, self.source = settings, store, source
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
        self._seen_at = 0.0
        self._watched_at = 0.0
        self._first_taken: float | None = None
        self._last_s, self._last_at = 0.0, time.monotonic()
        self._keeping: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        deck = load_deck(order.deck)
        if not deck.ships:
            detail = f"the deck {order.deck!r} has no ships to be followed; scan it"
            raise DeckError(detail)
        self.of = len(deck.ships)
        limits = DecodeLimits(
            max_bytes=settings.live_frame_bytes,
            max_pixels=int(settings.live_pixels_mp * 1e6),
            max_progressive_pixels=int(settings.live_pixels_mp * 1e6),
            formats=("JPEG", "PNG", "WEBP"),
        )
        task = LiveTask(
            deck=order.deck,
            rules=order.rules,
            decks=settings.decks,
            view_px=settings.view_px,
            show_px=settings.live_show_px,
            memory_mb=settings.live_mb,
            limits=limits,
            silence_s=order.silence_s,
            stop_on_count=order.stop_on_count,
            source=source,
        )
        self.limits = limits
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
                Frame(number, content, self._time_of(taken_s, arrived))
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

    def _time_of(self, taken_s: float | None, arrived: float) -> float:
        """Return a picture's time in the game's clock, which never runs back."""
        expected = self._last_s + arrived - self._last_at if self._seen_at else 0.0
        time_s = max(self._last_s, expected)
        if taken_s is not None:
            if self._first_taken is None:
                self._first_taken = taken_s - time_s
            time_s = taken_s - self._first_taken
            if time_s < self._last_s - _CLOCK_SLACK_S:  # the sender began anew
                time_s = max(self._last_s, expected)
                self._first_taken = taken_s - time_s
            time_s = max(time_s, self._last_s)
        self._seen_at = self._last_at = arrived
        self._last_s = time_s
        return time_s

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
        self._note(
            Told(
                number,
                {
                    lang: {
                        "schema": "sightline/watch-event@1",
                        "number": number,
                        "round": self._watch["round"] if self._watch else 1,
                        "code": code,
                        "severity": "doubt",
                        "time_s": round(self._last_s, 3),
                        "cards": [],
                        "team": None,
                        "message": texts(lang).say(f"watch.{code.removeprefix('watch_')}"),
                        "details": {},
                        "box_px": None,
                        "has_picture": False,
                    }
                    for lang in LANGUAGES
                },
                None,
            )
        )
        self._watch = None

    # --- verdicts ----------------------------------------------------------------------------

    async def _keep(self, verdict: Json) -> None:
        """Store a verdict as a round; one that it replaces goes, unless someone worked on it."""
        try:
            scan = await in_thread(self._store, verdict)
        except Exception:  # noqa: BLE001 - a database in trouble must not end the game
            _log.exception("a verdict could not be stored")
            self.trouble = {"code": "not_stored", "detail": "the verdict could not be stored"}
        else:
            self.rounds = [one for one in self.rounds if one["round"] != verdict["round"]]
            shown = {k: verdict[k] for k in ("round", "scores", "winners", "doubts")}
            self.rounds.append({**shown, "scan": scan, "page": f"/#/round/{scan}"})
        self._change()

    def _store(self, verdict: Json) -> str:
        scan, now = new_id(), time.time()
        old = next((one["scan"] for one in self.rounds if one["round"] == verdict["round"]), None)
        result, blobs = verdict["result"], self.store.blobs
        photo, view, joint = map(blobs.put, (verdict["photo"], result.view, result.joint))
        with self.store.write() as connection:
            evening = self.order.evening
            known = select(evenings.c.id).where(evenings.c.id == evening)
            if evening is not None and connection.scalar(known) is None:
                evening = None  # deleted meanwhile
            connection.execute(
                insert(scans).values(
                    id=scan,
                    evening=evening,
                    name=self.order.name,
                    photo=photo,
                    deck=self.order.deck,
                    rules=json.dumps(self.order.rules),
                    idempotency=None,
                    created=now,
                    scan=result.document,
                    view=view,
                    joint=joint,
                )
            )
            connection.execute(
                insert(jobs).values(
                    scan=scan,
                    state="done",
                    stage="",
                    owner="",
                    lease_until=0.0,
                    attempts=1,
                    interruptions=0,
                    error_code="",
                    error="",
                    queued=now,
                    changed=now,
                )
            )
            if old is not None:
                worked_on = exists().where(edits.c.scan == scans.c.id)
                connection.execute(
                    update(scans).where(scans.c.id == old, ~worked_on).values(deleted=now)
                )
        return scan

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
            "deck": self.order.deck,
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


class LiveGames:
    """All live games; created with the server and ended with it."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings = store, settings
        self.games: dict[str, LiveGame] = {}
        self._gone: deque[LiveGame] = deque(maxlen=8)  # whose viewers may not know it yet
        self._keeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin with the operator's camera, if there is one."""
        self._keeper = asyncio.create_task(self._keep_house())
        if self.settings.camera:
            rules = rules_to_json(parse_options(RuleOptions, self.settings.camera_rules))
            self._begin(LiveOrder("light-speed", rules), self.settings.camera)

    def hush(self) -> None:
        """End all games; those who follow them are told."""
        for game in self.games.values():
            game.end()

    async def stop(self) -> None:
        """End all, and see their processes end."""
        if self._keeper is not None:
            self._keeper.cancel()
        self.hush()
        for game in self.games.values():
            await anyio.to_thread.run_sync(game.process.join, 8.0)

    def begin(self, order: LiveOrder) -> LiveGame:
        """Begin a game that is fed by whoever gets its key.

        Raises
        ------
        Problem
            429 if there are as many as may be.
        """
        for game in list(self.games.values()):
            if game.state == "failed" and not game.source:
                self.end(game)
        running = [game for game in self.games.values() if not game.source]
        if len(running) >= self.settings.live_games:
            detail = (
                f"{len(running)} live games run here already, as many as may be "
                "(SIGHTLINE_LIVE_GAMES); end one of them"
            )
            raise Problem(429, "live_full", detail, headers={"Retry-After": "60"})
        return self._begin(order, "")

    def _begin(self, order: LiveOrder, source: str) -> LiveGame:
        game = LiveGame(order, self.settings, self.store, source)
        self.games[game.id] = game
        game.process.start()
        return game

    def get(self, game_id: str) -> LiveGame:
        """Return a game.

        Raises
        ------
        Problem
            404 if there is none.
        """
        game = self.games.get(game_id)
        if game is None:
            detail = "there is no such live game; it may have ended"
            raise Problem(404, "not_found", detail)
        return game

    def end(self, game: LiveGame) -> None:
        """End a game and forget it, soon."""
        game.end()
        if self.games.pop(game.id, None) is not None:
            self._gone.append(game)

    def get_shown(self, game_id: str) -> LiveGame:
        """Return a game, also one that has just ended: its viewers ask once more.

        Raises
        ------
        Problem
            404 if there is none.
        """
        gone = next((game for game in self._gone if game.id == game_id), None)
        return gone or self.get(game_id)

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(_KEEP_HOUSE_S)
            for game in list(self.games.values()):
                if game.tidy():
                    self.end(game)


def _lasting(watch: Json) -> Json:
    """Return what of a state is news; that time passes is none."""
    passing = ("time_s", "age_s", "pictures")
    return {key: value for key, value in watch.items() if key not in passing}


def refusal_of(error: ScanError) -> Problem:
    """Return what to say of a picture that cannot be read."""
    return Problem(status_of(error), error.code, str(error))
