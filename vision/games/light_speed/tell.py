"""Table and resolution -> the ledger: all that any screen shows of a round of Light Speed."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from vision.games.light_speed.deck import is_asteroid
from vision.games.light_speed.doubts import close_message, outcome_message
from vision.games.light_speed.mining import Pulse, settle_pool
from vision.games.light_speed.roster import Roster, call_roll, is_face_down, is_unreadable, ships_of
from vision.games.light_speed.settle import Holdings, after, sources, start_holdings, tally
from vision.games.light_speed.tell_odds import tell_odds
from vision.games.light_speed.values import (
    Deck,
    Destroyed,
    Hit,
    Resolution,
    Score,
    Shot,
    Step,
    TableState,
)
from vision.geometry import card_corners, table_from_card
from vision.values.layout import PlacedCard
from vision.values.ledger import (
    Badge,
    Burst,
    Closeness,
    Cross,
    Event,
    Ledger,
    LedgerStep,
    Mark,
    Path,
    PieceState,
    PieceView,
    Shape,
    Side,
    Tally,
)
from vision.values.messages import Message, message

__all__ = ["side_of", "tell"]

_TEAMS: dict[str, tuple[str, Shape]] = {
    "red": ("#e5383b", "triangle"),
    "green": ("#16a34a", "square"),
    "purple": ("#a24be6", "diamond"),
    "blue": ("#2b7fee", "disc"),
}
_OTHERS: tuple[tuple[str, Shape], ...] = (
    ("#e07a10", "hexagon"),
    ("#0e9aa7", "pentagon"),
    ("#d6459b", "disc"),
    ("#7a8b2a", "square"),
)
_COLUMNS = ("kills", "rocks", "own")


def side_of(team: str, deck: Deck) -> Side:
    """Return how a team is shown; teams of other decks get colour and shape in their order."""
    if team in _TEAMS:
        return Side(team, message(f"team.{team}"), *_TEAMS[team])
    place = deck.teams.index(team) if team in deck.teams else sum(map(ord, team))
    return Side(team, team, *_OTHERS[place % len(_OTHERS)])


def tell(table: TableState, deck: Deck, resolution: Resolution) -> Ledger:
    """Tell a round: steps of events with what is drawn of them, tallies, outcome, doubts, odds."""
    roster = call_roll(table, deck)
    known = [start_holdings(roster)]
    for step in resolution.steps:
        known.append(after(step, known[-1]))
    tallies = [to_tally(held, resolution.steps[:k], table, roster) for k, held in enumerate(known)]
    teller = Teller(table, deck, roster, resolution.contested_from)
    steps = tuple(
        LedgerStep(message("account.speed", speed=step.speed), teller.events(step, before), tallied)
        for step, before, tallied in zip(resolution.steps, known, tallies[1:], strict=False)
    )
    return Ledger(
        game=table.game,
        sides=tuple(side_of(team, deck) for team in roster.teams),
        columns=_COLUMNS,
        pieces=view_pieces(table, deck),
        opening=tallies[0],
        steps=steps,
        winners=resolution.winners,
        outcome=_outcome(resolution),
        doubts=resolution.issues,
        odds=tell_odds(resolution),
        contested_from=resolution.contested_from,
        summary=tuple(_summary(resolution)),
        weighed=resolution.weighed,
    )


def _outcome(resolution: Resolution) -> Message:
    """Say who wins."""
    if not resolution.scores:
        return message("report.no_card")
    if not resolution.winners:
        return message("report.nobody")
    names = [team for team in resolution.scores if team in resolution.winners]
    total = resolution.scores[names[0]].total
    if len(names) == 1:
        return message("report.wins", team=names[0], total=total)
    return message("report.share", teams=tuple(names), total=total)


def _summary(resolution: Resolution) -> list[Message]:
    """Say the score of each team."""
    if not resolution.scores:
        return [message("account.no_team")]
    return [_total(team, score) for team, score in resolution.scores.items()]


def _total(team: str, score: Score) -> Message:
    own = message("account.own", points=-score.own) if score.own else ""
    return message(
        "account.total",
        team=team,
        total=score.total,
        kills=score.kills,
        rocks=score.rocks,
        own=own,
    )


# --- the pieces ----------------------------------------------------------------------------------


def view_pieces(table: TableState, deck: Deck) -> tuple[PieceView, ...]:
    """Return the cards and objects of a table, in its order."""
    cards = tuple(_view_card(card, deck) for card in table.cards)
    return cards + tuple(
        PieceView(thing.id, "thing", thing.id, thing.outline_mm, label=thing.id)
        for thing in table.objects
    )


def _view_card(card: PlacedCard, deck: Deck) -> PieceView:
    name = card.card_id
    corners = card_corners(deck.width_mm, deck.height_mm)
    outline = table_from_card(corners, card.x_mm, card.y_mm, card.theta_rad)
    team, ship = ships_of(deck).get(name, (None, None))
    return PieceView(
        id=name,
        kind="card",
        title=message("piece.title", card=name),
        outline_mm=outline,
        label=_label(name) if ship is None else ship.name,
        side=team,
        number="" if ship is None else str(ship.speed),
        health=0 if ship is None else ship.health,
        is_known=ship is not None or is_asteroid(deck, name),
    )


def _label(name: str) -> Message | str:
    """Name a card that is no ship, in the few letters that have room on it."""
    if is_face_down(name):
        return message("picture.face_down")
    if is_unreadable(name):
        return message("picture.unread")
    kind, _, number = name.removesuffix("-back").partition("-")
    if kind == "asteroid" and number:
        return message("picture.asteroid", number=number)
    return name.replace("-", " ")


# --- how things stand between the steps ----------------------------------------------------------


def to_tally(held: Holdings, steps: Sequence[Step], table: TableState, roster: Roster) -> Tally:
    """Return what is shown after some steps: the scores as they would count now, and each piece."""
    dead = {one.card: one for step in steps for one in step.destroyed}
    scores = {
        team: {name: getattr(score, name) for name in (*_COLUMNS, "total")}
        for team, score in tally(roster, steps, held.rocks).items()
    }
    ids = [*(card.card_id for card in table.cards), *(thing.id for thing in table.objects)]
    return Tally(scores, {name: _state(name, held, dead.get(name), roster) for name in ids})


def _state(name: str, held: Holdings, dead: Destroyed | None, roster: Roster) -> PieceState:
    if name not in roster.ships:
        source = _source(name, roster)
        left = held.rocks.get(source, 0)
        note = message("picture.left", n=left) if source else None
        is_gone = name in held.gone
        lying = left if source == name else 0
        return PieceState(0, lying, message("picture.empty") if is_gone else note, is_gone)
    harm = sum(held.damage.get(name, {}).values())
    if dead is not None:
        return PieceState(harm, 0, None, True, dead.taken_by, dead.points)
    return PieceState(harm, held.rocks[name])


def _source(name: str, roster: Roster) -> str:
    """Return the pool whose rocks are told on a card or an object; nothing if there is none."""
    pools = {pool.source for pool in roster.pools}
    return next((key for key in (name, name.removesuffix("-back")) if key in pools), "")


# --- events --------------------------------------------------------------------------------------


class Teller:
    """Tells the steps of one round.

    ``contested_from`` is the chance of another outcome above which a shot is too close to call.
    """

    def __init__(
        self, table: TableState, deck: Deck, roster: Roster, contested_from: float
    ) -> None:
        self.roster = roster
        self.contested_from = contested_from
        self.outlines = {piece.id: piece.outline_mm for piece in view_pieces(table, deck)}
        self.pools = roster.source_of
        self.shielded = {
            f"{team}-{ship.name}" for team in deck.teams for ship in deck.ships if ship.shields
        }

    def events(self, step: Step, before: Holdings) -> tuple[Event, ...]:
        """Tell one step, given how things stood as it began."""
        source_of = sources(self.roster, before)
        return (
            *self._shots(step, source_of),
            *_pulses(step, source_of, before),
            *self._harm(step, before),
            *(self._death(dead) for dead in step.destroyed),
            *self._leaving(step.gone),
        )

    # --- shots -----------------------------------------------------------------------------------

    def _shots(self, step: Step, source_of: Mapping[str, str]) -> Iterator[Event]:
        mined = {(item.ship, item.source): item.rocks for item in step.mined}
        for shot in step.shots:
            name = {"ship": shot.ship, "laser": shot.laser}
            there = () if shot.hit is None else (shot.hit.card,)
            yield Event(
                said=self._shot_line(shot, source_of),
                pieces=(shot.ship, *there),
                marks=tuple(self._marks(shot, step.speed, self._take_rocks(shot, mined))),
                closeness=self._closeness(shot),
                ruled=shot.ruled,
                choices=tuple(self._choices(shot)),
                undo={"kind": "withdraw", **name} if shot.ruled else None,
                id=f"{shot.ship}-laser-{shot.laser + 1}",
                title=message("close.shot", ship=shot.ship, laser=shot.laser + 1),
            )

    def _shot_line(self, shot: Shot, source_of: Mapping[str, str]) -> Message:
        """Tell who shot what with what, and what for."""
        laser = {"ship": shot.ship, "laser": shot.laser + 1, "power": shot.power}
        ruled = message("account.ruled") if shot.ruled else ""
        hit = shot.hit
        if hit is None:
            return message("account.space", **laser, ruled=ruled)
        where = self._where(hit) if hit.edge is not None or not shot.ruled else ""
        if hit.shielded:
            return message("account.shield", **laser, target=hit.card, where=where, ruled=ruled)
        effects = []
        if hit.card in self.roster.ships:
            effects.append(message("account.damage", n=shot.power))
        if hit.card in source_of:
            effects.append(message("account.asks", n=shot.power))
        told = tuple(effects) or (message("account.nothing"),)
        gaps = {"target": hit.card, "where": where, "effects": told, "ruled": ruled}
        return message("account.hit", **laser, **gaps)

    def _where(self, hit: Hit) -> Message | str:
        if hit.edge is not None:
            return message("account.at_edge", edge=hit.edge)
        roster = self.roster
        on_card = hit.card in roster.ships or hit.card in (*roster.face_down, *roster.unreadable)
        return message("account.overlapped") if on_card else ""

    def _marks(self, shot: Shot, speed: int, rocks: int | None) -> Iterator[Mark]:
        """Draw the beam, and at its end harm, rocks, or a shield that held."""
        hit = shot.hit
        side = self.roster.ships[shot.ship][0] if shot.ship in self.roster.ships else None
        way = np.array(shot.path_mm)
        yield Path(way, side, shot.power, fades=hit is None, label=str(speed))
        if hit is None:
            return
        end = shot.path_mm[1]
        if hit.shielded:
            yield Badge(end, "shield", message("picture.blocked"))
        elif hit.card in self.pools:
            yield Badge(end, "count", f"+{rocks or 0}")
        else:
            yield Burst(end, shot.power, str(shot.power) if hit.card in self.roster.ships else "")
            if rocks:  # piracy: beside the harm done, the rocks that it brought
                yield Badge(end, "count", f"+{rocks}")

    def _take_rocks(self, shot: Shot, mined: dict[tuple[str, str], int]) -> int | None:
        """Return the rocks that a shot moved, and take them from what its ship mined in the step.

        The ledger counts by ship and pool, and a pool may lie on two cards. A ship with several
        lasers on one pool gets its lasers' powers shown until its rocks are used up.
        """
        if shot.hit is None or shot.hit.shielded:
            return None
        key = shot.ship, self.pools.get(shot.hit.card, shot.hit.card)
        if key not in mined:
            return None
        rocks = min(shot.power, mined[key])
        mined[key] -= rocks
        return rocks

    def _closeness(self, shot: Shot) -> Closeness:
        other = outcome_message(shot.margin_outcome)
        feature = shot.feature
        said: Message | None
        if shot.ruled:
            said = None  # the players' word has no margin
        elif feature is not None and shot.flip_probability > self.contested_from:
            said = close_message(shot, self.pools)
        elif np.isfinite(shot.margin_mm):
            gaps = {"mm": shot.margin_mm, "sigma": shot.sigma_mm, "chance": shot.flip_probability}
            said = message("close.margin", other=other, **gaps)
        else:
            said = message("close.never")
        if feature is None:
            at, piece = {}, shot.margin_card
        else:
            at = {"distance_mm": feature.distance_mm, "spread_mm": feature.sigma_mm}
            piece = feature.card
        point = None if feature is None else feature.point_mm
        return Closeness(
            shot.margin_mm,
            shot.sigma_mm,
            shot.flip_probability,
            said,
            other,
            point,
            piece=piece,
            **at,
        )

    def _choices(self, shot: Shot) -> Iterator[tuple[Message, Mapping[str, object]]]:
        """Tell what a shot may be ruled to do: what it does or nearly does, shields, space."""
        targets = [hit.card for hit in (shot.hit, shot.margin_outcome) if hit is not None]
        if shot.margin_card is not None and shot.margin_card != shot.ship:
            targets.append(shot.margin_card)
        hits: list[Hit | None] = []
        for target in dict.fromkeys(targets):
            hits.append(Hit(target, None, False))
            if target in self.shielded:
                hits.append(Hit(target, None, True))
        for hit in (*hits, None):
            change = {
                "kind": "ruling",
                "ship": shot.ship,
                "laser": shot.laser,
                "target": None if hit is None else hit.card,
                "shielded": hit is not None and hit.shielded,
            }
            yield outcome_message(hit), change

    # --- what came of them -----------------------------------------------------------------------

    def _harm(self, step: Step, before: Holdings) -> Iterator[Event]:
        for card in sorted({hurt.card for hurt in step.damage}):
            mine = [hurt for hurt in step.damage if hurt.card == card]
            parts = tuple(
                message("account.harm_from", points=hurt.points, team=hurt.team) for hurt in mine
            )
            total = sum(before.damage.get(card, {}).values()) + sum(hurt.points for hurt in mine)
            health = self.roster.ships[card][1].health
            said = message("account.harm", n=health, card=card, parts=parts, total=total)
            yield Event(said, (card,))

    def _death(self, dead: Destroyed) -> Event:
        owner = self.roster.ships[dead.card][0]
        if dead.taken_by is None:
            fate = message("account.fate_nobody")
        else:
            key = "account.fate_own" if dead.taken_by == owner else "account.fate_taken"
            fate = message(key, n=dead.points, team=dead.taken_by)
        lost = message("account.lost_rocks", n=dead.rocks_lost) if dead.rocks_lost else ""
        why = message("account.why", why=dead.why) if dead.why else ""
        said = message("account.destroyed", card=dead.card, lost=lost, fate=fate, why=why)
        cross = Cross(self.outlines[dead.card], dead.card)
        return Event(said, (dead.card,), (cross,), (dead.card,))

    def _leaving(self, gone: tuple[str, ...]) -> Iterator[Event]:
        if gone:
            yield Event(message("account.gone", n=len(gone), cards=gone), gone, leaves=gone)


def _pulses(step: Step, source_of: Mapping[str, str], before: Holdings) -> Iterator[Event]:
    """Tell who gets which rocks, and by which pulse if there are too few."""
    asked: dict[str, list[Shot]] = {}
    for shot in step.shots:
        if shot.hit is not None and not shot.hit.shielded and shot.hit.card in source_of:
            asked.setdefault(source_of[shot.hit.card], []).append(shot)
    for source, shots in sorted(asked.items()):
        held = before.rocks[source]
        settled = settle_pool(held, [shot.power for shot in shots])
        left = held - sum(settled.rocks) - settled.vaporised
        gains: dict[str, int] = {}
        for shot, rocks in zip(shots, settled.rocks, strict=True):
            gains[shot.ship] = gains.get(shot.ship, 0) + rocks
        if settled.pulses:
            wanted = sum(shot.power for shot in shots)
            short = message("account.short", source=source, held=held, wanted=wanted)
            yield Event(short, (source,))
        for pulse in settled.pulses:
            yield _pulse(pulse, shots)
        shares = tuple(message("account.takes", n=n, ship=ship) for ship, n in gains.items())
        said = message("account.shares", shares=shares, source=source, left=left)
        yield Event(said, (*gains, source))


def _pulse(pulse: Pulse, shots: Sequence[Shot]) -> Event:
    fired = [shots[i] for i in pulse.lasers]
    lasers = tuple(message("account.laser", ship=shot.ship, laser=shot.laser + 1) for shot in fired)
    key = "served" if pulse.left >= len(pulse.lasers) else "lost" if pulse.left else "empty"
    said = message(f"account.pulse_{key}", number=pulse.number, lasers=lasers, left=pulse.left)
    return Event(said, tuple(dict.fromkeys(shot.ship for shot in fired)), depth=1)
