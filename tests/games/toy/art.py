"""A piece's id -> its picture: what the board and the tokens of the toy game look like."""

import cv2
import numpy as np

from vision.values.arrays import ImageBGR, Points

__all__ = ["BOARD_MM", "SQUARE_MM", "TOKEN_MM", "draw"]

SQUARE_MM = 50.0
BOARD_MM = 170.0  # a margin of 10 mm round the squares
TOKEN_MM = 24.0
_PAPER = (226, 238, 243)
_INKS = ((62, 84, 160), (96, 120, 40), (150, 90, 60), (40, 130, 190), (120, 60, 120))
_GLYPHS = ["sun", "moon", "star", "tree", "fish", "bird", "boat", "hill", "gate"]


def draw(piece: str, px_per_mm: float) -> ImageBGR:
    """Draw a piece, upright and cut to its edge: (H, W, 3) uint8."""
    if piece == "board":
        return _board(px_per_mm)
    return _token(piece, px_per_mm)


def _board(s: float) -> ImageBGR:
    size = round(BOARD_MM * s)
    image = np.full((size, size, 3), _PAPER, np.uint8)
    thick = max(round(0.6 * s), 1)
    for k, word in enumerate(_GLYPHS):
        row, column = divmod(k, 3)
        low = (np.array([column, row]) * SQUARE_MM + 10) * s
        ink = _INKS[k % len(_INKS)]
        corner = tuple(int(v) for v in low)
        other = tuple(int(v) for v in low + SQUARE_MM * s)
        cv2.rectangle(image, corner, other, (60, 60, 60), thick, cv2.LINE_AA)
        for at in _scatter(k) * SQUARE_MM * s + low:  # no two squares are alike
            radius = round((0.8 + 0.5 * (int(at[0]) % 3)) * s)
            cv2.circle(image, tuple(int(v) for v in at), radius, ink, -1, cv2.LINE_AA)
        words = tuple(int(v) for v in low + np.array([4, 12]) * s)
        face = cv2.FONT_HERSHEY_DUPLEX
        cv2.putText(image, f"{k + 1} {word}", words, face, 0.26 * s, ink, thick, cv2.LINE_AA)
    return image


def _scatter(square: int) -> Points:
    return np.random.default_rng(square).uniform(0.12, 0.88, (14, 2)) * [1, 0.6] + [0, 0.3]


def _token(piece: str, s: float) -> ImageBGR:
    size = round(TOKEN_MM * s)
    ground, ink = {
        "sun": ((30, 190, 250), (20, 60, 160)),
        "moon": ((110, 60, 40), (250, 230, 210)),
    }[piece]
    image = np.full((size, size, 3), ground, np.uint8)
    middle = size / 2
    way = np.array([[0, -0.46], [0.2, -0.12], [-0.2, -0.12]])  # the arrow points up: where it looks
    cv2.fillPoly(image, [np.round(middle + way * size).astype(np.int32)], ink, cv2.LINE_AA)
    at = (round(middle), round(middle + 0.14 * size))
    cv2.circle(image, at, round(0.22 * size), ink, -1, cv2.LINE_AA)
    if piece == "moon":
        beside = (round(middle + 0.11 * size), round(middle + 0.1 * size))
        cv2.circle(image, beside, round(0.17 * size), ground, -1, cv2.LINE_AA)
    return image
