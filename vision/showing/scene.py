"""Ledger and camera -> all that is to be drawn, worked out once: pieces and paths in the photo."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import cv2
import numpy as np

from vision.geometry import photo_from_table
from vision.showing.beams import Trace, trace_path
from vision.showing.style import (
    MOVE,
    NEUTRAL,
    OWN_BEAM,
    SCENERY,
    THROW,
    AnnotateSettings,
    BeamStyle,
    Colour,
    SideStyle,
    beam_style,
    side_style,
)
from vision.texts import Texts
from vision.values.arrays import Points
from vision.values.layout import Camera
from vision.values.ledger import (
    Badge,
    Burst,
    Cross,
    Event,
    Ledger,
    Mark,
    Path,
    PieceState,
    PieceView,
)
from vision.values.messages import Issue

__all__ = ["Circle", "Scene", "ShownPath", "ShownPiece", "build_scene", "name_by_place"]

Circle: TypeAlias = tuple[float, float, float]  #: x, y, radius in px

_EDGE_SAMPLES = 9  # per edge; bends an outline with the lens
_WITH_TAGS = ("card",)  # pieces with room on them for a tag; others are drawn as they lie
_LARGE = ("board", "sheet", "thing")  # these say nothing of how large a usual piece is
_NOSE = (1.02, 1.3, 0.24)  # foot, tip and half width of a nose, of its piece's own reach there
_SAME_MM = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class ShownPiece:
    """A piece in the picture.

    ``corners_px`` (K, 2) are those of its outline (of a card TL, TR, BR, BL), ``outline_px``
    (N, 2) its edge, ``nose_px`` (3, 2) what shows where it looks (none: empty), all in the photo
    frame; ``state`` is what became of it in the end.
    """

    piece: PieceView
    state: PieceState
    side: SideStyle | None
    corners_px: Points
    outline_px: Points
    is_crossed: bool
    is_doubtful: bool
    nose_px: Points

    @property
    def id(self) -> str:
        """The piece's id."""
        return self.piece.id

    @property
    def is_card(self) -> bool:
        """Whether it has room for a tag."""
        return self.piece.kind in _WITH_TAGS

    @property
    def is_scenery(self) -> bool:
        """Whether it is known and belongs to no side."""
        return self.side is None and self.piece.is_known

    @property
    def colour(self) -> Colour:
        """The colour of its outline: its side's, or that of what it is."""
        if self.side is not None:
            return self.side.colour
        return SCENERY if self.piece.is_known else NEUTRAL

    @property
    def centre_px(self) -> tuple[float, float]:
        """The mean of its corners."""
        x, y = self.corners_px.mean(axis=0)
        return float(x), float(y)

    @property
    def short_px(self) -> float:
        """Length of a card's shorter pair of edges in the picture."""
        edges = np.hypot(*(np.roll(self.corners_px, -1, axis=0) - self.corners_px).T)
        return float(min(edges[0] + edges[2], edges[1] + edges[3])) / 2


@dataclass(frozen=True, slots=True, eq=False)
class ShownPath:
    """A path in the picture, with the marks at its end: what it did."""

    event: Event
    path: Path
    trace: Trace
    is_contested: bool
    did: tuple[Burst | Badge, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything the drawing needs, in the photo frame; ``loose`` are marks of no path.

    ``seen_px`` are the edges of what was seen and is no piece of the ledger, such as dice.
    """

    camera: Camera
    ledger: Ledger
    issues: tuple[Issue, ...]
    size_wh: tuple[int, int]
    unit: float
    pieces: tuple[ShownPiece, ...]
    paths: tuple[ShownPath, ...]
    loose: tuple[Mark, ...]
    sides: Mapping[str, SideStyle]
    texts: Texts
    seen_px: tuple[Points, ...] = ()

    def colour_of(self, side: str | None, other: Colour) -> Colour:
        """Return the colour of a side, or another where there is none."""
        style = self.sides.get(side or "")
        return other if style is None else style.colour

    def style_of(self, view: ShownPath) -> BeamStyle:
        """Return how a path looks: a beam by its strength, all else in the colour of its side."""
        path = view.path
        if path.kind == "beam" and path.strength > 0:
            style = beam_style(path.strength)
        else:
            plain = {"beam": OWN_BEAM, "move": MOVE, "throw": THROW}[path.kind]
            style = replace(plain, colour=self.colour_of(path.side, plain.colour))
        fades = path.fades or not view.trace.ends
        return replace(style, fades=fades, contested=view.is_contested)

    @property
    def cards(self) -> tuple[ShownPiece, ...]:
        """The pieces with tags on them."""
        return tuple(view for view in self.pieces if view.is_card)

    @property
    def things(self) -> tuple[ShownPiece, ...]:
        """The other pieces: they lie below the cards."""
        return tuple(view for view in self.pieces if not view.is_card)


def build_scene(
    camera: Camera,
    ledger: Ledger,
    size_wh: tuple[int, int],
    settings: AnnotateSettings,
    *,
    outlines_px: Mapping[str, Points] | None = None,
    issues: Sequence[Issue] = (),
) -> Scene:
    """Work out what is drawn where; see :func:`vision.showing.overlay.annotate_photo`."""
    sides = {side.id: side_style(side) for side in (*ledger.sides, *ledger.kinds)}
    every = tuple(name_by_place(dict.fromkeys([*issues, *ledger.doubts]), ledger, camera))
    doubtful = {name for issue in every if issue.severity == "doubt" for name in issue.cards}
    events = [event for step in ledger.steps for event in step.events]
    crossed = {m.piece for event in events for m in event.marks if isinstance(m, Cross)}
    states, told = ledger.final.pieces, {piece.id for piece in ledger.pieces}
    pieces = []
    for piece in ledger.pieces:
        corners, outline = _outline(camera, piece, (outlines_px or {}).get(piece.id))
        pieces.append(
            ShownPiece(
                piece=piece,
                state=states.get(piece.id, PieceState()),
                side=sides.get(piece.side or ""),
                corners_px=corners,
                outline_px=outline,
                is_crossed=piece.id in crossed,
                is_doubtful=piece.id in doubtful and piece.kind != "thing",  # laid by hand
                nose_px=_nose(camera, piece, outline),
            )
        )
    paths, loose = _paths(camera, ledger, events, size_wh)
    unit = _unit(pieces, size_wh[0], settings)
    return Scene(
        camera,
        ledger,
        every,
        size_wh,
        unit,
        tuple(pieces),
        paths,
        loose,
        sides,
        settings.texts,
        tuple(edge for name, edge in (outlines_px or {}).items() if name not in told),
    )


def name_by_place(issues: Iterable[Issue], ledger: Ledger, camera: Camera) -> list[Issue]:
    """Return issues in the ledger's names: a pawn has none of its own where it is seen.

    Of an issue whose names are none of the ledger the piece round its place is meant.
    """
    names = {piece.id for piece in ledger.pieces}
    small = [piece for piece in ledger.pieces if piece.kind not in _LARGE]
    named = []
    for issue in issues:
        if issue.cards and issue.at_px is not None and not names & set(issue.cards):
            at = np.array(issue.at_px)
            edges = {piece.id: photo_from_table(camera, piece.outline_mm) for piece in small}
            round_it = [name for name, edge in edges.items() if _is_inside(at, edge)]
            if round_it:
                near = min(round_it, key=lambda name: math.dist(at, edges[name].mean(axis=0)))
                issue = replace(issue, cards=(near,))
        named.append(issue)
    return named


def _is_inside(at: Points, edge: Points) -> bool:
    return cv2.pointPolygonTest(edge.astype(np.float32), at.tolist(), False) >= 0


def _outline(camera: Camera, piece: PieceView, seen_px: Points | None) -> tuple[Points, Points]:
    """Return corners and edge of a piece in the photo: as seen, if that is given."""
    if piece.kind not in _WITH_TAGS:
        outline = photo_from_table(camera, piece.outline_mm) if seen_px is None else seen_px
        return outline, outline
    t = np.linspace(0, 1, _EDGE_SAMPLES, endpoint=False)[None, :, None]

    def along(corners: Points) -> Points:
        edges = corners[:, None] + t * (np.roll(corners, -1, axis=0) - corners)[:, None]
        return np.asarray(edges.reshape(-1, 2))

    if seen_px is not None:  # the outline follows the picture, not the solution
        return np.asarray(seen_px, float), along(np.asarray(seen_px, float))
    outline = photo_from_table(camera, along(piece.outline_mm))
    return outline[::_EDGE_SAMPLES], outline


def _nose(camera: Camera, piece: PieceView, outline_px: Points) -> Points:
    """Return a triangle (3, 2) at a piece's edge, px, that points where it looks; else (0, 2).

    It goes with the edge (N, 2) as it is drawn, where that was seen a little beside.
    """
    if piece.theta_rad is None:
        return np.zeros((0, 2))
    centre = piece.outline_mm.mean(axis=0)
    way = np.array([np.sin(piece.theta_rad), -np.cos(piece.theta_rad)])
    side = np.array([-way[1], way[0]])
    reach = float(((piece.outline_mm - centre) @ way).max())
    foot, tip, half = _NOSE[0] * reach, _NOSE[1] * reach, _NOSE[2] * reach
    corners = [centre + tip * way, centre + foot * way + half * side]
    corners.append(centre + foot * way - half * side)
    beside = outline_px.mean(axis=0) - photo_from_table(camera, piece.outline_mm).mean(axis=0)
    return np.asarray(photo_from_table(camera, np.array(corners)) + beside)


def _unit(pieces: Sequence[ShownPiece], width_px: int, settings: AnnotateSettings) -> float:
    """Return the unit of the overlay in px: it follows the usual piece."""
    usual = [view for view in pieces if view.piece.kind not in _LARGE]
    sizes = [math.sqrt(_area(view.corners_px)) for view in usual] or [0.1 * width_px]
    has_cards = any(view.is_card for view in pieces)
    share = settings.unit_per_card if has_cards else settings.unit_per_token
    least, most = settings.unit_min * width_px, settings.unit_max * width_px
    return float(np.clip(share * float(np.median(sizes)), least, most))


def _paths(
    camera: Camera, ledger: Ledger, events: Sequence[Event], size_wh: tuple[int, int]
) -> tuple[tuple[ShownPath, ...], tuple[Mark, ...]]:
    """Follow the paths through the picture; return them, and the marks that belong to none."""
    paths, loose = [], []
    for event in events:
        rest = [mark for mark in event.marks if not _is_of_piece(mark)]
        for path in (mark for mark in event.marks if isinstance(mark, Path)):
            did = _at_end(rest, path)
            rest = [mark for mark in rest if mark not in did]
            trace = trace_path(camera, path.points_mm, size_wh)
            if trace is not None:
                paths.append(ShownPath(event, path, trace, ledger.is_contested(event), did))
        loose += rest
    return tuple(paths), tuple(loose)


def _is_of_piece(mark: Mark) -> bool:
    return isinstance(mark, Path) or (isinstance(mark, Cross) and mark.piece is not None)


def _at_end(marks: Sequence[Mark], path: Path) -> tuple[Burst | Badge, ...]:
    """Return what a path did: the bursts and badges where it ends."""
    end = path.points_mm[-1].tolist()
    signs = [mark for mark in marks if isinstance(mark, Burst | Badge)]
    return tuple(mark for mark in signs if math.dist(mark.at_mm, end) < _SAME_MM)


def _area(corners: Points) -> float:
    x, y = corners[:, 0], corners[:, 1]
    return abs(0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
