"""Table and outcome -> the ledger: what was paid and told, attack by attack, the end."""

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.declare import CLASSES
from vision.games.conflit_stellaire.markers import hull_place, strip_place
from vision.games.conflit_stellaire.pieces import FLAGSHIP, MARKER, SCALE
from vision.games.conflit_stellaire.places import outlines_of, poses_of
from vision.games.conflit_stellaire.tell_doubts import doubts_of, weighed_of
from vision.games.conflit_stellaire.values import Deed, Entry, Outcome, Pose, Score, Stop, Table
from vision.games.conflit_stellaire.words import card_name, deed_words, named
from vision.geometry import card_corners, table_from_card
from vision.judging.odds import odds_of
from vision.values.arrays import Points
from vision.values.ledger import (
    Badge,
    Burst,
    Chance,
    Cross,
    Event,
    Ledger,
    LedgerStep,
    Mark,
    Odds,
    Path,
    PieceState,
    PieceView,
    Side,
    Tally,
)
from vision.values.messages import Message, message

__all__ = ["SIDES", "tell"]

SIDES = (
    Side("A", message("conflit.seat", seat="A"), "#2f6fd0", "disc"),
    Side("B", message("conflit.seat", seat="B"), "#e8762c", "square"),
    Side("C", message("conflit.seat", seat="C"), "#3a9a58", "triangle"),
    Side("D", message("conflit.seat", seat="D"), "#8a4fc0", "diamond"),
)
_COLOURS = {  # as the cards of each class are printed
    "laser": "#ff4a55",
    "neutrons": "#35d37c",
    "disintegrator": "#ff58ce",
    "particles": "#ff8a33",
    "rocks": "#c08b55",
    "missiles": "#4e86ff",
    "ships": "#9a86ff",
}
KINDS = tuple(
    Side(kind, message(f"conflit.class.{kind}"), colour) for kind, colour in _COLOURS.items()
)
_RING = np.arange(24) * np.pi / 12  # a marker's edge
_BETWEEN = 0.5  # of the way from the middle to two seats' cards: before both
_AROUND_DEG = 150.0  # two seats so far apart sit opposite each other: the strip lies in the middle
_ROW_MM = 170.0  # from a row's hull card to a strip beside it: half of both, and room
_ARRIVED = ("hit", "stopped", "harmless", "collided", "captured", "repelled", "blocked")


def tell(table: Table, outcome: Outcome) -> Ledger:
    """Tell a turn: what is declared and paid, each attack, how it ends."""
    seats = sorted(seat.id for seat in table.seats)
    book = _Book(table, outcome)
    opening = book.tally()
    unordered = not outcome.winners and not (table.declarations or table.ripostes)
    return Ledger(
        game="conflit-stellaire",
        sides=tuple(side for side in SIDES if side.id in seats),
        columns=("hull", "energy"),
        pieces=tuple(_views(table)),
        opening=opening,
        steps=tuple(book.steps()),
        winners=outcome.winners,
        outcome=message("conflit.position") if unordered else _outcome(outcome),
        unordered=unordered,
        doubts=tuple(doubts_of(table, outcome)),
        odds=_odds(outcome),
        summary=tuple(_summary(seat, outcome) for seat in seats),
        kinds=KINDS,
        gauges=("hull", "energy"),
        weighed=tuple(weighed_of(table, outcome)),
    )


class _Book:
    """The tallies as the turn goes on: hulls, energy left, points, what is gone."""

    def __init__(self, table: Table, outcome: Outcome) -> None:
        self._table, self._outcome = table, outcome
        self._hulls = {seat.id: seat.hull for seat in table.seats}
        self._energy = {seat: energy.ready for seat, energy in outcome.energy.items()}
        self._points = dict.fromkeys(self._hulls, 0)
        self._out: list[str] = []

    def tally(self) -> Tally:
        """Return how things stand."""
        scores = {
            seat: {
                "hull": self._hulls[seat],
                "energy": self._energy[seat],
                "total": self._points[seat],
            }
            for seat in self._hulls
        }
        pieces = {
            name: PieceState(
                is_out=True, note=message(f"conflit.gone.{self._outcome.gone.get(name, 'ship')}")
            )
            for name in self._out
        }
        for seat in self._table.seats:
            now = self._hulls[seat.id]
            if now != seat.hull and seat.id not in pieces:
                note = message("conflit.hull_changed", before=seat.hull, after=now)
                pieces[seat.id] = PieceState(note=note)
        return Tally(scores, pieces)

    def steps(self) -> Iterator[LedgerStep]:
        """Yield the steps of the turn."""
        outcome = self._outcome
        self._energy = {seat: energy.left for seat, energy in outcome.energy.items()}
        self._leave(name for name, reason in outcome.gone.items() if reason == "launched")
        declared = tuple(_declared(self._table, outcome))
        yield LedgerStep(message("conflit.declared"), declared, self.tally())
        outlines = outlines_of(self._table)
        for number, entry in enumerate(outcome.ledger):
            event = attack_event(self._table, entry, outlines, number)
            self._hurt(entry.target, entry.hull_lost - entry.repaired)
            self._hurt(entry.source, entry.recoil_lost)
            self._leave(entry.gone)
            yield LedgerStep(attack_title(self._table, entry), (event,), self.tally())
        self._leave(outcome.gone)
        self._hulls = {seat: outcome.ships[seat].hull for seat in self._hulls}
        self._points = {seat: score.points for seat, score in outcome.scores.items()}
        ended = tuple(_ended(self._table, outcome))
        yield LedgerStep(message("conflit.maintenance"), ended, self.tally())

    def _hurt(self, ship: str, points: int) -> None:
        if ship in self._hulls:
            self._hulls[ship] -= points

    def _leave(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._out:
                self._out.append(name)


def _declared(table: Table, outcome: Outcome) -> Iterator[Event]:
    """Tell what was declared and counts, what it cost, what the targets are told."""
    void = {(n.declaration, n.riposte) for n in outcome.issues if n.code != "order"}
    deeds: list[tuple[Deed, tuple[int | None, int | None]]]
    deeds = [(deed, (k, None)) for k, deed in enumerate(table.declarations)]
    deeds += [(deed, (None, k)) for k, deed in enumerate(table.ripostes)]
    for deed in (deed for deed, at in deeds if at not in void):
        said = message("conflit.deed", seat=deed.seat, **deed_words(table, deed))
        pieces = (deed.card, *deed.cards, deed.ship, deed.target)
        yield Event(said, tuple(name for name in pieces if name is not None))
    for seat, told in outcome.announced.items():
        guidance: Message | tuple[Message, ...] = tuple(
            message(f"conflit.guidance.{name}") for name in told.guidance
        ) or message("conflit.no_guidance")
        echoes = ", ".join(map(str, told.echoes))
        yield Event(message("conflit.announced", seat=seat, echoes=echoes, guidance=guidance))
    for card, won in outcome.initiative:
        key = "conflit.initiative_won" if won else "conflit.initiative_lost"
        yield Event(message(key, group=named(table, card)), (card,))
    for seat, energy in outcome.energy.items():
        if energy.spent:
            said = message(
                "conflit.paid", seat=seat, n=energy.spent, ready=energy.ready, left=energy.left
            )
            yield Event(said)


def _ended(table: Table, outcome: Outcome) -> Iterator[Event]:
    """Tell how the turn ends: jumps, fates, ships, points, shields that stay up."""
    before = {seat.id: seat.fate for seat in table.seats}
    if outcome.jumped:
        yield Event(message("conflit.jumped", seats=outcome.jumped), outcome.jumped)
    for name, ship in outcome.ships.items():
        is_news = before.get(name) is None and ship.state not in ("in_play", "lost")
        if is_news:
            said = message(
                "conflit.state", ship=named(table, name), state=message(f"conflit.is.{ship.state}")
            )
            yield Event(said, (name,))
    for seat, fate in outcome.fates.items():
        if fate is not None and before[seat] is None:
            yield Event(message("conflit.fate", seat=seat, fate=message(f"conflit.is.{fate}")))
    for seat, score in outcome.scores.items():
        if score.points:
            yield Event(message("conflit.points", seat=seat, n=score.points))
        if score.rank is not None:
            yield Event(_career(seat, score))
    for card, faced in outcome.raised.items():
        against = message("conflit.all") if faced == "all" else named(table, faced)
        said = message("conflit.raised", shield=named(table, card), against=against)
        yield Event(said, (card,))


def _career(seat: str, score: Score) -> Message:
    cumul, rank = score.cumul or (0, 0), score.rank or ("", "")
    return message(
        "conflit.career",
        seat=seat,
        before=cumul[0],
        after=cumul[1],
        rank=message(f"conflit.rank.{rank[0]}"),
        then=message(f"conflit.rank.{rank[1]}"),
        officer=message(f"conflit.officer.{score.officer}"),
    )


def _views(table: Table) -> Iterator[PieceView]:
    """Yield the hull cards, by their seats, all cards, strips and markers."""
    outlines, faces = outlines_of(table), deck().faces
    for seat in sorted(table.seats, key=lambda seat: seat.id):
        title = message("conflit.flagship", seat=seat.id)
        if seat.id in outlines:
            outline = outlines[seat.id]
            spot = "" if seat.pose is None else seat.pose.spot
            yield PieceView(
                seat.id,
                "card",
                title,
                outline,
                title,
                seat.id,
                str(seat.hull),
                spot=spot,
                face=FLAGSHIP,
            )
    for card in table.cards:
        face = faces[card.face]
        is_plain = face.kind in ("back", "energy")  # many, in fans; energy cells are all alike
        number = "" if is_plain else f"{face.capacity}/{face.cost}"
        yield PieceView(
            card.id,
            "card",
            named(table, card.id),
            outlines[card.id],
            label="" if face.kind == "energy" else card_name(card.face),
            side=card.seat,
            number=number,
            spot="" if card.pose is None else card.pose.spot,
            is_known=face.kind != "back",
            face="back" if card.face_down else face.id,
        )
    yield from strips_and_markers(table, poses_of(table))


def _outcome(outcome: Outcome) -> Message:
    if not outcome.over:
        return message("conflit.goes")
    seats = tuple(outcome.winners)
    is_draw = any(outcome.fates[seat] is not None for seat in seats) and all(
        fate is not None for fate in outcome.fates.values()
    )
    if is_draw:
        return message("conflit.draw")
    return message("conflit.wins", seats=seats, n=len(seats))


def _summary(seat: str, outcome: Outcome) -> Message:
    ship, fate = outcome.ships[seat], outcome.fates[seat]
    state = message(f"conflit.is.{fate or ship.state}")
    left, points = outcome.energy[seat].left, outcome.scores[seat].points
    return message("conflit.summary", seat=seat, hull=ship.hull, left=left, n=points, state=state)


def _odds(outcome: Outcome) -> Odds:
    told = [
        (
            Chance({}, winners, chance),
            message("conflit.chance_of", seats=winners, chance=chance)
            if winners
            else message("conflit.chance_open", chance=chance),
        )
        for winners, chance in outcome.endings
    ]
    return odds_of(told, message("conflit.odds"), outcome.unknown)


# --- strips and markers that were not seen -------------------------------------------------------


def strips_and_markers(table: Table, poses: Mapping[str, Pose]) -> Iterator[PieceView]:
    """Yield them where nothing was seen on a photo: there they show themselves.

    ``poses`` are where each card and, by its seat, each hull card is drawn.
    """
    if table.seen:
        return
    for number, one in enumerate(table.distances):
        pose = one.pose or _between(table, one.between, poses, number)
        name, title = "-".join(one.between), message("conflit.strip", seats=" - ".join(one.between))
        corners = card_corners(*deck().scale_mm)
        yield PieceView(
            name, "sheet", title, table_from_card(corners, pose.x_mm, pose.y_mm, pose.theta_rad),
            face=SCALE,
        )  # fmt: skip
        yield _marker(name, strip_place(one.uds), pose)
    for seat in table.seats:
        place = hull_place(seat.hull)
        if seat.id in poses and place is not None:
            yield _marker(seat.id, place, poses[seat.id])


def _marker(of: str, at_mm: tuple[float, float], pose: Pose) -> PieceView:
    """Return a marker at a place of a sheet."""
    ring = deck().marker_mm / 2 * np.stack([np.sin(_RING), -np.cos(_RING)], axis=1) + at_mm
    outline = table_from_card(ring, pose.x_mm, pose.y_mm, pose.theta_rad)
    return PieceView(f"marker-{of}", "token", message("conflit.marker"), outline, face=MARKER)


def _between(table: Table, pair: tuple[str, str], poses: Mapping[str, Pose], number: int) -> Pose:
    """Return where a strip lies between two seats: beside the rows, or before both seats' cards."""
    if not any(card.pose for card in table.cards):
        y = (poses[pair[0]].y_mm + poses[pair[1]].y_mm) / 2
        return Pose(-_ROW_MM - (deck().scale_mm[1] + 10) * number, y, math.pi / 2)
    seats = [seat.id for seat in table.seats]
    places = {seat: _middle(table, seat, poses) for seat in seats}
    centre = np.mean([places[seat] for seat in seats], axis=0)
    ways = [places[seat] - centre for seat in pair]
    bearings = [math.atan2(way[1], way[0]) for way in ways]
    apart = math.remainder(bearings[1] - bearings[0], 2 * math.pi)
    along = bearings[0] + apart / 2
    reach = _BETWEEN * float(np.mean([np.hypot(*way) for way in ways]))
    reach = 0.0 if abs(apart) > math.radians(_AROUND_DEG) else reach
    at = centre + reach * np.array([math.cos(along), math.sin(along)])
    return Pose(float(at[0]), float(at[1]), math.remainder(along - math.pi / 2, 2 * math.pi))


def _middle(table: Table, seat: str, poses: Mapping[str, Pose]) -> Points:
    """Return the middle (2,) of a seat's cards, mm; of its hull card if there is none."""
    own = [poses[card.id] for card in table.cards if card.seat == seat] or [poses[seat]]
    return np.asarray(np.mean([(pose.x_mm, pose.y_mm) for pose in own], axis=0), np.float64)


# --- attacks -------------------------------------------------------------------------------------


def attack_title(table: Table, entry: Entry) -> Message:
    """Return the headline of an attack: its class, and what comes."""
    by = entry.source if entry.card is None else entry.card
    return message(
        "conflit.attack", kind=message(f"conflit.class.{entry.kind}"), what=named(table, by)
    )


def attack_event(table: Table, entry: Entry, outlines: Mapping[str, Points], number: int) -> Event:
    """Tell an attack, an interception or a repair."""
    parts = [_result(table, entry), *(_stopped(table, stop) for stop in entry.stopped)]
    if entry.hull_lost:
        parts.append(message("conflit.hull_lost", n=entry.hull_lost))
    if entry.recoil:
        parts.append(message("conflit.recoil", n=entry.recoil, lost=entry.recoil_lost))
    if entry.gone:
        gone = tuple(named(table, name) for name in entry.gone)
        parts.append(message("conflit.gone_by_it", what=gone))
    by = entry.source if entry.card is None else entry.card
    said = message(
        f"conflit.entry.{entry.do}",
        what=named(table, by),
        target=named(table, entry.target),
        n=entry.repaired if entry.do == "repair" else entry.damage,
        said=message("conflit.parts", parts=tuple(parts)),
    )
    pieces = tuple(dict.fromkeys((by, entry.source, entry.target)))
    return Event(
        said,
        tuple(piece for piece in pieces if piece in outlines),
        tuple(_marks(entry, outlines, number + 1)),
        leaves=entry.gone,
        id=f"attack-{number + 1}",
    )


def _result(table: Table, entry: Entry) -> Message:
    if entry.forces is not None:
        ours, theirs = entry.forces
        return message(f"conflit.result.{entry.result}_by", ours=ours, theirs=theirs)
    return message(f"conflit.result.{entry.result}")


def _stopped(table: Table, stop: Stop) -> Message:
    key = "conflit.popped" if stop.popped else "conflit.held"
    return message(key, card=named(table, stop.card), n=stop.points)


def _marks(entry: Entry, outlines: Mapping[str, Points], number: int) -> list[Mark]:
    """Draw a path from what attacks to the last thing it met; popped shields are crossed."""
    by = entry.source if entry.card is None else entry.card
    last = entry.target if entry.through or not entry.stopped else entry.stopped[-1].card
    if by not in outlines or last not in outlines or entry.kind == "maintenance":
        return []
    start, end = (outlines[name].mean(axis=0) for name in (by, last))
    marks: list[Mark] = []
    is_lost = entry.result not in _ARRIVED
    if not np.allclose(start, end):
        ends = np.array([start, end])
        marks.append(Path(ends, entry.kind, 0, fades=is_lost, label=str(number)))
    at = (float(end[0]), float(end[1]))
    if entry.hull_lost:
        marks.append(Burst(at, min(entry.hull_lost, len(CLASSES)), str(entry.hull_lost)))
    for stop in entry.stopped:
        if stop.popped:
            marks.append(Cross(outlines[stop.card], stop.card))
        else:
            x, y = outlines[stop.card].mean(axis=0)
            marks.append(Badge((float(x), float(y)), "shield"))
    return marks
