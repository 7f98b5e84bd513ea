"""What is doubted of a table -> the tables that it may be instead.

A card may be another or none; something may hide one; of two that overlap one may have slid there.
Each is a :class:`~vision.judging.doubted.Doubted`: a reading is the name of the card that lies
there, None for none; or a card that lies there besides, or elsewhere, None for the table as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.errors import TableFormatError
from vision.games.light_speed.bodies import Bodies, Contacts, find_push
from vision.games.light_speed.roster import Roster, call_roll, ships_of
from vision.games.light_speed.values import Deck, TableState
from vision.judging.doubted import Doubted, Ways, doubted_names
from vision.judging.odds import find_ways
from vision.values.layout import MissingCard, PlacedCard

__all__ = ["DoubtedSettings", "Read", "doubts_of", "least_of", "names_cards", "read_as", "ways_of"]

#: The issues that tell of a card whose name or presence is doubted.
_NAMES = ("doubtful_card", "unreadable_card", "unknown_card", "duplicate_card")
_OVERLAP = ("cards_overlap",)


@dataclass(frozen=True, slots=True)
class DoubtedSettings:
    """How likely a table is otherwise, where no photo says so."""

    as_they_lie: float = 0.9  # chance that cards that overlap were meant so: players lay them
    drawn: int = 12  # cards drawn of those that may lie unseen: which it is seldom matters
    seed: int = 7  # of the drawing: the same table gives the same odds
    apart_mm: float = 60.0  # from other cards' middles: nearer none lies beside another
    settled_mm: float = 45.0  # from an unseen card's place: a card that somebody put there is it
    tries: int = 20  # to find a place beside the other cards


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A table in one way, without its joint covariance; which card each was as it was taken."""

    table: TableState
    taken_as: dict[str, str]


def doubts_of(
    table: TableState,
    deck: Deck,
    roster: Roster,
    bodies: Bodies,
    contacts: Contacts,
    settings: DoubtedSettings | None = None,
) -> tuple[Doubted, ...]:
    """Return all that is doubted of a table and can be played, names first."""
    s = settings or DoubtedSettings()
    return (
        *doubted_names(table.cards, _NAMES),
        *_overlaps(table, roster, bodies, contacts, s),
        *_unseen(table, deck, roster, s),
    )


def names_cards(doubt: Doubted) -> bool:
    """Tell whether a doubt is one of what a card is."""
    return doubt.codes == _NAMES


def least_of(doubt: Doubted) -> float:
    """Return how likely a doubt changes the score at least, where none of what was drawn did.

    Of cards that lie unseen a few were drawn: the next one may matter (Laplace's rule). So a place
    that hides something stays a doubt.
    """
    if doubt.pieces:
        return 0.0
    return (1 - doubt.readings[0][1]) / (len(doubt.readings) + 1)


def ways_of(table: TableState, deck: Deck, doubts: Sequence[Doubted], most: int, seed: int) -> Ways:
    """Find the ways to read a table; none has a card twice."""

    def is_possible(chosen: tuple[int, ...]) -> bool:
        try:
            call_roll(read_as(table, doubts, chosen).table, deck)
        except TableFormatError:
            return False
        return True

    held = {card.card_id for card in table.cards} | {thing.id for thing in table.objects}
    held -= {piece for doubt in doubts if names_cards(doubt) for piece in doubt.pieces}
    return find_ways(doubts, is_possible, most, seed, held)


def read_as(table: TableState, doubts: Sequence[Doubted], chosen: tuple[int, ...]) -> Read:
    """Return a table as one way has it."""
    read = [(d, d.readings[r][0]) for d, r in zip(doubts, chosen, strict=True)]
    names: dict[str, str | None] = {d.pieces[0]: value for d, value in read if names_cards(d)}
    cards = {c.card_id: replace(c, may_be=()) if c.may_be else c for c in table.cards}
    more: list[PlacedCard] = []
    for doubt, value in read:
        if value is None or names_cards(doubt):
            continue
        if not doubt.pieces:
            more.append(value)
        elif all(names.get(piece, piece) is not None for piece in doubt.pieces):
            cards[value.card_id] = value  # of two that overlap: if both lie there
    taken_as: dict[str, str] = {}
    laid: list[PlacedCard] = []
    for own, card in cards.items():
        piece = names.get(own, own)
        if piece is not None:
            taken_as[piece] = own
            laid.append(card if piece == card.card_id else replace(card, card_id=piece))
    whole = replace(table, cards=(*laid, *more), joint_covariance=None, unseen=())
    return Read(whole, taken_as)


def _overlaps(
    table: TableState, roster: Roster, bodies: Bodies, contacts: Contacts, s: DoubtedSettings
) -> Iterator[Doubted]:
    """Return the cards that overlap as measured: one may have slid there. What is typed is so."""
    cards = {card.card_id: card for card in table.cards if card.covariance is not None}
    pool = {member: p.source for p in roster.pools for member in p.members}
    for a, b, is_overlap in contacts.pairs:
        one, other = bodies.ids[a], bodies.ids[b]
        is_one = one in pool and pool[one] == pool.get(other)  # parts of one asteroid
        if not is_overlap or is_one or not {one, other} <= set(cards):
            continue
        push = find_push(bodies, a, b)
        slid = (1 - s.as_they_lie) / 2
        readings = (
            (None, s.as_they_lie),
            (_shifted(cards[one], -push[0], -push[1]), slid),
            (_shifted(cards[other], push[0], push[1]), slid),
        )
        yield Doubted((one, other), _OVERLAP, readings)


def _shifted(card: PlacedCard, x_mm: float, y_mm: float) -> PlacedCard:
    return replace(card, x_mm=card.x_mm + x_mm, y_mm=card.y_mm + y_mm, may_be=())


def _unseen(table: TableState, deck: Deck, roster: Roster, s: DoubtedSettings) -> Iterator[Doubted]:
    """Return the places where a card may lie that nothing shows: one of a team that plays."""
    lying = {card.card_id for card in table.cards}
    ships = [name for name, (team, _) in sorted(ships_of(deck).items()) if team in roster.teams]
    free = [name for name in (*ships, *deck.asteroids) if name not in lying]
    middles = np.array([(card.x_mm, card.y_mm) for card in table.cards]).reshape(-1, 2)
    rng = np.random.default_rng(s.seed)
    for one in table.unseen:
        place = np.array([one.x_mm, one.y_mm])
        is_known = (np.linalg.norm(middles - place, axis=1) < s.settled_mm).any()
        if is_known or not free or not one.chance:
            continue
        cards = [
            PlacedCard(str(name), *_somewhere(one, middles, rng, s))
            for name in rng.permutation(free)[: s.drawn]
        ]
        share = one.chance / len(cards)
        readings = ((None, 1 - one.chance), *((card, share) for card in cards))
        names = (None, *(card.card_id for card in cards))
        yield Doubted((), (one.code,), readings, one.at_px, names)


def _somewhere(
    one: MissingCard, middles: np.ndarray, rng: np.random.Generator, s: DoubtedSettings
) -> tuple[float, float, float]:
    """Draw a pose of a card that lies unseen, beside the others if it may."""
    for _ in range(s.tries):
        place = rng.normal((one.x_mm, one.y_mm), one.spread_mm)
        if not (np.linalg.norm(middles - place, axis=1) < s.apart_mm).any():
            break
    return float(place[0]), float(place[1]), float(rng.uniform(-np.pi, np.pi))
