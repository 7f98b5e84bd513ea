"""Patience with slow clients: limits on the time that a head, and taking a reply, may take."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Impatient", "impatient"]


class Impatient(H11Protocol):
    """Closes a connection whose head does not come in time, or that takes no reply."""

    header_seconds = 10.0
    send_seconds = 60.0
    _clock: asyncio.TimerHandle | None = None
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """Wait on while a head has begun and is not whole."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._start()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop()
        self._calm()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for the client: our buffer is full, it takes nothing."""
        super().pause_writing()
        loop = asyncio.get_running_loop()
        self._patience = loop.call_later(self.send_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has taken some."""
        self._calm()
        super().resume_writing()

    def _calm(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _start(self) -> None:
        if self._clock is None:
            loop = asyncio.get_running_loop()
            self._clock = loop.call_later(self.header_seconds, self._give_up)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        self._clock = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.abort()


def impatient(header_seconds: float, send_seconds: float) -> type[H11Protocol]:
    """Return uvicorn's protocol with these limits.

    Parameters
    ----------
    header_seconds : float
        From the first byte (or the connection) to the end of a request's head.
    send_seconds : float
        How long a reply may wait in our buffers without the client taking any of it.
    """
    limits = {"header_seconds": header_seconds, "send_seconds": send_seconds}
    return type("Impatient", (Impatient,), limits)
