"""Photo -> cards on the table: the order of the seeing stages.

Outlines are matched with the faces; the surest give the plane; on the plane, outlines of the right
shape and corners that still show give the rest; all are solved together to sub-pixel poses; then
every face is compared once more from its exact place and all are named together.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vision.errors import TableNotFoundError
from vision.imaging.photo import Photo
from vision.imaging.view import View, from_level, to_level
from vision.seeing.cards.candidates import (
    corners_px,
    grid_px,
    hidden_cards,
    lay_fragments,
    lay_outlines,
    lay_read,
    look_beside,
)
from vision.seeing.cards.layout import layout_of
from vision.seeing.cards.likelihood import name_unread
from vision.seeing.cards.matching import Match, match_cards, match_quads, pair_frames
from vision.seeing.cards.naming import assign_cards
from vision.seeing.cards.report import Seen, half_turned, report_cards
from vision.seeing.cards.settle import locate_cards, refine_cards
from vision.seeing.doubts.cloth import find_obstacles
from vision.seeing.doubts.photo import ShownCard, advise
from vision.seeing.doubts.print_scale import doubt_print_scale
from vision.seeing.faces.bordered import FaceIndex, index_faces
from vision.seeing.measure.sides import card_rectangles
from vision.seeing.outlines.bright import find_outlines, find_quads
from vision.seeing.reading_pictures import read_pictures
from vision.seeing.sight import Sight
from vision.seeing.solve.model import with_poses
from vision.seeing.solve.plane import Plane, camera_priors, solve_plane
from vision.seeing.stages import Stages
from vision.seeing.threads import one_thread
from vision.texts import make_issue
from vision.values.arrays import FloatArray, Points
from vision.values.layout import Layout
from vision.values.messages import Issue
from vision.values.pieces import Faces

__all__ = ["ReadSettings", "read_cards", "read_layout"]


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Thresholds between the stages; correlations unless said."""

    work_side_px: int = 2100  # outlines are sought in the level that is no longer than this
    sure_scores: tuple[float, ...] = (0.6, 0.4)  # of an outline that may vote for the plane
    sure_lead: float = 0.04
    looks: int = 3  # beside the known cards
    known_score: float = 0.3  # of a card whose place is not looked at again
    plain_score: float = 0.6  # of a card on which no other lies
    bare_score: float = -2.0  # of a card that shows sides, but no face
    side_share: float = 0.5  # of a side that must be measured for it to count
    sides: int = 3  # that an unread place must show to be asked what explains it
    clear_score: float = 0.45  # some card must be read as well as this, with the lead:
    clear_lead: float = 0.08  # a photo without one is no table of this deck


def read_layout(
    photo: Photo, sight: Sight, *, progress: Callable[[str], None] | None = None
) -> Layout:
    """Find, name and place all cards of a photo.

    Parameters
    ----------
    photo : Photo
        Upright.
    sight : Sight
        How the deck's cards are looked for.
    progress : callable, optional
        Told the name of each stage as it begins.

    Raises
    ------
    TableNotFoundError
        If no card can be read for sure.
    """
    read = read_cards if sight.is_bordered else read_pictures
    seen = read(photo, sight.faces, progress=progress)
    height, width = photo.image.shape[:2]
    return layout_of(seen, (width, height))


def read_cards(
    photo: Photo,
    bank: Faces,
    settings: ReadSettings | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> Seen:
    """Find, name and place all cards of a photo.

    Parameters
    ----------
    photo : Photo
        Upright.
    bank : Faces
        The faces of the deck.
    progress : callable, optional
        Told the name of each stage as it begins.

    Raises
    ------
    TableNotFoundError
        If no card can be read for sure.
    """
    with one_thread():
        return _read(photo, bank, settings or ReadSettings(), progress)


def _read(
    photo: Photo,
    bank: Faces,
    settings: ReadSettings,
    progress: Callable[[str], None] | None,
) -> Seen:
    stages = Stages(progress)
    height, width = photo.image.shape[:2]
    index = index_faces(bank)
    with stages("detect"):
        pyramid = View(photo.image)
        level = pyramid.level_within(settings.work_side_px)
        quick = min(level + 1, len(pyramid) - 1)
        quads = from_level(find_quads(pyramid[quick]), quick)
    with stages("classify"):
        quads, is_edge = pair_frames(quads, index)
        corners, matches = match_quads(pyramid, quads, index, is_edge)
    with stages("rectify"):
        plane = _surest_plane(corners, matches, index, photo, settings)
    if plane is None:  # look harder
        with stages("detect"):
            quads = from_level(find_outlines(pyramid[level]).quads, level)
        with stages("classify"):
            corners, matches = match_quads(pyramid, quads, index)
        with stages("rectify"):
            plane = _surest_plane(corners, matches, index, photo, settings)
            if plane is None:
                raise _nothing_found(len(quads))
    with stages("rectify"):
        laid = lay_read(quads, corners, matches, plane.solution, pyramid, index)
    gray = pyramid.gray()
    known = laid.poses[laid.scores > settings.known_score]
    for _ in range(settings.looks):
        with stages("detect"):
            taken = corners_px(known, plane.solution, index)
            outlines = find_outlines(pyramid[level], to_level(taken, level))
            more, elbows = (from_level(x, level) for x in (outlines.quads, outlines.elbows))
        with stages("second_look"):
            laid = lay_outlines(more, elbows, laid, plane.solution, pyramid, gray, index)
            laid = look_beside(laid, plane.solution, pyramid, index)
        before, known = known, laid.poses[laid.scores > settings.bare_score]
        if len(known) == len(before):
            break  # else what was found now may have hidden another's outline
    is_plain = laid.scores > settings.plain_score
    within = elbows
    if not is_plain.all():  # others may be half under a card that is not known yet
        with stages("detect"):
            taken, places = (
                to_level(corners_px(laid.poses[these], plane.solution, index), level)
                for these in (is_plain, ~is_plain)
            )
            outlines = find_outlines(pyramid[level], taken, within=places)
            within = np.concatenate([elbows, from_level(outlines.elbows, level)])
    with stages("second_look"):
        laid = lay_fragments(within, laid, plane.solution, pyramid, index)
    with stages("pose"):
        start = with_poses(plane.solution, laid.poses)
        rectangles = card_rectangles(bank)
        located = locate_cards(gray, start, rectangles, plane.priors)
        scaled = doubt_print_scale(located.solution, bank)
    with stages("classify"):
        at_px = grid_px(located.solution.poses, located.solution, index)
        matches = match_cards(pyramid, at_px, index)
        kinds = np.unique(bank.kinds or bank.card_ids, return_inverse=True)[1]
        identities = assign_cards(
            np.array([match.scores.max(axis=1) for match in matches]),
            np.array([match.visible for match in matches]),
            kinds,
        )
        if not any(
            face >= 0 and match.score > settings.clear_score and match.lead > settings.clear_lead
            for face, match in zip(identities.face, matches, strict=True)
        ):
            raise _nothing_found(len(outlines.quads))
    with stages("classify"):
        sides = (located.sides > settings.side_share).sum(axis=(1, 2))
        copies = np.bincount(kinds)[kinds]
        asked = [
            i
            for i, face in enumerate(identities.face)
            if sides[i] >= settings.sides
            and i not in identities.doubled
            and (face < 0 or (i in identities.doubtful and copies[face] > 1))
        ]
        matches, identities = name_unread(
            pyramid,
            at_px,
            matches,
            identities,
            asked,
            index,
            kinds,
            always=np.isin(bank.kinds or bank.card_ids, bank.always),
        )
    with stages("pose"):
        faces, turned = np.array(identities.face), half_turned(matches, identities)
        located = refine_cards(pyramid, located, faces, turned, bank, rectangles, plane.priors)
        found = report_cards(located, matches, identities, bank, (width, height))
        inner = index.rectangles_mm[-1]
        advice = advise(
            [
                ShownCard(card.card_id, matches[i], px)
                for card, i, px in zip(
                    found.placement.cards, found.places, found.corners_px, strict=True
                )
            ],
            (inner[0] / bank.width_mm, inner[1] / bank.height_mm),
            gray,
            float(np.arccos(np.clip(located.solution.rotation[2, 2], -1, 1))),
        )
        obstacles = find_obstacles(
            pyramid,
            quick,
            with_poses(located.solution, located.solution.poses[list(found.places)]),
            index.size_mm,
        )
        placed = located.solution.poses[list(found.places)]
        parts = hidden_cards(elbows, placed, plane.solution, pyramid, index)
        fragments = [_fragment(px) for px in corners_px(parts, plane.solution, index)]
    issues = (*found.issues, *scaled, *advice, *obstacles, *fragments)
    return Seen(found.placement, found.readings, found.corners_px, issues, stages.timings_ms)


def _fragment(corners_px: Points) -> Issue:
    """Say that two corners show of a card that could not be placed."""
    x, y = corners_px.mean(axis=0)
    gaps = {"x": f"{x:.0f}", "y": f"{y:.0f}"}
    return make_issue("card_hidden", "issue.card_hidden", (), "doubt", **gaps)


def _nothing_found(quads: int) -> TableNotFoundError:
    seen = f"{quads} four-sided outlines" if quads else "no four-sided outline"
    return TableNotFoundError(
        f"found {seen} but no card of this deck; needed at least one whole card in clear view: "
        "photograph the table from above, near enough that a card is 60 pixels wide"
    )


def _surest_plane(
    corners_px: FloatArray,
    matches: list[Match],
    index: FaceIndex,
    photo: Photo,
    settings: ReadSettings,
) -> Plane | None:
    """Find the plane from the surest cards; None if there are none."""
    sure: list[int] = []
    for least in settings.sure_scores:
        sure = [i for i, m in enumerate(matches) if m.score > least and m.lead > settings.sure_lead]
        if len(sure) >= 2:
            break
    if not sure:
        return None
    height, width = photo.image.shape[:2]
    priors = camera_priors((width, height), photo.focal_px)
    return solve_plane(
        corners_px[sure], index.size_mm, priors, focal_known=photo.focal_px is not None
    )
