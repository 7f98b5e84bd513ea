"""A ChArUco board: printed at home as PDF, found again in pictures.

References
----------
.. [1] Garrido-Jurado et al., Automatic Generation and Detection of Highly Reliable Fiducial
   Markers under Occlusion, 2014.
"""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from reportlab.pdfgen.canvas import Canvas

from calibration.sheets import PAPERS
from vision.files.whole import write_atomically
from vision.values.arrays import FloatArray, ImageGray, Points

__all__ = ["Board", "BoardView", "find_board", "write_board"]

_POINTS_PER_MM = 72 / 25.4
_DICTIONARY = cv2.aruco.DICT_5X5_100
_MODULES = 7  # a marker's side: five bits and its black rim
_RULER_MM = 100
_LEAST_CORNERS = 12  # of a view; fewer say little of the lens


@dataclass(frozen=True, slots=True)
class Board:
    """A chessboard with markers in its white squares; fits A4 and Letter."""

    columns: int = 7
    rows: int = 10
    square_mm: float = 25.0
    marker_mm: float = 18.0


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """Inner corners seen in a picture: ``board_mm`` (N, 2) and ``photo_px`` (N, 2)."""

    board_mm: Points
    photo_px: Points


def _board(board: Board) -> Any:
    return cv2.aruco.CharucoBoard(
        (board.columns, board.rows),
        board.square_mm,
        board.marker_mm,
        cv2.aruco.getPredefinedDictionary(_DICTIONARY),
    )


def find_board(gray: ImageGray, board: Board | None = None) -> BoardView | None:
    """Find the board in a picture (H, W); None if too little of it shows."""
    detector = cv2.aruco.CharucoDetector(_board(board or Board()))
    corners, ids, _, _ = detector.detectBoard(gray)
    if corners is None or ids is None or len(ids) < _LEAST_CORNERS:
        return None
    places: FloatArray = np.asarray(_board(board or Board()).getChessboardCorners(), np.float64)
    seen = np.asarray(corners, np.float64).reshape(-1, 2)
    return BoardView(places[np.asarray(ids).ravel(), :2], seen)


def write_board(path: Path, paper: str, board: Board | None = None) -> None:
    """Write the board as a PDF at true size.

    Parameters
    ----------
    path : Path
        The file.
    paper : str
        ``a4`` or ``letter``.
    """
    board = board or Board()
    width, height = PAPERS[paper]
    left = (width - board.columns * board.square_mm) / 2
    top = (height + board.rows * board.square_mm) / 2
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(width * _POINTS_PER_MM, height * _POINTS_PER_MM), invariant=1)
    canvas.setTitle("Sightline: board for calibrating a camera")
    canvas.setViewerPreference("PrintScaling", "None")
    canvas.setFillGray(0)
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
    marker = 0
    for row in range(board.rows):
        for column in range(board.columns):
            x, y = left + column * board.square_mm, top - (row + 1) * board.square_mm
            if (row + column) % 2 == 0:
                _fill(canvas, x, y, board.square_mm)
                continue
            bits = cv2.aruco.generateImageMarker(dictionary, marker, _MODULES)
            _draw_marker(canvas, x, y, bits, board)
            marker += 1
    _draw_ruler(canvas, left, top, board)
    canvas.showPage()
    canvas.save()
    write_atomically(path, out.getvalue())


def _draw_marker(canvas: Any, x: float, y: float, bits: Any, board: Board) -> None:
    """Draw a marker in the middle of a white square whose lower left corner is given."""
    inset = (board.square_mm - board.marker_mm) / 2
    module = board.marker_mm / _MODULES
    for row, line in enumerate(bits):
        for column, tone in enumerate(line):
            if tone == 0:
                down = y + board.square_mm - inset - (row + 1) * module
                _fill(canvas, x + inset + column * module, down, module)


def _draw_ruler(canvas: Any, left: float, top: float, board: Board) -> None:
    canvas.setFont("Helvetica", 7)
    y = top + 3
    text = (
        f"Print at 100 % and glue it flat on cardboard. This line is {_RULER_MM} mm, a square "
        f"{board.square_mm:g} mm."
    )
    canvas.drawString(left * _POINTS_PER_MM, (y + 1) * _POINTS_PER_MM, text)
    canvas.setLineWidth(0.4)
    canvas.line(*(v * _POINTS_PER_MM for v in (left, y, left + _RULER_MM, y)))


def _fill(canvas: Any, x: float, y: float, side: float) -> None:
    """Fill a square, mm from the lower left corner of the page; a hair wider against seams."""
    hair = 0.01
    canvas.rect(
        (x - hair) * _POINTS_PER_MM,
        (y - hair) * _POINTS_PER_MM,
        (side + 2 * hair) * _POINTS_PER_MM,
        (side + 2 * hair) * _POINTS_PER_MM,
        stroke=0,
        fill=1,
    )
