"""What a command leaves behind: pictures, JSON, and the account in the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vision.apps.cli.talk import STDOUT, console, printable, working

if TYPE_CHECKING:
    from vision.games.light_speed.values import Deck, Resolution, TableState
    from vision.imaging.photo import Photo
    from vision.values.messages import Issue
    from vision.values.scan import Scan

__all__ = [
    "annotate",
    "draw",
    "hint",
    "print_places",
    "print_result",
    "print_what_if",
    "to_text",
    "write_closeups",
    "write_json",
    "write_picture",
]

_FACE_PX_PER_MM = 4.0  # finer than a card in a picture of a whole table


def annotate(seen: "Scan", upright: "Photo", deck: "Deck", language: str) -> Any:
    """Draw the round over its photo."""
    from vision.showing.overlay import annotate_photo
    from vision.showing.style import AnnotateSettings
    from vision.texts import texts

    return annotate_photo(
        upright.image,
        seen.layout.camera,
        seen.ledger,
        outlines_px={placed.piece: placed.outline_px for placed in seen.layout.placed},
        issues=seen.issues,
        settings=AnnotateSettings(closeups=True, texts=texts(language)),
    )


def write_closeups(
    folder: Path, seen: "Scan", upright: "Photo", deck: "Deck", language: str
) -> None:
    """Write a picture for each contested shot into a folder."""
    from vision.showing.closeups import draw_closeups
    from vision.texts import texts

    folder.mkdir(parents=True, exist_ok=True)
    words = texts(language)
    drawn = draw_closeups(upright.image, seen.layout.camera, seen.ledger, words)
    for name, image in drawn.items():
        write_picture(folder / f"{name}.png", image)
    typer.echo(words.say("report.closeups", n=len(drawn), path=str(folder)), err=True)


def draw(state: "TableState", deck: "Deck", resolution: "Resolution", language: str) -> Any:
    """Draw a table from above."""
    from calibration.light_speed.faces import draw_face
    from vision.games.light_speed.deck import card_ids
    from vision.games.light_speed.tell import tell
    from vision.showing.above import draw_table
    from vision.showing.style import AnnotateSettings
    from vision.texts import texts

    known = set(card_ids(deck)) & {card.card_id for card in state.cards}
    faces = {card_id: draw_face(deck, card_id, _FACE_PX_PER_MM) for card_id in sorted(known)}
    settings = AnnotateSettings(texts=texts(language))
    return draw_table(tell(state, deck, resolution), faces=faces, settings=settings)


def write_picture(path: Path, image: Any) -> None:
    """Write a picture (H, W, 3) BGR, in the form that its name says, whole or not at all."""
    from vision.files.whole import write_atomically
    from vision.imaging.photo import encode_image

    write_atomically(path, encode_image(image, path.suffix))


def to_text(document: dict[str, Any] | None) -> str:
    """Write JSON in plain ASCII, so that no terminal or pipe can spoil it."""
    from json import dumps

    return dumps(document, indent=1, allow_nan=False) + "\n"


def write_json(path: Path, document: dict[str, Any] | None) -> None:
    """Write JSON into a file, or to standard output."""
    from vision.files.whole import write_atomically

    if path == STDOUT:
        typer.echo(to_text(document), nl=False)
    else:
        write_atomically(path, to_text(document).encode("ascii"))


def print_result(
    table: "TableState",
    deck: "Deck",
    resolution: "Resolution",
    issues: "tuple[Issue, ...]",
    language: str,
) -> None:
    """Print the doubts, close calls first, the score, how sure it is, and the steps."""
    from vision.apps.cli.report import print_account, print_doubts, print_odds, print_score
    from vision.games.light_speed.tell import tell
    from vision.showing.words import odds_lines, round_lines
    from vision.texts import texts

    screen, ledger, words = console(), tell(table, deck, resolution), texts(language)
    print_doubts(screen, issues, language)
    print_score(screen, resolution, language)
    print_odds(screen, odds_lines(ledger, words))
    print_account(screen, round_lines(ledger, words), deck.teams)


def print_places(seen: "Scan", deck: "Deck", language: str) -> None:
    """Print the doubts, and where each card lies: all there is to say without lasers."""
    from vision.apps.cli.report import print_doubts, print_places

    screen = console()
    print_doubts(screen, seen.issues, language)
    print_places(screen, seen.layout.placed, deck.name, language)


def print_what_if(wanted: bool, table: "TableState", deck: "Deck", language: str) -> None:
    """Print the smallest move of one card that would change the winner."""
    if not wanted:
        return
    from vision.apps.cli.report import print_odds
    from vision.games.light_speed.whatif import find_turn, turn_lines

    with working("moving cards"):
        turn = find_turn(table, deck)
    print_odds(console(), turn_lines(turn, language))


def hint(out: Path | None, source: Path, language: str) -> None:
    """Say on standard error where the picture is, or how to get one."""
    from vision.texts import texts

    if out is not None:
        path, key = printable(str(out)), "report.picture"
    else:
        stem = "round" if source == STDOUT else source.stem
        path, key = f"{printable(stem)}-round.png", "report.picture_hint"
    typer.echo(texts(language).say(key, path=path), err=True)
