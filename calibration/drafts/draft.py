"""A draft: the cards cut from photos so far, with what was said of them; a folder on the disk.

``draft.json`` says everything but the pictures; each card has its own picture. It is written whole
after every step, so that nothing is lost and more photos may come later.
"""

import json
import re
import secrets
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from calibration.drafts.cutting import cut_cards
from calibration.drafts.merging import Likeness, match_cards, merge_faces, places_of_new
from calibration.drafts.outlines import find_outlines, lay_out
from calibration.drafts.pale import PALE, contrast_left
from calibration.drafts.reference import measure_cards
from calibration.learned.names import card_id, check_card_id
from vision.errors import DeckError
from vision.files.documents import first_fault
from vision.files.whole import write_atomically
from vision.games.light_speed.entering import team_and_design
from vision.imaging.photo import Photo, encode_image
from vision.values.arrays import ImageBGR

__all__ = [
    "Draft",
    "DraftCard",
    "add_photo",
    "change_card",
    "doubt_names",
    "load_draft",
    "name_all",
    "new_draft",
    "pair_back",
    "picture_of",
]

_FILE = "draft.json"
_MOST_CARDS = 1000  # in one draft
_MOST_SEEN = 6  # pictures of a card that are put together: more show nothing new
_BAD_CUT = 0.012  # of a card's width by which its outline may be off a card's shape: SET has 0.010
_BARE = 0.94  # of a side along which an edge is to run: of 348 well cut cards one has less
_SIZE_MM = (15.0, 500.0)  # of a side

Doubt = Literal["glare", "unlike", "pale", "outline", "edge", "slot", "order", "name"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Card(_Strict):
    id: Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")]
    name: str = ""
    dropped: bool = False
    half: bool = False
    seen: Annotated[int, Field(ge=1)] = 1
    doubts: list[Doubt] = []


class _File(_Strict):
    schema_: Annotated[Literal["sightline/deck-draft@1"], Field(alias="schema")]
    name: str
    width_mm: Annotated[FiniteFloat, Field(gt=0)] | None = None
    height_mm: Annotated[FiniteFloat, Field(gt=0)] | None = None
    reference: str = ""
    template: str = ""
    photos: list[str] = []
    cards: list[_Card] = []


@dataclass(frozen=True, slots=True)
class DraftCard:
    """A card of a draft.

    ``seen`` is in how many photos; ``half`` is whether it is to be turned by half; ``doubts`` are
    worth a look: ``glare`` two of its photos differ somewhere by more than light that changes
    slowly, ``unlike`` by colour or fill, as two cards would, ``pale`` light lay over it in all
    photos, as cards of the same drawing tell, ``outline`` its size or shape is not a card's,
    ``edge`` none shows along a part of a side, ``slot`` what it was cut along may be printed on the
    table round it, ``order`` it was found late, ``name`` it looks like another.
    """

    id: str
    name: str = ""
    dropped: bool = False
    half: bool = False
    seen: int = 1
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known so far; ``size_mm`` is None until a photo has told it.

    ``template`` is the box whose names the cards were given, if they were.
    """

    folder: Path
    name: str
    size_mm: tuple[float, float] | None
    reference: str = ""
    photos: tuple[str, ...] = ()
    cards: tuple[DraftCard, ...] = ()
    template: str = ""

    @property
    def kept(self) -> tuple[DraftCard, ...]:
        """The cards that were not dropped."""
        return tuple(card for card in self.cards if not card.dropped)


def new_draft(
    folder: Path, name: str, size_mm: tuple[float, float] | None, reference: str = ""
) -> Draft:
    """Begin a draft in a folder of its own.

    Raises
    ------
    DeckError
        If there is one already, or nothing tells the size of the cards.
    """
    if (folder / _FILE).exists():
        msg = f"{folder}: there is already a draft; add photos to it, or use another folder"
        raise DeckError(msg)
    if size_mm is None and not reference:
        msg = "needed: the size of the cards, or an object of known size beside them in the photo"
        raise DeckError(msg)
    if size_mm is not None and not all(_SIZE_MM[0] <= mm <= _SIZE_MM[1] for mm in size_mm):
        msg = f"card size {size_mm[0]:g} x {size_mm[1]:g} mm: needed sides of 15 to 500 mm"
        raise DeckError(msg)
    folder.mkdir(parents=True, exist_ok=True)
    return _saved(Draft(folder, name, size_mm, reference))


def load_draft(folder: Path) -> Draft:
    """Read a draft.

    Raises
    ------
    DeckError
        If there is none, or it is damaged.
    """
    try:
        read = _File.model_validate_json((folder / _FILE).read_bytes())
    except OSError as error:
        msg = f"{folder}: no draft of a deck; start one with photos"
        raise DeckError(msg) from error
    except ValidationError as error:
        msg = f"{folder / _FILE}: {first_fault(error)}"
        raise DeckError(msg) from error
    size = None
    if read.width_mm is not None and read.height_mm is not None:
        size = (read.width_mm, read.height_mm)
    cards = tuple(
        DraftCard(c.id, c.name, c.dropped, c.half, c.seen, tuple(c.doubts)) for c in read.cards
    )
    return Draft(folder, read.name, size, read.reference, tuple(read.photos), cards, read.template)


def add_photo(draft: Draft, photo: Photo, encoded: bytes) -> Draft:
    """Find the cards in a photo and put them to those of the draft; the same photo counts once.

    Raises
    ------
    TableNotFoundError
        If there is no card in it, or not the thing that tells the size.
    DeckError
        If there are too many cards.
    """
    digest = sha256(encoded).hexdigest()[:16]
    if digest in draft.photos:
        return draft
    outlines = find_outlines(photo)
    if draft.size_mm is None:
        told = measure_cards(photo, outlines, draft.reference).size_mm
        draft = replace(draft, size_mm=(round(told[0], 1), round(told[1], 1)))
    assert draft.size_mm is not None
    laid = lay_out(photo, outlines, draft.size_mm)
    faces = cut_cards(photo, laid)
    known = tuple(_read(draft, card.id) for card in draft.cards)
    likeness = match_cards(faces, known)
    cards = list(draft.cards)
    places = list(range(len(cards)))
    new_places = places_of_new([None if like is None else like.known for like in likeness])
    for k, (face, like) in enumerate(zip(faces, likeness, strict=True)):
        if like is None:
            doubts: dict[Doubt, bool] = {
                "outline": bool(laid.misfit[k] > _BAD_CUT or laid.odd[k]),
                "edge": bool(laid.edged[k] < _BARE),
                "slot": bool(laid.may_be_slots[k]),
                "order": new_places is None and any(likeness),
            }
            cards.append(_new_card(draft, face, tuple(d for d, holds in doubts.items() if holds)))
            places.append(len(draft.cards) if new_places is None else new_places[k])
        else:
            cards[like.known] = _seen_again(draft, cards[like.known], face, like)
    cards = [cards[k] for k in np.argsort(places, kind="stable")]
    if len(cards) > _MOST_CARDS:
        msg = f"{len(cards)} cards; at most {_MOST_CARDS} make a deck here"
        raise DeckError(msg)
    more = replace(draft, cards=tuple(cards), photos=(*draft.photos, digest))
    return _saved(_doubt_pale(more, {team_and_design(card.name)[1] for card in cards}))


def _doubt_pale(draft: Draft, whats: Collection[str]) -> Draft:
    """Doubt just those cards that are pale among what several teams have, of these names."""
    asked = [card for card in draft.kept if card.name and team_and_design(card.name)[1] in whats]
    left = contrast_left({card.name: picture_of(draft, card) for card in asked})
    ids = {card.id for card in asked}
    cards = tuple(
        _doubted(card, "pale", doubted=left[card.name] < PALE) if card.id in ids else card
        for card in draft.cards
    )
    return replace(draft, cards=cards)


def _doubted(card: DraftCard, doubt: Doubt, *, doubted: bool) -> DraftCard:
    others = tuple(one for one in card.doubts if one != doubt)
    return replace(card, doubts=(*others, doubt) if doubted else others)


def _new_card(draft: Draft, face: ImageBGR, doubts: tuple[Doubt, ...]) -> DraftCard:
    card = DraftCard(secrets.token_hex(4), doubts=doubts)
    _write(draft, card.id, face)
    _write(draft, card.id, face, 0)
    return card


def _seen_again(draft: Draft, card: DraftCard, face: ImageBGR, like: Likeness) -> DraftCard:
    """Put another picture of a card to those before."""
    upright = np.ascontiguousarray(face[::-1, ::-1]) if like.half else face
    again = replace(card, seen=card.seen + 1)
    again = _doubted(again, "glare", doubted=like.has_glare or "glare" in card.doubts)
    again = _doubted(again, "unlike", doubted=like.is_unlike or "unlike" in card.doubts)
    if card.seen < _MOST_SEEN:
        first, *more = (_read(draft, card.id, k) for k in range(card.seen))
        _write(draft, card.id, upright, card.seen)
        _write(draft, card.id, merge_faces(first, (*more, upright)))
    return again


def change_card(
    draft: Draft,
    card: str,
    *,
    name: str | None = None,
    dropped: bool | None = None,
    half: bool | None = None,
) -> Draft:
    """Say what a card is called, that it is none, or that it lies the wrong way up.

    Raises
    ------
    DeckError
        If there is no such card, the name cannot be one, or another card has it.
    """
    found = next((one for one in draft.cards if one.id == card), None)
    if found is None:
        msg = f"no card {card[:20]!r} in this draft"
        raise DeckError(msg)
    settled = () if name is None else ("name", "order", "pale")
    new = replace(
        found,
        doubts=tuple(doubt for doubt in found.doubts if doubt not in settled),
        name=found.name if name is None else card_id(name),
        dropped=found.dropped if dropped is None else dropped,
        half=found.half if half is None else half,
    )
    if name is not None or not new.dropped:
        _check_name(draft, new)
    cards = tuple(new if one.id == card else one for one in draft.cards)
    changed = replace(draft, cards=cards)
    if name is not None or dropped is not None:
        changed = _doubt_pale(changed, {team_and_design(one.name)[1] for one in (found, new)})
    return _saved(changed)


def pair_back(draft: Draft, back: str, of: str) -> Draft:
    """Say that a card is the back of another, which has a name: it is called after it.

    Raises
    ------
    DeckError
        If there are no such cards, or the other has no name.
    """
    front = next((one for one in draft.kept if one.id == of), None)
    if front is None or not front.name or back == of:
        msg = "a back is named after its card; name that card first"
        raise DeckError(msg)
    return change_card(draft, back, name=f"{front.name}-back")


def name_all(draft: Draft, names: Sequence[str], template: str = "") -> Draft:
    """Name the cards that were not dropped, in reading order; an empty name leaves one as it is.

    ``template`` is the box that the names are of, if they are of one.

    Raises
    ------
    DeckError
        If there are more names than cards, or one twice.
    """
    ids = [card_id(name) for name in names]
    for one in filter(None, ids):
        check_card_id(one)
    told = [one for one in ids if one]
    twice = sorted({one for one in told if told.count(one) > 1})
    if twice:
        msg = f"{twice[0]!r} is in the list twice; each card needs a name of its own"
        raise DeckError(msg)
    kept = draft.kept
    if len(ids) > len(kept):
        msg = f"{len(ids)} names for {len(kept)} cards; drop what is not a card, or add photos"
        raise DeckError(msg)
    named = {card.id: one for card, one in zip(kept, ids, strict=False) if one}
    taken = set(named.values())
    cards = tuple(
        replace(card, name=named.get(card.id, "" if card.name in taken else card.name))
        for card in draft.cards
    )
    called = replace(draft, cards=cards, template=template)
    called = _doubt_pale(called, {team_and_design(card.name)[1] for card in called.kept})
    return doubt_names(called, ())


def doubt_names(draft: Draft, names: Collection[str]) -> Draft:
    """Doubt the names of just these cards."""
    cards = tuple(_doubted(card, "name", doubted=card.name in names) for card in draft.cards)
    return _saved(replace(draft, cards=cards))


def _check_name(draft: Draft, card: DraftCard) -> None:
    if not card.name:
        return
    check_card_id(card.name)
    if any(one.name == card.name and one.id != card.id for one in draft.kept):
        msg = f"another card is already called {card.name!r}; each needs a name of its own"
        raise DeckError(msg)


def picture_of(draft: Draft, card: DraftCard) -> ImageBGR:
    """Return the picture (H, W, 3) of a card as it is to be learned."""
    face = _read(draft, card.id)
    return np.ascontiguousarray(face[::-1, ::-1]) if card.half else face


def _saved(draft: Draft) -> Draft:
    width, height = draft.size_mm or (None, None)
    document = {
        "schema": "sightline/deck-draft@1",
        "name": draft.name,
        "width_mm": width,
        "height_mm": height,
        "reference": draft.reference,
        "template": draft.template,
        "photos": list(draft.photos),
        "cards": [asdict(card) for card in draft.cards],
    }
    write_atomically(draft.folder / _FILE, json.dumps(document, indent=1).encode())
    return draft


def _file(draft: Draft, card: str, nth: int | None = None) -> Path:
    if not re.fullmatch(r"[0-9a-f]{8}", card):
        msg = f"no card {card[:20]!r} in this draft"
        raise DeckError(msg)
    return draft.folder / (f"{card}.png" if nth is None else f"{card}-{nth}.png")


def _read(draft: Draft, card: str, nth: int | None = None) -> ImageBGR:
    face = cv2.imread(str(_file(draft, card, nth)), cv2.IMREAD_COLOR)
    if face is None:
        msg = f"{_file(draft, card, nth)}: the picture of a card is missing or damaged"
        raise DeckError(msg)
    return np.asarray(face, np.uint8)


def _write(draft: Draft, card: str, face: ImageBGR, nth: int | None = None) -> None:
    write_atomically(_file(draft, card, nth), encode_image(face, ".png"))
