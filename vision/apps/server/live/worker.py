"""What runs in the process of a live game: pictures in, what is told out.

Pictures come by a pipe or from the operator's camera. The process holds the
watch (:mod:`vision.apps.watching`) and nothing else of the server. It answers every picture that
comes by the pipe, tells the time while none comes, and gives each verdict as what is kept of an
ordinary round.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from vision.apps.decks import find_known
from vision.apps.pools.worker import prepare
from vision.apps.reading import keep_scan
from vision.apps.server.live.beams import beams_of
from vision.apps.watching import watch_over
from vision.errors import ScanError
from vision.files.headlines import headline_to_json
from vision.imaging.photo import DecodeLimits, decode_sound, encode_image, shrink_image
from vision.judging.options import options_from_json
from vision.texts import LANGUAGES, Texts, texts
from vision.values.arrays import ImageBGR
from vision.watch import Event, Foreseen, WatchSession, event_to_json, snapshot_to_json
from vision.watch.battle_files import battle_from_json, battle_to_json, reading_to_json
from vision.watch.by_hand import Correction, KeptCorrection, kept_to_json
from vision.watch.capture import Camera, CameraSettings
from vision.watch.sources import (
    FilmFault,
    LostPicture,
    Seen,
    folder_pictures,
    kind_of_source,
    video_pictures,
)

__all__ = ["LiveTask", "follow_table"]

Json = dict[str, Any]
_TICK_S = 0.2  # how often the time is told while no picture comes
_SHOW_S = 0.08  # of a camera: between two pictures shown to viewers
_SHOWN_QUALITY = 78
_PATIENCE_S = 3.0  # with a camera that stopped before the verdict


@dataclass(frozen=True, slots=True)
class LiveTask:
    """A table to be followed.

    ``source`` is a camera, stream, film or folder of the operator's; empty if the pictures come by
    the pipe. ``silence_s`` None: no stop by itself. ``corrected`` is what fingers said of it while
    another process followed it.
    """

    deck: str
    rules: dict[str, Any]
    decks: Path | None
    view_px: int
    show_px: int
    memory_mb: float
    limits: DecodeLimits
    silence_s: float | None = 5.0
    stop_on_count: bool = True
    source: str = ""
    game: str | None = None
    corrected: tuple[Json, ...] = ()


def follow_table(pipe: "Connection[Any, Any]", task: LiveTask) -> None:
    """Follow a table until the other end of the pipe says so or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends this process itself
    prepare(task.memory_mb)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError), ExitStack() as stack:
        table = _Table(pipe, task)
        pipe.send({"kind": "ready"})
        if task.source:
            try:
                if not table.play(stack):
                    return
            except ScanError as error:
                pipe.send({"kind": "source", "code": error.code, "detail": str(error)})
        table.serve()


class _Table:
    """The session, and what is said of it through the pipe."""

    def __init__(self, pipe: "Connection[Any, Any]", task: LiveTask) -> None:
        self.pipe, self.task = pipe, task
        known = find_known(task.deck, task.game, task.decks)
        self.game = known.game
        rules: Any = options_from_json(self.game.options, task.rules)
        self.session = watch_over(
            known, rules, silence_s=task.silence_s, stop_on_count=task.stop_on_count
        )
        if task.corrected:
            self.session.recall(tuple(KeptCorrection(**one) for one in task.corrected))
        self.is_watched = False
        self._image: ImageBGR | None = None
        self._looked = time.monotonic()
        self._shown_s = 0.0
        self._clock: Callable[[], float] | None = None  # of a camera; else the pictures' own
        self._has_ended = False
        self._foreseen: Foreseen | None = None  # of which the beams were told last
        self._told_beams: list[Json] = []
        self._told_read: float | None = None  # when that verdict was which the other table has

    # --- pictures that come by the pipe ------------------------------------------------------

    def serve(self) -> None:
        """Do what the pipe says until it says to end."""
        while True:
            if self.pipe.poll(_TICK_S):
                if not self._obey(self.pipe.recv()):
                    return
            elif not self._has_ended:
                self._tick()

    def _obey(self, message: dict[str, Any]) -> bool:
        """Do what a message says; return whether to go on."""
        match message["kind"]:
            case "frame":
                self._take(message)
            case "watched":
                self.is_watched = message["is_watched"]
                if self.is_watched and self._image is not None:  # while no new one comes
                    self._tell((), image=self._image)
            case "beams":
                self.session.show_foreseen(message["is_shown"])
                if self._image is not None:
                    self._tell(())
            case "battle" | "other" | "away":
                self._tell(self._battle(message))
            case "correct":
                self._correct(message)
            case "stop":
                self._tell(self.session.stop("key"), answers=message["answers"])
            case "round":
                self._tell(self.session.new_round(), answers=message["answers"])
            case _:
                return False
        return True

    def _take(self, message: dict[str, Any]) -> None:
        """Look at a picture that came by the pipe."""
        number = message["answers"]
        try:
            image = decode_sound(message["content"], self.task.limits).image
        except ScanError as error:
            self.pipe.send({"kind": "refused", "answers": number, "error": error})
            return
        time_s = max(message["time_s"], self.session.snapshot().time_s)
        self._look(image, time_s, answers=number)

    def _battle(self, message: dict[str, Any]) -> tuple[Event, ...]:
        """Be one of two tables, take in how the other one stands, or that it is not heard."""
        session = self.session
        if not isinstance(session, WatchSession):
            return ()
        if message["kind"] == "away":
            return session.note_away(message["away_s"])
        if message["kind"] == "battle":
            session.is_first = message["is_first"]
            session.begin_battle() if message["is_on"] else session.end_battle()
            return ()
        words = tuple(texts(language, self.game.texts) for language in LANGUAGES)
        told, first = message["table"], not session.is_first
        if told is None or session.meeting is None:
            return ()
        try:
            other = battle_from_json(told, message["read"], words, is_first=first)
        except (ValueError, ScanError):  # what cannot be read of another server is left out
            return ()
        return session.meet(other)

    def _correct(self, message: dict[str, Any]) -> None:
        """Take in what a finger says of a card, and say what that changed."""
        try:
            events = self.session.correct(Correction(**message["said"]))
        except ScanError as error:
            self.pipe.send({"kind": "refused", "answers": message["answers"], "error": error})
        else:
            self._tell(events, answers=message["answers"])

    def _now_s(self) -> float:
        """Return the time in the clock of the pictures."""
        if self._clock is not None:
            return self._clock()
        return self.session.snapshot().time_s + time.monotonic() - self._looked

    def _tick(self) -> None:
        events = self.session.tick(self._now_s())
        state = self.session.snapshot(self._now_s())
        if state.phase == "stopped" and (state.age_s or 0.0) > _PATIENCE_S:
            events += self.session.finish()  # no better pictures come: settled by those there are
        if events:
            self._tell(events)

    # --- pictures of a source of ours --------------------------------------------------------

    def play(self, stack: ExitStack) -> bool:
        """Follow the operator's source to its end; return whether to go on without.

        Raises
        ------
        SourceError
            If it gives nothing, or nothing any more.
        """
        for picture in self._pictures(stack):
            while self.pipe.poll(0):
                if not self._obey(self.pipe.recv()):
                    return False
            if picture is None:
                self._tick()
            elif isinstance(picture, LostPicture | FilmFault):
                self._tell(self.session.miss(picture))
            else:
                self._look(picture.image, max(picture.time_s, self.session.snapshot().time_s))
        self._has_ended = True
        self._tell(self.session.finish())
        self.pipe.send({"kind": "source", "code": "ended", "detail": ""})
        return True

    def _pictures(self, stack: ExitStack) -> Iterator[Seen | None]:
        source = self.task.source
        kind = kind_of_source(source)
        if kind in ("video", "folder"):
            film = video_pictures if kind == "video" else folder_pictures
            yield from _paced(film(Path(source)))
            return
        camera = stack.enter_context(Camera(source, CameraSettings(width=1920, height=1080)))
        self._clock = lambda: camera.now_s
        is_silent = False
        while True:
            picture = camera.read(_TICK_S)
            if (camera.restarts > 0) != is_silent:
                is_silent = camera.restarts > 0
                code = "no_picture" if is_silent else ""
                self.pipe.send({"kind": "source", "code": code, "detail": ""})
            yield picture

    # --- what is told ------------------------------------------------------------------------

    def _look(self, image: ImageBGR, time_s: float, answers: int | None = None) -> None:
        events = self.session.look(image, time_s)
        self._looked = time.monotonic()
        self._image = image
        now = time.monotonic()
        if answers is None and not events and now - self._shown_s < _SHOW_S:
            return  # of a fast camera
        self._shown_s = now
        self._tell(events, answers=answers, image=image if self.is_watched else None)

    def _tell(
        self,
        events: tuple[Event, ...],
        *,
        answers: int | None = None,
        image: ImageBGR | None = None,
    ) -> None:
        """Say what happened and how things stand."""
        words = {language: texts(language, self.game.texts) for language in LANGUAGES}
        state = snapshot_to_json(self.session.snapshot(self._now_s()), words["en"])
        state["notices"] = [notice["number"] for notice in state["notices"]]
        shown = None
        if image is not None:
            shown = encode_image(shrink_image(image, self.task.show_px), ".jpg", _SHOWN_QUALITY)
        self.pipe.send(
            {
                "kind": "told",
                "answers": answers,
                "events": [
                    {
                        "number": event.number,
                        "words": {one: event_to_json(event, words[one]) for one in LANGUAGES},
                        "picture": event.picture,
                    }
                    for event in events
                ],
                "state": state,
                "beams": self._beams(),
                "battle": self._told_battle(words["en"]),
                "corrected": [kept_to_json(one) for one in self.session.corrections],
                "picture": shown,
                "verdict": self._verdict(events),
            }
        )

    def _beams(self) -> list[Json] | None:
        """Return what every card would hit as it lies now, if that is asked and known."""
        foreseen, shown_wh = self.session.foreseen, self.session.snapshot().size_wh
        if foreseen is None or shown_wh is None:
            return None
        if foreseen is not self._foreseen:
            self._foreseen, self._told_beams = foreseen, beams_of(foreseen, shown_wh)
        return self._told_beams

    def _told_battle(self, words: Texts) -> Json | None:
        """Return what the other table is told, and what shows of it here; None if there is none.

        What a verdict's pictures show is told once, with ``is_read``.
        """
        session = self.session
        if not isinstance(session, WatchSession) or session.meeting is None:
            return None
        shared, joined = session.shared, session.meeting.joined
        told: Json = {"own": battle_to_json(shared), "is_read": False}
        if shared.judged_s != self._told_read:
            self._told_read = shared.judged_s
            read = None if shared.read is None else reading_to_json(shared.read, words)
            told |= {"is_read": True, "read": read}
        told["shown"] = {
            "shared": None if joined is None else joined.shared,
            "others": [
                {"card": card, "team": side, "corners_px": corners.round(2).tolist()}
                for card, side, corners in session.others
            ],
            "conflicts": [asdict(one) for one in (() if joined is None else joined.conflicts)],
        }
        return told

    def _verdict(self, events: tuple[Event, ...]) -> dict[str, Any] | None:
        """Keep the verdict as the files of a round, if one was just given."""
        verdict = self.session.verdict
        if verdict is None or not any(event.code == "verdict" for event in events):
            return None
        ledger = verdict.scan.ledger
        over = headline_to_json(ledger, verdict.scan.issues, self.game.texts)
        return {
            "round": next(event.round for event in events if event.code == "verdict"),
            "photo": encode_image(verdict.image, ".jpg", 95),
            "result": keep_scan(verdict.read, self.game, verdict.image, self.task.view_px),
            "changes": list(verdict.changes),
            "scores": {side: score["total"] for side, score in ledger.final.scores.items()},
            "headline": over,
            **{key: over[key] for key in ("open", "winners", "doubts")},
        }


def _paced(
    pictures: Iterator[Seen],
) -> Iterator[Seen | None]:
    """Yield a film's pictures when their time has come."""
    begin = time.monotonic()
    for picture in pictures:
        while (early := begin + picture.time_s - time.monotonic()) > 0:
            time.sleep(min(early, _TICK_S))
            if early > _TICK_S:
                yield None
        yield picture
