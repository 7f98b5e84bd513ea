"""What a command leaves behind: pictures, JSON, and the account in the terminal."""

from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vision.apps.cli.talk import STDOUT, console, printable, refuse, working
from vision.files.whole import write_atomically
from vision.judging.game import Game
from vision.texts import Texts, texts
from vision.values.heat import HeatMap
from vision.values.ledger import Ledger
from vision.values.messages import Issue
from vision.values.scan import Scan

if TYPE_CHECKING:
    from vision.apps.known import Known
    from vision.imaging.photo import Photo

__all__ = [
    "draw",
    "hint",
    "print_round",
    "print_scan",
    "print_what_if",
    "to_text",
    "words_of",
    "write_closeups",
    "write_json",
    "write_picture",
]

_FACE_PX_PER_MM = 4.0  # finer than a card in a picture of a whole table


def words_of(game: Game, language: str) -> Texts:
    """Return the catalogue with the words of a game."""
    return texts(language, game.texts)


def write_closeups(folder: Path, seen: Scan, photo: "Photo", game: Game, language: str) -> None:
    """Write a picture for each contested event into a folder."""
    from vision.showing.closeups import draw_closeups

    folder.mkdir(parents=True, exist_ok=True)
    words = words_of(game, language)
    drawn = draw_closeups(photo.image, seen.layout.camera, seen.ledger, words)
    for name, image in drawn.items():
        write_picture(folder / f"{name}.png", image)
    typer.echo(words.say("report.closeups", n=len(drawn), path=str(folder)), err=True)


def draw(ledger: Ledger, known: "Known", language: str, heat: HeatMap | None = None) -> Any:
    """Draw a table from above, with what its places would have been worth to a piece."""
    from vision.apps.known import draw_faces
    from vision.showing.above import draw_table
    from vision.showing.style import AnnotateSettings

    faces = draw_faces(known, ledger.pieces, _FACE_PX_PER_MM)
    settings = AnnotateSettings(texts=words_of(known.game, language), heat=heat)
    return draw_table(ledger, faces=faces, settings=settings)


def write_picture(path: Path, image: Any) -> None:
    """Write a picture (H, W, 3) BGR, in the form that its name says, whole or not at all."""
    from vision.imaging.photo import encode_image

    write_atomically(path, encode_image(image, path.suffix))


def to_text(document: dict[str, Any] | None) -> str:
    """Write JSON in plain ASCII, so that no terminal or pipe can spoil it."""
    return dumps(document, indent=1, allow_nan=False) + "\n"


def write_json(path: Path, document: dict[str, Any] | None) -> None:
    """Write JSON into a file, or to standard output."""
    if path == STDOUT:
        typer.echo(to_text(document), nl=False)
    else:
        write_atomically(path, to_text(document).encode("ascii"))


def print_round(ledger: Ledger, issues: Sequence[Issue], game: Game, language: str) -> None:
    """Print the doubts, close calls first, the score, how sure it is, and the steps."""
    from vision.apps.cli.report import print_ledger

    print_ledger(console(), ledger, issues, words_of(game, language))


def print_scan(seen: Scan, game: Game, language: str) -> None:
    """Print a round; where nothing is played, the doubts and what lies where."""
    if seen.ledger.sides or seen.outcome is not None:
        print_round(seen.ledger, seen.issues, game, language)
        return
    from vision.apps.cli.report import print_doubts, print_places, show_line

    screen, words = console(), words_of(game, language)
    over = seen.verdict
    show_line(screen, (words.tell(over.said), "bold yellow" if over.is_open else "bold"))
    print_doubts(screen, seen.issues, words)
    show_line(screen)
    print_places(screen, seen.layout.placed, words)


def print_what_if(wanted: bool, game: Game, table: Any, language: str) -> None:
    """Print the smallest change of the table that would change the winner."""
    if not wanted:
        return
    from vision.apps.cli.report import print_odds

    with working("moving pieces"):
        lines = game.turn(table, language=language)
    if not lines:
        refuse(f"--what-if: not available for {game.name}")
    print_odds(console(), lines)


def hint(out: Path | None, source: Path, language: str) -> None:
    """Say on standard error where the picture is, or how to get one."""
    if out is not None:
        path, key = printable(str(out)), "report.picture"
    else:
        stem = "round" if source == STDOUT else source.stem
        path, key = f"{printable(stem)}-round.png", "report.picture_hint"
    typer.echo(texts(language).say(key, path=path), err=True)
