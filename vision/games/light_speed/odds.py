"""How sure the score is: the round replayed on tables drawn from all that is uncertain.

The poses are drawn from their covariance. All else that is doubted is played in every way that it
can be read, each as likely as it is, on the same draws of the poses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vision.errors import TableFormatError
from vision.games.light_speed.battlefield import Board, set_board
from vision.games.light_speed.bodies import Bodies, Contacts, find_push
from vision.games.light_speed.features import Spread
from vision.games.light_speed.odds_sum import OddsSettings, Played, sum_up
from vision.games.light_speed.replay import NOT_FIRED, Replays, replay
from vision.games.light_speed.roster import Roster, call_roll, ships_of
from vision.games.light_speed.values import Deck, Odds, TableState
from vision.judging.doubted import Doubted, Way, Ways, doubted_names, how_much
from vision.judging.odds import find_ways
from vision.values.arrays import FloatArray
from vision.values.layout import MissingCard, PlacedCard
from vision.values.ledger import Weighed

__all__ = ["OddsSettings", "Sampled", "draw_poses", "find_odds"]

_SINGULAR = 1e-10  # of the variances, added to each: a table has free motions taken out
#: The issues that tell of a card whose name or presence is doubted.
_NAMES = ("doubtful_card", "unreadable_card", "unknown_card", "duplicate_card")
_OVERLAP = ("cards_overlap",)


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """A table as it was measured: who is on it, how it lies and meets, how well that is known."""

    table: TableState
    deck: Deck
    roster: Roster
    board: Board
    contacts: Contacts
    spread: Spread | None


def draw_poses(board: Board, spread: Spread, samples: int, rng: np.random.Generator) -> FloatArray:
    """Draw tables from the joint normal distribution of the poses.

    Returned are (samples, M, 3): x, y, theta of each thing, mm and rad.
    """
    count = len(board.bodies.ids)
    chance = rng.standard_normal((samples, 3 * count))
    if spread.joint is not None:
        away = chance @ _root(spread.joint)
    else:
        roots = np.stack([_root(block) for block in spread.blocks]).reshape(count, 3, 3)
        away = np.einsum("nmi,mij->nmj", chance.reshape(samples, count, 3), roots)
    poses: FloatArray = board.bodies.poses + away.reshape(samples, count, 3)
    return poses


def _root(covariance: FloatArray) -> FloatArray:
    """Return R with ``R.T @ R`` the covariance, which may be singular.

    The triangular one: there is only one, and it is found much sooner than the symmetric one.
    """
    size = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    scale = np.where(size > 0, size, 1.0)  # mm and rad on an equal footing
    alike = covariance / np.outer(scale, scale)
    try:
        half = np.linalg.cholesky(alike + _SINGULAR * np.eye(len(alike)))
    except np.linalg.LinAlgError:  # not quite a covariance: the nearest one
        values, vectors = np.linalg.eigh(alike)
        half = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    root: FloatArray = (half * size[:, None]).T
    return root


def find_odds(
    measured: Sampled, totals: dict[str, int], settings: OddsSettings | None
) -> tuple[Odds | None, tuple[Weighed, ...]]:
    """Work out how likely each score, each winner and each reading of the table is.

    ``totals`` is the score of the table as it was measured; ``settings`` is None if nobody asks.
    There are no odds where nothing is uncertain. Returned is also what is doubted of the table, and
    how likely each changes the score.
    """
    if settings is None:
        return None, ()
    rng = np.random.default_rng(settings.seed)
    table, deck, board, spread = measured.table, measured.deck, measured.board, measured.spread
    doubts = doubts_of(table, deck, measured.roster, board.bodies, measured.contacts)
    if not doubts and spread is None:
        return None, ()
    poses = board.bodies.poses[None]
    if spread is not None:
        poses = draw_poses(board, spread, settings.samples, rng)
    ways = ways_of(table, deck, doubts, settings.ways, settings.seed)
    rounds = [_play(measured, doubts, way, poses, settings) for way in ways.several]
    played = _together(doubts, ways, rounds)
    ends = np.cumsum([0, *(len(one.replays.totals) for one in rounds)]).tolist()
    labels = [played.label[a:b] for a, b in pairwise(ends)]
    weighed = tuple(
        Weighed(doubt.pieces, doubt.codes, max(chance, least_of(doubt)), doubt.at_px)
        for doubt, chance in zip(doubts, how_much(doubts, ways, labels), strict=True)
    )
    return sum_up(played, _as_measured(measured, played.ids), totals, settings), weighed


# --- every way played ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Rounds:
    """The rounds of one way: who was on the table, how it lay, what came out."""

    roster: Roster
    board: Board
    replays: Replays


def _play(
    measured: Sampled,
    doubts: tuple[Doubted, ...],
    way: Way,
    poses: FloatArray,
    settings: OddsSettings,
) -> _Rounds:
    """Play one way on the first of the tables drawn: on more, the likelier it is."""
    table, rulings = measured.table, measured.table.rulings
    if not any(way.chosen):
        played = replay(measured.board, measured.roster, poses, rulings)
        return _Rounds(measured.roster, measured.board, played)
    read = read_as(table, doubts, way.chosen)
    roster = call_roll(read.table, measured.deck)
    board = set_board(read.table, measured.deck, roster)
    share = 2 * way.chance * settings.samples
    count = min(len(poses), int(np.clip(share, settings.least, settings.samples)))
    rank = {thing: i for i, thing in enumerate(measured.board.bodies.ids)}
    drawn = np.repeat(board.bodies.poses[None], count, axis=0)
    for i, thing in enumerate(board.bodies.ids):
        was = rank.get(read.taken_as.get(thing, thing))
        if was is not None:  # else a card that played no part as it was taken
            drawn[:, i] += poses[:count, was] - measured.board.bodies.poses[was]
    played = replay(board, roster, drawn, rulings)
    return _Rounds(roster, board, played)


def _together(doubts: tuple[Doubted, ...], ways: Ways, rounds: list[_Rounds]) -> Played:
    """Put the rounds of all ways together: things and beams by name, scores by team."""
    ids = tuple(sorted({thing for one in rounds for thing in one.board.bodies.ids}))
    speeds = {beam: speed for one in rounds for beam, speed in _beams(one.board)}
    beams = tuple(sorted(speeds, key=lambda beam: (speeds[beam], beam)))
    column = {beam: b for b, beam in enumerate(beams)}
    known: dict[tuple[tuple[str, int], ...], int] = {}
    labels, weights, codes, read = [], [], [], []
    for way, one in zip(ways.several, rounds, strict=True):
        totals = one.replays.totals
        rows, label = np.unique(totals, axis=0, return_inverse=True)
        ends = [tuple(zip(one.roster.teams, row, strict=True)) for row in rows.tolist()]
        number = np.array([known.setdefault(end, len(known)) for end in ends], np.intp)
        labels.append(number[label.reshape(-1)])
        n = len(totals)
        weights.append(np.full(n, 1.0 if not doubts else way.chance / n))
        told = np.full((n, len(beams)), NOT_FIRED, np.int32)
        told[:, [column[beam] for beam, _ in _beams(one.board)]] = _codes(one, ids)
        codes.append(told)
        read.append(np.tile(np.array(way.chosen, np.int32), (n, 1)))
    named = [k for k, doubt in enumerate(doubts) if names_cards(doubt)]
    return Played(
        tuple(dict(end) for end in known),
        np.concatenate(labels),
        np.concatenate(weights),
        ids,
        beams,
        np.concatenate(codes),
        tuple((doubts[k].pieces[0], tuple(p for p, _ in doubts[k].readings)) for k in named),
        np.concatenate(read)[:, named],
        ways.unknown,
    )


def _as_measured(measured: Sampled, ids: tuple[str, ...]) -> dict[tuple[str, int], int]:
    """Return what each laser hits on the table as it was measured, things counted in ``ids``."""
    table, board, roster = measured.table, measured.board, measured.roster
    exact = board.bodies.poses[None]
    played = replay(board, roster, exact, table.rulings)
    codes = _codes(_Rounds(roster, board, played), ids)[0]
    return dict(zip((beam for beam, _ in _beams(board)), codes.tolist(), strict=True))


def _beams(board: Board) -> list[tuple[tuple[str, int], int]]:
    """Return the lasers of a board as ship and laser, each with its speed."""
    owners = zip(board.beams.ship.tolist(), board.beams.laser.tolist(), strict=True)
    return [((board.bodies.ids[ship], laser), board.ships[ship].speed) for ship, laser in owners]


def _codes(one: _Rounds, ids: tuple[str, ...]) -> NDArray[np.int32]:
    """Return what the beams of a way hit, things counted in ``ids``; asteroids as their pools."""
    own = one.board.bodies.ids
    member = one.roster.source_of
    rank = {thing: i for i, thing in enumerate(ids)}
    same = np.arange(-2, 2 * len(own), dtype=np.int32)
    for i, thing in enumerate(own):  # the parts of one asteroid are one
        same[2 * i + 2] = 2 * rank[member.get(thing, thing)]
        same[2 * i + 3] = 2 * rank[thing] + 1
    return np.asarray(same[one.replays.codes + 2], np.int32)


# --- the tables that it may be instead -----------------------------------------------------------
# A card may be another or none; something may hide one; of two that overlap one may have slid
# there. Each is a :class:`~vision.judging.doubted.Doubted`: a reading is the name of the card that
# lies there, None for none; or a card that lies there besides, or elsewhere, None for the table as
# it is.


_AS_THEY_LIE = 0.9  # chance that cards that overlap were meant so: players lay them
_DRAWN = 12  # cards drawn of those that may lie unseen: which it is seldom matters
_SEED = 7  # of the drawing: the same table gives the same odds
_APART_MM = 60.0  # from other cards' middles: nearer none lies beside another
_SETTLED_MM = 45.0  # from an unseen card's place: a card that somebody put there is it
_TRIES = 20  # to find a place beside the other cards


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
) -> tuple[Doubted, ...]:
    """Return all that is doubted of a table and can be played, names first."""
    return (
        *doubted_names(table.cards, _NAMES),
        *_overlaps(table, roster, bodies, contacts),
        *_unseen(table, deck, roster),
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
    table: TableState, roster: Roster, bodies: Bodies, contacts: Contacts
) -> Iterator[Doubted]:
    """Return the cards that overlap as measured: one may have slid there. What is typed is so."""
    cards = {card.card_id: card for card in table.cards if card.covariance is not None}
    pool = roster.source_of
    for a, b, is_overlap in contacts.pairs:
        one, other = bodies.ids[a], bodies.ids[b]
        is_one = one in pool and pool[one] == pool.get(other)  # parts of one asteroid
        if not is_overlap or is_one or not {one, other} <= set(cards):
            continue
        push = find_push(bodies, a, b)
        slid = (1 - _AS_THEY_LIE) / 2
        readings = (
            (None, _AS_THEY_LIE),
            (_shifted(cards[one], -push[0], -push[1]), slid),
            (_shifted(cards[other], push[0], push[1]), slid),
        )
        yield Doubted((one, other), _OVERLAP, readings)


def _shifted(card: PlacedCard, x_mm: float, y_mm: float) -> PlacedCard:
    return replace(card, x_mm=card.x_mm + x_mm, y_mm=card.y_mm + y_mm, may_be=())


def _unseen(table: TableState, deck: Deck, roster: Roster) -> Iterator[Doubted]:
    """Return the places where a card may lie that nothing shows: one of a team that plays."""
    lying = {card.card_id for card in table.cards}
    ships = [name for name, (team, _) in sorted(ships_of(deck).items()) if team in roster.teams]
    free = [name for name in (*ships, *deck.asteroids) if name not in lying]
    middles = np.array([(card.x_mm, card.y_mm) for card in table.cards]).reshape(-1, 2)
    rng = np.random.default_rng(_SEED)
    for one in table.unseen:
        place = np.array([one.x_mm, one.y_mm])
        is_known = (np.linalg.norm(middles - place, axis=1) < _SETTLED_MM).any()
        if is_known or not free or not one.chance:
            continue
        cards = [
            PlacedCard(str(name), *_somewhere(one, middles, rng))
            for name in rng.permutation(free)[:_DRAWN]
        ]
        share = one.chance / len(cards)
        readings = ((None, 1 - one.chance), *((card, share) for card in cards))
        names = (None, *(card.card_id for card in cards))
        yield Doubted((), (one.code,), readings, one.at_px, names)


def _somewhere(
    one: MissingCard, middles: np.ndarray, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Draw a pose of a card that lies unseen, beside the others if it may."""
    for _ in range(_TRIES):
        place = rng.normal((one.x_mm, one.y_mm), one.spread_mm)
        if not (np.linalg.norm(middles - place, axis=1) < _APART_MM).any():
            break
    return float(place[0]), float(place[1]), float(rng.uniform(-np.pi, np.pi))
