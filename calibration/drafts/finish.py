"""A draft whose cards have names -> a learned deck; and lists of names that games bring."""

import tempfile
from pathlib import Path

from calibration.drafts.draft import Draft, picture_of
from calibration.learned.entered import load_entry, save_entry
from calibration.learned.learn import DeckSize, Learned, learn_deck
from vision.errors import DeckError
from vision.files.whole import write_atomically
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.entering import unseen
from vision.imaging.photo import encode_image

__all__ = ["TEMPLATES", "finish_draft", "names_of_template", "read_names"]

#: Lists of names by the box that the cards came in: the deck that has them, cards in it.
TEMPLATES: dict[str, tuple[str, int]] = {"light-speed-2003": ("light-speed", 42)}


def names_of_template(template: str) -> tuple[str, ...]:
    """Return the names of a template's cards, in the order in which they are to be laid out.

    Raises
    ------
    DeckError
        If there is no such template.
    """
    if template not in TEMPLATES:
        msg = f"no template {template!r}; there are: {', '.join(TEMPLATES)}"
        raise DeckError(msg)
    deck, count = TEMPLATES[template]
    return card_ids(load_deck(deck))[:count]


def read_names(text: str) -> tuple[str, ...]:
    """Read a list of names: one a line, or parted by commas; ``-`` leaves a card without."""
    parts = text.replace("\r", "\n").replace(",", "\n").replace("\t", "\n").split("\n")
    names = [part.strip() for part in parts]
    return tuple("" if name == "-" else name for name in names if name)


def finish_draft(
    draft: Draft,
    store: Path,
    *,
    does: Path | None = None,
    copies: int | None = None,
    replace: bool = False,
) -> Learned:
    """Make a deck of the cards of a draft that have a name; ``does`` is a file of what they do.

    Without one, what is entered by hand of a deck that is replaced stays, to be looked over: cards
    may have been turned since.

    Raises
    ------
    DeckError
        If fewer than two have one, or the deck cannot be made; the draft stays.
    """
    named = [card for card in draft.kept if card.name]
    if len(named) < 2 or draft.size_mm is None:
        msg = f"{len(named)} cards have names; a deck needs two at least: name them first"
        raise DeckError(msg)
    with tempfile.TemporaryDirectory(prefix="sightline-") as scratch:
        for card in named:
            encoded = encode_image(picture_of(draft, card), ".png")
            write_atomically(Path(scratch) / f"{card.name}.png", encoded)
        size = DeckSize(*draft.size_mm, copies=copies)
        before = load_entry(store / draft.name) if does is None else {}
        learned = learn_deck(draft.name, Path(scratch), size, store, lasers=does, replace=replace)
    if before:
        save_entry(learned.folder, unseen(before))
    return learned
