"""Open a pool: this machine's, or a cluster's where one is named."""

import secrets
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from vision.apps.pools.local import LocalPool
from vision.apps.pools.values import Pool, PoolLimits
from vision.apps.reading import Read
from vision.errors import SourceError

__all__ = ["LOCAL", "open_pool"]

#: In place of an address: a cluster of this machine's own.
LOCAL = "local"


@asynccontextmanager
async def open_pool(
    read: Read, limits: PoolLimits, cluster: str = "", decks: Sequence[Path] = ()
) -> AsyncIterator[Pool]:
    """Open a pool for as long as the block lasts.

    Parameters
    ----------
    read : callable
        Reads a photo.
    limits : PoolLimits
        What it may take of a machine.
    cluster : str
        Empty for processes of this machine, ``local`` for a Dask cluster on it, else the address
        of a scheduler.
    decks : sequence of Path
        Folders of learned decks that the workers of a cluster need.

    Raises
    ------
    SourceError
        If the extra for clusters is missing, or no cluster answers.
    """
    if not cluster:
        with tempfile.TemporaryDirectory(prefix="sightline-") as folder:
            scratch = Path(folder)
            yield LocalPool(read, limits, lambda: scratch / secrets.token_hex(8))
        return
    try:
        from vision.apps.pools.cluster import open_cluster, own_cluster
    except ImportError as error:
        msg = "a cluster needs an extra: pip install 'sightline[cluster]'"
        raise SourceError(msg) from error
    if cluster != LOCAL:
        async with open_cluster(cluster, read, limits, decks) as pool:
            yield pool
        return
    async with own_cluster(limits) as address, open_cluster(address, read, limits, decks) as pool:
        yield pool
