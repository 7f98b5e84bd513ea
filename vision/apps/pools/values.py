"""What every pool has in common: its limits, and what is said of a failure."""

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import anyio

from vision.errors import ScanError

if TYPE_CHECKING:
    from vision.apps.pools.cluster import ClusterPool
    from vision.apps.pools.local import LocalPool

__all__ = ["Failure", "Pool", "PoolLimits", "explain"]


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """What a pool may take of a machine."""

    #: How many photos are read at once. One on each core: reading is all computing.
    workers: int = field(default_factory=lambda: os.cpu_count() or 2)
    #: Address space of a worker. A photo of 64 MP takes about 1.5 GB of it.
    worker_mb: float = 2048.0
    #: Time to read a photo. 20 would do on an idle machine; a small one may read for others.
    scan_seconds: float = 60.0
    #: Time to draw a picture. A film takes 10 on a small machine.
    draw_seconds: float = 60.0
    #: After how many photos a worker is renewed. Nothing grew in 500; a start takes as long as 20.
    recycle_after: int = 1000


#: What reads photos and draws pictures elsewhere than in the event loop: both have the same
#: methods. Besides the errors of the work itself, a call raises ``TimeoutError``, ``MemoryError``
#: or, if what did the work is gone, ``anyio.BrokenWorkerProcess``.
Pool: TypeAlias = "LocalPool | ClusterPool"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a photo was not read; ``again`` if another try may read it."""

    code: str
    reason: str
    again: bool


def explain(error: BaseException, limits: PoolLimits) -> Failure:
    """Say why a photo was not read: what it shows, or what became of its reader."""
    if isinstance(error, ScanError):
        return Failure(error.code, str(error), again=False)
    if isinstance(error, TimeoutError):
        limit = limits.scan_seconds
        told = f"reading took longer than {limit:g} seconds for a photo; try a simpler one"
        return Failure("timed_out", told, again=True)
    if isinstance(error, MemoryError) or "Insufficient memory" in str(error):
        limit = limits.worker_mb
        told = f"reading needed more than {limit:g} MB of memory; try a smaller photo"
        return Failure("out_of_memory", told, again=True)
    if isinstance(error, anyio.BrokenWorkerProcess):
        return Failure("worker_failed", "the reading process died on this photo", again=True)
    told = f"the reading process failed on this photo ({type(error).__name__})"
    return Failure("worker_failed", told, again=True)
