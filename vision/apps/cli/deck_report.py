"""What ``sightline deck`` prints: pieces of decks and games, faces, what was learned."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from calibration.learned.decks import LearnedDeck
from vision.apps.cli.report import show_line, wrap_lines
from vision.apps.decks import KnownDeck
from vision.apps.known import Known
from vision.files.pieces import component, described_piece
from vision.judging.game import Game, Json
from vision.values.pieces import PieceSet

if TYPE_CHECKING:
    from calibration.learned.learn import Learned

__all__ = [
    "deck_line",
    "learned_of",
    "pieces_to_json",
    "plural",
    "print_faces",
    "print_learned",
    "print_pieces",
]

_MOST_NAMED = 12  # in one remark


def deck_line(known: Known) -> str:
    """Say in one line what a deck or a game's pieces are."""
    game, learned = known.game, learned_of(known)
    short = game.in_short()
    if learned is None:
        return f"{known.name}  {short or ', '.join(_heaps(game.pieces))}"
    width, height = learned.bank.size_mm
    size = f"{len(learned.card_ids)} cards learned from pictures, {width:g} x {height:g} mm"
    often = {1: "", None: ", any number of each"}.get(learned.copies, f", {learned.copies} of each")
    return f"{known.name}  {size}{often}, {short or 'no lasers'}"


def learned_of(known: Known) -> LearnedDeck | None:
    """Return the faces of a deck that was learned from pictures."""
    return known.learned if isinstance(known, KnownDeck) else None


def print_pieces(console: Console, game: Game) -> None:
    """Print what lies on a table of a game: all that the game tells, else what there is."""
    lines = game.list_pieces()
    if not lines:
        show_line(console, (game.pieces.name, "bold"))
        for heap, pieces in _heaps(game.pieces).items():
            head = f"  {heap}: "
            for line in wrap_lines(console, ", ".join(pieces), head, " " * len(head)):
                show_line(console, line)
        return
    for listed in lines:
        if not listed.text:
            show_line(console, *listed.parts)
            continue
        head = Text.assemble(*listed.parts).plain
        for line in wrap_lines(console, listed.text, head, " " * len(head)):
            show_line(console, line)


def pieces_to_json(game: Game) -> Json:
    """Return the pieces of a game as ``sightline/pieces@1``."""
    pieces = [described_piece(piece) for piece in game.pieces.pieces]
    components = [component(piece) for piece in game.pieces.pieces]
    head = {"schema": "sightline/pieces@1", "game": game.name}
    return {**head, "pieces": pieces, "components": components}


def plural(kind: str) -> str:
    """Return what several pieces of a kind are called."""
    return "dice" if kind == "die" else f"{kind}s"


def _heaps(pieces: PieceSet) -> dict[str, list[str]]:
    """Put pieces of one kind and size together: ``6 tokens 34 x 34 mm`` and their names."""
    heaps: dict[tuple[str, tuple[float, float]], list[str]] = {}
    for piece in pieces.pieces:
        heaps.setdefault((piece.kind, piece.size_mm), []).append(piece.id)
    return {
        f"{len(ids)} {plural(kind) if len(ids) > 1 else kind} {size[0]:.4g} x {size[1]:.4g} mm": ids
        for (kind, size), ids in heaps.items()
    }


def print_faces(console: Console, known: Known, learned: LearnedDeck) -> None:
    """Print the cards of a deck of pictures; those with one face on one line."""
    bank = learned.bank
    show_line(console, (deck_line(known), "bold"))
    faces = dict(zip(bank.names, bank.is_symmetric.tolist(), strict=True))
    for group, half in sorted(faces.items(), key=lambda item: item[0][0]):
        more = "  the same turned by half" if half else ""
        show_line(console, f"  {', '.join(group)}", (more, "dim"))


def print_learned(console: Console, learned: "Learned") -> None:
    """Say what was learned, and what was noticed on the way."""
    known = KnownDeck(learned.deck.deck, learned.deck)
    show_line(console, (deck_line(known), "bold"))
    notes = [
        ("no pictures, ignored: ", list(learned.ignored)),
        ("turned clockwise to stand upright: ", list(learned.turned)),
        ("the same picture, impossible to tell apart: ", [" = ".join(g) for g in learned.same]),
        (
            "very similar, a photo may confuse them: ",
            [" and ".join(pair) for pair in learned.alike],
        ),
        (
            "the same after a half turn, so a photo cannot show which way up: ",
            list(learned.symmetric),
        ),
        ("without a picture, never found: ", list(learned.without_picture)),
        (
            "mirror images of each other; one of each two was mirrored when it was scanned: ",
            [" and ".join(pair) for pair in learned.mirrored],
        ),
        (
            "white paper round the card; cut the picture to the card's edge and learn again: ",
            list(learned.in_paper),
        ),
        ("missing, by the names of the others; never found: ", list(learned.missing)),
    ]
    for head, things in notes:
        if not things:
            continue
        more = f" and {len(things) - _MOST_NAMED} more" if len(things) > _MOST_NAMED else ""
        text = head + ", ".join(things[:_MOST_NAMED]) + more
        for line in wrap_lines(console, text, "  - ", "    "):
            show_line(console, line)
    show_line(console, f"  scan a photo of it: sightline scan PHOTO --deck {known.name}")
