"""Features of pictures of faces, whatever their art.

Nothing but the pictures is known of the art: no white border as a reference for the light, no
frame. Colours are compared as logarithms, where the light's strength and colour are an offset that
the mean removes: once over the whole face and once against the neighbourhood of each place, because
a reflection covers wide areas but not strokes. Both, weighted by how much the deck's faces differ
at each place, form one unit vector; a matrix product compares all with all.

A card is detected by its own outline or, if its border is lost on the table, by the outline of the
picture inside the border. Both views are kept for every face, on the same grid.

References
----------
.. [1] Lewis, Fast Normalized Cross-Correlation, 1995.
.. [2] Finlayson et al., Illuminant and Device Invariant Colour Using Histogram Equalisation, 2005
   (light as a shift of logarithms).
"""

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import cell_centres
from vision.imaging.view import sample
from vision.seeing.recognition.smoothing import DARK, Tones, around
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray, Points
from vision.values.pieces import Faces

__all__ = [
    "CellGrid",
    "PictureIndex",
    "cell_features",
    "coarse_grid",
    "coarse_tones",
    "compare_coarse",
    "compare_fine",
    "compare_registered",
    "face_features",
    "face_tones",
    "feature_spread",
    "fine_grid",
    "index_pictures",
]


# What of a face is compared.
_COARSE_COLUMNS = 16  # cells across a card: seen at 20 pixels, and past a rough outline
_FINE_COLUMNS = 44  # 1.4 mm on a card of 63 mm: what a phone at a metre leaves of print
_COLOUR_WEIGHT = 1.6  # of the colour differences against lightness
# of the card's width: wider than strokes, narrower than a reflection
_NEIGHBOURHOOD = 0.22
_CONTRAST_FLOOR = 0.12  # of a logarithm: less is noise and is not amplified
_FLOOR_WEIGHT = 0.5  # of places where all faces are alike, against the mean
_WHOLE = np.array([-0.5, -0.5, 0.5, 0.5])  # of a picture: left, top, right, bottom
_CORNER_MM = 3.5  # left out at each corner: rounded by up to so much
_FINE_SHIFT = 1  # cells beside: pictures are cut by eye


@dataclass(frozen=True, slots=True, eq=False)
class CellGrid:
    """Cells over a card: ``unit`` (G, 2) are their centres as shares -0.5..0.5 of the card.

    They are ordered row by row in ``shape_hw``; ``neighbourhood`` is the side of a neighbourhood in
    cells; ``weights`` (H, W) are 0 at the corners, and along the edge if that is left out.
    """

    unit: Points
    shape_hw: tuple[int, int]
    neighbourhood: int
    weights: Tones

    @classmethod
    def over(cls, bank: Faces, columns: int, edge: float = 0.0) -> "CellGrid":
        """Return so many cells along a card's short side; ``edge`` is left out, in cells."""
        cell = min(bank.size_mm) / columns
        across, down = (max(2, round(side / cell)) for side in bank.size_mm)
        unit, cells = cell_centres(across, down), np.array([across, down])
        radius = max(_CORNER_MM, bank.corner_radius_mm) / cell
        past = np.maximum(np.abs(unit) * cells - (cells / 2 - radius), 0)
        weights = np.hypot(*past.T) <= radius - edge
        neighbourhood = 2 * int(across * _NEIGHBOURHOOD / 2) + 1
        return cls(
            unit, (down, across), neighbourhood, weights.reshape(down, across).astype(np.float32)
        )

    def where(self, visible: BoolArray) -> "CellGrid":
        """Return the grid with those cells (G,) alone that count."""
        shown = self.weights * visible.reshape(self.shape_hw)
        return replace(self, weights=np.asarray(shown, np.float32))


@dataclass(frozen=True, eq=False)
class PictureIndex:
    """The faces of a deck prepared for comparison: K faces on a coarse grid.

    ``vectors`` (V, D) are the unit vectors of views: each face upright and half turned, and for
    faces with a border those of the picture inside it. ``face`` (V,) and ``turned`` (V,) say of
    which; ``box`` (V, 4) is left, top, right, bottom of the view, as shares -0.5..0.5 of the card.
    """

    bank: Faces
    grid: CellGrid
    vectors: NDArray[np.float32]
    face: IntArray
    turned: NDArray[np.bool_]
    box: FloatArray
    spread: FloatArray

    @cached_property
    def whole(self) -> "PictureIndex":
        """The views of whole faces only: all K upright, then all half turned."""
        keep = np.flatnonzero((np.abs(self.box) == 0.5).all(axis=1))
        return replace(
            self,
            vectors=self.vectors[keep],
            face=self.face[keep],
            turned=self.turned[keep],
            box=self.box[keep],
        )


def index_pictures(bank: Faces) -> PictureIndex:
    """Sample every face of a deck on the coarse grid."""
    grid = coarse_grid(bank)
    k = len(bank.images)
    whole = np.tile(_WHOLE, (k, 1))
    size = np.array([*bank.size_mm, *bank.size_mm])
    inner = whole + bank.margins_mm / size * [1, 1, -1, -1]
    framed = np.flatnonzero((bank.margins_mm > 0).all(axis=1))
    of_face = np.concatenate([np.arange(k), framed])
    boxes = np.concatenate([whole, inner[framed]])
    small = _shrink_faces(bank, grid.shape_hw[1] * 2)
    colours = np.array([_cells(small[f], b, grid) for f, b in zip(of_face, boxes, strict=True)])
    features = cell_features(colours.reshape(len(of_face), -1, 3), grid)
    spread = feature_spread(features[:k])
    upright = _unit(features, grid, spread)
    both = np.concatenate([upright, _unit(features[:, :, ::-1], grid, spread)])
    return PictureIndex(
        bank,
        grid,
        both,
        np.tile(of_face, 2),
        np.repeat([False, True], len(of_face)),
        np.concatenate([boxes, -boxes[:, [2, 3, 0, 1]]]),
        spread,
    )


def coarse_grid(bank: Faces) -> CellGrid:
    """Return the grid on which cards are compared with all faces."""
    return CellGrid.over(bank, _COARSE_COLUMNS)


def coarse_tones(bank: Faces, grid: CellGrid) -> FloatArray:
    """Return the mean tones (K, G, 3), 0..255, of the cells of the upright faces of a deck."""
    small = _shrink_faces(bank, grid.shape_hw[1] * 2)
    return np.array([_cells(face, _WHOLE, grid) for face in small]).reshape(len(small), -1, 3)


def fine_grid(bank: Faces) -> CellGrid:
    """Return the grid on which the likeliest faces are compared again."""
    return CellGrid.over(bank, _FINE_COLUMNS)


def face_tones(index: PictureIndex, face: int, grid: CellGrid) -> FloatArray:
    """Return the mean tones (G, 3), 0..255, of the cells of an upright face."""
    return _cells(np.asarray(index.bank.images[face]), _WHOLE, grid).reshape(-1, 3)


def face_features(index: PictureIndex, face: int, grid: CellGrid) -> NDArray[np.float32]:
    """Return the features (2, G, 3) of an upright face."""
    features = cell_features(face_tones(index, face, grid)[None], grid)
    return np.asarray(features[0], np.float32)


def compare_coarse(colours: ImageBGR, index: PictureIndex) -> FloatArray:
    """Return the correlation (N, V), -1..1, of tones (N, G, 3) with each view."""
    seen = _unit(cell_features(colours, index.grid), index.grid, index.spread)
    return np.asarray(seen @ index.vectors.T, np.float64)


def compare_fine(colours: ImageBGR, faces: NDArray[np.float32], grid: CellGrid) -> FloatArray:
    """Return the correlation (F, 2) of a card with some faces, upright and half turned.

    Places where these faces hardly differ have little weight.

    Parameters
    ----------
    colours : (G, 3) uint8
        The card's tones on the fine grid.
    faces : (F, 2, G, 3) float32
        What :func:`face_features` gave for each face.
    grid : CellGrid
        The fine grid.
    """
    spread = feature_spread(np.concatenate([faces, faces[:, :, ::-1]]))
    seen = cell_features(colours[None], grid)
    return _best_shift(seen, faces, grid, spread, _FINE_SHIFT)


def compare_registered(
    seen: NDArray[np.float32], registered: NDArray[np.float32], grid: CellGrid
) -> FloatArray:
    """Return the correlation (F,), -1..1, of a card with faces registered on it.

    A thin stroke that is off by a cell does not correlate, while a broad fill hardly changes, so a
    face that is registered badly looks like one with another fill. Places where these faces hardly
    differ have little weight.

    Parameters
    ----------
    seen : (G, 3) float32
        The card's tones, 0..255.
    registered : (F, G, 3) float32
        Those of each face, moved so that its strokes lie on the card's.
    grid : CellGrid
        The cells.
    """
    faces, card = cell_features(registered, grid), cell_features(seen[None], grid)
    spread = feature_spread(faces)
    similarity = _unit(faces, grid, spread) @ _unit(card, grid, spread)[0]
    return np.asarray(similarity, np.float64)


def _best_shift(
    seen: FloatArray, faces: NDArray[np.float32], grid: CellGrid, spread: FloatArray, cells: int
) -> FloatArray:
    """Correlate a card (1, P, G, 3), shifted by up to so many cells, with faces (F, P, G, 3).

    Returns the best correlation (F, 2), upright and half turned.
    """
    field = seen[0].reshape(-1, *grid.shape_hw, 3)
    steps = range(-cells, cells + 1)
    beside = np.array([np.roll(field, (dy, dx), axis=(1, 2)) for dy in steps for dx in steps])
    tried = _unit(beside.reshape(-1, *seen.shape[1:]), grid, spread)
    upright = _unit(faces, grid, spread)
    turned = upright.reshape(faces.shape)[:, :, ::-1].reshape(upright.shape)
    similarity = [(of @ tried.T).max(axis=1) for of in (upright, turned)]
    return np.asarray(np.stack(similarity, axis=1), np.float64)


def _shrink_faces(bank: Faces, columns: int) -> list[ImageBGR]:
    """Return the faces at about ``columns`` pixels across; each is read once."""
    h, w = bank.images.shape[1:3]
    step = max(1, min(h, w) // columns)
    size_wh = (w // step, h // step)
    return [
        np.asarray(cv2.resize(face, size_wh, interpolation=cv2.INTER_AREA), np.uint8)
        for face in bank.images
    ]


def _cells(face: ImageBGR, box: FloatArray, grid: CellGrid) -> FloatArray:
    """Return the mean colours (rows, columns, 3) of the cells over a box of a face."""
    h, w = face.shape[:2]
    rows, columns = grid.shape_hw
    left, top, right, bottom = (box + 0.5) * [w, h, w, h]
    x = left + (np.arange(2 * columns) + 0.5) * (right - left) / (2 * columns) - 0.5
    y = top + (np.arange(2 * rows) + 0.5) * (bottom - top) / (2 * rows) - 0.5
    step = min((right - left) / columns, (bottom - top) / rows) / 2
    soft = cv2.blur(face, (2 * int(step / 2) + 1,) * 2) if step >= 2 else face
    tones = sample(np.asarray(soft, np.uint8), np.stack(np.meshgrid(x, y), axis=-1))
    return np.asarray(tones.reshape(rows, 2, columns, 2, 3).mean(axis=(1, 3)), np.float64)


def cell_features(
    colours: FloatArray | NDArray[np.float32] | ImageBGR, grid: CellGrid
) -> FloatArray:
    """Return the features (N, 2, G, 3) of tones (N, G, 3): plain, and against the neighbourhood."""
    tones = np.asarray(colours, np.float32) * np.float32(1 / 255)
    b, g, r = np.moveaxis(np.log(tones + np.float32(DARK)), -1, 0)
    weight = np.float32(_COLOUR_WEIGHT)
    plain = np.stack([(b + g + r) / 3, weight * (r - g), weight * (b - (r + g) / 2)], axis=-1)
    picture, side = plain.reshape(-1, *grid.shape_hw, 3), grid.neighbourhood
    away = picture - around(picture, side)
    contrast = np.sqrt(np.maximum(around((away**2).sum(axis=3), side), 0))
    local = away / (contrast + np.float32(_CONTRAST_FLOOR))[..., None]
    return np.stack([plain, local.reshape(plain.shape)], axis=1)


def feature_spread(features: FloatArray | NDArray[np.float32]) -> FloatArray:
    """Return the weights (P, G, 1) of places by how much faces (K, P, G, 3) differ there."""
    spread = np.sqrt((features.std(axis=0) ** 2).sum(axis=2, keepdims=True))
    mean = spread.mean(axis=1, keepdims=True)
    weights = spread + _FLOOR_WEIGHT * mean + 1e-6
    return np.asarray(weights / weights.mean(axis=1, keepdims=True), np.float64)


def _unit(
    features: FloatArray | NDArray[np.float32], grid: CellGrid, spread: FloatArray
) -> NDArray[np.float32]:
    """Centre, weight and scale features (N, P, G, 3) to unit vectors (N, 3PG)."""
    weights = np.asarray(spread * grid.weights.reshape(-1, 1), np.float32)
    share = weights / weights.sum(axis=1, keepdims=True)
    picture = np.asarray(features, np.float32)
    vectors = (picture - share.swapaxes(1, 2) @ picture) * weights
    flat = vectors.reshape(*features.shape[:2], 3 * features.shape[2])
    norm = np.sqrt(np.einsum("npk,npk->np", flat, flat) * np.float32(features.shape[1]))
    flat *= 1 / np.maximum(norm, np.float32(1e-9))[..., None]
    return np.asarray(flat.reshape(len(features), 3 * weights.size), np.float32)
