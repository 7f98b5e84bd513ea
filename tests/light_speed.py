"""The drawn deck of Light Speed, and what it reads in a photo: each once in a process."""

from functools import cache
from pathlib import Path

from calibration.light_speed.looks import build_bank
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.pipeline import scan
from vision.seeing.detector import build_detector
from vision.values.pieces import Faces
from vision.values.scan import Scan


@cache
def drawn_bank() -> Faces:
    """Return the drawn faces."""
    return build_bank(load_deck("light-speed"))


@cache
def scanned(photo: Path) -> Scan:
    """Return what is read in a photo."""
    game = LightSpeed(load_deck("light-speed"))
    return scan(photo.read_bytes(), game, build_detector(drawn_bank()))[0]
