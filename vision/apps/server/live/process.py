"""A live game's process from the server's side: started, fed with the newest picture, replaced.

One thread for each game speaks with its process. It hands over a picture only when the last one
has been answered; of those that come meanwhile the newest is kept and the others are skipped. A
process that dies or answers nothing for too long is replaced by a new one.

On Linux they are forked from one that has loaded what they need and nothing else: a game begins,
and goes on after a death, in a third of the processor's time (0.7 s for 2.0).
"""

import logging
import multiprocessing
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any

from vision.apps.server.live.worker import LiveTask, follow_table

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

__all__ = ["Frame", "LiveProcess", "get_ready"]

_log = logging.getLogger(__name__)
_IDLE_S = 0.5
_START_S = 30.0  # more than an answer takes: a busy machine starts slowly
_END_S = 1.5  # to let a camera go before the process is killed
_LASTING = (
    "watched",
    "beams",
    "battle",
    "other",
)  # commands that hold until the next of their kind
_LOADED = ["vision.apps.decks", "vision.apps.watching"]  # what takes long to import

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture on its way; ``number`` is by what it is answered."""

    number: int
    content: bytes
    time_s: float


class LiveProcess:
    """The process of one game and the thread that speaks with it.

    Parameters
    ----------
    task : LiveTask
        What the process is to do.
    tell : callable
        Is given every message, from the thread: those of the process, ``skipped`` for a picture
        that is not looked at, ``died`` when the process is replaced, ``failed`` when it is not.
    patience_s : float
        How long the process may take to answer.
    lives : int
        How many processes in a row may die within a minute.
    run : callable
        What the process does.
    """

    def __init__(
        self,
        task: LiveTask,
        tell: Callable[[Message], None],
        *,
        patience_s: float,
        lives: int = 3,
        run: Callable[[Any, LiveTask], None] = follow_table,
    ) -> None:
        self.task, self.tell = task, tell
        self.patience_s, self.lives, self.run = patience_s, lives, run
        self._lock = threading.Lock()
        self._frame: Frame | None = None
        self._commands: deque[Message] = deque()
        self._lasting: dict[str, Message] = {}  # what the next process is to be told too, by kind
        self._ending = False
        self._wake_in, self._wake_out = os.pipe()
        os.set_blocking(self._wake_out, False)
        os.set_blocking(self._wake_in, False)
        self._thread = threading.Thread(target=self._keep, name="sightline-live", daemon=True)
        self.pid = 0

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def offer(self, frame: Frame) -> None:
        """Give the newest picture; an older one that still waits is skipped."""
        with self._lock:
            old, self._frame = self._frame, frame
        if old is not None:
            self.tell({"kind": "skipped", "answers": old.number})
        self._wake()

    def command(self, message: Message) -> None:
        """Say something else to the process."""
        with self._lock:
            self._commands.append(message)
        self._wake()

    def end(self) -> None:
        """End the process and the thread, soon."""
        self._ending = True
        self._wake()

    def join(self, seconds: float) -> None:
        """Wait for the end."""
        self._thread.join(seconds)

    def _wake(self) -> None:
        with suppress(OSError):  # full: it is awake
            os.write(self._wake_out, b".")

    # --- the thread --------------------------------------------------------------------------

    def _keep(self) -> None:
        """Keep a process running until the end."""
        deaths: deque[float] = deque(maxlen=self.lives)
        try:
            while not self._ending:
                reason = self._follow()
                if self._ending:
                    break
                _log.warning("the process of a live game %s; it is replaced", reason)
                deaths.append(time.monotonic())
                is_hopeless = len(deaths) == self.lives and deaths[-1] - deaths[0] < 60
                self.tell({"kind": "failed" if is_hopeless else "died", "reason": reason})
                if is_hopeless:
                    break
        finally:
            self._ending = True
            self._drop_frame()
            self._wake_in, wake_in = -1, self._wake_in
            self._wake_out, wake_out = -1, self._wake_out
            os.close(wake_in)
            os.close(wake_out)

    def _follow(self) -> str:
        """Run one process; return why it ended."""
        context = _context()
        here, there = context.Pipe()
        child = context.Process(target=self.run, args=(there, self.task), name="sightline-table")
        try:
            child.start()
        except OSError as error:
            return f"cannot be started ({error})"
        there.close()
        self.pid = child.pid or 0
        try:
            return self._speak(here)
        except (OSError, EOFError):
            return "died"
        finally:
            self._bury(child, here)

    def _speak(self, pipe: "Connection[Message, Message]") -> str:
        """Pass messages until the process ends, hangs, or is to end."""
        is_ready, asked, under_way = False, time.monotonic(), 0
        for message in self._lasting.values():
            pipe.send(message)
        while not self._ending:
            for ready in wait([pipe, self._wake_in], _IDLE_S):
                if ready is pipe:
                    message = pipe.recv()
                    is_ready = True
                    if message.get("answers") is not None and under_way:
                        under_way -= 1
                        asked = time.monotonic()
                    self.tell(message)
                else:
                    with suppress(BlockingIOError):
                        os.read(self._wake_in, 4096)
            waits = under_way > 0 or not is_ready
            if waits and time.monotonic() - asked > self.patience_s + _START_S * (not is_ready):
                return "hung"
            if not is_ready or self._ending:
                continue
            for message in self._next(is_busy=under_way > 0):
                if "answers" in message:
                    asked = asked if under_way else time.monotonic()
                    under_way += 1
                pipe.send(message)
        with suppress(OSError):
            pipe.send({"kind": "end"})
        return "ended"

    def _next(self, *, is_busy: bool) -> list[Message]:
        """Return what is to be said now."""
        with self._lock:
            said = list(self._commands)
            self._commands.clear()
            frame = None
            if not is_busy and not any("answers" in message for message in said):
                frame, self._frame = self._frame, None
        for message in said:
            if message["kind"] in _LASTING:
                self._lasting[message["kind"]] = message
        if frame is not None:
            said.append(
                {
                    "kind": "frame",
                    "answers": frame.number,
                    "content": frame.content,
                    "time_s": frame.time_s,
                }
            )
        return said

    def _drop_frame(self) -> None:
        with self._lock:
            frame, self._frame = self._frame, None
        if frame is not None:
            self.tell({"kind": "skipped", "answers": frame.number})

    def _bury(self, child: BaseProcess, pipe: "Connection[Message, Message]") -> None:
        """End a process for good."""
        pipe.close()
        if self._ending:
            child.join(_END_S)
        if child.is_alive():
            child.kill()
        child.join(5.0)
        if not child.is_alive():
            child.close()
        self.pid = 0


def get_ready() -> None:
    """Load what the process of a game needs before there is one."""
    if sys.platform == "linux":
        from multiprocessing import forkserver

        _context()
        forkserver.ensure_running()


def _context() -> "SpawnContext | ForkServerContext":
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")  # the libraries of macOS bear no fork
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LOADED)
    return context
