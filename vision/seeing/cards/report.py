"""Solved poses and named faces -> the cards of the table, with every doubt about them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry import photo_from_table
from vision.seeing.cards.matching import Match
from vision.seeing.cards.naming import Identities
from vision.seeing.cards.overlaps import card_outlines, most_overlap
from vision.seeing.cards.settle import Located, Printed
from vision.seeing.solve.gauge import Laid, remove_gauge
from vision.seeing.solve.model import heights, with_poses
from vision.texts import make_issue
from vision.values.arrays import BoolArray, Points
from vision.values.layout import Candidate, CardOutline, PlacedCard, Placement, PrintOffset, Reading
from vision.values.messages import Issue
from vision.values.pieces import Faces

__all__ = ["Findings", "FindingsSettings", "Seen", "half_turned", "report_cards"]

_UNKNOWN = "unknown-"


@dataclass(frozen=True, slots=True)
class FindingsSettings:
    """What counts as a card, and what is worth a word."""

    plain_score: float = 0.45  # a face below this is believed only with its sides
    side_share: float = 0.5  # of a side that must be measured for it to count
    sides_wanted: int = 4  # that a poorly read card must show, of its edge and its frame
    part_sides: float = 3.0  # or parts of sides that add up to this, if its face leads clearly:
    part_lead: float = 0.15  # of a card half under another no side but one shows whole
    unread_sides: int = 3  # that an unreadable one must show: it was supposed with reason
    beside_share: float = 0.3  # of it that another card may cover: two do not lie in one place
    complete_above: float = 0.9  # a face that shows more is not covered
    covered_below: float = 0.60  # a face that shows less is reported
    turn_lead: float = 0.06  # of a face over itself turned by half: below, its turn is doubtful
    runners_up: int = 3
    bent_mm: float = 0.6  # a bend worth a word: half a millimetre aside in an oblique view


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the photo shows; cards, readings and corners stand in the same order.

    ``corners_px`` are (4, 2) each: TL, TR, BR, BL of the card itself, photo frame.
    """

    placement: Placement
    readings: tuple[Reading, ...]
    corners_px: tuple[Points, ...]
    issues: tuple[Issue, ...]
    timings_ms: dict[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The cards, their readings and corners in the same order, and the doubts.

    ``corners_px`` are (4, 2) each: TL, TR, BR, BL of the card itself, photo frame; ``places`` are
    the cards' indices in what was located and matched.
    """

    placement: Placement
    readings: tuple[Reading, ...]
    corners_px: tuple[Points, ...]
    issues: tuple[Issue, ...]
    places: tuple[int, ...]


def report_cards(
    located: Located,
    matches: Sequence[Match],
    identities: Identities,
    bank: Faces,
    size_wh: tuple[int, int],
    settings: FindingsSettings | None = None,
) -> Findings:
    """Put what is believed into the contract's frame, with every doubt.

    Parameters
    ----------
    located : Located
        N poses.
    matches : sequence of Match
        How the face at each of them compares.
    identities : Identities
        Which card each is; at least one is named and plain.
    bank : Faces
        The faces.
    size_wh : (int, int)
        Width and height of the photo, pixels.

    Returns
    -------
    Findings
        In the order of the cards' ids.
    """
    settings = settings or FindingsSettings()
    names = _names(located, matches, identities, bank, settings)
    places = sorted(names, key=lambda i: names[i])
    laid = _lay_upright(located, matches, identities, places)

    turned = half_turned(matches, identities)
    cards, readings, corners, issues = [], [], [], []
    outlines = card_outlines(laid.poses, (bank.width_mm, bank.height_mm))
    for row, i in enumerate(places):
        corners_px = photo_from_table(laid.camera, outlines[row])
        face = -1 if names[i].startswith(_UNKNOWN) else identities.face[i]
        reading = _read(matches[i], face, bank, corners_px, settings)
        x, y, theta = (float(value) for value in laid.poses[row])
        block = laid.covariance[3 * row : 3 * row + 3, 3 * row : 3 * row + 3]
        confidence = max(0.0, matches[i].score)
        printed = _print_of(located.printed, i, turned=bool(turned[i]))
        cards.append(PlacedCard(names[i], x, y, theta, block, confidence, printed))
        readings.append(reading)
        corners.append(corners_px)
        where = _Where(names[i], corners_px, size_wh)
        double = identities.doubled.get(i)
        twin = None if double is None else bank.card_ids[double]
        turn_lead = _turn_lead(matches[i], face)
        doubtful = i in identities.doubtful or turn_lead < settings.turn_lead
        issues += _identity_issues(where, reading, twin, doubtful)
        issues += _view_issues(where, reading, settings)
        issues += _bend_issues(where, located, i, settings)
    issues += _print_issues(cards)
    placement = Placement(tuple(cards), laid.camera, laid.covariance, located.residual_px)
    return Findings(placement, tuple(readings), tuple(corners), tuple(issues), tuple(places))


def half_turned(matches: Sequence[Match], identities: Identities) -> BoolArray:
    """Tell which faces (N,) stand upside down in their poses; unnamed ones by their best guess."""
    faces = [f if f >= 0 else m.best for f, m in zip(identities.face, matches, strict=True)]
    return np.array([m.is_half_turned(f) for f, m in zip(faces, matches, strict=True)], np.bool_)


def _names(
    located: Located,
    matches: Sequence[Match],
    identities: Identities,
    bank: Faces,
    settings: FindingsSettings,
) -> dict[int, str]:
    """Name the places that hold a card: a named face, or the sides of an unreadable one."""
    sides = (located.sides > settings.side_share).sum(axis=2)  # (N, R), of four
    parts = located.sides.sum(axis=(1, 2))
    names = {
        i: bank.card_ids[face]
        for i, face in enumerate(identities.face)
        if face >= 0
        and (
            matches[i].score > settings.plain_score
            or sides[i].sum() >= settings.sides_wanted
            or (parts[i] >= settings.part_sides and matches[i].lead > settings.part_lead)
        )
    }
    outlines = card_outlines(located.solution.poses, (bank.width_mm, bank.height_mm))
    unknown = 0
    for i in range(len(sides)):
        if i in names or sides[i].sum() < settings.unread_sides:
            continue
        if most_overlap(outlines[i], outlines[list(names)]) < settings.beside_share:
            unknown += 1
            names[i] = f"{_UNKNOWN}{unknown}"
    return names


def _lay_upright(
    located: Located, matches: Sequence[Match], identities: Identities, places: list[int]
) -> Laid:
    """Turn the cards at some places so that their faces are upright, and settle the gauge."""
    poses = located.solution.poses[places].copy()
    poses[:, 2] += np.pi * half_turned(matches, identities)[places]
    rows = (3 * np.array(places)[:, None] + np.arange(3)).ravel()
    covariance = located.pose_covariance[np.ix_(rows, rows)]
    return remove_gauge(with_poses(located.solution, poses), covariance)


def _print_of(printed: Printed | None, place: int, *, turned: bool) -> PrintOffset | None:
    """Return where the print lies on a card, in the sense of its face."""
    if printed is None:
        return None
    sense = np.array([-1.0, -1.0, 1.0]) if turned else np.ones(3)
    x, y, turn = (float(value) for value in sense * printed.offset[place])
    return PrintOffset(x, y, turn, np.outer(sense, sense) * printed.covariance[place])


def _read(
    match: Match, face: int, bank: Faces, corners_px: Points, settings: FindingsSettings
) -> Reading:
    """Rank the faces of one place, the accepted one first; ``face`` is -1 for none."""
    scores = match.scores.max(axis=1)
    ranking = [int(k) for k in np.argsort(-scores, kind="stable")[: settings.runners_up + 1]]
    if face >= 0:
        ranking = [face, *(k for k in ranking if k != face)][: settings.runners_up + 1]
    candidates = tuple(
        Candidate(bank.card_ids[k], float(scores[k]), 2 * match.is_half_turned(k)) for k in ranking
    )
    complete = match.visible > settings.complete_above
    outline = CardOutline(corners_px, match.score, complete)
    return Reading(outline, candidates, candidates[0] if face >= 0 else None, match.visible)


def _turn_lead(match: Match, face: int) -> float:
    """Return by how much a face agrees better one way round; inf for an unreadable one."""
    return abs(float(np.diff(match.scores[face]).item())) if face >= 0 else float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class _Where:
    """A card and its place in the photo; a sentence says where to look."""

    name: str
    corners_px: Points
    size_wh: tuple[int, int]

    @property
    def place(self) -> dict[str, str]:
        """Where the card's middle shows, for a sentence."""
        x, y = self.corners_px.mean(axis=0)
        return {"x": f"{x:.0f}", "y": f"{y:.0f}"}

    @property
    def is_inside(self) -> bool:
        """Whether the photo shows all of it."""
        upper = np.array(self.size_wh) - 0.5
        return bool(((self.corners_px > -0.5) & (self.corners_px < upper)).all())


def _identity_issues(
    where: _Where, reading: Reading, twin: str | None, doubtful: bool
) -> list[Issue]:
    """Say what is doubtful about which card it is; ``twin`` is the card it is a second copy of."""
    name, runners_up = where.name, reading.candidates[1:]
    if twin is not None:
        code = "duplicate_card"
        return [make_issue(code, f"issue.{code}", (twin, name), card=twin, **where.place)]
    if reading.accepted is None and runners_up:
        code, first, second = "unreadable_card", *reading.candidates[:2]
        gaps = {"first": first.card_id, "second": second.card_id, **where.place}
        scores = {"first_score": first.score, "second_score": second.score}
        return [make_issue(code, f"issue.{code}", (name,), **gaps, **scores)]
    if doubtful and runners_up and reading.accepted is not None:
        code, second = "doubtful_card", runners_up[0]
        gaps = {"card": name, "second": second.card_id, **where.place}
        scores = {"score": reading.accepted.score, "second_score": second.score}
        return [make_issue(code, f"issue.{code}", (name,), **gaps, **scores)]
    return []


def _view_issues(where: _Where, reading: Reading, settings: FindingsSettings) -> list[Issue]:
    """Say what of a card the photo does not show."""
    card = (where.name,)
    if not where.is_inside:
        code = "card_cut_off"
        return [make_issue(code, f"issue.{code}", card, card=where.name, **where.place)]
    if reading.accepted is not None and reading.visible < settings.covered_below:
        code, gaps = "card_covered", {"card": where.name, **where.place}
        visible = reading.visible
        return [make_issue(code, f"issue.{code}", card, "note", visible=visible, **gaps)]
    return []


def _bend_issues(
    where: _Where, located: Located, place: int, settings: FindingsSettings
) -> list[Issue]:
    """Say that a card is bent, if it is for sure."""
    forms = located.solution.forms
    if forms is None or where.name.startswith("unknown"):
        return []
    grid = np.stack(np.meshgrid(*(np.linspace(-h, h, 9) for h in forms.half_mm)), axis=-1)
    rise = heights(forms, np.full(81, place), grid.reshape(-1, 2)) - forms.lift_mm[place]
    bend = float(rise.max())
    if bend < settings.bent_mm:
        return []
    code, gaps = "card_bent", {"card": where.name, **where.place}
    return [make_issue(code, f"issue.{code}", (where.name,), "note", bend=bend, **gaps)]


def _print_issues(cards: Sequence[PlacedCard]) -> list[Issue]:
    """Say that the deck was not cut exactly round its print."""
    shifts = {c.card_id: c.printed for c in cards if c.printed is not None}
    if not shifts:
        return []
    size = {name: float(np.hypot(p.x_mm, p.y_mm)) for name, p in shifts.items()}
    most = max(size, key=lambda name: size[name])
    code = "print_off_centre"
    return [make_issue(code, f"issue.{code}", (), "note", card=most, shift=size[most])]
