"""What the server does, as Prometheus reads it (the extra ``metrics``; off by default).

What only this server knows is counted as it happens; what is in the records, by whoever looks.
"""

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vision.errors import SourceError

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from vision.apps.server.live.games import LiveGames
    from vision.apps.server.storage import Records

__all__ = ["Metrics", "page_of"]

#: Seconds of a stage. From a small photo's to the limit of a reading.
_BUCKETS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0)


class Metrics:
    """Counts of this server; without the extra or where they are off, nothing is counted.

    Raises
    ------
    SourceError
        If they are wanted and the extra is missing.
    """

    def __init__(self, *, wanted: bool) -> None:
        self.registry: CollectorRegistry | None = None
        if not wanted:
            return
        try:
            import prometheus_client as prometheus
        except ImportError as error:
            msg = "SIGHTLINE_METRICS: needs an extra: pip install '.[metrics]'"
            raise SourceError(msg) from error
        registry = self.registry = prometheus.CollectorRegistry()
        self._read = prometheus.Counter(
            "sightline_read", "Photos read", ["game"], registry=registry
        )
        self._failed = prometheus.Counter(
            "sightline_failed", "Tries that gave no result", ["code"], registry=registry
        )
        self._stages = prometheus.Histogram(
            "sightline_stage_seconds",
            "Time of a stage of reading",
            ["stage"],
            buckets=_BUCKETS,
            registry=registry,
        )

    def read(self, document: str) -> None:
        """Count a photo that was read, and the times of its stages."""
        if self.registry is None:
            return
        scan = json.loads(document)
        self._read.labels(scan.get("game", "")).inc()
        for stage, ms in scan["timings_ms"].items():
            self._stages.labels(stage).observe(ms / 1000)

    def failed(self, code: str) -> None:
        """Count a try that gave nothing."""
        if self.registry is not None:
            self._failed.labels(code).inc()


def page_of(metrics: Metrics, records: "Records", live: "LiveGames", slots: int) -> bytes:
    """Return the page that Prometheus reads.

    Raises
    ------
    LookupError
        If metrics are off.
    """
    if metrics.registry is None:
        msg = "metrics are off; SIGHTLINE_METRICS=1 turns them on"
        raise LookupError(msg)
    from prometheus_client import CollectorRegistry, generate_latest

    now = CollectorRegistry()
    now.register(_Standing(records, live, slots))
    return generate_latest(metrics.registry) + generate_latest(now)


class _Standing:
    """What is so at this moment."""

    def __init__(self, records: "Records", live: "LiveGames", slots: int) -> None:
        self._records, self._live, self._slots = records, live, slots

    def collect(self) -> Iterator[Any]:
        """Yield what is shown."""
        from prometheus_client.core import GaugeMetricFamily as Gauge

        queue = self._records.jobs.queue()
        age = 0.0 if queue.oldest is None else max(0.0, time.time() - queue.oldest)
        yield Gauge("sightline_waiting", "Photos that wait, of all servers", value=queue.waiting)
        yield Gauge("sightline_reading", "Photos being read, by all servers", value=queue.reading)
        yield Gauge("sightline_waiting_age_seconds", "How long the first has waited", value=age)
        yield Gauge("sightline_readers", "Photos this server has read at once", value=self._slots)
        games = sum(game.state in ("starting", "ready") for game in self._live.games.values())
        yield Gauge("sightline_live_games", "Live games of this server", value=games)
