"""Photo -> cards on the table: the order of the seeing stages.

Outlines are matched with the faces; the surest give the plane; on the plane, outlines of the right
shape and corners that still show give the rest: so cards are found. They are settled together:
solved to sub-pixel poses, every face compared once more from its exact place, and all named.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from vision.errors import TableNotFoundError
from vision.geometry import card_corners
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.beneath.adding import add_beneath, lies_in_fans
from vision.seeing.cards.fusing import fuse_views, median_of, together
from vision.seeing.cards.outlined import settle_outlined
from vision.seeing.cards.readings import UNKNOWN
from vision.seeing.cards.report import half_turned, report_cards
from vision.seeing.doubts.file import doubt_file, nothing_left
from vision.seeing.doubts.photo import ShownCard, advise, tell_colourless
from vision.seeing.doubts.print_scale import doubt_print_scale
from vision.seeing.doubts.shown import shown_middles
from vision.seeing.doubts.size import doubt_size, seen_cut
from vision.seeing.doubts.unread import doubt_things, doubt_unread, unread_poses
from vision.seeing.leftover.lines import without_lines
from vision.seeing.leftover.paper import is_white_paper
from vision.seeing.leftover.telling import tell_leftover
from vision.seeing.looking import find_plane, nothing_found
from vision.seeing.mirrored import find_mirrored, unless_mirrored
from vision.seeing.pieces.reading import PieceSight, read_pieces
from vision.seeing.pieces.sheet_outlines import find_sheets_beside
from vision.seeing.pieces.sheets import find_tokens_on
from vision.seeing.residual import doubt_unexplained
from vision.seeing.sight import (
    AnySight,
    Sight,
    TableSight,
    first_scores,
    may_show,
    tells_mirrored,
    without_colour,
)
from vision.seeing.solve.adjust import Priors
from vision.seeing.solve.covariance import apart
from vision.seeing.solve.model import Solution, show, solution_of, with_poses
from vision.seeing.solve.overlaps import card_outlines, cover_shares
from vision.seeing.solve.plane import Plane, camera_priors
from vision.seeing.stages import Stages
from vision.seeing.threads import one_thread
from vision.seeing.values import Candidates, Identities, Located, Match
from vision.texts import make_issue, where_px
from vision.values.arrays import FloatArray, ImageBGR
from vision.values.layout import Layout, poses_of
from vision.values.messages import Issue

__all__ = ["find_cards", "find_mirrored_table", "read_layout", "settle_cards"]

_LEVELS = 8  # of a picture that one card may fill: its print is compared at some 20 pixels
_MOST_HIDDEN = 6  # cards of which only corners show: more are a cloth's pattern, which hides some
_TOLD = 0.3  # of a card that shows by its corners, covered by one that is doubted: the same one


def read_layout(
    photo: Photo, sight: AnySight, *, progress: Callable[[str], None] | None = None
) -> Layout:
    """Find, name and place all cards of a photo, or its board, and what lies on board or sheets.

    Parameters
    ----------
    photo : Photo
        Upright.
    sight : Sight, PieceSight or TableSight
        How the deck's cards, or the pieces of a board game, or both are looked for.
    progress : callable, optional
        Told the name of each stage as it begins.

    Raises
    ------
    TableNotFoundError
        If no card can be read for sure, there is no board, or the photo is mirrored.
    """
    with one_thread():
        stages = Stages(progress)
        try:
            reader = _Reader(photo, sight, stages)
            first = None if isinstance(sight, PieceSight) else reader.first
            ways = (reader.read, reader.may_show, reader.tells, first)
            layout = unless_mirrored(photo.image, *ways)
        except TableNotFoundError as error:
            if photo.is_damaged:
                raise nothing_left(photo) from error
            raise
        doubts = (*doubt_file(photo), *layout.doubts)
        return replace(layout, doubts=doubts, timings_ms=stages.timings_ms)


def find_mirrored_table(
    photo: Photo, sight: AnySight, scores: Sequence[float]
) -> TableNotFoundError | None:
    """Return why a picture that was read elsewhere is refused: it is mirrored; else None.

    Parameters
    ----------
    photo : Photo
        The picture.
    sight : Sight, PieceSight or TableSight
        How the deck's cards or pieces are looked for.
    scores : sequence of float
        Those of its pieces as it was read: where they are good, nothing is read again.
    """
    with one_thread():
        reader = _Reader(photo, sight, Stages())
        return find_mirrored(photo.image, scores, reader.read, reader.may_show, reader.tells)


class _Reader:
    """How a photo and its mirror image are read; looks at either are taken once."""

    def __init__(self, photo: Photo, sight: AnySight, stages: Stages) -> None:
        self._photo, self._sight, self._stages = photo, sight, stages
        self._views: dict[int, View] = {}  # by what each holds: so no image is another's successor

    def _view(self, image: ImageBGR) -> View:
        return self._views.setdefault(id(image), View(image, _LEVELS))

    def read(self, image: ImageBGR) -> Layout:
        return _read(self._view(image), self._photo.focal_px, self._sight, self._stages)

    def may_show(self, image: ImageBGR) -> bool:
        return may_show(self._view(image), self._sight)

    def tells(self, piece: str) -> bool:
        return tells_mirrored(piece, self._sight)

    def first(self, image: ImageBGR) -> FloatArray:
        assert not isinstance(self._sight, PieceSight)
        return first_scores(self._view(image), self._sight, self._stages)


def _read(view: View, focal_px: float | None, sight: AnySight, stages: Stages) -> Layout:
    if isinstance(sight, PieceSight):
        return read_pieces(view, sight, focal_px=focal_px, stages=stages)
    cards = sight.cards if isinstance(sight, TableSight) else sight
    priors = camera_priors(_size_wh(view), focal_px)
    cards = cards if view.has_colour else without_colour(cards)
    found = find_cards(view, cards, priors=priors, stages=stages)
    layout = settle_cards([view], found, cards, stages=stages)
    with stages("second_look"):
        layout = add_beneath(view, layout, cards.faces)
        if isinstance(sight, TableSight):
            layout = _with_sheets(view, layout, sight)
        layout = doubt_unexplained(view, layout, cards.faces.size_mm)
        in_fans = lies_in_fans(cards.faces)
        if cards.faces.frames and not in_fans:
            return layout  # a white border shows by its corners
        if not cards.faces.frames:
            layout = without_lines(view, layout)
        return tell_leftover(
            view,
            layout,
            cards.faces.size_mm,
            white_borders=in_fans,
            white_paper=is_white_paper(cards.faces),
        )


def _with_sheets(view: View, layout: Layout, sight: TableSight) -> Layout:
    """Add the sheets beside the cards, and the tokens on all sheets."""
    looks, plane = sight.pieces.looks, solution_of(layout.camera)
    size = sight.cards.faces.size_mm
    placed = [replace(p, kind="sheet") if p.piece in sight.sheets else p for p in layout.placed]
    prints = sight.pieces.prints
    copies = {piece.id: piece.copies for piece in looks.pieces.pieces}
    most, covers = [copies[p.piece] for p in prints], card_outlines(poses_of(placed), size)
    sheets = find_sheets_beside(view, plane, prints, most, covers)
    sizes = {board.piece: board.size_mm for board in prints}
    alike = [p for p in placed if p.kind == "sheet"]
    on = [*sheets, *alike]
    tokens = find_tokens_on(
        view,
        plane,
        on,
        [sizes.get(one.piece, size) for one in on],
        looks.pieces.of_kind("token"),
        dict(looks.art),
    )
    more = (*sheets, *tokens)
    joint = apart(layout.joint_covariance, *(one.covariance for one in more))
    return replace(layout, placed=(*placed, *more), joint_covariance=joint)


def find_cards(
    view: View,
    sight: Sight,
    plane: Plane | None = None,
    *,
    priors: Priors | None = None,
    shape_mm: float = 3.5,
    stages: Stages | None = None,
) -> Candidates:
    """Find where cards lie: over a whole photo, or at a glance on a plane that is known.

    Parameters
    ----------
    view : View
        A photo; of a known plane a part of one, whose own pixels the plane is told in.
    sight : Sight
        How the deck's cards are looked for.
    plane : Plane, optional
        Camera and plane; left out, the surest cards give it.
    priors : Priors, optional
        What is believed of the camera, where the plane is sought.
    shape_mm : float
        By how much an outline on a known plane may miss a card's shape.
    stages : Stages, optional
        Timed and told of.

    Raises
    ------
    TableNotFoundError
        If the plane is sought and no card can be read.
    """
    stages = stages or Stages()
    if plane is not None:
        return sight.outlines.glance(view, plane, shape_mm)
    priors = priors or camera_priors(_size_wh(view), None)
    return sight.outlines.lay(view, *find_plane(view, sight, priors, stages), stages)


def settle_cards(
    views: Sequence[View], found: Candidates, sight: Sight, *, stages: Stages | None = None
) -> Layout:
    """Settle which cards lie where, from one photo or several of one still table.

    Parameters
    ----------
    views : sequence of View
        At least one, all of the same camera and table.
    found : Candidates
        Where they are looked for, on their plane.
    sight : Sight
        How the deck's cards are looked for.
    stages : Stages, optional
        Timed and told of.

    Raises
    ------
    TableNotFoundError
        If no card can be read for sure.
    """
    stages, view = stages or Stages(), fuse_views(views)
    if found.plane is None or not len(found.poses):
        raise nothing_found(found.outlines)
    priors, poses = found.plane.priors, sight.poses
    with stages("pose"):
        located = poses.locate(view, with_poses(found.plane.solution, found.poses), priors)
    with stages("classify"):
        matches, named = _name(view, found, located, sight)
    with stages("pose"):
        faces, turned = np.array(named.face), half_turned(matches, named)
        several = [located]
        if len(views) > 1:
            several = [poses.locate(one, located.solution, priors) for one in views]
        each = zip(views, several, strict=True)
        settled = median_of([poses.refine(*one, faces, turned, priors) for one in each])
        settled = settle_outlined(settled, faces, found.outlined_px, sight.faces.size_mm)
        how = sight.comparer.report
        layout, places = report_cards(settled, matches, named, sight.faces, _size_wh(view), how)
        placed = with_poses(settled.solution, settled.solution.poses[list(places)])
        tilt = float(np.arccos(np.clip(placed.rotation[2, 2], -1, 1)))
        shown = [
            ShownCard(card.piece, matches[i], card.outline_px)
            for card, i in zip(layout.placed, places, strict=True)
        ]
        solved = replace(found, plane=replace(found.plane, solution=settled.solution))
        doubted = _doubted(found, settled.solution, layout, places, sight.faces.size_mm)
        unread_px = show(settled.solution, doubted[1], card_corners(*sight.faces.size_mm))
        doubts = (
            *layout.doubts,
            *doubt_print_scale(located.solution, sight.faces),
            *doubt_size(settled, sight.faces.size_mm),
            *advise(shown, sight.comparer.frame_share, view.gray(), tilt),
            *tell_colourless(view, is_framed=bool(sight.faces.frames)),
            *_doubt_hidden(view, solved, placed.poses, np.concatenate(doubted), sight),
            *_doubt_unread(found, layout, unread_px, _size_wh(view)),
        )
    took, cut = stages.timings_ms, seen_cut(settled)
    return replace(layout, doubts=doubts, timings_ms=took, cut=cut)


def _name(
    view: View, found: Candidates, located: Located, sight: Sight
) -> tuple[list[Match], Identities]:
    """Compare all faces at their places, and name them together.

    Raises
    ------
    TableNotFoundError
        If none is named for sure.
    """
    comparer = sight.comparer
    matches = comparer.match(view, located.solution)
    if located.visible is not None:
        shares = located.visible.tolist()
        matches = [replace(m, visible=v) for m, v in zip(matches, shares, strict=True)]
    matches = together(matches, found.before)
    named = comparer.name(matches)
    if all(face < 0 for face in named.face):
        raise nothing_found(found.outlines) if view.has_colour else _nothing_told()
    return comparer.name_more(view, located, matches, named)


def _doubted(
    found: Candidates,
    solution: Solution,
    layout: Layout,
    places: Sequence[int],
    size_mm: tuple[float, float],
) -> tuple[FloatArray, FloatArray]:
    """Return the poses of cards that are doubted (N, 3), and of outlines that became none (M, 3).

    The solution is of all that was found; ``places`` are the indices in it of the cards placed.
    """
    cards = zip(places, layout.placed, strict=True)
    vague = [i for i, card in cards if card.may_be or card.piece.startswith(UNKNOWN)]
    return solution.poses[vague], unread_poses(found, solution, places, size_mm)


def _doubt_hidden(
    view: View, found: Candidates, placed: FloatArray, told: FloatArray, sight: Sight
) -> tuple[Issue, ...]:
    """Say where corners show of a card that could not be placed, or that a cloth has many.

    ``placed`` (N, 3) are the poses of all cards; ``told`` (M, 3) those that are told of already:
    of cards that are doubted, which may lie not quite there, and of outlines that became no card.
    """
    assert found.plane is not None
    parts = sight.comparer.hidden(view, found, np.concatenate([placed, told]))
    parts = parts[cover_shares(parts, told, sight.faces.size_mm) < _TOLD]
    if len(parts) > _MOST_HIDDEN:
        count = len(parts)
        return (make_issue("pattern_like_cards", "issue.pattern_like_cards", count=count),)
    at_px = show(found.plane.solution, parts, card_corners(*sight.faces.size_mm))
    return tuple(
        make_issue("card_hidden", "issue.card_hidden", **where_px(*at))
        for at in shown_middles(at_px, _size_wh(view))
    )


def _doubt_unread(
    found: Candidates, layout: Layout, unread_px: FloatArray, size_wh: tuple[int, int]
) -> tuple[Issue, ...]:
    """Tell of outlines (K, 4, 2) that became no card, and of things where none lies."""
    things = doubt_things(
        found.things_px, [*(card.outline_px for card in layout.placed), *unread_px]
    )
    return (*_doubt_pattern(found), *doubt_unread(unread_px, size_wh), *things)


def _doubt_pattern(found: Candidates) -> tuple[Issue, ...]:
    """Say once that a cloth's own pattern has shapes as large as cards."""
    if not found.repeated:
        return ()
    code, count = "pattern_like_cards", found.repeated
    return (make_issue(code, "issue.pattern_shapes", count=count),)


def _size_wh(view: View) -> tuple[int, int]:
    height, width = view[0].shape[:2]
    return width, height


def _nothing_told() -> TableNotFoundError:
    """Say that a photo has no colour, where nothing can be named."""
    return TableNotFoundError(
        "found cards but could name none, because the photo has no colour; needed at least one "
        "card that can be named without colour: send the photo in colour"
    )
