"""A draft whose cards have names -> a learned deck; and lists of names that games bring."""

import dataclasses
import tempfile
from pathlib import Path

from calibration.drafts.draft import Draft, doubt_names, name_all, picture_of
from calibration.drafts.pale import contrast_left, unsure_of
from calibration.drafts.twins import odd_names
from calibration.learned.decks import doubt_faces
from calibration.learned.entered import load_entry, save_entry
from calibration.learned.learn import DeckSize, Learned, learn_deck
from vision.errors import DeckError
from vision.files.whole import write_atomically
from vision.games.light_speed.deck import card_ids, form_of_known, load_deck
from vision.games.light_speed.entering import Entry, known_of_file, twins_of_teams, unseen
from vision.imaging.photo import encode_image

__all__ = ["TEMPLATES", "finish_draft", "name_by_template", "names_of_template", "read_names"]

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


def name_by_template(draft: Draft, template: str) -> Draft:
    """Name the first cards of a draft as a box names them; doubt those that look like others.

    Raises
    ------
    DeckError
        If there is no such template, or there are fewer cards than it names: one is missing, and
        all names after it would be wrong.
    """
    names = names_of_template(template)
    here = len(draft.kept)
    if here < len(names):
        msg = (
            f"{template} has {len(names)} cards, {here} are here: photograph the missing ones "
            "again with their neighbours, or use your own list of names"
        )
        raise DeckError(msg)
    named = name_all(draft, names, template)
    faces = {card.name: picture_of(named, card) for card in named.kept if card.name in names}
    sisters = [frozenset(cards) for cards in twins_of_teams(names).values()]
    return doubt_names(named, odd_names(faces, sisters))


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
    may have been turned since. Else what is known of the ships of a box is entered already.

    Raises
    ------
    DeckError
        If fewer than two have one, or the deck cannot be made; the draft stays.
    """
    named = [card for card in draft.kept if card.name]
    if len(named) < 2 or draft.size_mm is None:
        msg = f"{len(named)} cards have names; a deck needs at least two: name them first"
        raise DeckError(msg)
    with tempfile.TemporaryDirectory(prefix="sightline-") as scratch:
        for card in named:
            encoded = encode_image(picture_of(draft, card), ".png")
            write_atomically(Path(scratch) / f"{card.name}.png", encoded)
        size = DeckSize(*draft.size_mm, copies=copies)
        before = load_entry(store / draft.name) if does is None else {}
        learned = learn_deck(draft.name, Path(scratch), size, store, lasers=does, replace=replace)
    left = contrast_left({card.name: picture_of(draft, card) for card in named})
    unsure = {name: unsure_of(share) for name, share in left.items()}
    learned = dataclasses.replace(learned, deck=doubt_faces(learned.folder, unsure))
    if does is None and (entry := unseen(before) or _known_of_box(draft)):
        save_entry(learned.folder, entry)
    return learned


def _known_of_box(draft: Draft) -> Entry:
    """Return what is known of the ships of the box that the names of a draft are of."""
    if draft.template not in TEMPLATES:
        return {}
    known = known_of_file(form_of_known(TEMPLATES[draft.template][0]))
    there = twins_of_teams(card.name for card in draft.kept)
    return {design: steps for design, steps in known.items() if design in there}
