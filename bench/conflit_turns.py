"""Random turns of Conflit stellaire on tables as they lie and as they are read: same endings?

PHOTOS are taken with their truth as the bench ``conflit`` takes them. On each table as it truly
lies random deeds are declared, attacks and ripostes that are not void; they are resolved there and
on the table that was read. Which shield faces whom is taken as it was read.
"""

import random
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import cv2

from bench.common.arguments import photos_with_truth
from bench.common.counting import bound_of_none
from bench.common.record import Result, say
from bench.common.tables import Table as Shown
from bench.conflit import NAME, SAMPLES, Truth, paired, read, renamed, truth_of
from vision.apps.known import known_game
from vision.errors import ScanError
from vision.games.conflit_stellaire.check import without_impossible
from vision.games.conflit_stellaire.compose import candidates, verbs_of, weigh
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.conflit_stellaire.orders import Order, with_orders
from vision.games.conflit_stellaire.values import Card, Deed, Distance, Outcome, Seat, Table
from vision.values.scan import Scan
from vision.values.verdict import judge

TURNS = 10  # of each photo
DEEDS = 6  # declared in a turn at most; and as many ripostes
GAME = ConflitStellaire()


@dataclass(frozen=True)
class Ended:
    """A turn on a photo: whether it ended as it should, and whether a doubt stands over it."""

    is_right: bool
    is_doubtful: bool
    said: str


def true_table(truth: Truth, scan: Scan) -> Table:
    """Return a table as it truly lies, with the seats and ids that the photo gave them."""
    seats, found = renamed(truth, scan), paired(truth, scan)
    ids = {i: card.id for i, card in found.pairs}
    read_as = {card.id: card for card in scan.table.cards}
    ids |= {i: f"{seats[truth.cards[i].seat].lower()}-unseen{i}" for i in found.missing}
    cards = []
    for i, true in enumerate(truth.cards):
        seen = read_as.get(ids[i])
        up = seen.up if seen is not None and true.engaged else None
        on = None if true.on is None else ids[true.on]
        seat = seats[true.seat]
        card = Card(ids[i], true.face, seat, true.engaged, up, on, face_down=true.face == "back")
        cards.append(card)
    names = sorted(seats.values())
    hulls = {seats[name]: hull for name, hull in truth.hulls.items()}
    distances = tuple(
        Distance((min(pair), max(pair)), uds)
        for (a, b), uds in truth.distances.items()
        for pair in [(seats[a], seats[b])]
    )
    whole = Table(tuple(Seat(n, hulls[n]) for n in names), tuple(cards), distances, names[0])
    return without_impossible(whole)


def random_turn(table: Table, rng: random.Random) -> Table:
    """Declare for the active commander, then answer for the others: deeds that are not void."""
    orders: dict[str, Order] = {}
    active = rng.choice([seat.id for seat in table.seats])
    table = replace(table, active=active)
    others = [seat.id for seat in table.seats if seat.id != active]
    for seat in (active, *others):
        deeds: tuple[Deed, ...] = ()
        for _ in range(DEEDS * 4):
            deed = _random_deed(with_orders(table, orders), seat, deeds, rng)
            if deed is not None:
                deeds = (*deeds, deed)
            if len(deeds) == DEEDS:
                break
        orders[seat] = Order(deeds)
    return with_orders(table, orders)


def _random_deed(
    table: Table, seat: str, before: tuple[Deed, ...], rng: random.Random
) -> Deed | None:
    """Return a deed of a card picked at random; None where it would be void."""
    battle, _ = weigh(table, seat, Order(before))
    own = [card.id for card in table.cards if card.seat == seat and not card.face_down]
    card = rng.choice(own) if own else None
    verbs = [] if card is None else verbs_of(battle, seat, card)
    if card is None or not verbs:
        return None
    ways = [deed for deed, _ in candidates(battle, seat, rng.choice(verbs), (card,))]
    if not ways:
        return None
    deed = rng.choice(ways)
    _, weighed = weigh(table, seat, Order((*before, deed)))
    return None if weighed[-1].code else deed


def ending(outcome: Outcome) -> Mapping[str, object]:
    """Return what a turn ends with, in a form to be compared."""
    ships = {name: (s.state, s.hull) for name, s in outcome.ships.items() if len(name) == 1}
    return {"flagships": ships, "fates": dict(outcome.fates), "winners": outcome.winners}


def played(truth: Truth, scan: Scan, rng: random.Random) -> Iterator[Ended]:
    """Play random turns on a table as it lies and as it was read."""
    true = true_table(truth, scan)
    for _ in range(TURNS):
        turn = random_turn(true, rng)
        should = ending(GAME.resolve(turn))
        as_read = replace(
            scan.table, active=turn.active, declarations=turn.declarations, ripostes=turn.ripostes
        )
        outcome = GAME.resolve(as_read)
        ledger = GAME.tell(as_read, outcome)
        over = judge(ledger, ledger.weigh((*scan.layout.doubts, *ledger.doubts)))
        is_right = ending(outcome) == should
        is_told = over.is_open or bool(over.details)
        yield Ended(is_right, is_told, "" if is_right else f"{should} as {ending(outcome)}")


def run(options: Namespace) -> Result:
    """Play random turns on all photos."""
    cv2.setNumThreads(1)
    known, every, wrong = known_game(NAME), Counter[str](), list[str]()
    for photo in photos_with_truth(options.photos, [SAMPLES]):
        truth, counts = truth_of(photo), Counter[str]()
        try:
            scan, _ = read(photo.read_bytes(), known)
        except ScanError as error:
            wrong.append(f"{photo.stem}: {error}")
            continue
        for turn in played(truth, scan, random.Random(f"{options.seed} {photo.stem}")):
            sure = "in doubt" if turn.is_doubtful else "as certain"
            counts[f"{'right' if turn.is_right else 'otherwise'}, {sure}"] += 1
            if not turn.is_right and not turn.is_doubtful:
                wrong.append(f"{photo.stem}: {turn.said}")
        say(photo.stem, dict(counts))
        every += counts
    row = (
        every.total(),
        every["right, as certain"],
        every["right, in doubt"],
        every["otherwise, in doubt"],
        bound_of_none(every["otherwise, as certain"], every.total()),
    )
    heads = ("turns", "right", "right, in doubt", "otherwise, in doubt", "otherwise, as certain")
    return Result((Shown("Random turns", heads, (row,)),) if every else (), tuple(wrong))
