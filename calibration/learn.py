"""Pictures of cards -> a deck that can be read: one image per card, ids from the file names.

A learned deck is a folder: ``deck.toml`` says the cards' size and names, and beside it lies one
picture per card, brought to one scale. It holds no lasers, so tables of it are read (which card
lies where), not resolved.
"""

import re
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vision.errors import DeckError, InputError
from vision.imaging import DecodeLimits, decode_photo, encode_image
from vision.types import Deck, ImageBGR, TemplateBank

__all__ = ["LearnedDeck", "learn_deck", "load_learned"]

PX_PER_MM = 4.0  # finer than a card in a photo of a whole table
_SUFFIXES = {".png", ".jpg", ".jpeg", ".webp"}
_ASPECT_SLACK = 0.10  # of the ratio of the sides: scans are trimmed by eye
_TWIN = 0.985  # correlation of two pictures that a photo will not tell apart
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


class _File(BaseModel):
    """``deck.toml`` of a learned deck."""

    model_config = ConfigDict(extra="forbid", strict=True)

    schema_: str = Field(alias="schema", pattern=r"^sightline/learned-deck@1$")
    name: str
    width_mm: float = Field(gt=0, allow_inf_nan=False)
    height_mm: float = Field(gt=0, allow_inf_nan=False)
    cards: list[str] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class LearnedDeck:
    """What was learned: the folder, the cards, and pairs that look too much alike."""

    folder: Path
    card_ids: tuple[str, ...]
    twins: tuple[tuple[str, str], ...]


def learn_deck(
    name: str, images: Path, width_mm: float, height_mm: float, store: Path
) -> LearnedDeck:
    """Make a deck from pictures of its cards.

    Parameters
    ----------
    name : str
        Of the deck: lower case letters, digits and dashes.
    images : Path
        A folder with one JPEG, PNG or WebP per card, cut to the card's edge, upright; a picture
        on its side is turned clockwise. The file's name becomes the card's id.
    width_mm, height_mm : float
        The card's size.
    store : Path
        The folder of learned decks; the deck is written into a folder of its name, whole or not
        at all.

    Raises
    ------
    DeckError
        If the name, the size or one of the pictures cannot be used; says which and why.
    """
    if not _NAME.fullmatch(name):
        msg = f"deck name {name!r}: needed lower case letters, digits and dashes"
        raise DeckError(msg)
    if not (5 <= width_mm <= 500 and 5 <= height_mm <= 500):
        msg = f"card size {width_mm:g} x {height_mm:g} mm: needed sides of 5 to 500 mm"
        raise DeckError(msg)
    if not images.is_dir():
        msg = f"{images}: no such folder; needed a folder with one picture per card"
        raise DeckError(msg)
    files = sorted(p for p in images.iterdir() if p.suffix.lower() in _SUFFIXES)
    if len(files) < 2:
        msg = f"{images}: {len(files)} pictures (PNG, JPEG or WebP); needed one for each card"
        raise DeckError(msg)
    size_wh = (round(width_mm * PX_PER_MM), round(height_mm * PX_PER_MM))
    faces: dict[str, ImageBGR] = {}
    for file in files:
        card_id = _card_id(file.stem)
        if card_id in faces:
            msg = f"{file.name}: a second picture for card {card_id!r}"
            raise DeckError(msg)
        faces[card_id] = _face(file, size_wh)
    folder = store / name
    _write(folder, name, width_mm, height_mm, faces)
    return LearnedDeck(folder, tuple(faces), _twins(faces))


def _card_id(stem: str) -> str:
    """Turn a file's name into an id."""
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "card"


def _face(file: Path, size_wh: tuple[int, int]) -> ImageBGR:
    """Read one picture and bring it to the deck's scale."""
    try:
        image = decode_photo(file.read_bytes(), DecodeLimits(min_side_px=40)).image
    except (InputError, OSError) as error:
        msg = f"{file.name}: {error}"
        raise DeckError(msg) from error
    wanted = size_wh[0] / size_wh[1]
    seen = image.shape[1] / image.shape[0]
    if abs(seen / wanted - 1) > _ASPECT_SLACK and abs(1 / seen / wanted - 1) <= _ASPECT_SLACK:
        image = np.asarray(cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE), np.uint8)
        seen = 1 / seen
    if abs(seen / wanted - 1) > _ASPECT_SLACK:
        msg = (
            f"{file.name}: {image.shape[1]} x {image.shape[0]} pixels, sides 1 : {1 / seen:.2f}; "
            f"the cards are 1 : {1 / wanted:.2f}: cut the picture to the card's edge"
        )
        raise DeckError(msg)
    shrink = image.shape[1] > size_wh[0]
    how = cv2.INTER_AREA if shrink else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, size_wh, interpolation=how), np.uint8)


def _twins(faces: dict[str, ImageBGR]) -> tuple[tuple[str, str], ...]:
    """Return the pairs whose pictures correlate too well to be told apart."""
    ids = list(faces)
    small = np.array([cv2.resize(faces[i], (32, 45), interpolation=cv2.INTER_AREA) for i in ids])
    vectors = small.reshape(len(ids), -1).astype(np.float64)
    vectors -= vectors.mean(axis=1, keepdims=True)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    alike = np.triu(vectors @ vectors.T > _TWIN, 1)
    return tuple((ids[a], ids[b]) for a, b in zip(*np.nonzero(alike), strict=True))


def _write(
    folder: Path, name: str, width_mm: float, height_mm: float, faces: dict[str, ImageBGR]
) -> None:
    """Write the deck into a new folder, then put it in the place of an old one."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{name}-") as scratch:
        fresh = Path(scratch) / "new"
        fresh.mkdir()
        for card_id, face in faces.items():
            (fresh / f"{card_id}.png").write_bytes(encode_image(face, ".png"))
        cards = ",\n".join(f'    "{card_id}"' for card_id in faces)
        (fresh / "deck.toml").write_text(
            f'schema = "sightline/learned-deck@1"\nname = "{name}"\n'
            f"width_mm = {float(width_mm)!r}\nheight_mm = {float(height_mm)!r}\n"
            f"cards = [\n{cards},\n]\n",
            encoding="utf-8",
        )
        if folder.exists():
            folder.rename(Path(scratch) / "old")
        fresh.rename(folder)


def load_learned(folder: Path) -> tuple[Deck, TemplateBank]:
    """Read a learned deck.

    Raises
    ------
    DeckError
        If a file of it is missing or damaged; says which.
    """
    file = folder / "deck.toml"
    try:
        read = _File.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        msg = f"{file}: {error.strerror or error}"
        raise DeckError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{file}: not TOML: {error}"
        raise DeckError(msg) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        msg = f"{file}: {place}: {first['msg']}; learn the deck again"
        raise DeckError(msg) from error
    size_wh = (round(read.width_mm * PX_PER_MM), round(read.height_mm * PX_PER_MM))
    faces = np.stack([_face(folder / f"{card_id}.png", size_wh) for card_id in read.cards])
    faces.flags.writeable = False
    deck = Deck(read.name, read.width_mm, read.height_mm, (), (), ())
    return deck, TemplateBank(tuple(read.cards), faces, PX_PER_MM, read.width_mm, read.height_mm)
