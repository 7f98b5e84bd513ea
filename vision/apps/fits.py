"""Photos of a learned deck -> its size and cut as they show, kept with the deck."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from calibration.learned.decks import LearnedDeck, load_learned, save_fit
from calibration.learned.fit import Evidence, Fit, add_evidence, combine
from vision.errors import DeckError
from vision.imaging.photo import decode_sound
from vision.seeing.detector import build_detector
from vision.seeing.estimation.model import TrimModel
from vision.seeing.issues.size_and_trim import insides_mm, likely_size
from vision.seeing.reading import read_layout
from vision.values.arrays import FloatArray

__all__ = ["Fitted", "fit_deck", "forget_fit"]


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What is now kept with a deck: told and fitted size, and how far inside pictures end.

    ``insides_mm`` (4,) are left, top, right, bottom; ``sd_mm`` (4,) how well each is known.
    """

    told_mm: tuple[float, float]
    size_mm: tuple[float, float]
    insides_mm: FloatArray
    sd_mm: FloatArray
    photos: int


def fit_deck(
    folder: Path,
    photos: Sequence[bytes],
    *,
    width_mm: float | None = None,
    height_mm: float | None = None,
) -> Fitted:
    """Measure how a deck's cards differ from what it was told, and keep that with it.

    Parameters
    ----------
    folder : Path
        Of the learned deck.
    photos : sequence of bytes
        Encoded; of some cards of the deck each, more is better. One that is known counts once.
    width_mm, height_mm : float, optional
        A card's own, measured; of one the other follows, of both the photos tell the cut alone.

    Raises
    ------
    DeckError
        If the photos tell nothing of its size.
    TableNotFoundError
        If one shows no card of it.
    """
    told, kept = load_learned(folder, as_told=True), load_learned(folder).fit
    known = () if kept is None else kept.evidence
    evidence = add_evidence(known, _seen(told, photos, {one.photo for one in known}))
    if not evidence:
        msg = f"{folder.name}: the photos do not show its size: its pictures are cut exactly"
        raise DeckError(msg)
    cut, sd = combine(evidence, np.array(told.bank.cut_sd))
    size = told.bank.size_mm
    if width_mm is not None and height_mm is not None:
        cut[0] = np.log(width_mm / height_mm * size[1] / size[0])
        own = (width_mm, height_mm)
    elif width_mm is not None:
        own = (width_mm, width_mm * size[1] / size[0] * float(np.exp(-cut[0])))
    elif height_mm is not None:
        own = (height_mm * size[0] / size[1] * float(np.exp(cut[0])), height_mm)
    else:
        own = likely_size(size, float(cut[0]))
    save_fit(folder, Fit((round(own[0], 3), round(own[1], 3)), cut, sd, evidence))
    half = np.array(own) / 2
    sides_sd = np.tile(np.hypot(half * sd[1:3], sd[3:]), 2)
    return Fitted(size, own, insides_mm(size, TrimModel.of(cut)), sides_sd, len(evidence))


def forget_fit(folder: Path) -> None:
    """Take a deck again as it was told."""
    save_fit(folder, None)


def _seen(told: LearnedDeck, photos: Sequence[bytes], known: set[str]) -> list[Evidence]:
    """Read those photos that are not known, with the deck as it was told."""
    found = []
    for encoded in photos:
        digest = sha256(encoded).hexdigest()[:16]
        if digest in known:
            continue
        seen = read_layout(decode_sound(encoded), build_detector(told.bank)).cut
        if seen is not None:
            found.append(Evidence(digest, seen))
    return found
