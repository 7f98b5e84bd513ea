"""Who holds a photo: a process by its machine, number and start, so that the dead are known."""

import os
import socket
from contextlib import suppress
from pathlib import Path

__all__ = ["is_dead", "is_running", "own_name"]


def own_name() -> str:
    """Return the name under which this process holds photos."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{_start_of(os.getpid())}"


def _start_of(pid: int) -> str:
    """Return when a process started, so that a number used again is not mistaken for it."""
    with suppress(OSError, IndexError):
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        return stat.rpartition(")")[2].split()[19]
    return "0"


def is_dead(owner: str) -> bool:
    """Tell whether an owner is a process of this machine that no longer runs."""
    return is_running(owner) is False


def is_running(owner: str) -> bool | None:
    """Tell whether an owner runs; None if it is no process of this machine, or cannot be asked."""
    host, _, rest = owner.rpartition(":")[0].rpartition(":")
    start = owner.rpartition(":")[2]
    if host != socket.gethostname()[:40] or not rest.isdigit():
        return None
    pid = int(rest)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return None
    return _start_of(pid) == start
