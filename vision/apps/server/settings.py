"""Every limit of the server by its name; each default carries its reason."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from vision.apps.folders import data_folder, deck_folder
from vision.apps.pools.values import PoolLimits
from vision.apps.server.storage import JobLimits
from vision.imaging.photo import DecodeLimits

__all__ = ["Settings", "settings_from"]

_PREFIX = "SIGHTLINE_"


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be set, by the environment (``SIGHTLINE_BODY_MB=50``) or by code."""

    #: Where rounds are kept. The user's own folder, as of other programs.
    folder: Path = field(default_factory=data_folder)
    #: Where learned decks are. The folder that the command line learns them into.
    decks: Path = field(default_factory=deck_folder)
    #: Where records are. Empty for SQLite in the folder: nothing to set up.
    database_url: str = ""
    #: Where photos and pictures are, ``s3://bucket/prefix``. Empty for files in the folder.
    objects_url: str = ""
    #: A Dask cluster that reads, ``tcp://host:8786``. Empty for processes of this machine.
    cluster: str = ""
    #: Whether ``/metrics`` tells Prometheus what goes on. Off: it is for who runs many servers.
    metrics: bool = False
    #: How the log is written: ``text``, lines of what went wrong, or ``json``, an object a line of
    #: every request and event. Text: most servers stand on somebody's desk.
    log: str = "text"
    #: What everyone but this machine is asked for. Empty for nobody: then none is let in from afar.
    token: str = ""
    #: How the page is reached from outside. Only needed where it cannot be guessed.
    public_url: str = ""
    #: Further names in the Host header. A strange one is another site that leads here.
    allowed_hosts: tuple[str, ...] = ()

    #: The largest photo. One of 12 MP has 3 to 8 MB, one of 48 MP up to 25.
    body_mb: float = 30.0
    #: All photos that are sent at once. A board and nine sheets of 12 MP have 30 to 80.
    photos_mb: float = 120.0
    #: Time for the first part of a body. A phone that wakes its radio takes 5 s.
    body_seconds: float = 30.0
    #: How fast the rest of it comes at least. Slower is no upload but a held socket.
    body_bytes_per_second: float = 16_000.0
    #: Time for the head of a request. It is one packet; browsers need a second at most.
    header_seconds: float = 10.0
    #: Time to take the next 64 kB of a reply. Slower is a held buffer.
    send_seconds: float = 60.0
    #: How long a connection stays open between requests. The page asks every few seconds.
    keep_alive_seconds: int = 5
    #: How many connections there may be. Each live viewer holds two.
    connections: int = 200
    #: How many streams of events one address may hold open. A family's screens behind one router.
    streams_per_guest: int = 40
    #: The largest picture, decoded. 192 MB; OpenCV's own guard is at 100 MP.
    pixels_mp: float = 64.0
    #: The same of a progressive JPEG. It is held whole as coefficients, 6 bytes a pixel.
    progressive_mp: float = 25.0
    #: What is taken, where it is installed. What phones, cameras and browsers write.
    formats: tuple[str, ...] = ("JPEG", "PNG", "WEBP", "AVIF", "HEIF")
    #: The largest JSON body. A table of 5,000 cards has 400 kB.
    json_kb: float = 512.0

    #: The largest file of a deck. 1,000 faces have about 100 MB.
    deck_mb: float = 100.0

    #: How many photos are read at once. 0 for one on each core: reading is all computing.
    workers: int = 0
    #: Address space of a worker. A photo of 64 MP takes about 1.5 GB of it.
    worker_mb: float = 2048.0
    #: Time to read a photo. 20 would do on an idle machine; a small one may read for others.
    scan_seconds: float = 60.0
    #: Time to draw a picture. A film takes 10 on a small machine.
    draw_seconds: float = 60.0
    #: How often a photo is tried. A worker may have died of something else, hardly three times.
    attempts: int = 3
    #: How often the whole server may die under one photo. It may be killed for other reasons.
    interruptions: int = 60
    #: How long a photo is held without a sign of life. Far longer than the time between two.
    lease_seconds: float = 60.0
    #: How many photos may wait for each worker. A wait of about a minute.
    queue_per_worker: int = 8
    #: After how many photos a worker is renewed. Nothing grew in 500; a start takes as long as 20.
    recycle_after: int = 1000

    #: How many photos one address may send. A round takes minutes; a stack of photos is a burst.
    uploads_per_minute: float = 30.0
    #: How many of them at once. An evening's photos dropped together.
    upload_burst: int = 10
    #: Room that is left on the disk, at least. The system needs some to live.
    disk_free_mb: float = 500.0
    #: The same as a share. A large disk slows down when it is full.
    disk_free_share: float = 0.02
    #: The longest ``?wait=``. Proxies close silent connections after a minute.
    wait_seconds: float = 60.0
    #: How long deleted rounds come back. Until the next evening of play.
    trash_days: float = 7.0
    #: How long originals are kept; then the page's picture takes their place. Disputes are over.
    original_days: float = 30.0
    #: Whether JPEGs are kept with metadata. They tell where people live; what leaves has none.
    keep_metadata: bool = False
    #: How many corrections a round takes. An hour of dragging makes some hundred.
    edits_per_scan: int = 2000
    #: How many rounds or evenings a list has at most. Beyond that nobody looks.
    scans_listed: int = 200
    #: Long side of the picture that the page shows. Sharp when it is zoomed on a phone.
    view_px: int = 2600
    #: Time for replies under way when the server stops. They take milliseconds.
    shutdown_seconds: int = 5

    #: Time for secret orders, where the table says nothing else. What people count by.
    order_seconds: float = 60.0
    #: How often what is out of time is looked for. Nobody notices half a second.
    reveal_seconds: float = 0.5

    #: A camera, stream, film or folder of the operator's, shown to everyone. Never from a request.
    camera: str = ""
    #: Rules of that table, KEY=VALUE. Nobody is there to be asked.
    camera_rules: tuple[str, ...] = ()
    #: How many live games browsers may feed. Each keeps a core busy while cards are laid.
    live_games: int = 2
    #: How many may watch one game. Each holds two connections.
    live_viewers: int = 60
    #: The largest picture of a live game. One of 1920 x 1080 has 0.3 to 0.8 MB.
    live_frame_mb: float = 4.0
    #: The same decoded. 3840 x 2160, the most that cameras of phones give.
    live_pixels_mp: float = 9.0
    #: Long side of the pictures that viewers get. Several a second go to each.
    live_show_px: int = 1280
    #: Address space of a game's process. It holds 250 MB.
    live_mb: float = 2048.0
    #: After how long without an answer the process is replaced. A verdict takes 3.
    live_seconds: float = 30.0
    #: How long a viewer waits for a newer picture before it asks again. Proxies bear it.
    live_wait_seconds: float = 10.0
    #: After how long without a picture a game ends. Longer than a pause for a meal's first course.
    live_idle_minutes: float = 30.0
    #: How many events of a game are kept. For viewers that come late: ten rounds.
    live_log: int = 1000
    #: How many of their pictures. 60 kB each.
    live_pictures: int = 100

    @property
    def worker_count(self) -> int:
        """The number of photos read at once."""
        return self.workers or os.cpu_count() or 2

    @property
    def pool_limits(self) -> PoolLimits:
        """What the readers may take of this machine."""
        return PoolLimits(
            self.worker_count,
            self.worker_mb,
            self.scan_seconds,
            self.draw_seconds,
            self.recycle_after,
        )

    @property
    def job_limits(self) -> JobLimits:
        """How long a worker may hold a photo, and how often."""
        return JobLimits(self.lease_seconds, self.attempts, self.interruptions)

    @property
    def body_bytes(self) -> int:
        """The largest body, in bytes."""
        return int(self.body_mb * 1_000_000)

    @property
    def photos_bytes(self) -> int:
        """The largest body with several photos, in bytes."""
        return int(max(self.photos_mb, self.body_mb) * 1_000_000)

    @property
    def live_frame_bytes(self) -> int:
        """The largest picture of a live game, in bytes."""
        return int(self.live_frame_mb * 1_000_000)

    @property
    def live_limits(self) -> DecodeLimits:
        """What is refused of a live game's pictures."""
        pixels = int(self.live_pixels_mp * 1e6)
        return DecodeLimits(
            max_bytes=self.live_frame_bytes,
            max_pixels=pixels,
            max_progressive_pixels=pixels,
            formats=("JPEG", "PNG", "WEBP"),
        )

    @property
    def decode_limits(self) -> DecodeLimits:
        """What is refused before a pixel is decoded."""
        return DecodeLimits(
            max_bytes=self.body_bytes,
            max_progressive_pixels=int(self.progressive_mp * 1_000_000),
            max_pixels=int(self.pixels_mp * 1_000_000),
            formats=tuple(name.upper() for name in self.formats),
        )


def _value(kind: Any, text: str) -> Any:
    """Read a value from the environment."""
    if kind is bool:
        truth = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
        if text.lower() not in truth:
            raise ValueError(text)
        return truth[text.lower()]
    return Path(text) if issubclass(kind, Path) else kind(text)


def settings_from(environment: Mapping[str, str], **given: Any) -> Settings:
    """Build settings from ``SIGHTLINE_…`` variables and what is given, which wins.

    Raises
    ------
    ValueError
        If a variable does not hold what its setting takes.
    """
    found: dict[str, Any] = {}
    base = Settings(folder=Path())
    for item in fields(Settings):
        text = environment.get(_PREFIX + item.name.upper())
        if text is None:
            continue
        default = getattr(base, item.name)
        try:
            if isinstance(default, tuple):
                found[item.name] = tuple(part.strip() for part in text.split(",") if part.strip())
            else:
                found[item.name] = _value(type(default), text)
        except ValueError as error:
            kind = type(default).__name__
            msg = f"{_PREFIX}{item.name.upper()}: expected {kind}, got {text!r}"
            raise ValueError(msg) from error
    found |= {name: value for name, value in given.items() if value is not None}
    if "folder" not in found:
        found["folder"] = data_folder()
    return replace(base, **found)
