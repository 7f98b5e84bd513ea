"""Open a pool: this machine's, or a cluster's where one is named."""

import secrets
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from vision.apps.pools.local import LocalPool
from vision.apps.pools.values import Pool, PoolLimits
from vision.apps.reading import Read
from vision.errors import SourceError

__all__ = ["make_pool", "open_pool"]


def make_pool(
    read: Read,
    limits: PoolLimits,
    scratch: Callable[[], Path],
    cluster: str = "",
    decks: Sequence[Path] = (),
) -> Pool:
    """Return a pool that is not open yet.

    Parameters
    ----------
    read : callable
        Reads a photo.
    limits : PoolLimits
        What it may take of a machine.
    scratch : callable
        Gives a fresh name for a local file.
    cluster : str
        Empty for processes of this machine, ``local`` for a Dask cluster on it, else the address
        of a scheduler.
    decks : sequence of Path
        Folders of learned decks that the workers of a cluster need.

    Raises
    ------
    SourceError
        If the extra for clusters is missing.
    """
    if not cluster:
        return LocalPool(read, limits, scratch)
    try:
        from vision.apps.pools.cluster import ClusterPool
    except ImportError as error:
        msg = "a cluster needs an extra: pip install '.[cluster]'"
        raise SourceError(msg) from error
    return ClusterPool(cluster, read, limits, decks)


@asynccontextmanager
async def open_pool(
    read: Read, limits: PoolLimits, cluster: str = "", decks: Sequence[Path] = ()
) -> AsyncIterator[Pool]:
    """Open a pool for as long as the block lasts.

    Raises
    ------
    SourceError
        If the extra for clusters is missing, or no cluster answers.
    """
    with tempfile.TemporaryDirectory(prefix="sightline-") as folder:
        scratch = Path(folder)
        pool = make_pool(read, limits, lambda: scratch / secrets.token_hex(8), cluster, decks)
        try:
            await pool.open()
            yield pool
        finally:
            await pool.close()
