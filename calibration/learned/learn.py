"""Pictures of cards -> a deck that can be read: one picture per face, ids from the file names."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.learned.checks import has_wide_margin, mirrored_pairs, missing_names
from calibration.learned.decks import CUT_SD, LearnedDeck, copies_of, save_learned
from calibration.learned.frames import find_frame
from calibration.learned.margins import find_margins
from calibration.learned.names import card_id, check_name
from calibration.light_speed.looks import kinds_of
from vision.errors import DeckError, InputError
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.values import Deck
from vision.imaging.photo import DecodeLimits, decode_sound
from vision.values.arrays import BoolArray, FloatArray, ImageBGR
from vision.values.layout import identity_of
from vision.values.pieces import ANY_NUMBER, Faces

__all__ = ["DeckSize", "Learned", "learn_deck"]

_PX_PER_MM = 3.0  # a phone at a metre gives 3 to 4; finer is not compared
_SUFFIXES = {".png", ".jpg", ".jpeg", ".webp", ".avif", ".heic", ".heif"}
_ASPECT_SLACK = 0.04  # of the ratio of the sides: scans are trimmed by eye
_SOFT = 0.5  # of the step between pixels: with less, where an edge lies would depend on its phase
_LEAST_PX = 120  # of a picture's shorter side: 2 px/mm on an ordinary card
_SIZE_MM = (15.0, 500.0)
_FEWEST, _MOST = 2, 5000
_CELL_MM = 2.0  # pictures are the same if each cell of it is
_SAME_TONES = 8.0  # JPEG of the same picture stays below
_ALIKE = 0.975  # correlation of faces that a photo hardly tells apart
_SYMMETRIC = 0.96  # of a face and itself turned by half, at the best of small shifts
_SHIFTS_MM = (-0.7, 0.0, 0.7)
_TOLD = 4  # problems that are told one by one


@dataclass(frozen=True, slots=True)
class DeckSize:
    """The size of every card; ``corner_mm`` is the radius of its corners, as far as known.

    ``copies`` is how often each card may lie on a table; left out, once in a deck with lasers,
    else any number of times.
    """

    width_mm: float
    height_mm: float
    corner_mm: float = 0.0
    copies: int | None = None


@dataclass(frozen=True, slots=True)
class Learned:
    """A deck that was learned, and what was noticed on the way.

    ``same`` holds groups of cards with the same picture; ``alike`` pairs that a photo hardly
    tells apart; ``symmetric`` cards that a half turn leaves as they are; ``turned`` pictures that
    lay on their side; ``ignored`` files that are no pictures; ``without_picture`` cards of the
    laser data that have none. ``mirrored`` are pairs whose pictures are mirror images of each
    other, ``in_paper`` cards whose pictures show white paper round them, ``missing`` names that
    the others, as suits and ranks do, say there should be.
    """

    deck: LearnedDeck
    folder: Path
    same: tuple[tuple[str, ...], ...]
    alike: tuple[tuple[str, str], ...]
    symmetric: tuple[str, ...]
    turned: tuple[str, ...]
    ignored: tuple[str, ...]
    without_picture: tuple[str, ...]
    mirrored: tuple[tuple[str, str], ...] = ()
    in_paper: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Picture:
    """A picture of a card: the card's id, the file or folder that says so, and the file itself."""

    card: str
    named: str
    file: Path


def learn_deck(
    name: str,
    images: Path,
    size: DeckSize,
    store: Path,
    *,
    lasers: Path | None = None,
    replace: bool = False,
) -> Learned:
    """Make a deck from pictures of its cards.

    Parameters
    ----------
    name : str
        Of the deck: lower case letters, digits and dashes.
    images : Path
        A folder with one picture per card, cut to the card's edge, upright. A picture on its side
        is turned clockwise. The file's name becomes the card's id. A folder inside it holds
        several pictures of one card, whose id is the folder's name.
    size : DeckSize
        Of every card, and how many of it there are.
    store : Path
        The folder of learned decks; the deck is written into a folder of its name, whole or not
        at all.
    lasers : Path, optional
        A deck file that says what the cards do; the ids of the pictures must be its card ids.
    replace : bool
        Whether a deck of that name may be replaced.

    Raises
    ------
    DeckError
        If the name, the size or some of the pictures cannot be used; says which and why.
    """
    _check(name, images, size, store, replace)
    copies = _checked_copies(size.copies, is_armed=lasers is not None)
    files, ignored = _list_files(images)
    armed = None if lasers is None else load_deck(lasers)
    pictures, turned = _read_pictures(files, size, armed)
    names, faces = _merge(pictures)
    bank = _bank(names, faces, size, kinds_of(names, armed))
    bank = dataclasses.replace(bank, copies=copies_of(names, copies))
    deck = LearnedDeck(_deck(name, size, armed), bank)
    save_learned(deck, store / name, lasers=lasers)
    known = {card for group in names for card in group}
    return Learned(
        deck,
        store / name,
        tuple(dict.fromkeys(group for group in names if len(group) > 1)),
        _alike(names, faces),
        tuple(dict.fromkeys(names[k][0] for k in np.flatnonzero(bank.is_symmetric))),
        turned,
        ignored,
        () if armed is None else tuple(c for c in card_ids(armed) if c not in known),
        mirrored_pairs(names, np.array([_cells(face) for face in faces])),
        tuple(n[0] for n, f in zip(names, faces, strict=True) if has_wide_margin(f, _PX_PER_MM)),
        missing_names(known) if armed is None else (),
    )


def _read_pictures(
    files: list[_Picture], size: DeckSize, lasers: Deck | None
) -> tuple[dict[str, list[ImageBGR]], tuple[str, ...]]:
    """Read the pictures of each card at the deck's scale, and tell which lay on their side."""
    size_wh = round(size.width_mm * _PX_PER_MM), round(size.height_mm * _PX_PER_MM)
    pictures: dict[str, list[ImageBGR]] = {}
    sources: dict[str, str] = {}
    turned, problems = [], []
    for one in files:
        try:
            face, was_turned = _read_face(one.file, size, size_wh)
            _check_id(one.card, one.named, sources, lasers)
        except DeckError as error:
            problems.append(str(error))
            continue
        pictures.setdefault(one.card, []).append(face)
        sources[one.card] = one.named
        turned += [one.file.name] if was_turned else []
    if problems:
        more = f"; and {len(problems) - _TOLD} more" if len(problems) > _TOLD else ""
        raise DeckError("; ".join(problems[:_TOLD]) + more)
    return pictures, tuple(turned)


def _bank(
    names: tuple[tuple[str, ...], ...], faces: ImageBGR, size: DeckSize, kinds: tuple[str, ...]
) -> Faces:
    """Measure what faces (K, H, W, 3) show of margins and of a common frame."""
    frame = find_frame(faces, _PX_PER_MM, (size.width_mm, size.height_mm))
    return Faces(
        names=names,
        images=faces,
        px_per_mm=_PX_PER_MM,
        width_mm=size.width_mm,
        height_mm=size.height_mm,
        margins_mm=np.array([find_margins(face, _PX_PER_MM) for face in faces]),
        is_symmetric=np.array([_is_symmetric(face) for face in faces]),
        frames=() if frame is None else (frame,),
        kinds=kinds,
        corner_radius_mm=size.corner_mm,
        cut_sd=CUT_SD,
    )


def _deck(name: str, size: DeckSize, lasers: Deck | None) -> Deck:
    if lasers is None:
        return Deck(name, size.width_mm, size.height_mm, (), (), ())
    return Deck(name, size.width_mm, size.height_mm, lasers.teams, lasers.ships, lasers.asteroids)


def _check(name: str, images: Path, size: DeckSize, store: Path, replace: bool) -> None:
    """Refuse what cannot become a deck before any picture is read."""
    low, high = _SIZE_MM
    check_name(name)
    if not (low <= size.width_mm <= high and low <= size.height_mm <= high):
        msg = (
            f"card size {size.width_mm:g} x {size.height_mm:g} mm: "
            f"needed sides of {low:g} to {high:g} mm"
        )
    elif not 0 <= size.corner_mm <= min(size.width_mm, size.height_mm) / 4:
        msg = f"corner radius {size.corner_mm:g} mm: needed 0 to a quarter of the shorter side"
    elif not images.is_dir():
        msg = f"{images}: no such folder; needed a folder with one picture per card"
    elif (store / name).exists() and not replace:
        msg = f"the deck {name!r} already exists; to replace it, add --replace"
    else:
        return
    raise DeckError(msg)


def _checked_copies(copies: int | None, *, is_armed: bool) -> int:
    """Return how often each card may lie on a table."""
    if copies is None:
        return 1 if is_armed else ANY_NUMBER
    if copies < 1 or (is_armed and copies > 1):
        msg = f"copies {copies}: needed 1 or more, or any; with lasers each card lies there once"
        raise DeckError(msg)
    return copies


def _list_files(images: Path) -> tuple[list["_Picture"], tuple[str, ...]]:
    """Return the pictures of a folder and of those in it, and the names of what else lies there."""
    found: list[_Picture] = []
    ignored = []
    for entry in _seen_in(images):
        own = _seen_in(entry) if entry.is_dir() else [entry]
        pictures = [p for p in own if p.is_file() and p.suffix.lower() in _SUFFIXES]
        found += [_Picture(card_id(entry.stem), entry.name, picture) for picture in pictures]
        ignored += [] if pictures else [entry.name]
    if not _FEWEST <= len({one.card for one in found}) <= len(found) <= _MOST:
        msg = (
            f"{images}: found {len(found)} pictures (PNG, JPEG or WebP); needed one for each "
            f"card, {_FEWEST} to {_MOST}"
        )
        raise DeckError(msg)
    return found, tuple(ignored)


def _seen_in(folder: Path) -> list[Path]:
    """Return what lies in a folder, but for what other systems hide in it (``._moth.jpg``)."""
    return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))


def _check_id(card: str, named: str, sources: dict[str, str], lasers: Deck | None) -> None:
    if not card or identity_of(card) is None:
        msg = f"{named}: no card id in this name; needed letters or digits, not 'unknown-…'"
    elif sources.get(card, named) != named:
        msg = f"{named}: card id {card!r} is that of {sources[card]} already; rename one"
    elif lasers is not None and card not in card_ids(lasers):
        msg = f"{named}: no card {card!r} in the laser data, such as {card_ids(lasers)[0]!r}"
    else:
        return
    raise DeckError(msg)


def _read_face(file: Path, size: DeckSize, size_wh: tuple[int, int]) -> tuple[ImageBGR, bool]:
    """Read one picture and bring it to the deck's scale; tell whether it lay on its side."""
    try:
        image = decode_sound(file.read_bytes(), DecodeLimits(min_side_px=1)).image
    except (InputError, OSError) as error:
        msg = f"{file.name}: {error}"
        raise DeckError(msg) from error
    height, width = image.shape[:2]
    if min(height, width) < _LEAST_PX:
        msg = (
            f"{file.name}: {width} x {height} pixels; needed {_LEAST_PX} or more on the shorter "
            "side: scan it at a higher resolution"
        )
        raise DeckError(msg)
    wanted = size.width_mm / size.height_mm
    fits = abs(width / height / wanted - 1) <= _ASPECT_SLACK
    turned = not fits and abs(height / width / wanted - 1) <= _ASPECT_SLACK
    if turned:
        image = np.asarray(cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE), np.uint8)
    elif not fits:
        msg = (
            f"{file.name}: {width} x {height} pixels, width to height {width / height:.3f}; the "
            f"cards' is {wanted:.3f}: cut the picture to the card's edge, or give the cards' size"
        )
        raise DeckError(msg)
    return _scaled(image, size, size_wh), turned


def _scaled(image: ImageBGR, size: DeckSize, size_wh: tuple[int, int]) -> ImageBGR:
    """Bring a picture that fills its card to the deck's exact scale, the card in its middle."""
    height, width = image.shape[:2]
    step = np.array([width / size.width_mm, height / size.height_mm]) / _PX_PER_MM
    if step.min() > 1:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), *(_SOFT * step)), np.uint8)
    shift = (np.array([width, height]) - 1 - step * (np.array(size_wh) - 1)) / 2
    maps = np.column_stack([np.diag(step), shift])
    how = cv2.WARP_INVERSE_MAP | (cv2.INTER_LINEAR if step.min() > 1 else cv2.INTER_CUBIC)
    scaled = cv2.warpAffine(image, maps, size_wh, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(scaled, np.uint8)


def _merge(pictures: dict[str, list[ImageBGR]]) -> tuple[tuple[tuple[str, ...], ...], ImageBGR]:
    """Put cards with the same first picture together: names and pictures (K, H, W, 3) of faces."""
    cells = {card: _cells(faces[0]) for card, faces in pictures.items()}
    groups: list[list[str]] = []
    firsts = np.zeros((len(pictures), *next(iter(cells.values())).shape), np.float32)
    for card, cell in cells.items():
        off = np.abs(firsts[: len(groups)] - cell).max(axis=(1, 2, 3))
        if len(off) and off.min() < _SAME_TONES:
            groups[int(off.argmin())].append(card)
        else:
            firsts[len(groups)] = cell
            groups.append([card])
    each = [
        (tuple(group), face)
        for group in groups
        for k, card in enumerate(group)
        for face in pictures[card][k > 0 :]  # the first is the same of all of them
    ]
    return tuple(names for names, _ in each), np.stack([face for _, face in each])


def _cells(face: ImageBGR, cell_mm: float = _CELL_MM) -> FloatArray:
    """Return the mean colours (h, w, 3) of square cells of a face."""
    step = cell_mm * _PX_PER_MM
    size_wh = max(4, round(face.shape[1] / step)), max(4, round(face.shape[0] / step))
    return cv2.resize(face, size_wh, interpolation=cv2.INTER_AREA).astype(np.float64)


def _is_symmetric(face: ImageBGR) -> bool:
    """Tell whether a half turn leaves a face as it is, but for how the picture was cut."""
    soft = cv2.GaussianBlur(face, (0, 0), 0.5 * _PX_PER_MM).astype(np.float64)
    inset = round(2 * _PX_PER_MM)
    middle = soft[inset:-inset, inset:-inset]
    turned = soft[::-1, ::-1]
    h, w = middle.shape[:2]
    best = -1.0
    for dx in _SHIFTS_MM:
        for dy in _SHIFTS_MM:
            x, y = inset + round(dx * _PX_PER_MM), inset + round(dy * _PX_PER_MM)
            best = max(best, _correlation(middle, turned[y : y + h, x : x + w]))
    return best > _SYMMETRIC


def _correlation(a: FloatArray, b: FloatArray) -> float:
    a, b = (v.reshape(-1, 3) - v.reshape(-1, 3).mean(axis=0) for v in (a, b))
    norm = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum()) / max(norm, 1e-6)


def _alike(names: tuple[tuple[str, ...], ...], faces: ImageBGR) -> tuple[tuple[str, str], ...]:
    """Return the pairs whose faces correlate too well to be told apart in every photo."""
    vectors = np.array([_cells(face).ravel() for face in faces])
    vectors -= vectors.mean(axis=1, keepdims=True)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    close: BoolArray = np.triu(vectors @ vectors.T > _ALIKE, 1)
    pairs = ((names[a][0], names[b][0]) for a, b in zip(*np.nonzero(close), strict=True))
    return tuple(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))
