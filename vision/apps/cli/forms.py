"""What may be typed for the commands of many options; the docstring of a form is its help."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from vision.apps.cli.options import (
    DeckOption,
    GameOption,
    JsonOption,
    LangOption,
    OutOption,
    RoundForm,
    RuleOption,
)

__all__ = [
    "BatchOrder",
    "CareerOrder",
    "ResolveOrder",
    "ScanOrder",
    "ServeOrder",
    "WatchOrder",
]


@dataclass(frozen=True, slots=True)
class ScanOrder(RoundForm):
    """Read a photo, resolve the round, print score and account."""

    photos: Annotated[
        list[Path],
        typer.Argument(
            metavar="PHOTO...",
            help="A JPEG, PNG or WebP photo; - reads it from standard input. Several photos of "
            "one table make one round. A report of a round (.zip) is opened as it was.",
        ),
    ]
    deck: DeckOption = None
    game: GameOption = None
    coach_maps: Annotated[
        Path | None,
        typer.Option(
            "--coach-maps",
            metavar="DIR",
            help="Write a picture for each ship to a folder: what every place would have been "
            "worth.",
        ),
    ] = None
    closeups: Annotated[
        Path | None,
        typer.Option(
            "--closeups", metavar="DIR", help="Write a close-up of each contested shot to a folder."
        ),
    ] = None
    dice: Annotated[
        list[str] | None,
        typer.Option(
            "--dice",
            metavar="DIE=NUMBER,...",
            help="Dice that the photo does not show: red=3,white=5.",
        ),
    ] = None
    turn: Annotated[
        Path | None,
        typer.Option(
            "--turn",
            metavar="FILE",
            help="A written turn (JSON or text), in a game played by turns: its declarations and "
            "ripostes.",
        ),
    ] = None
    after: Annotated[
        Path | None,
        typer.Option(
            "--after",
            metavar="PREVIOUS",
            help="The previous round, a scan or table file: tells what was set up differently.",
        ),
    ] = None
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Of a report: read its photos here, instead of opening what was read."
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class ResolveOrder(RoundForm):
    """Resolve the round on a table from a file, without a photo."""

    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE.json",
            help="A table file, JSON or notation; - reads it from standard input.",
        ),
    ]


@dataclass(frozen=True, slots=True)
class BatchOrder:
    """Read many tables: a JSON file each, and results.csv.

    What was done before and has not changed is not read again, so that a batch that was stopped
    goes on where it was. Exit status: 0 all were read, 1 none was, 10 + n if n failed, at most 100.
    """

    photos: Annotated[
        list[str],
        typer.Argument(
            metavar="PHOTOS...",
            help="Photos, folders (searched with all subfolders), patterns, lists (.txt with a "
            "photo a line, .csv with columns photo, name, deck, game) or s3://bucket/prefix.",
        ),
    ]
    out: Annotated[Path, typer.Option(metavar="DIR", help="Results folder; created if missing.")]
    deck: DeckOption = None
    game: GameOption = None
    rule: RuleOption = None
    pictures: Annotated[
        bool, typer.Option("--pictures", help="Also write a picture of each round.")
    ] = False
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Also write results.parquet (needs the extra).")
    ] = False
    together: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN",
            help="Photos whose names match show one table, named after the first group: "
            "'(.+)-\\d' for friday-1, friday-2.",
        ),
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Readers at once; one per core by default."),
    ] = None
    memory: Annotated[
        float, typer.Option(min=300, metavar="MB", help="Most memory of each reader.")
    ] = 2048.0
    cluster: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Read on a Dask cluster: tcp://host:8786, or local for one on this machine.",
        ),
    ] = ""
    afresh: Annotated[bool, typer.Option("--afresh", help="Read tables again that are done.")] = (
        False
    )


@dataclass(frozen=True, slots=True)
class CareerOrder:
    """Show the careers that a file keeps, and correct them by hand."""

    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file of careers; created if missing.")
    ]
    player: Annotated[
        list[str] | None,
        typer.Option(metavar="SIDE=NAME", help="Who plays a side from now on; SIDE= for nobody."),
    ] = None
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER=NAME",
            help="Name the officer who serves under a player (PLAYER.1 for the first).",
        ),
    ] = None
    points: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYER=N", help="Set a player's points by hand from now on."),
    ] = None
    leave_out: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Do not count this round any more.")
    ] = None
    undo: Annotated[bool, typer.Option("--undo", help="Undo the last entry.")] = False
    game: Annotated[str | None, typer.Option(metavar="NAME", help="The game, for a new file.")] = (
        None
    )
    json: JsonOption = None
    lang: LangOption = None


@dataclass(frozen=True, slots=True)
class WatchOrder:
    """Follow a round over the table while it is played: each card, then the verdict."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A camera number (0), a stream address, a video file, or a folder of "
            "pictures or a recording.",
        ),
    ]
    out: OutOption = None
    json: Annotated[
        bool,
        typer.Option("--json", help="Print only events, as JSON, one per line."),
    ] = False
    record: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Save events and key pictures in this folder."),
    ] = None
    deck: DeckOption = None
    game: GameOption = None
    rule: RuleOption = None
    orders: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The round being played out by hand, a scan or table file with all orders: tells "
            "the first move that differs.",
        ),
    ] = None
    silence: Annotated[
        float,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="Stop after this time without a new card; 0: never.",
        ),
    ] = 5.0
    count: Annotated[
        bool,
        typer.Option("--count/--no-count", help="Stop when a team has laid all its ships."),
    ] = True
    rounds: Annotated[int, typer.Option(min=0, help="Exit after this many verdicts; 0: never.")] = 0
    size: Annotated[
        str | None,
        typer.Option(metavar="WxH", help="The picture size of the camera: 1920x1080."),
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A camera profile made by calibrate camera."),
    ] = None
    lang: LangOption = None


@dataclass(frozen=True, slots=True)
class ServeOrder:
    """Serve the web page and the HTTP API."""

    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Address to listen on (127.0.0.1)."),
    ] = None
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000
    lan: Annotated[
        bool,
        typer.Option("--lan", help="Open it to the network with a token; shows a QR code."),
    ] = False
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for rounds; your data folder by default."),
    ] = None
    public_url: Annotated[
        str, typer.Option(metavar="URL", help="Address for phones, if it cannot be guessed.")
    ] = ""
    qr: Annotated[bool, typer.Option("--qr/--no-qr", help="Print the QR code.")] = True
    camera: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="Follow the table live with this camera and show it to all: a camera number, "
            "a stream address, a video file or a folder.",
        ),
    ] = None
    rule: RuleOption = None
    https: Annotated[
        bool,
        typer.Option(
            "--https",
            help="Serve over https with a local certificate, so that phones may use their camera.",
        ),
    ] = False
