"""Removes phantom tokens from a board and reports what no detected piece explains.

A smaller token on a larger one is removed if the larger face alone explains the image there; its
exact pose is known only after both were read. Anything else that covers the board's print is
reported as an unknown token, so that nothing on a board is ignored silently.
"""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from vision.geometry import card_corners, rotation, table_from_card
from vision.imaging import masks
from vision.imaging.view import View, sample, to_gray
from vision.seeing.pieces.board_scene import BoardScene, Found, doubt_about
from vision.seeing.pieces.printed_planar import PrintedPlanar
from vision.seeing.pieces.rectify import Rectified, bounding_box, map_plane, rectify
from vision.seeing.pieces.token_scores import ROUGH, OverlappingToken
from vision.values.arrays import ImageBGR, Points
from vision.values.layout import Placed, unread_id
from vision.values.pieces import Looks

__all__ = ["drop_phantoms", "explains", "find_unread_things", "token_hull"]


# Unexplained covered areas of a board.
_RADIUS_MM = 6.0  # of the disc that must be covered: less than the smallest token's radius
_HIDDEN = 0.85  # least covered share of it: gaps between sheets and worn print cover less
_RIM_MM = 4.0  # margin round detected tokens: wall, shadow, hexagons' corners
_EDGE_MM = 6.0  # margin along a board's edge: paper curls, and things beside it lean in
_AGREES = 0.7  # least correlation of visible print in another tone
_FINE_PX_PER_MM = 2.0  # of the image for the closer test: strokes are visible
_SLIDE_MM = 1.5  # tolerated offset of print in it
_BEND_MM = 1.0  # tolerance of a reported outline: for drawing, not for measuring


def drop_phantoms(found: Sequence[OverlappingToken]) -> list[OverlappingToken]:
    """Return tokens without those that the print of a larger face below explains."""
    kept = [
        one
        for one in found
        if not any(
            below.group.radius_mm > one.group.radius_mm and explains(below, one) for below in found
        )
    ]
    return (
        kept if len(kept) == len(found) else [_restore_visibility(one, found, kept) for one in kept]
    )


def _restore_visibility(
    one: OverlappingToken, before: Sequence[OverlappingToken], after: Sequence[OverlappingToken]
) -> OverlappingToken:
    """Return a token as fully visible if all that covered it was removed."""
    gone = [f for f in before if all(f is not k for k in after)]
    near = [f for f in gone if np.hypot(*(f.pose - one.pose)[:2]) < one.group.radius_mm]
    over = [
        f
        for f in after
        if f is not one
        and f.group.radius_mm <= one.group.radius_mm
        and np.hypot(*(f.pose - one.pose)[:2]) < one.group.radius_mm + f.group.radius_mm
    ]
    return replace(one, seen=1.0) if near and not over else one


def explains(below: OverlappingToken, one: OverlappingToken) -> bool:
    """Return whether a larger face explains the image at a smaller token."""
    if np.hypot(*(one.pose - below.pose)[:2]) > below.group.radius_mm:
        return False
    return _print_correlation(below, one) > float(one.scores[one.face]) - ROUGH


def _print_correlation(below: OverlappingToken, one: OverlappingToken) -> float:
    """Return the correlation of a larger face's print with the image in a smaller disc."""
    art, radius = below.group.arts[below.face], below.group.radius_mm
    scale = min(art.shape[:2]) / 2 / radius
    ring = np.linspace(0.0, 0.9, 8)[1:, None] * one.group.radius_mm
    angle = np.arange(0, 2 * np.pi, np.pi / 16)
    disc = np.stack([ring * np.cos(angle), ring * np.sin(angle)], axis=-1).reshape(-1, 2)
    points = disc + one.pose[:2]
    own = (points - below.pose[:2]) @ rotation(float(below.pose[2]))
    inside = np.hypot(*own.T) < 0.97 * radius
    if inside.mean() < 0.5:
        return -1.0
    px = own[inside] * scale + (np.array(art.shape[1::-1]) - 1) / 2
    soft = np.asarray(cv2.GaussianBlur(art, (0, 0), 0.4 * scale), np.uint8)
    wanted = sample(soft, px, cv2.BORDER_CONSTANT)
    at = one.search.rectified.to_px(points[inside])
    seen = sample(one.search.image, at, cv2.BORDER_CONSTANT)
    first, second = (np.asarray(v, np.float64).mean(axis=1) for v in (wanted, seen))
    first, second = first - first.mean(), second - second.mean()
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second) + 1e-6))


def find_unread_things(
    view: View, scene: BoardScene, looks: Looks, known: Sequence[Found]
) -> list[Found]:
    """Detect what covers the board's print and is no detected piece.

    Parameters
    ----------
    view : View
        The photo.
    scene : BoardScene
        With a board and its art.
    looks : Looks
        The pieces of the game: not used, as what is found is none of them.
    known : sequence of Found
        All detected pieces.

    Returns
    -------
    list of Found
        Unknown tokens, of score 0.
    """
    if scene.covered is None or scene.art is None:
        return []
    cover = scene.covered
    hulls = [*(one.hull_mm for one in known), *_missing_parts(scene.board)]
    free = np.asarray(cover.filled(hulls) == 0, np.uint8)
    hidden = _within_edge(cover) & free
    if scene.foreign is not None:
        beside = cv2.erode(free, masks.disc(round(_RADIUS_MM * cover.px_per_mm)))
        hidden |= _within_edge(scene.foreign) & np.asarray(beside, np.uint8)
    radius = _RADIUS_MM * cover.px_per_mm
    reach = int(np.ceil(radius))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disc = (np.hypot(x, y) <= radius).astype(np.float32)
    disc /= disc.sum()
    share = cv2.filter2D(hidden.astype(np.float32), -1, disc)
    share[_agrees(view, scene, scene.art, disc) > _AGREES] = 0.0
    deep = np.asarray(share >= _HIDDEN, np.uint8)
    whole = np.asarray(cv2.dilate(deep, np.asarray(disc > 0, np.uint8)), np.uint8) & hidden
    contours, _ = cv2.findContours(whole, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outlines = [_outline(contour, cover) for contour in contours]
    held = [o for o in outlines if o is not None and not _is_print(view, scene, scene.art, o)]
    return [_unknown(scene, one, k) for k, one in enumerate(held, start=1)]


def _missing_parts(board: PrintedPlanar | None) -> list[Points]:
    """Return the outlines of a board's invisible sheets, which are reported separately."""
    if board is None:
        return []
    return [
        table_from_card(card_corners(*part.size_mm), *pose)
        for k, (part, pose) in enumerate(zip(board.print.parts, board.poses, strict=True))
        if k not in board.sheets or k in board.wrong
    ]


def _is_print(view: View, scene: BoardScene, art: ImageBGR, outline: Points) -> bool:
    """Return whether the board's own strokes are visible in an outline mm, in any light.

    This is a closer test than the comparison of the whole board: its sheets may gape, and paper is
    wavy.
    """
    assert scene.board_mm is not None
    scale = _FINE_PX_PER_MM
    rectified = rectify(view, scene.solution, bounding_box(outline, _SLIDE_MM), scale)
    size = np.subtract(scene.board_mm[2:], scene.board_mm[:2]) * scale
    whole = cv2.resize(to_gray(art), np.rint(size).astype(int).tolist(), None, 0, 0, cv2.INTER_AREA)
    corner = (rectified.origin_mm - np.array(scene.board_mm[:2])) * scale
    height, width = rectified.image.shape[:2]
    at = np.array([[1.0, 0.0, -corner[0]], [0.0, 1.0, -corner[1]]])
    wanted = cv2.warpAffine(whole, at, (width, height)).astype(np.float32)
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [np.rint(rectified.to_px(outline)).astype(np.int32)], 1)
    rows, columns = np.nonzero(mask)
    reach = int(_SLIDE_MM * scale)
    seen = np.pad(to_gray(rectified.image).astype(np.float32), reach, mode="edge")[
        [rows + dy for dy in range(2 * reach + 1) for _ in range(2 * reach + 1)],
        [columns + dx for _ in range(2 * reach + 1) for dx in range(2 * reach + 1)],
    ]
    one = wanted[rows, columns] - wanted[rows, columns].mean()
    other = seen - seen.mean(axis=1, keepdims=True)
    length = np.linalg.norm(one) * np.linalg.norm(other, axis=1)
    return bool((other @ one / np.maximum(length, 1e-6)).max() > _AGREES)


def _within_edge(cover: Rectified) -> NDArray[np.uint8]:
    """Return the covered pixels (H, W) of a board, 0 or 1, without a margin at its edge."""
    hidden = np.where((cover.image[..., 0] > 127) & cover.inside, 1, 0).astype(np.uint8)
    edge = max(1, round(_EDGE_MM * cover.px_per_mm))
    hidden[:edge], hidden[-edge:], hidden[:, :edge], hidden[:, -edge:] = 0, 0, 0, 0
    return hidden


def _outline(contour: MatLike, cover: Rectified) -> Points | None:
    """Return the outline (N, 2) mm of a contour; None for a mere line."""
    bend = _BEND_MM * cover.px_per_mm
    corners = cv2.approxPolyDP(contour, bend, True)[:, 0].astype(np.float64)
    return cover.to_mm(corners) if len(corners) > 2 else None


def _agrees(
    view: View, scene: BoardScene, art: ImageBGR, disc: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the local correlation of the board's print with the photo at each pixel."""
    assert scene.covered is not None
    assert scene.board_mm is not None
    size = scene.covered.image.shape[1::-1]
    rectified = rectify(view, scene.solution, scene.board_mm, scene.covered.px_per_mm)
    one, other = (
        to_gray(np.asarray(cv2.resize(image, size), np.uint8)).astype(np.float32)
        for image in (art, rectified.image)
    )

    def mean(values: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cv2.filter2D(values, -1, disc), np.float32)

    cross = mean(one * other) - mean(one) * mean(other)
    spread = (mean(one**2) - mean(one) ** 2) * (mean(other**2) - mean(other) ** 2)
    return np.asarray(cross / np.sqrt(np.maximum(spread, 1.0)), np.float32)


def token_hull(scene: BoardScene, foot_mm: Points, radius_mm: float) -> Points:
    """Return the area (N, 2) mm that a token covers, with its wall, shadow and corners."""
    ring = np.arange(24)[:, None] * np.pi / 12
    round_ = np.hstack([np.cos(ring), np.sin(ring)])
    return scene.hull_of(foot_mm + (radius_mm + _RIM_MM) * round_, _RIM_MM)


def _unknown(scene: BoardScene, outline: Points, number: int) -> Found:
    """Return an unexplained outline as an unknown token."""
    name = unread_id(number)
    area = cv2.moments(outline.astype(np.float32))
    x, y = area["m10"] / area["m00"], area["m01"] / area["m00"]
    covariance = np.diag([_RADIUS_MM**2, _RADIUS_MM**2, np.pi**2 / 3])
    placed = Placed(
        name,
        name,
        float(x),
        float(y),
        0.0,
        covariance,
        map_plane(scene.solution, outline),
        score=0.0,
        kind="token",
    )
    return Found(placed, outline, (doubt_about(placed, "thing_unread"),))
