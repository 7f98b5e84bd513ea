"""The layout of refined poses and named faces, with every doubt about them."""

from collections.abc import Sequence

import numpy as np

from vision.geometry import photo_from_table
from vision.seeing.cards.alternatives import AcceptedCard, alternatives_of
from vision.seeing.cards.posterior import score_shares
from vision.seeing.estimation.gauge import GaugedPoses, remove_gauge
from vision.seeing.estimation.model import heights, with_poses
from vision.seeing.estimation.overlaps import card_outlines, max_overlap
from vision.seeing.values import (
    LARGE_LEAD,
    PLAIN_SCORE,
    FaceMatch,
    Identities,
    PoseEstimate,
)
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray
from vision.values.layout import Layout, Other, Placed, identity_of, unread_id
from vision.values.ledger import NO_MATTER
from vision.values.messages import Issue
from vision.values.pieces import Faces

__all__ = ["RUNNERS_UP", "TURN_LEAD", "half_turned", "report_cards"]

_LEAST_FOREIGN = 0.5  # chance of no card of the deck from which no face of it is told
_SIDE_SHARE = 0.5  # of a side that must be measured for it to count
_SIDES = 4  # that a poorly read card must show, of its edge and its frame
_PART_SIDES = 3.0  # or shares of sides in all, with a clear lead: a card half under another shows
# no side but one whole
_SAME_SHARE = 0.8  # of an unreadable card, that another may cover
_COVERED_BELOW = 0.5  # a face that shows less is reported
_BENT_MM = 0.6  # a bend worth a word: half a millimetre aside in an oblique view
TURN_LEAD = 0.06  # of a face over itself turned by half: below, its turn is doubtful
RUNNERS_UP = 3  # what else a card may be


def report_cards(
    located: PoseEstimate,
    matches: Sequence[FaceMatch],
    identities: Identities,
    faces: Faces,
    size_wh: tuple[int, int],
) -> tuple[Layout, tuple[int, ...]]:
    """Return the accepted cards in the table frame, with every doubt.

    Parameters
    ----------
    located : PoseEstimate
        N poses.
    matches : sequence of FaceMatch
        How the face at each of them compares.
    identities : Identities
        Which card each is; at least one is named and plain.
    faces, size_wh : Faces and (int, int)
        What the cards look like; width and height of the photo, pixels.

    Returns
    -------
    layout : Layout
        In the order of the cards' ids. A card whose half turn cannot be told lies at an angle
        from -90 degrees, not included, to 90.
    places : tuple of int
        The cards' indices in what was located and matched.
    """
    accepted = _accepted_cards(located, matches, identities, faces)
    places = tuple(one.place for one in accepted)
    gauged = _turn_upright(located, matches, identities, places)
    poses = _wrap_half_turn(gauged.poses, np.array([one.is_open for one in accepted]))
    turned, outlines = half_turned(matches, identities.face), card_outlines(poses, faces.size_mm)
    placed, issues, may_be = [], [], alternatives_of(accepted, faces)
    for row, (one, (x, y, theta)) in enumerate(zip(accepted, poses.tolist(), strict=True)):
        block = slice(3 * row, 3 * row + 3)
        card = Placed(
            str(row + 1),
            one.name,
            x,
            y,
            theta,
            gauged.covariance[block, block],
            photo_from_table(gauged.camera, outlines[row]),
            score=float(one.match.scores[one.face].max()) if one.face >= 0 else 0.0,
            confidence=max(0.0, one.match.score),
            others=_runners_up(one, faces),
            visible=one.match.visible,
            printed=located.print_of(one.place, turned=bool(turned[one.place])),
            may_be=may_be[row],
        )
        placed.append(card)
        issues += _identity_issues(card, one, faces)
        issues += _view_issues(card, one.face, size_wh)
        issues += _bend_issues(card, located, one.place)
    issues += [*_print_issues(placed), *_turn_issues([c.name for c in accepted if c.is_open])]
    seen = (tuple(placed), gauged.covariance, gauged.camera, size_wh, tuple(issues))
    return Layout(*seen, located.residual_px), places


def _accepted_cards(
    located: PoseEstimate,
    matches: Sequence[FaceMatch],
    identities: Identities,
    faces: Faces,
) -> list[AcceptedCard]:
    """Return the accepted cards in the order of their ids."""
    names = _names(located, matches, identities, faces)
    accepted = []
    for i in sorted(names, key=lambda i: names[i]):
        face = -1 if identity_of(names[i]) is None else identities.face[i]
        is_open = face >= 0 and (i in identities.open_turns or bool(faces.is_symmetric[face]))
        is_vague = not is_open and _turn_lead(matches[i], face) < TURN_LEAD
        doubtful = i in identities.doubtful or is_vague
        double = identities.doubled.get(i)
        accepted.append(AcceptedCard(i, names[i], face, matches[i], double, doubtful, is_open))
    return accepted


def _wrap_half_turn(poses: FloatArray, is_open: BoolArray) -> FloatArray:
    """Wrap the angles of poses (N, 3) marked ambiguous (N,) to (-90, 90] degrees."""
    theta = poses[:, 2]
    turn = is_open & ~((theta > -np.pi / 2) & (theta <= np.pi / 2))
    half = np.where(theta > 0, theta - np.pi, theta + np.pi)
    return np.column_stack([poses[:, :2], np.where(turn, half, theta)])


def half_turned(matches: Sequence[FaceMatch], faces: Sequence[int]) -> BoolArray:
    """Return which faces (N,) are half turned in their poses; unnamed ones by their best face."""
    each = zip(matches, faces, strict=True)
    return np.array([m.is_half_turned(f if f >= 0 else m.best) for m, f in each], np.bool_)


def _names(
    located: PoseEstimate,
    matches: Sequence[FaceMatch],
    identities: Identities,
    faces: Faces,
) -> dict[int, str]:
    """Return the names of places that hold a card: a named face, or an unread card's id."""
    sides = (located.sides > _SIDE_SHARE).sum(axis=(1, 2))
    parts, names = located.sides.sum(axis=(1, 2)), dict[int, str]()
    for i, face in enumerate(identities.face):
        match = matches[i]  # a face that is told by a poor correlation alone needs its sides
        is_told = match.posterior is not None or match.score > PLAIN_SCORE
        is_told |= sides[i] >= _SIDES or (parts[i] >= _PART_SIDES and match.lead > LARGE_LEAD)
        if face >= 0 and is_told:
            taken = set(names.values())
            own = faces.names[face]  # the last is that of all copies that have no own name
            names[i] = next((name for name in own if name not in taken), own[-1])
    outlines = card_outlines(located.solution.poses, faces.size_mm)
    named = frozenset(names)
    for i, match in enumerate(matches):  # one that lies nearly on another is that card once more
        if i in names or (match.hidden_by and named.issuperset(match.hidden_by)):
            continue
        if max_overlap(outlines[i], outlines[list(names)]) < _SAME_SHARE:
            names[i] = unread_id(1 + len(names) - len(named))
    return names


def _turn_upright(
    located: PoseEstimate,
    matches: Sequence[FaceMatch],
    identities: Identities,
    places: Sequence[int],
) -> GaugedPoses:
    """Rotate cards so that their faces are upright, and remove the gauge."""
    poses = located.solution.poses[list(places)]
    poses[:, 2] += np.pi * half_turned(matches, identities.face)[list(places)]
    rows = (3 * np.array(places)[:, None] + np.arange(3)).ravel()
    covariance = located.pose_covariance[np.ix_(rows, rows)]
    return remove_gauge(with_poses(located.solution, poses), covariance)


def _runners_up(accepted: AcceptedCard, faces: Faces) -> tuple[Other, ...]:
    """Return the alternatives of a card, likeliest first.

    Without a posterior they are ranked by score; a doubtful card's have probabilities.
    """
    match, first = accepted.match, faces.first_picture
    scores, posterior = match.scores.max(axis=1), match.posterior
    own = -1 if accepted.face < 0 else int(first[accepted.face])
    order = scores if posterior is None else scores + 10 * posterior[first]
    if posterior is None and accepted.is_doubtful:
        posterior = score_shares(scores)
    others: dict[int, Other] = {}
    for k in np.argsort(-order, kind="stable").tolist():
        is_more = len(others) < RUNNERS_UP + (accepted.face < 0)
        if is_more and scores[k] > -1 and int(first[k]) not in (own, *others):
            chance = None if posterior is None else float(posterior[first[k]])
            others[int(first[k])] = Other(faces.names[k][0], float(scores[k]), chance)
    return tuple(others.values())


def _foreign_probability(accepted: AcceptedCard) -> float | None:
    """Return the probability of a foreign card at a place; None if nothing tells it."""
    match = accepted.match
    if match.posterior is not None:
        return max(0.0, 1.0 - float(match.posterior.sum()))
    return match.foreign if accepted.face >= 0 and match.foreign > NO_MATTER else None


def _turn_lead(match: FaceMatch, face: int) -> float:
    """Return the margin of a face's score over its half turn; inf for an unread card."""
    return abs(float(np.diff(match.scores[face]).item())) if face >= 0 else float("inf")


def _where(card: Placed) -> dict[str, str]:
    """Return the position of a card's centre in the photo, for a message."""
    return where_px(*card.outline_px.mean(axis=0))


def _identity_issues(card: Placed, accepted: AcceptedCard, faces: Faces) -> list[Issue]:
    """Report doubts about the identity of a card."""
    name, face, where = card.piece, accepted.face, _where(card)
    if accepted.double is not None:
        code, twins = "duplicate_card", faces.names[accepted.double]
        key = "duplicate_card" if len(twins) == 1 else "spare_card"
        return [make_issue(code, f"issue.{key}", (twins[-1], name), card=twins[-1], **where)]
    foreign = _foreign_probability(accepted) or 0.0
    if face < 0 and len(card.others) > 1 and foreign < _LEAST_FOREIGN:
        code, (first, second) = "unreadable_card", card.others[:2]
        gaps = {"first": first.piece, "second": second.piece, **where}
        scores = {"first_score": first.score, "second_score": second.score}
        return [make_issue(code, f"issue.{code}", (name,), **gaps, **scores)]
    if face < 0:
        return [make_issue("unreadable_card", "issue.no_face", (name,), card=name, **where)]
    return _name_doubts(card, _foreign_probability(accepted)) if accepted.is_doubtful else []


def _name_doubts(card: Placed, none: float | None) -> list[Issue]:
    """Report what else a card may be, with the probability ``none`` of a foreign card."""
    code, name, where = "doubtful_card", card.piece, _where(card)
    second = card.others[0] if card.others else None
    likely = 0.0 if second is None else second.chance or 0.0
    if none is not None and none > likely:
        return [make_issue(code, "issue.perhaps_none", (name,), card=name, chance=none, **where)]
    if second is None:
        return []
    gaps = {"card": name, "second": second.piece, **where}
    if none is not None:
        return [make_issue(code, "issue.perhaps_other", (name,), chance=likely, **gaps)]
    scores = {"score": card.score, "second_score": second.score}
    return [make_issue(code, f"issue.{code}", (name,), **gaps, **scores)]


def _view_issues(card: Placed, face: int, size_wh: tuple[int, int]) -> list[Issue]:
    """Report which part of a card the photo does not show."""
    gaps = {"card": card.piece, **_where(card)}
    upper = np.array(size_wh) - 0.5
    if not ((card.outline_px > -0.5) & (card.outline_px < upper)).all():
        code = "card_cut_off"
        return [make_issue(code, f"issue.{code}", (card.piece,), **gaps)]
    if face >= 0 and card.visible < _COVERED_BELOW:
        code = "card_covered"
        visible = card.visible
        return [make_issue(code, f"issue.{code}", (card.piece,), "note", visible=visible, **gaps)]
    return []


def _bend_issues(card: Placed, located: PoseEstimate, place: int) -> list[Issue]:
    """Report a card that is certainly bent."""
    forms = located.solution.forms
    if forms is None or card.identity is None:
        return []
    grid = np.stack(np.meshgrid(*(np.linspace(-h, h, 9) for h in forms.half_mm)), axis=-1)
    rise = heights(forms, np.full(81, place), grid.reshape(-1, 2)) - forms.lift_mm[place]
    bend = float(rise.max())
    if bend < _BENT_MM:
        return []
    code, gaps = "card_bent", {"card": card.piece, **_where(card)}
    return [make_issue(code, f"issue.{code}", (card.piece,), "note", bend=bend, **gaps)]


def _print_issues(cards: Sequence[Placed]) -> list[Issue]:
    """Report that the deck was not cut exactly round its print."""
    shifts = {c.piece: c.printed for c in cards if c.printed is not None}
    if not shifts:
        return []
    size = {name: float(np.hypot(p.x_mm, p.y_mm)) for name, p in shifts.items()}
    most = max(size, key=lambda name: size[name])
    code = "print_off_centre"
    return [make_issue(code, f"issue.{code}", (), "note", card=most, shift=size[most])]


def _turn_issues(cards: Sequence[str]) -> list[Issue]:
    """Report the cards whose orientation is ambiguous."""
    if not cards:
        return []
    code, said = "half_turn_open", {"cards": ", ".join(cards), "n": len(cards)}
    return [make_issue(code, f"issue.{code}", tuple(cards), "note", **said)]
