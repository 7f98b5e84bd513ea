"""Learned decks on disk: a folder with ``deck.toml`` and the faces as one array.

``deck.toml`` says the size, the cards' names and what was measured of each face; ``faces.npy``
holds the faces at one scale and is read where it is looked at, so that hundreds of them cost
little; ``lasers.toml`` is there if the deck has lasers: the deck file that was given.
"""

import json
import shutil
import tempfile
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calibration.light_speed.looks import always_of, kinds_of
from vision.errors import DeckError
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.values import Deck
from vision.values.pieces import Faces, Frame

__all__ = [
    "CUT_SD_MM",
    "LearnedDeck",
    "is_learned",
    "learned_names",
    "load_learned",
    "save_learned",
]

CUT_SD_MM = 0.2  # of pictures of cards: scans are trimmed by eye

_FILE, _FACES, _LASERS = "deck.toml", "faces.npy", "lasers.toml"


class _Face(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    cards: list[str] = Field(min_length=1)
    margins_mm: list[float] = Field(min_length=4, max_length=4)
    symmetric: bool


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    schema_: str = Field(alias="schema", pattern=r"^sightline/learned-deck@1$")
    name: str
    width_mm: float = Field(gt=0, allow_inf_nan=False)
    height_mm: float = Field(gt=0, allow_inf_nan=False)
    corner_mm: float = Field(ge=0, allow_inf_nan=False)
    px_per_mm: float = Field(gt=0, allow_inf_nan=False)
    frame_mm: list[float] | None = Field(default=None, min_length=2, max_length=2)
    face: list[_Face] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class LearnedDeck:
    """A deck of pictures: what its cards do (nothing, without laser data), and their faces."""

    deck: Deck
    bank: Faces

    @property
    def card_ids(self) -> tuple[str, ...]:
        """Every card of the deck, sorted."""
        return tuple(sorted(card for cards in self.bank.names for card in cards))


def is_learned(folder: Path) -> bool:
    """Tell whether a folder holds a learned deck."""
    return (folder / _FILE).is_file()


def learned_names(store: Path) -> tuple[str, ...]:
    """Return the names of the learned decks in a folder of them, sorted."""
    if not store.is_dir():
        return ()
    return tuple(sorted(p.name for p in store.iterdir() if p.name[0] != "." and is_learned(p)))


def save_learned(learned: LearnedDeck, folder: Path, *, lasers: Path | None = None) -> None:
    """Write a deck into a folder, whole or not at all; one that is there is replaced.

    ``lasers`` is the deck file that says what the cards do.
    """
    bank = learned.bank
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
        fresh = Path(scratch) / "new"
        fresh.mkdir()
        np.save(fresh / _FACES, bank.images)
        if lasers is not None:
            shutil.copyfile(lasers, fresh / _LASERS)
        (fresh / _FILE).write_text(_to_toml(learned), encoding="utf-8")
        if folder.exists():
            folder.rename(Path(scratch) / "old")
        try:
            fresh.rename(folder)
        except OSError:
            if (Path(scratch) / "old").exists():
                shutil.move(Path(scratch) / "old", folder)
            raise


def _to_toml(learned: LearnedDeck) -> str:
    bank = learned.bank
    head = (
        f'schema = "sightline/learned-deck@1"\nname = "{learned.deck.name}"\n'
        f"width_mm = {float(bank.width_mm)!r}\nheight_mm = {float(bank.height_mm)!r}\n"
        f"corner_mm = {float(bank.corner_radius_mm)!r}\npx_per_mm = {float(bank.px_per_mm)!r}\n"
    )
    if bank.frames:
        frame = bank.frames[0]
        head += f"frame_mm = {json.dumps([frame.width_mm, frame.height_mm])}\n"
    faces = [
        f"\n[[face]]\ncards = {json.dumps(list(cards))}\n"
        f"margins_mm = {json.dumps([round(float(m), 3) for m in margins])}\n"
        f"symmetric = {json.dumps(bool(symmetric))}\n"
        for cards, margins, symmetric in zip(
            bank.names, bank.margins_mm, bank.is_symmetric, strict=True
        )
    ]
    return head + "".join(faces)


def load_learned(folder: Path) -> LearnedDeck:
    """Read a learned deck.

    Raises
    ------
    DeckError
        If a file of it is missing or damaged; says which.
    """
    file = folder / _FILE
    try:
        read = _File.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
        faces = np.load(folder / _FACES, mmap_mode="r", allow_pickle=False)
        lasers = load_deck(folder / _LASERS) if (folder / _LASERS).exists() else None
    except OSError as error:
        msg = f"{error.filename or file}: {error.strerror or error}; learn the deck again"
        raise DeckError(msg) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        msg = f"{file}: {place}: {first['msg']}; learn the deck again"
        raise DeckError(msg) from error
    except ValueError as error:  # TOML, UTF-8 or the array's header
        msg = f"{folder}: damaged ({error}); learn the deck again"
        raise DeckError(msg) from error
    size_wh = (round(read.width_mm * read.px_per_mm), round(read.height_mm * read.px_per_mm))
    if faces.dtype != np.uint8 or faces.shape != (len(read.face), size_wh[1], size_wh[0], 3):
        msg = f"{folder / _FACES}: not the faces of {_FILE}; learn the deck again"
        raise DeckError(msg)
    names = tuple(tuple(face.cards) for face in read.face)
    kinds = kinds_of(names, lasers)
    inner = read.frame_mm
    bank = Faces(
        names=names,
        images=faces,
        px_per_mm=read.px_per_mm,
        width_mm=read.width_mm,
        height_mm=read.height_mm,
        margins_mm=np.array([face.margins_mm for face in read.face], np.float64),
        is_symmetric=np.array([face.symmetric for face in read.face]),
        frames=() if inner is None else (Frame(inner[0], inner[1], darker_inside=True),),
        kinds=kinds,
        always=always_of(kinds),
        corner_radius_mm=read.corner_mm,
        cut_sd_mm=CUT_SD_MM,
    )
    deck = Deck(read.name, read.width_mm, read.height_mm, (), (), ())
    if lasers is not None:
        deck = replace(lasers, name=read.name, width_mm=read.width_mm, height_mm=read.height_mm)
    return LearnedDeck(deck, bank)
