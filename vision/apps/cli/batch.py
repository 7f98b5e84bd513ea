"""The command ``sightline batch``: many tables, a scan each, and a table of results."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import typer

from vision.apps.batch.entries import Entry, find_entries, together
from vision.apps.batch.journal import Journal, Line
from vision.apps.batch.run import Batch, run_batch
from vision.apps.batch.table import check_parquet, write_csv, write_parquet
from vision.apps.cli.forms import BatchOrder
from vision.apps.cli.options import (
    check_folder,
    knows_rules,
    read_rules,
)
from vision.apps.cli.talk import console, fail, printable, refuse
from vision.apps.finding import DrawnGames
from vision.apps.folders import deck_folder
from vision.apps.pools.opening import open_pool
from vision.apps.pools.values import PoolLimits
from vision.apps.reading import read
from vision.judging.options import options_to_json

__all__ = ["run"]

_FAILED = 10  # the exit status of a batch with failures is this and their number
_MOST = 90


def run(order: BatchOrder) -> None:
    """Read many tables: a JSON file each, and results.csv."""
    check_folder("--out", order.out)
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


def _batch_of(order: BatchOrder) -> Batch:
    """Bring what was typed to what all tables have in common."""
    from vision.apps.decks import find_known, reference_of

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


def _game_of(rules: Sequence[str]) -> str | None:
    """Return the one game that has such rules; the first where none has, to say what is wrong."""
    fitting = [one.game.name for one in DrawnGames() if knows_rules(rules, one.game.options)]
    if len(fitting) > 1:
        refuse(f"--rule: {', '.join(fitting)} have this rule; choose one with --game NAME")
    return fitting[0] if fitting else None


def _read_all(order: BatchOrder, batch: Batch, entries: tuple[Entry, ...]) -> list[Line]:
    """Read what is not there yet; return a line for each table that is done, in their order."""
    kept = {"deck": batch.deck, "game": batch.game, "options": dict(batch.options)}
    seen: set[str] = set()
    with Journal(batch.folder, kept, afresh=order.afresh) as journal:
        with _progress(len(entries), batch) as step:

            def told(line: Line) -> None:
                seen.add(line.name)
                step(line)

            _read(order, batch, entries, journal, told)
        lines = [journal.done[entry.name] for entry in entries if entry.name in seen]
    write_csv(batch.folder / "results.csv", lines)
    if order.parquet:
        write_parquet(batch.folder / "results.parquet", lines)
    return lines


def _read(
    order: BatchOrder,
    batch: Batch,
    entries: tuple[Entry, ...],
    journal: Journal,
    told: Callable[[Line], None],
) -> None:
    """Run the loop until it is through, or someone stops it."""

    async def run() -> None:
        decks = _learned(batch, entries) if order.cluster else ()
        async with open_pool(read, batch.limits, order.cluster, decks) as pool:
            await run_batch(batch, entries, journal, pool, told)

    try:
        anyio.run(run)
    except KeyboardInterrupt:
        return


def _learned(batch: Batch, entries: Sequence[Entry]) -> list[Path]:
    """Return the folders of the learned decks that are on the tables."""
    from calibration.learned.decks import is_learned
    from calibration.learned.shelf import folder_of

    names = {entry.deck or batch.deck for entry in entries} - {None}
    folders = [folder_of(deck_folder(), str(name)) for name in sorted(map(str, names))]
    return [folder for folder in folders if is_learned(folder)]


@contextmanager
def _progress(count: int, batch: Batch) -> Iterator[Callable[[Line], None]]:
    """Show how far it is, with rate and time left, if someone is looking; failures always."""

    def complain(line: Line) -> None:
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

        def step(line: Line) -> None:
            complain(line)
            shown = progress.tasks[0]
            rate = "" if shown.speed is None else f"{shown.speed:.2f}/s"
            progress.update(task, advance=1, rate=rate)

        yield step
