"""Learned decks on disk: a folder with ``deck.toml`` and the faces as one array.

``deck.toml`` says the size, the cards' names and what was measured of each face; ``faces.npy``
holds the faces at one scale and is read where it is looked at, so that hundreds of them cost
little; ``lasers.toml`` is there if the deck has lasers: the deck file that was given. What photos
told of size and cut stands under ``fit``, and the faces as they are by that lie beside the others.
"""

import json
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, FiniteFloat, ValidationError

from calibration.learned.fit import Evidence, Fit, recut_faces, refit
from calibration.light_speed.looks import has_all_cards, kinds_of
from vision.errors import DeckError
from vision.files.documents import first_fault
from vision.files.schemas import Model
from vision.files.whole import atomic_path, write_atomically
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.values import Deck
from vision.values.arrays import IntArray
from vision.values.layout import TrimEstimate
from vision.values.pieces import ANY_NUMBER, Faces, Frame

__all__ = [
    "CUT_SD",
    "LearnedDeck",
    "arm_learned",
    "copies_of",
    "doubt_faces",
    "is_learned",
    "learned_names",
    "load_learned",
    "rename_learned",
    "save_fit",
    "save_learned",
    "take_place",
]

#: Of size and cut as told, before any photo: a ruler is read to a third of a mm, pictures are cut
#: by eye to a quarter, beside the middle by as much; now and then all of it is quite wrong.
CUT_SD = (0.003, 0.004, 0.004, 0.2, 0.2)

_FILE, _FACES, _LASERS = "deck.toml", "faces.npy", "lasers.toml"


class _Face(Model):
    cards: list[str] = Field(min_length=1)
    margins_mm: list[Annotated[FiniteFloat, Field(ge=0)]] = Field(min_length=4, max_length=4)
    symmetric: bool
    unsure: Annotated[FiniteFloat, Field(ge=0, le=1)] = 0.0


_Numbers = Annotated[list[FiniteFloat], Field(min_length=5, max_length=5)]


class _Photo(Model):
    digest: str = Field(pattern=r"^[0-9a-f]{16}$")
    side: _Numbers
    information: list[_Numbers] = Field(min_length=5, max_length=5)


class _Fit(Model):
    faces: str = Field(pattern=r"^fitted-[0-9a-f]{16}\.npy$")
    width_mm: float = Field(gt=0, allow_inf_nan=False)
    height_mm: float = Field(gt=0, allow_inf_nan=False)
    cut: _Numbers
    sd: _Numbers
    photo: list[_Photo] = Field(default_factory=list)


class _File(Model):
    schema_: str = Field(alias="schema", pattern=r"^sightline/learned-deck@1$")
    name: str
    width_mm: float = Field(gt=0, allow_inf_nan=False)
    height_mm: float = Field(gt=0, allow_inf_nan=False)
    corner_mm: float = Field(ge=0, allow_inf_nan=False)
    px_per_mm: float = Field(gt=0, allow_inf_nan=False)
    copies: Annotated[int, Field(ge=1)] | Literal["any"] | None = None
    frame_mm: list[FiniteFloat] | None = Field(default=None, min_length=2, max_length=2)
    face: list[_Face] = Field(min_length=1)
    fit: _Fit | None = None


@dataclass(frozen=True, slots=True)
class LearnedDeck:
    """A deck of pictures: what its cards do (nothing, without laser data), and their faces.

    ``fit`` is what photos told of its size and cut, where that was kept.
    """

    deck: Deck
    bank: Faces
    fit: Fit | None = None

    @property
    def card_ids(self) -> tuple[str, ...]:
        """Every card of the deck, sorted."""
        return tuple(sorted({card for cards in self.bank.names for card in cards}))

    @property
    def copies(self) -> int | None:
        """How often each card may lie on a table, None for any number of times."""
        return (
            None
            if self.bank.copies[0] >= ANY_NUMBER
            else int(self.bank.copies[0]) // len(self.bank.names[0])
        )


def copies_of(names: tuple[tuple[str, ...], ...], each: int) -> IntArray:
    """Return how many cards (K,) show each face if each card may lie there so often."""
    return np.array([min(each * len(cards), ANY_NUMBER) for cards in names], np.int64)


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
        take_place(fresh, folder)


def take_place(fresh: Path, folder: Path) -> None:
    """Let a deck in a folder beside ``folder`` take its place; what was there is gone."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
        old = Path(scratch) / "old"
        if folder.exists():
            folder.rename(old)
        try:
            fresh.rename(folder)
        except OSError:
            if old.exists():
                shutil.move(old, folder)
            raise


def _to_toml(learned: LearnedDeck) -> str:
    bank = learned.bank
    head = (
        f'schema = "sightline/learned-deck@1"\nname = "{learned.deck.name}"\n'
        f"width_mm = {float(bank.width_mm)!r}\nheight_mm = {float(bank.height_mm)!r}\n"
        f"corner_mm = {float(bank.corner_radius_mm)!r}\npx_per_mm = {float(bank.px_per_mm)!r}\n"
    )
    head += f"copies = {learned.copies or json.dumps('any')}\n"
    if bank.frames:
        frame = bank.frames[0]
        head += f"frame_mm = {json.dumps([frame.width_mm, frame.height_mm])}\n"
    faces = [
        f"\n[[face]]\ncards = {json.dumps(list(cards), ensure_ascii=False)}\n"
        f"margins_mm = {json.dumps([round(float(m), 3) for m in margins])}\n"
        f"symmetric = {json.dumps(bool(symmetric))}\n"
        + (f"unsure = {float(unsure):.3f}\n" if unsure else "")
        for cards, margins, symmetric, unsure in zip(
            bank.names, bank.margins_mm, bank.is_symmetric, bank.unsure, strict=True
        )
    ]
    return head + "".join(faces)


def save_fit(folder: Path, fit: Fit | None) -> None:
    """Keep with a deck what photos tell of its size and cut; None forgets it.

    The faces are written first, under a name of their own: a reader finds all old or all new.

    Raises
    ------
    DeckError
        If a file of the deck is missing or damaged; says which.
    """
    told = load_learned(folder, as_told=True)
    name = ""
    if fit is not None:
        faces = recut_faces(told.bank, fit)
        name = f"fitted-{sha256(faces.tobytes()).hexdigest()[:16]}.npy"
        with atomic_path(folder / name) as temporary, temporary.open("wb") as file:
            np.save(file, faces)
    text = _to_toml(told) + ("" if fit is None else _fit_to_toml(fit, name))
    write_atomically(folder / _FILE, text.encode())
    for old in folder.glob("fitted-*.npy"):
        if old.name != name:
            old.unlink()


def rename_learned(folder: Path, name: str) -> None:
    """Write another name into a deck.

    Raises
    ------
    DeckError
        If a file of the deck is missing or damaged; says which.
    """
    told = load_learned(folder, as_told=True)
    _rewrite(folder, replace(told, deck=replace(told.deck, name=name)))


def arm_learned(folder: Path, does: str) -> None:
    """Write into a deck what its cards do, as the text of a deck file: each lies there once.

    Raises
    ------
    DeckError
        If a file of the deck is missing or damaged, or the text is none; says which.
    """
    told = load_learned(folder, as_told=True)
    write_atomically(folder / _LASERS, does.encode())
    once = copies_of(told.bank.names, 1)
    _rewrite(folder, replace(told, bank=replace(told.bank, copies=once)))


def doubt_faces(folder: Path, unsure: Mapping[str, float]) -> LearnedDeck:
    """Write into a deck by what share of the brightness pictures of cards may be wrong; the rest 0.

    Raises
    ------
    DeckError
        If a file of the deck is missing or damaged; says which.
    """
    told = load_learned(folder, as_told=True)
    wrong = [max(unsure.get(card, 0.0) for card in cards) for cards in told.bank.names]
    doubted = replace(told, bank=replace(told.bank, unsure=np.array(wrong, np.float64)))
    _rewrite(folder, doubted)
    return doubted


def _rewrite(folder: Path, told: LearnedDeck) -> None:
    """Write anew what a deck was told, with what photos said of it."""
    load_learned(folder)  # with the faces of its fit
    fit = _read(folder).fit
    text = _to_toml(told) + ("" if fit is None else _fit_to_toml(_to_fit(fit), fit.faces))
    write_atomically(folder / _FILE, text.encode())


def _fit_to_toml(fit: Fit, faces: str) -> str:
    width, height = fit.size_mm
    head = (
        f'\n[fit]\nfaces = "{faces}"\nwidth_mm = {float(width)!r}\nheight_mm = {float(height)!r}\n'
        f"cut = {json.dumps(fit.cut.tolist())}\nsd = {json.dumps(fit.sd.tolist())}\n"
    )
    photos = [
        f'\n[[fit.photo]]\ndigest = "{one.photo}"\nside = {json.dumps(one.seen.side.tolist())}\n'
        f"information = {json.dumps(one.seen.information.tolist())}\n"
        for one in fit.evidence
    ]
    return head + "".join(photos)


def _to_fit(read: _Fit) -> Fit:
    seen = [
        Evidence(one.digest, TrimEstimate(np.array(one.side), np.array(one.information)))
        for one in read.photo
    ]
    size = (read.width_mm, read.height_mm)
    return Fit(size, np.array(read.cut), np.array(read.sd), tuple(seen))


def _read(folder: Path) -> _File:
    return _File.model_validate(tomllib.loads((folder / _FILE).read_text(encoding="utf-8")))


def load_learned(folder: Path, *, as_told: bool = False) -> LearnedDeck:
    """Read a learned deck, as photos have told it; ``as_told``, as it was learned.

    Raises
    ------
    DeckError
        If a file of it is missing or damaged; says which.
    """
    file = folder / _FILE
    try:
        read = _read(folder)
        faces = np.load(folder / _FACES, mmap_mode="r", allow_pickle=False)
        fit = None if as_told or read.fit is None else _to_fit(read.fit)
        images = None
        if fit is not None and read.fit is not None:
            images = np.load(folder / read.fit.faces, mmap_mode="r", allow_pickle=False)
        lasers = load_deck(folder / _LASERS) if (folder / _LASERS).exists() else None
    except OSError as error:
        msg = f"{error.filename or file}: {error.strerror or error}; learn the deck again"
        raise DeckError(msg) from error
    except ValidationError as error:
        msg = f"{file}: {first_fault(error)}; learn the deck again"
        raise DeckError(msg) from error
    except ValueError as error:  # TOML, UTF-8 or the array's header
        msg = f"{folder}: damaged ({error}); learn the deck again"
        raise DeckError(msg) from error
    bank = _bank_of(read, faces, lasers)
    _check(faces, bank, folder / _FACES)
    if fit is not None and images is not None:
        bank = refit(bank, fit, images)
        _check(images, bank, folder)
    deck = Deck(read.name, *bank.size_mm, (), (), ())
    if lasers is not None:
        deck = replace(lasers, name=read.name, width_mm=bank.width_mm, height_mm=bank.height_mm)
    return LearnedDeck(deck, bank, fit)


def _check(images: NDArray[np.uint8], bank: Faces, file: Path) -> None:
    """Refuse an array that is not of the faces of a bank."""
    wide, high = (round(length * bank.px_per_mm) for length in bank.size_mm)
    if images.dtype != np.uint8 or images.shape != (len(bank.names), high, wide, 3):
        msg = f"{file}: not the faces of {_FILE}; learn the deck again"
        raise DeckError(msg)


def _bank_of(read: _File, faces: NDArray[np.uint8], lasers: Deck | None) -> Faces:
    """Return the faces of a deck as it was learned."""
    names = tuple(tuple(face.cards) for face in read.face)
    kinds = kinds_of(names, lasers)
    usual = ANY_NUMBER if lasers is None else 1  # of a deck that does not say
    copies = ANY_NUMBER if read.copies == "any" else read.copies or usual
    inner = read.frame_mm
    return Faces(
        names=names,
        images=faces,
        px_per_mm=read.px_per_mm,
        width_mm=read.width_mm,
        height_mm=read.height_mm,
        margins_mm=np.array([face.margins_mm for face in read.face], np.float64),
        is_symmetric=np.array([face.symmetric for face in read.face]),
        frames=() if inner is None else (Frame(inner[0], inner[1], darker_inside=True),),
        kinds=kinds,
        corner_radius_mm=read.corner_mm,
        cut_sd=CUT_SD,
        copies=copies_of(names, copies),
        unsure=np.array([face.unsure for face in read.face], np.float64),
        is_whole=has_all_cards(names),
    )
