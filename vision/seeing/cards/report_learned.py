"""Solved poses and named pictures -> the cards of the table, with every doubt about them."""

from dataclasses import dataclass

import numpy as np

from vision.geometry import photo_from_table, wrap_angle
from vision.seeing.cards.naming_learned import Naming
from vision.seeing.cards.overlaps import card_outlines, most_overlap
from vision.seeing.cards.report import Findings
from vision.seeing.solve.gauge import remove_gauge
from vision.seeing.solve.model import Solution, with_poses
from vision.texts import make_issue
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.layout import Candidate, CardOutline, PlacedCard, Placement, Reading
from vision.values.messages import Issue
from vision.values.pieces import Faces

__all__ = ["FoundPicturesSettings", "Sighting", "report_pictures"]


@dataclass(frozen=True, slots=True)
class FoundPicturesSettings:
    """What counts as a card, and what is worth a word."""

    side_share: float = 0.5  # of a side that must be measured for it to count
    like_a_face: float = 0.6  # correlation: of a card, whatever its sides show
    beside_share: float = 0.2  # of an unread card that another may cover
    covered_below: float = 0.5  # of the print that agrees: less is reported
    turn_lead: float = 0.04  # of a face over itself turned by half
    runners_up: int = 3


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """N places where something of a card's shape lies, each turned so that its face is upright.

    ``scores`` (N, K, 2) say how alike each is to each face, upright and turned by half, -1 where
    that was not worth a look; ``visible`` (N,) the share of the print that agrees; ``sides``
    (N, 4) the share of each side that was measured; ``covariance`` (3N, 3N) is of x mm, y mm,
    theta rad; ``residual_px`` the weighted rms of all that was measured.
    """

    solution: Solution
    covariance: FloatArray
    scores: FloatArray
    visible: FloatArray
    sides: FloatArray
    residual_px: float


def report_pictures(
    seen: Sighting,
    naming: Naming,
    bank: Faces,
    size_wh: tuple[int, int],
    settings: FoundPicturesSettings | None = None,
) -> Findings:
    """Put what is believed into the contract's frame, with every doubt.

    Parameters
    ----------
    seen : Sighting
        Where the cards lie.
    naming : Naming
        Which they are; at least one is named.
    bank : Faces
        The faces.
    size_wh : (int, int)
        Width and height of the photo, pixels.

    Returns
    -------
    Findings
        In the order of the cards' ids. A card whose half turn cannot be told lies at an angle
        from -90 degrees, not included, to 90.
    """
    s = settings or FoundPicturesSettings()
    names = _names(seen, naming, bank, s)
    places = sorted(names, key=lambda i: names[i])
    open_turn = _open_turns(seen, naming, bank, s)
    rows = (3 * np.array(places)[:, None] + np.arange(3)).ravel()
    laid = remove_gauge(
        with_poses(seen.solution, seen.solution.poses[places]), seen.covariance[np.ix_(rows, rows)]
    )
    poses = laid.poses.copy()
    for row, i in enumerate(places):
        if open_turn[i] and not -np.pi / 2 < poses[row, 2] <= np.pi / 2:
            poses[row, 2] = wrap_angle(poses[row, 2] + np.pi)
    outlines = card_outlines(poses, bank.size_mm)
    cards, readings, corners, issues = [], [], [], []
    for row, i in enumerate(places):
        corners_px = photo_from_table(laid.camera, outlines[row])
        reading = _read(seen, i, int(naming.face[i]), bank, names[i], corners_px, s)
        block = laid.covariance[3 * row : 3 * row + 3, 3 * row : 3 * row + 3]
        x, y, theta = (float(value) for value in poses[row])
        confidence = max(0.0, float(seen.scores[i].max()))
        cards.append(PlacedCard(names[i], x, y, theta, block, confidence))
        readings.append(reading)
        corners.append(corners_px)
        doubtful = bool(naming.doubtful[i])
        spare = naming.spare.get(i)
        twin = None if spare is None else bank.names[spare][-1]
        issues += _issues(names[i], reading, doubtful, twin, corners_px, size_wh, s)
    turned = tuple(names[i] for i in places if open_turn[i])
    if turned:
        key = "issue.half_turn_open"
        said = {"cards": ", ".join(turned), "n": len(turned)}
        issues.append(make_issue("half_turn_open", key, turned, "note", **said))
    placement = Placement(tuple(cards), laid.camera, laid.covariance, seen.residual_px)
    return Findings(placement, tuple(readings), tuple(corners), tuple(issues), tuple(places))


def _names(seen: Sighting, naming: Naming, bank: Faces, s: FoundPicturesSettings) -> dict[int, str]:
    """Name the places that hold a card: a named face; four sides, or some face's likeness."""
    names = {
        int(i): bank.names[naming.face[i]][naming.copy[i]] for i in np.flatnonzero(naming.face >= 0)
    }
    outlines = card_outlines(seen.solution.poses, bank.size_mm)
    unknown = 0
    for i in np.flatnonzero(naming.face < 0):
        four_sides = (seen.sides[i] > s.side_share).all()
        like_a_face = seen.scores[i].max(initial=-1.0) > s.like_a_face
        if not four_sides and not like_a_face and int(i) not in naming.spare:
            continue
        if most_overlap(outlines[i], outlines[list(names)]) < s.beside_share:
            unknown += 1
            names[int(i)] = f"unknown-{unknown}"
    return names


def _open_turns(seen: Sighting, naming: Naming, bank: Faces, s: FoundPicturesSettings) -> BoolArray:
    """Tell of which places (N,) the photo cannot say which way up the card lies."""
    face = naming.face
    lead = np.abs(np.diff(seen.scores[np.arange(len(face)), face], axis=1)[:, 0])
    return np.asarray((face >= 0) & (bank.is_symmetric[face] | (lead < s.turn_lead)))


def _read(
    seen: Sighting,
    place: int,
    face: int,
    bank: Faces,
    name: str,
    corners_px: Points,
    s: FoundPicturesSettings,
) -> Reading:
    """Rank the faces of one place, the accepted one first; ``face`` is -1 for none."""
    scores = seen.scores[place].max(axis=1)
    ranking = [int(k) for k in np.argsort(-scores, kind="stable")[: s.runners_up + 1]]
    ranking = [k for k in ranking if scores[k] > -1]
    if face >= 0:
        ranking = [face, *(k for k in ranking if k != face)]
    candidates = tuple(
        Candidate(
            name if k == face else bank.names[k][0],
            float(scores[k]),
            2 * bool(seen.scores[place, k, 1] > seen.scores[place, k, 0]),
        )
        for k in ranking
    )
    visible = float(seen.visible[place])
    outline = CardOutline(corners_px, float(scores.max()), visible > s.covered_below)
    return Reading(outline, candidates, candidates[0] if face >= 0 else None, visible)


def _issues(
    name: str,
    reading: Reading,
    doubtful: bool,
    twin: str | None,
    corners_px: Points,
    size_wh: tuple[int, int],
    s: FoundPicturesSettings,
) -> list[Issue]:
    """Say what is doubtful about one card."""
    x, y = corners_px.mean(axis=0)
    where = {"x": f"{x:.0f}", "y": f"{y:.0f}"}
    issues = []
    if twin is not None:
        issues.append(
            make_issue("duplicate_card", "issue.spare_card", (twin, name), card=twin, **where)
        )
    elif reading.accepted is None:
        issues.append(make_issue("unreadable_card", "issue.no_face", (name,), card=name, **where))
    elif doubtful and len(reading.candidates) > 1:
        second = reading.candidates[1]
        gaps = {"card": name, "second": second.card_id, **where}
        scores = {"score": reading.accepted.score, "second_score": second.score}
        key = "issue.doubtful_card"
        issues.append(make_issue("doubtful_card", key, (name,), **gaps, **scores))
    upper = np.array(size_wh) - 0.5
    if not ((corners_px > -0.5) & (corners_px < upper)).all():
        key = "issue.card_cut_off"
        issues.append(make_issue("card_cut_off", key, (name,), card=name, **where))
    elif reading.accepted is not None and reading.visible < s.covered_below:
        key, visible = "issue.card_covered", reading.visible
        gaps = {"card": name, **where}
        issues.append(make_issue("card_covered", key, (name,), "note", visible=visible, **gaps))
    return issues
