"""Waiting in the event loop: a bell that wakes all, a call in a thread that is seen to end."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import anyio.to_thread

__all__ = ["Bell", "in_thread"]

T = TypeVar("T")


async def in_thread(call: Callable[..., T], *args: Any) -> T:
    """Call in a thread and see it end, even if this task is cancelled meanwhile.

    Else the thread goes on with a connection of the database that is closed under it.
    """
    work = asyncio.ensure_future(anyio.to_thread.run_sync(call, *args))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait({work})
        raise


class Bell:
    """Wakes everyone who waits for news, without keeping any of it.

    Parameters
    ----------
    also : Bell, optional
        Sounds with this one, here only: whoever follows several bells waits at that one.
    """

    def __init__(self, also: "Bell | None" = None) -> None:
        self._event = asyncio.Event()
        self.also = also
        #: How often it sounded here: who looks at it before he works misses no ring.
        self.sounded = 0
        #: Told of each ring and of whom it is: other servers may wait.
        self.on_ring: Callable[[str], None] | None = None
        #: Told of each ring of another server.
        self.on_heard: Callable[[str], None] | None = None

    def ring(self, about: str = "") -> None:
        """Wake all, here and wherever else it is heard; called in the event loop."""
        self.sound()
        if self.on_ring is not None:
            self.on_ring(about)

    def hear(self, about: str) -> None:
        """Wake all here, for another server has rung."""
        self.sound()
        if self.on_heard is not None:
            self.on_heard(about)

    def sound(self) -> None:
        """Wake all who wait here."""
        self.sounded += 1
        self._event.set()
        self._event = asyncio.Event()
        if self.also is not None:
            self.also.sound()

    async def wait(self, seconds: float) -> None:
        """Wait for the next ring, or so long."""
        event = self._event
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)
