"""Table and outcome -> the ledger: what was paid and told, attack by attack, the end."""

from collections.abc import Iterable, Iterator

from vision.games.conflit_stellaire.beside import strips_and_markers
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.pieces import FLAGSHIP
from vision.games.conflit_stellaire.places import outlines_of, poses_of
from vision.games.conflit_stellaire.tell_attacks import attack_event, attack_title
from vision.games.conflit_stellaire.tell_doubts import doubts_of, weighed_of
from vision.games.conflit_stellaire.values import Deed, Outcome, Score, Table
from vision.games.conflit_stellaire.words import card_name, named
from vision.judging.odds import odds_of
from vision.values.ledger import (
    Chance,
    Event,
    Ledger,
    LedgerStep,
    Odds,
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
    for index, deed in enumerate(table.declarations):
        if (index, None) not in void:
            yield Event(_deed(table, deed), tuple(_pieces(deed)))
    for index, deed in enumerate(table.ripostes):
        if (None, index) not in void:
            yield Event(_deed(table, deed), tuple(_pieces(deed)))
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


def _pieces(deed: Deed) -> Iterator[str]:
    for name in (deed.card, *deed.cards, deed.ship, deed.target):
        if name is not None:
            yield name


def _deed(table: Table, deed: Deed) -> Message:
    """Say a declaration or a riposte."""
    with_what = [named(table, card) for card in deed.cards]
    if deed.card is not None:
        with_what = [named(table, deed.card)]
    elif deed.ship is not None:
        with_what = [named(table, deed.ship), *with_what]
    at: Message | str = "" if deed.at is None else message("conflit.at", ship=named(table, deed.at))
    what: Message | str = message("conflit.what", what=tuple(with_what)) if with_what else ""
    return message(
        "conflit.deed", seat=deed.seat, verb=message(f"conflit.do.{deed.do}"), what=what, at=at
    )


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
