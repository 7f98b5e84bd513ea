"""What ``--coach`` leaves behind: the advice, and maps of what places would have been worth."""

from pathlib import Path
from typing import Any

import typer

from vision.apps.cli.options import check_folder
from vision.apps.cli.results import words_of, write_picture
from vision.apps.cli.talk import console, refuse, working
from vision.files.ledger import advice_to_json
from vision.judging.coach import Coaching
from vision.judging.game import Game, Json
from vision.values.arrays import ImageBGR
from vision.values.heat import HeatMap
from vision.values.layout import Camera
from vision.values.ledger import Ledger

__all__ = ["check_coach", "coached", "hottest", "print_coach", "with_coach", "write_maps"]


def check_coach(wanted: bool, side: str | None, maps: Path | None) -> None:
    """Refuse what goes with ``--coach`` alone, and a folder that is a file."""
    if not wanted and side is not None:
        refuse("--coach-for: add --coach")
    check_folder("--coach-maps", maps)


def coached(
    wanted: bool, game: Game, table: Any, side: str | None = None, maps: Path | None = None
) -> Coaching | None:
    """Return what would have been better, for one side or all; None if nobody asks."""
    if not wanted and maps is None:
        return None
    if not game.has_coach:
        refuse(f"--coach: {game.name} has no coach")
    if maps is not None and not game.overrides(Game.coaching):
        refuse(f"--coach-maps: {game.name} has no maps")
    known = [one.id for one in game.sides]
    if side is not None and side not in known:
        refuse(f"--coach-for: the sides of {game.name} are {', '.join(known)}; got {side!r}")
    with working("playing other rounds"):
        found = game.coaching(table)
    return found if side is None else found.of_side(side)


def hottest(coaching: Coaching | None) -> HeatMap | None:
    """Return the map that is drawn into the picture of the round."""
    return None if coaching is None else coaching.hottest


def print_coach(coaching: Coaching | None, game: Game, language: str) -> None:
    """Print what would have been better."""
    if coaching is None:
        return
    from vision.apps.cli.report import print_odds

    words = words_of(game, language)
    lines = [words.tell(advice.said) for advice in coaching.advice]
    lines = lines or [words.say("report.coach_silent")]
    print_odds(console(), [words.say("report.coach"), *lines])


def with_coach(
    document: Json | None, coaching: Coaching | None, game: Game, language: str
) -> Json | None:
    """Return a document with what would have been better, if that was asked for."""
    if coaching is None or document is None:
        return document
    words = words_of(game, language)
    return {**document, "coach": [advice_to_json(advice, words) for advice in coaching.advice]}


def write_maps(
    folder: Path | None,
    coaching: Coaching | None,
    shown: tuple[ImageBGR, Camera, Ledger],
    game: Game,
    language: str,
) -> None:
    """Write a picture for each piece: what every place would have been worth to it.

    ``shown`` is the picture of the table, how the table shows in it, and the round.
    """
    if folder is None or coaching is None:
        return
    from vision.showing.heat import draw_heat_map
    from vision.showing.style import AnnotateSettings

    folder.mkdir(parents=True, exist_ok=True)
    words = words_of(game, language)
    settings = AnnotateSettings(texts=words)
    with working("drawing the maps"):
        for heat in coaching.maps:
            drawn = draw_heat_map(*shown, heat, settings)
            write_picture(folder / f"{heat.piece}.png", drawn)
    said = words.say("report.maps", n=len(coaching.maps), path=str(folder))
    typer.echo(said, err=True)
