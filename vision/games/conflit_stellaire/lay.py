"""Layouts -> table: whose each card is, how it lies, what it lies on, hulls and distances."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.errors import TableNotFoundError
from vision.games.conflit_stellaire.check import neighbours, without_impossible
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.markers import pair_of, read_distances, read_seats
from vision.games.conflit_stellaire.pieces import FLAGSHIP, SCALE
from vision.games.conflit_stellaire.seating import Seating, apart, seating_of
from vision.games.conflit_stellaire.values import Card, Options, Pose, Reading, Table
from vision.games.conflit_stellaire.words import card_name, doubt
from vision.geometry import card_corners, polygon_area, table_from_card
from vision.judging.said import PlacePx
from vision.values.arrays import Points
from vision.values.layout import Layout, Other, Placed, unread_id
from vision.values.ledger import NO_MATTER
from vision.values.messages import Issue, message

__all__ = ["lay"]

_STRAIGHT_RAD = math.radians(30.0)  # from the heading or across it: ready or engaged for sure
_HALF_RAD = math.radians(45.0)
_LEAST_OTHER = 0.1  # the chance of the other state where a card begins to be askew
_ON_SHARE = 0.10  # of an auxiliary covered: the card is part of it
_ON_UNSURE = 0.05  # so near that share, both may be
_BACK = "back"  #: what a card is played as that nobody knows: it does nothing
_SHARPNESS = 30.0  # of a chance by how alike: a tenth of correlation is twenty to one
_NONE = 0.3  # chance that it is none of the faces that it is most like
_LEAST = 0.5  # chance from which the likeliest face is played
_SHOWN = 0.5  # of a hull card's face: it lies in the open, so less is most likely another card


def lay(layouts: Sequence[Layout], options: Options) -> Table:
    """Read a table of cards, hull cards and strips."""
    placed = with_dim_hulls_unread([p for layout in layouts for p in layout.placed])
    known = [p for p in placed if p.piece in deck().faces]
    if not known:
        msg = "found no card of Conflit stellaire; lay the cards in play and photograph them all"
        raise TableNotFoundError(msg)
    sheets = [p for p in placed if p.piece in (FLAGSHIP, SCALE)]
    lying = [*known, *(p for p in placed if is_unread(p))]
    seating = seating_of([*lying, *sheets])
    cards, doubts, seen = _cards(lying, seating)
    doubts = [*_of_seats(seating), *doubts]
    cards = _attached(cards)
    cards = [_facing(card, placed, seating) for card in cards]
    seats, no_hull = read_seats(placed, seating)
    distances, no_strip = read_distances(placed, seating)
    for seat in no_hull:
        name = message("conflit.flagship", seat=seat)
        doubts.append(doubt("marker_doubtful", "conflit.doubt.marker", (seat,), what=name))
    for pair in no_strip:
        what = " - ".join(pair)
        doubts.append(
            doubt("marker_doubtful", "conflit.doubt.marker", ("-".join(pair),), what=what)
        )
    table = Table(
        tuple(seats),
        tuple(cards),
        tuple(distances),
        seating.seats[0],
        options=options,
        doubts=tuple(doubts),
        seen=seen,
    )
    return without_impossible(table)


def _of_seats(seating: Seating) -> list[Issue]:
    """Say that the seats may lie otherwise round the table, or be called otherwise.

    In the first case each hull and distance may be another's.
    """
    seats = " - ".join(seating.seats)
    told = []
    if seating.other_turn:
        pairs = ["-".join(pair) for pair in neighbours(seating.seats)]
        about = (*seating.seats, *pairs)
        told.append(doubt("seats_turned", "conflit.doubt.seats_turned", about, seats=seats))
    if seating.other_first:
        told.append(doubt("seats_named", "conflit.doubt.seats_named", (), seats=seats))
    return told


def _cards(
    placed: Sequence[Placed], seating: Seating
) -> tuple[list[Card], list[Issue], dict[str, PlacePx]]:
    """Read each card by itself; ids are a seat's letter and a number, from left to right.

    Return also the doubts, and where the photo shows each card.
    """
    owned = sorted(
        ((seating.owners(p.x_mm, p.y_mm), p) for p in placed),
        key=lambda item: (item[0][0][0], item[1].x_mm, item[1].y_mm),
    )
    counts: dict[str, int] = {}
    cards, doubts, seen = [], [], {}
    # what is left out sums to no more than does not matter
    least = NO_MATTER / max(1, sum(len(one.others) for one in placed))
    for owners, one in owned:
        seat = owners[0][0]
        counts[seat] = counts.get(seat, 0) + 1
        card, codes = _card(f"{seat.lower()}{counts[seat]}", one, owners, seating, least)
        cards.append(card)
        seen[card.id] = one.at_px
        what = message("conflit.card", face=card_name(card.face), id=card.id)
        doubts += [doubt(code, f"conflit.doubt.{code}", (card.id,), what=what) for code in codes]
        if card.face_down and "unread" not in codes:  # a note: whatever it is, it does nothing
            doubts.append(doubt("back", "conflit.doubt.back", (card.id,), "note", what=what))
    return cards, doubts, seen


def _card(
    name: str, placed: Placed, owners: list[tuple[str, float]], seating: Seating, least: float
) -> tuple[Card, list[str]]:
    """Read a card, what else it may be, likelier than ``least``, and the codes of its doubts."""
    codes = ["unread"] if is_unread(placed) else []
    placed = as_read(placed) if codes else placed
    seat = owners[0][0]
    engaged, other_state = _state(placed.theta_rad, seating.upright(seat))
    is_back = placed.piece == "back" or placed.side == "back"
    least = 0.0 if codes else least  # of an unread card all that it may be is offered
    readings = [
        Reading({"face": other.piece}, other.chance)
        for other in placed.others
        if other.piece in deck().faces and (other.chance or 0.0) > least
    ]
    if other_state:
        codes.append("askew")
        readings.append(Reading({"engaged": not engaged}, other_state))
    for other, chance in owners[1:]:
        turned = _state(placed.theta_rad, seating.upright(other))[0]
        readings.append(Reading({"seat": other, "engaged": turned}, chance))
    if len(owners) > 1:
        codes.append("owner")
    pose = Pose.of(placed)
    face = "back" if is_back else placed.piece
    card = Card(
        name,
        face,
        seat,
        engaged=engaged,
        face_down=is_back,
        pose=pose,
        readings=tuple(readings),
    )
    return card, codes


def _state(theta_rad: float, heading_rad: float) -> tuple[bool, float]:
    """Return whether a card is engaged, and the chance that it is the other way round."""
    turned = apart(theta_rad, heading_rad)
    turned = min(turned, math.pi - turned)  # upside down is upright
    engaged = turned > _HALF_RAD
    from_half = abs(turned - _HALF_RAD)
    askew_from = _HALF_RAD - _STRAIGHT_RAD
    if from_half >= askew_from:
        return engaged, 0.0
    return engaged, 0.5 - (0.5 - _LEAST_OTHER) * from_half / askew_from


# --- what lies on what ---------------------------------------------------------------------------


def _attached(cards: Sequence[Card]) -> list[Card]:
    """Put cards on the own auxiliaries, suits also on the own groups, that they cover."""
    faces = deck().faces
    corners = card_corners(*deck().card_mm)
    outlines = {
        card.id: table_from_card(corners, card.pose.x_mm, card.pose.y_mm, card.pose.theta_rad)
        for card in cards
        if card.pose is not None
    }
    out = []
    for card in cards:
        kind = faces[card.face].kind
        wanted = ("troop", "auxiliary") if kind == "suit" else ("auxiliary",)
        shares = [
            (
                wanted.index(faces[other.face].kind),
                -share(outlines[card.id], outlines[other.id]),
                other.id,
            )
            for other in cards
            if other.seat == card.seat and other.id != card.id and faces[other.face].kind in wanted
        ]
        near = sorted(one for one in shares if -one[1] >= _ON_SHARE - _ON_UNSURE)
        out.append(card if kind == "auxiliary" or not near else _put_on(card, near[0]))
    return out


def _put_on(card: Card, under: tuple[int, float, str]) -> Card:
    """Put a card on another; where it covers about a tenth, both are possible."""
    covered, name = -under[1], under[2]
    is_on = covered >= _ON_SHARE
    margin = abs(covered - _ON_SHARE)
    readings = card.readings
    if margin < _ON_UNSURE:
        chance = 0.5 * (1 - margin / _ON_UNSURE)
        readings = (*readings, Reading({"on": None if is_on else name}, chance))
    of_others = {"seat", "face"}  # read as another's, or as something else, it lies on nothing
    readings = tuple(
        Reading({**r.fields, "on": None}, r.probability) if of_others & set(r.fields) else r
        for r in readings
    )
    return replace(card, on=name if is_on else None, readings=readings)


def share(upper: Points, lower: Points) -> float:
    """Return the share of a card that another covers: two convex outlines, clipped."""
    left = np.asarray(upper, float)
    for start, end in zip(lower, np.roll(lower, -1, axis=0), strict=True):
        if not len(left):
            return 0.0
        edge = end - start
        beside = edge[0] * (left[:, 1] - start[1]) - edge[1] * (left[:, 0] - start[0])
        kept = []
        for k in range(len(left)):
            following = (k + 1) % len(left)
            if beside[k] >= 0:
                kept.append(left[k])
            if (beside[k] >= 0) != (beside[following] >= 0):
                part = beside[k] / (beside[k] - beside[following])
                kept.append(left[k] + part * (left[following] - left[k]))
        left = np.array(kept).reshape(-1, 2)
    return abs(polygon_area(left)) / abs(polygon_area(lower)) if len(left) > 2 else 0.0


def _facing(card: Card, placed: Sequence[Placed], seating: Seating) -> Card:
    """Let an engaged shield face the seat whose strip is nearest; a total one faces all."""
    face = deck().faces[card.face]
    if face.kind != "shield" or card.pose is None:
        return card
    up = "all"
    if "total" not in face.keywords:
        scales = [
            (math.hypot(p.x_mm - card.pose.x_mm, p.y_mm - card.pose.y_mm), pair_of(p, seating))
            for p in placed
            if p.piece == SCALE and card.seat in pair_of(p, seating)
        ]
        others = [seat for seat in seating.seats if seat != card.seat]
        pair = min(scales)[1] if scales else (card.seat, others[0])
        up = pair[0] if pair[1] == card.seat else pair[1]
    readings = tuple(_with_up(reading, card, up) for reading in card.readings)
    return replace(card, up=up if card.engaged else None, readings=readings)


def _with_up(reading: Reading, card: Card, up: str) -> Reading:
    """Say of another reading what the shield then faces; nothing if it is ready or another's."""
    engaged = reading.fields.get("engaged", card.engaged)
    is_same = not {"seat", "face"} & set(reading.fields)
    fields = {**reading.fields, "up": up if engaged and is_same else None}
    return Reading(fields, reading.probability)


# --- cards that were placed and not read ---------------------------------------------------------


def with_dim_hulls_unread(placed: Sequence[Placed]) -> list[Placed]:
    """Return what was placed, hull cards that hardly show as unread where strips need no more.

    Two seats share one strip, more have as many strips as seats.
    """
    hulls = [p for p in placed if p.piece == FLAGSHIP]
    dim = {id(p) for p in hulls if p.visible < _SHOWN}
    strips = sum(p.piece == SCALE for p in placed)
    wanted = 2 if strips == 1 else max(strips, 3)
    if not dim or not strips or len(hulls) - len(dim) < wanted:
        return list(placed)
    return [_unread(p) if id(p) in dim else p for p in placed]


def _unread(placed: Placed) -> Placed:
    """Return something as a card of which nothing says what it is."""
    return replace(
        placed, piece=unread_id(placed.spot), kind="card", score=0.0, others=(), may_be=()
    )


def is_unread(placed: Placed) -> bool:
    """Tell whether a card lies there of which nothing says what it is."""
    return placed.kind == "card" and placed.identity is None


def as_read(placed: Placed) -> Placed:
    """Return an unread card as the likeliest thing it may be, with chances of the others."""
    others = [other for other in placed.others if other.piece in deck().faces]
    if not others:
        return replace(placed, piece=_BACK, others=(), may_be=())
    best = max(other.score for other in others)
    weights = [math.exp(_SHARPNESS * (other.score - best)) for other in others]
    share = (1 - _NONE) / sum(weights)
    weighed = [
        Other(other.piece, other.score, weight * share)
        for other, weight in zip(others, weights, strict=True)
        if other.piece != _BACK
    ]
    weighed.sort(key=lambda other: -(other.chance or 0.0))
    if weighed and (weighed[0].chance or 0.0) >= _LEAST:
        first, rest = weighed[0].piece, [*weighed[1:], Other(_BACK, 0.0, _NONE)]
    else:
        first, rest = _BACK, weighed
    return replace(placed, piece=first, others=tuple(rest), may_be=())
