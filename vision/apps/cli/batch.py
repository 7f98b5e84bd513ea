"""The command ``sightline batch``: many tables, a scan each, and a table of results."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vision.apps.cli.options import (
    DeckOption,
    GameOption,
    RuleOption,
    check_folder,
    knows_rules,
    read_rules,
)
from vision.apps.cli.order import add_command
from vision.apps.cli.talk import console, fail, printable, refuse
from vision.apps.finding import DrawnGames
from vision.apps.folders import deck_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from vision.apps.batch.entries import Entry
    from vision.apps.batch.journal import Journal, Line
    from vision.apps.batch.run import Batch

__all__ = ["add_batch"]

_FAILED = 10  # the exit status of a batch with failures is this and their number
_MOST = 90


@dataclass(frozen=True, slots=True)
class _Order:
    """What was typed."""

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


def add_batch(app: typer.Typer) -> None:
    """Add the command to the program."""
    add_command(app, "batch", _Order, _run)


def _run(order: _Order) -> None:
    """Read many tables: a JSON file each, and results.csv.

    What was done before and has not changed is not read again, so that a batch that was stopped
    goes on where it was. Exit status: 0 all were read, 1 none was, 10 + n if n failed, at most 100.
    """
    check_folder("--out", order.out)
    from vision.apps.batch.entries import find_entries, together
    from vision.apps.batch.table import check_parquet

    if order.parquet:
        check_parquet()
    entries = find_entries(order.photos)
    if order.together is not None:
        entries = together(entries, order.together)
    if not entries:
        fail(f"no photo in {', '.join(order.photos)}", 1)
    batch = _batch_of(order)
    lines = _read_all(order, batch, entries)
    failed = [line for line in lines if line.error]
    left = len(entries) - len(lines)
    told = f"{len(lines) - len(failed)} of {len(entries)} tables read; {order.out}/results.csv"
    typer.echo(told)
    if left:
        fail(f"stopped with {left} tables left; run the same command to continue", 130)
    if len(failed) == len(lines):
        fail("no table could be read", 1)
    if failed:
        raise typer.Exit(_FAILED + min(len(failed), _MOST))


def _batch_of(order: _Order) -> "Batch":
    """Bring what was typed to what all tables have in common."""
    from vision.apps.batch.run import Batch
    from vision.apps.decks import find_known, reference_of
    from vision.apps.pools.values import PoolLimits
    from vision.judging.options import options_to_json

    deck = None if order.deck is None else reference_of(order.deck)
    game, options = order.game, {}
    if order.rule:
        if deck is None and game is None:
            game = _game_of(order.rule)
        options = options_to_json(read_rules(order.rule, find_known(deck, game).game.options))
    elif deck is not None or game is not None:
        find_known(deck, game)  # what is not there is said before any photo is read
    limits = PoolLimits(worker_mb=order.memory)
    limits = limits if order.jobs is None else replace(limits, workers=order.jobs)
    order.out.mkdir(parents=True, exist_ok=True)
    return Batch(order.out, deck, game, options, order.pictures, limits)


def _game_of(rules: "Sequence[str]") -> str | None:
    """Return the one game that has such rules; the first where none has, to say what is wrong."""
    fitting = [one.game.name for one in DrawnGames() if knows_rules(rules, one.game.options)]
    if len(fitting) > 1:
        refuse(f"--rule: {', '.join(fitting)} have this rule; choose one with --game NAME")
    return fitting[0] if fitting else None


def _read_all(order: _Order, batch: "Batch", entries: "tuple[Entry, ...]") -> "list[Line]":
    """Read what is not there yet; return a line for each table that is done, in their order."""
    from vision.apps.batch.journal import Journal
    from vision.apps.batch.table import write_csv, write_parquet

    kept = {"deck": batch.deck, "game": batch.game, "options": dict(batch.options)}
    seen: set[str] = set()
    with Journal(batch.folder, kept, afresh=order.afresh) as journal:
        with _progress(len(entries), batch) as step:

            def told(line: "Line") -> None:
                seen.add(line.name)
                step(line)

            _read(order, batch, entries, journal, told)
        lines = [journal.done[entry.name] for entry in entries if entry.name in seen]
    write_csv(batch.folder / "results.csv", lines)
    if order.parquet:
        write_parquet(batch.folder / "results.parquet", lines)
    return lines


def _read(
    order: _Order,
    batch: "Batch",
    entries: "tuple[Entry, ...]",
    journal: "Journal",
    told: "Callable[[Line], None]",
) -> None:
    """Run the loop until it is through, or someone stops it."""
    import anyio

    from vision.apps.batch.run import run_batch
    from vision.apps.pools.opening import open_pool
    from vision.apps.reading import read

    async def run() -> None:
        decks = _learned(batch, entries) if order.cluster else ()
        async with open_pool(read, batch.limits, order.cluster, decks) as pool:
            await run_batch(batch, entries, journal, pool, told)

    try:
        anyio.run(run)
    except KeyboardInterrupt:
        return


def _learned(batch: "Batch", entries: "Sequence[Entry]") -> list[Path]:
    """Return the folders of the learned decks that are on the tables."""
    from calibration.learned.decks import is_learned
    from calibration.learned.shelf import folder_of

    names = {entry.deck or batch.deck for entry in entries} - {None}
    folders = [folder_of(deck_folder(), str(name)) for name in sorted(map(str, names))]
    return [folder for folder in folders if is_learned(folder)]


@contextmanager
def _progress(count: int, batch: "Batch") -> "Iterator[Callable[[Line], None]]":
    """Show how far it is, with rate and time left, if someone is looking; failures always."""

    def complain(line: "Line") -> None:
        if line.error:
            said = printable(f"{', '.join(line.photos)}: {line.error}")
            typer.echo(f"sightline: {said}", err=True)

    if not sys.stderr.isatty():
        yield complain
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    limits = batch.limits
    told = f"{limits.workers} at once, each up to {limits.worker_mb:,.0f} MB"
    columns: tuple[Any, ...] = (
        TextColumn(told),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=count, rate="")

        def step(line: "Line") -> None:
            complain(line)
            shown = progress.tasks[0]
            rate = "" if shown.speed is None else f"{shown.speed:.2f}/s"
            progress.update(task, advance=1, rate=rate)

        yield step
