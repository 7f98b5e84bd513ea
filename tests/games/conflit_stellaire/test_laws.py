"""Laws of a turn over random tables; SIGHTLINE_TURNS=20000 plays more of them."""

import os
import random
from collections import Counter
from dataclasses import replace

import pytest

from tests.games.conflit_stellaire.random_turns import random_table
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.resolve import fight, play
from vision.games.conflit_stellaire.values import Card, Outcome, Table

TURNS = int(os.environ.get("SIGHTLINE_TURNS", "1000"))
FACES = deck().faces


def turns(share: int = 1) -> list[int]:
    return list(range(TURNS // share))


def hulls(table: Table) -> dict[str, int]:
    found = {seat.id: seat.hull for seat in table.seats}
    for card in table.cards:
        face = FACES[card.face]
        if face.kind == "auxiliary":
            found[card.id] = face.capacity if card.hull is None else card.hull
    return found


def test_energy_and_hull_are_conserved_and_a_turn_ends():
    for seed in turns():
        table = random_table(random.Random(seed))
        outcome = play(table)
        check_energy(table, outcome, seed)
        left = hulls(table)
        for entry in outcome.ledger:
            assert min(entry.hull_lost, entry.recoil_lost, entry.repaired, entry.through) >= 0, seed
            left[entry.target] += entry.repaired - entry.hull_lost
            if entry.recoil_lost:
                left[entry.source] -= entry.recoil_lost
            stopped = sum(stop.points for stop in entry.stopped)
            assert stopped + entry.through == entry.damage, seed
            assert entry.hull_lost <= entry.through, seed
            assert entry.recoil_lost <= entry.recoil, seed
        assert left == {name: ship.hull for name, ship in outcome.ships.items()}, seed
        assert min(left.values()) >= 0, seed
        assert len(outcome.ledger) <= len(table.declarations) + len(table.ripostes), seed


def check_energy(table: Table, outcome: Outcome, seed: int) -> None:
    """What was ready is spent or left; what is spent is what the valid deeds cost or offered."""
    ready = Counter({seat.id: 0 for seat in table.seats})
    for card in table.cards:
        if FACES[card.face].kind == "energy" and not card.engaged:
            ready[card.seat] += FACES[card.face].capacity
    assert {seat: energy.ready for seat, energy in outcome.energy.items()} == ready, seed
    assert all(0 <= energy.left <= energy.ready for energy in outcome.energy.values()), seed
    assert {seat: energy.spent for seat, energy in outcome.energy.items()} == spent(table, outcome)
    battle, _ = fight(table)
    pools = Counter({seat.id: 0 for seat in table.seats})
    for ship in battle.ships.values():
        assert ship.pool >= 0, seed
        pools[ship.seat] += ship.pool
    assert pools == {seat: energy.left for seat, energy in outcome.energy.items()}, seed


def spent(table: Table, outcome: Outcome) -> dict[str, int]:
    """Add up what valid deeds cost: their cards, an auxiliary's own once, or what was offered."""
    void = {(note.declaration, note.riposte) for note in outcome.issues if note.code != "order"}
    told = [(d, (k, None)) for k, d in enumerate(table.declarations)]
    told += [(d, (None, k)) for k, d in enumerate(table.ripostes)]
    cards = {card.id: card for card in table.cards}
    paid, at = set[str](), {card.id: card.on for card in table.cards}
    total = {seat.id: 0 for seat in table.seats}
    for deed, place in told:
        if place in void:
            continue
        if deed.do == "transfer":
            at[deed.card] = deed.to if deed.to in cards else None
        if deed.do in ("transfer", "abandon", "surrender", "initiative"):
            continue
        used = [name for name in (deed.card, *deed.cards) if name is not None]
        due = sum(FACES[cards[name].face].cost for name in used)
        ship = deed.ship or (used[0] if used else None)
        while ship in cards and FACES[cards[ship].face].kind != "auxiliary":
            ship = at[ship]
        if deed.do in ("fire", "launch", "ram", "board", "escape") and ship in cards:
            due += 0 if ship in paid else FACES[cards[ship].face].cost
            paid.add(ship)
        total[deed.seat] += due if deed.spend is None else deed.spend
    return total


def test_what_is_gone_is_gone_once_and_the_ledger_names_it():
    for seed in turns(2):
        table = random_table(random.Random(seed))
        outcome = play(table)
        known = {card.id for card in table.cards}
        told = Counter(name for entry in outcome.ledger for name in entry.gone)
        assert set(outcome.gone) <= known, seed
        assert not told or max(told.values()) == 1, seed
        by_ledger = {
            name for name, why in outcome.gone.items() if why not in ("launched", "abandoned")
        }
        assert by_ledger == set(told), seed
        assert not set(outcome.raised) & set(outcome.gone), seed


def test_order_of_cards_seats_and_distances_means_nothing():
    for seed in turns(2):
        rng = random.Random(seed)
        table = random_table(rng)
        mixed = replace(
            table,
            cards=tuple(rng.sample(table.cards, len(table.cards))),
            seats=tuple(rng.sample(table.seats, len(table.seats))),
            distances=tuple(rng.sample(table.distances, len(table.distances))),
        )
        assert play(mixed) == play(table), seed


def test_void_deeds_cost_nothing_and_do_nothing():
    voids = 0
    for seed in turns(2):
        table = random_table(random.Random(seed))
        outcome = play(table)
        notes = [note for note in outcome.issues if note.code not in ("order", "die_needed")]
        voids += len(notes)
        declared = {note.declaration for note in notes}
        answered = {note.riposte for note in notes}
        valid = replace(
            table,
            declarations=tuple(d for k, d in enumerate(table.declarations) if k not in declared),
            ripostes=tuple(d for k, d in enumerate(table.ripostes) if k not in answered),
        )
        again = play(valid)
        assert {note.code for note in again.issues} <= {"order", "die_needed"}, seed
        assert replace(again, issues=()) == replace(outcome, issues=()), seed
    assert voids


def with_one_more_shield(table: Table, rng: random.Random) -> tuple[Table, str]:
    """Return a table where a flagship has one more shield up, before or behind the others.

    It was raised a turn ago, so that it costs nothing now: what is paid for a shield may be
    missing elsewhere, and then it does hurt.
    """
    seat = rng.choice([seat.id for seat in table.seats if seat.id != table.active])
    face = rng.choice([face for face in FACES.values() if face.kind == "shield"])
    name = rng.choice(["0-more", "b1-more", "z-more"])  # by ids they stand
    shield = Card(name, face.id, seat, engaged=True, up=table.active)
    return replace(table, cards=(*table.cards, shield)), seat


def test_one_more_shield_never_hurts():
    for seed in turns():
        rng = random.Random(seed)
        table = random_table(rng)
        table = replace(table, options=replace(table.options, overflow="next"))
        more, seat = with_one_more_shield(table, rng)
        before, after = play(table), play(more)
        if before.ships[seat].state == "captured":  # nobody fires at it any more: nothing is worse
            continue
        assert after.ships[seat].hull >= before.ships[seat].hull, seed


def test_random_turns_reach_every_corner():
    """The laws say little if nothing happens: most results, fates and voids must occur."""
    results: Counter[str] = Counter()
    for seed in range(3000):
        outcome = play(random_table(random.Random(seed)))
        results.update(f"{entry.do} {entry.result}" for entry in outcome.ledger)
        results.update(note.code for note in outcome.issues)
        results.update(fate for fate in outcome.fates.values() if fate)
    wanted = {
        *("fire hit", "fire stopped", "launch hit", "launch jammed", "launch intercepted"),
        *("launch out_of_range", "launch dodged", "ram collided", "ram short", "ram blocked"),
        *("board captured", "board repelled", "board blocked", "intercept hit", "repair repaired"),
        *("destroyed", "captured", "surrendered", "fled", "escaped", "order", "die_needed"),
    }
    assert wanted <= set(results), wanted - set(results)


@pytest.mark.parametrize("option", ["nets", "boarding_losses"])
def test_a_looser_option_never_kills_more(option):
    """Nets against all protect no less than nets against energy; at-most costs a winner no more."""
    for seed in turns(4):
        table = random_table(random.Random(seed))
        words = {"nets": ("energy", "all"), "boarding_losses": ("at-least", "at-most")}[option]
        two = [
            play(replace(table, options=replace(table.options, **{option: word}))) for word in words
        ]
        if option == "nets":
            for seat in table.seats:
                if seat.id != table.active:
                    assert two[1].ships[seat.id].hull >= two[0].ships[seat.id].hull, seed
        else:
            boardings = [
                [entry for entry in outcome.ledger if entry.do == "board"][:1] for outcome in two
            ]
            for strict, loose in zip(*boardings, strict=True):
                assert len(loose.gone) <= len(strict.gone), seed
