"""Where drafts are: beside the learned decks, a folder each; and all cards of one as a picture."""

import shutil
from pathlib import Path

import cv2
import numpy as np

from calibration.drafts.draft import Draft, picture_of
from calibration.learned.names import check_name
from vision.errors import DeckError
from vision.values.arrays import ImageBGR

__all__ = ["draft_folder", "draft_names", "forget_draft", "sheet_of"]

_DRAFTS = ".drafts"
_WIDE = 180  # pixels of a card in a sheet: its art is told, its text not read
_COLUMNS = 8
_FRAME = 10  # pixels between cards
_LABEL = 26  # pixels for a card's number
_GROUND, _INK = 52, (235, 235, 235)


def draft_folder(store: Path, name: str) -> Path:
    """Return where the draft of a deck is, or will be.

    Raises
    ------
    DeckError
        If no deck may be called so.
    """
    check_name(name)
    return store / _DRAFTS / name


def draft_names(store: Path) -> tuple[str, ...]:
    """Return the names of all drafts, sorted."""
    return tuple(sorted(file.parent.name for file in (store / _DRAFTS).glob("*/draft.json")))


def forget_draft(store: Path, name: str) -> None:
    """Remove a draft with all its pictures, damaged or not.

    Raises
    ------
    DeckError
        If there is none.
    """
    if name not in draft_names(store):
        msg = f"there is no draft {name[:80]!r}; start one with photos"
        raise DeckError(msg)
    shutil.rmtree(draft_folder(store, name), ignore_errors=True)


def sheet_of(draft: Draft) -> ImageBGR:
    """Lay the cards of a draft out in rows (H, W, 3), each with its number."""
    cards = draft.kept
    if not cards or draft.size_mm is None:
        return np.full((_WIDE, _WIDE, 3), _GROUND, np.uint8)
    high = round(_WIDE * draft.size_mm[1] / draft.size_mm[0])
    columns = min(_COLUMNS, len(cards))
    rows = -(-len(cards) // columns)
    step_x, step_y = _WIDE + _FRAME, high + _FRAME + _LABEL
    sheet = np.full((rows * step_y + _FRAME, columns * step_x + _FRAME, 3), _GROUND, np.uint8)
    for k, card in enumerate(cards):
        y, x = _FRAME + k // columns * step_y, _FRAME + k % columns * step_x
        face = cv2.resize(picture_of(draft, card), (_WIDE, high), interpolation=cv2.INTER_AREA)
        at = (x, y + _LABEL - 8)
        cv2.putText(sheet, str(k + 1), at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, _INK, 1, cv2.LINE_AA)
        sheet[y + _LABEL : y + _LABEL + high, x : x + _WIDE] = face
    return sheet
