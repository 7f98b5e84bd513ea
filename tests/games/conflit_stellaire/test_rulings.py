"""What rules page and rulebook leave open, as ruled: a table each, and laws over random turns.

``docs/conflit_stellaire.md``, section "Rulings", says the same in words.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.games.conflit_stellaire.random_turns import random_table
from tests.games.conflit_stellaire.test_subtle import DUEL, GAME, THREE, cells, codes, turn
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.edit import take_turn
from vision.games.conflit_stellaire.resolve import play, resolve
from vision.games.conflit_stellaire.values import SEATS, Card, Deed, Outcome, Table

NEAR = DUEL.replace("A B 5", "A B 2")
TURNS = 500  # random turns of a law: about a second


# --- transfers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "to"),
    [("A a1 repair-drone", "A"), ("A a1 repair-drone on a9", "a9"), ("A a1 spacesuit on a8", "A")],
)
def test_a_transfer_to_where_the_card_is_is_void(card, to):
    outcome = turn(DUEL, "A a9 shuttle", "A a8 crew", card, f"A transfer a1 to {to}")
    assert codes(outcome) == [("already", 0, None)]


def test_energy_that_lies_on_the_flagship_cannot_be_transferred_to_it():
    outcome = turn(DUEL, cells("A", 2), "A transfer a-e0 to A")
    assert codes(outcome) == [("already", 0, None)]


@pytest.mark.parametrize(
    ("ship", "crew", "void"),
    [("bomber", 0, True), ("assault-barge", 2, False), ("assault-barge", 3, True)],
)
def test_a_transfer_beyond_the_berths_is_void_and_the_ship_acts_as_before(ship, crew, void):
    """Bombers have no berth, barges three; a ship that is not overloaded may still ram."""
    aboard = [f"A b{k} crew on a9" for k in range(crew)]
    outcome = turn(
        NEAR, cells("A", 4), f"A a9 {ship}", "A a1 marines", *aboard,
        "A transfer a1 to a9", "A ram a9 at B",
    )  # fmt: skip
    assert codes(outcome) == ([("overloaded", 0, None)] if void else [])
    assert [entry.result for entry in outcome.ledger] == ["collided"]


# --- suits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "suits", "value"),
    [("marines", 0, 3), ("marines", 1, 4), ("marines", 2, 4), ("war-droids", 2, 4)],
)
def test_a_group_counts_one_suit_and_robots_none(group, suits, value):
    worn = [f"A s{k} spacesuit on a1" for k in range(suits)]
    boarding = turn(
        NEAR, cells("A", 2), "A a9 assault-barge", f"A a1 {group} on a9",
        *worn, "A board a9 at B",
    )  # fmt: skip
    assert boarding.ledger[0].forces == (value, 0)
    for die in (value, value + 1):
        lines = [DUEL, f"A a1 {group}", *worn, f"A initiative a1 die {die}"]
        assert turn(*lines).initiative == (("a1", die <= value),)


def test_who_wins_a_boarding_pays_by_values_with_one_suit_each():
    """Crew 1 and droids 4 and 4 against 8: 9 win; crew and droids go, the other droids stay."""
    outcome = turn(
        NEAR, cells("A", 2), "A a9 assault-barge", "A a1 crew on a9", "A a2 war-droids on a9",
        "A a3 war-droids on a9", "A s1 spacesuit on a2", "A s2 spacesuit on a2",
        "B b1 marines", "B b2 veterans", "A board a9 at B",
    )  # fmt: skip
    assert outcome.ledger[0].forces == (9, 8)
    assert outcome.ledger[0].gone == ("a1", "a2", "b1", "b2", "s1", "s2")


# --- auxiliaries that ram shields ----------------------------------------------------------------


def test_an_auxiliary_that_dies_of_a_shield_never_strikes_it():
    """The aegis gives its 4 back to a bomber of 3, stays up, and has all 4 for the next one."""
    outcome = turn(
        NEAR, cells("A", 6), "A a1 bomber", "A a2 bomber", "B b1 aegis engaged up all",
        "A ram a1 at B", "A ram a2 at B",
    )  # fmt: skip
    for entry in outcome.ledger:
        assert (entry.result, entry.recoil, entry.through) == ("blocked", 4, 0)
        assert [(stop.card, stop.popped) for stop in entry.stopped] == [("b1", False)]
    assert outcome.raised == {"b1": "all"}


def test_an_auxiliary_that_dies_of_the_second_shield_has_popped_the_first():
    """A barge of 4 outlives a deflector's 3 and pops it; the aegis then finishes it and stays."""
    outcome = turn(
        NEAR, cells("A", 6), cells("B", 6), "A a1 assault-barge", "B b1 deflector", "B b2 aegis",
        "A ram a1 at B", "B shield b1 against a1", "B shield b2 against a1",
    )  # fmt: skip
    (entry,) = outcome.ledger
    assert [(s.card, s.points, s.popped) for s in entry.stopped] == [
        ("b1", 3, True),
        ("b2", 13, False),
    ]
    assert (entry.recoil, entry.gone) == (7, ("a1", "b1"))
    assert outcome.raised == {"b2": "all"}


def test_an_auxiliary_that_survives_a_shield_strikes_it():
    """A barge of 4 on a deflector of 3: 16 points, 3 stopped, the rest comes through."""
    outcome = turn(
        NEAR, cells("A", 6), cells("B", 6), "A a1 assault-barge", "B b1 deflector",
        "A ram a1 at B", "B shield b1 against a1",
    )  # fmt: skip
    (entry,) = outcome.ledger
    assert (entry.result, entry.through, outcome.gone["b1"]) == ("collided", 13, "popped")


# --- results -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("defence", "result"),
    [
        ("B b1 pulse-laser", "harmless"),
        ("B b1 energy-net", "stopped"),
        ("B b1 aegis engaged up all", "stopped"),
        ("B b1 screen engaged up A", "harmless"),  # faces another source than a missile
    ],
)
def test_decoys_are_stopped_by_what_they_meet_and_else_do_no_harm(defence, result):
    outcome = turn(DUEL, "A a1 decoys", defence, "A launch a1 at B")
    assert [(entry.result, entry.stopped) for entry in outcome.ledger] == [(result, ())]
    ledger = GAME.tell(GAME.read(f"game conflit-stellaire\n{DUEL}"), outcome)
    assert ledger.steps  # there is a sentence for it


@pytest.mark.parametrize(
    ("at", "card"), [("A hull 20", ""), ("A hull 0", ""), ("A hull 20", " on a9")]
)
def test_a_repair_that_finds_nothing_to_do_is_nothing(at, card):
    outcome = turn(
        DUEL.replace("A hull 20", at), cells("A", 3), "A a9 escape-capsule",
        f"A a1 repair-drone{card}", "A use a1",
    )  # fmt: skip
    assert [entry.result for entry in outcome.ledger] == ["nothing"]


def test_harmless_is_told_of_attacks_without_damage_alone():
    results = {
        (entry.result, entry.damage > 0)
        for seed in range(TURNS)
        for entry in play(random_table(random.Random(seed))).ledger
        if entry.do in ("fire", "launch") and entry.result in ("stopped", "harmless", "hit")
    }
    assert ("harmless", False) in results
    assert ("harmless", True) not in results


# --- scores and readings -------------------------------------------------------------------------


def test_flight_pays_whom_the_end_of_the_turn_destroys():
    """Jumps come before the end of flagships without hull and energy: A is still an enemy."""
    outcome = turn(THREE.replace("A hull 20", "A hull 0").replace("turn A", "turn C"),
                   cells("C", 3), "C c1 hyperdrive", "C jump c1")  # fmt: skip
    assert (outcome.fates["A"], outcome.fates["C"]) == ("destroyed", "fled")
    assert {seat: score.points for seat, score in outcome.scores.items()} == {
        "A": 4,
        "B": 4,
        "C": 3,
    }


def test_a_reading_of_the_hull_of_who_is_out_of_play_is_an_alternative():
    """It changes no fate, but the ships that are told."""
    lines = THREE.replace("C hull 20", "C hull 12 fate captured or hull 17 0.3")
    outcome = resolve(GAME.read(f"game conflit-stellaire\n{lines}\n{cells('A', 1)}"))
    (other,) = outcome.alternatives
    assert (other.of, other.ships["C"].hull, other.winners) == (("seats", "C"), 17, ())


# --- a photo -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("face", "asked"),
    [
        ("pulse-laser", False),
        ("dart-missile", False),
        ("main-engine", False),
        ("repair-drone", False),
        ("screen", True),
        ("ir-jammer", True),
        ("point-defence", True),
    ],
)
def test_of_other_seats_only_what_acts_out_of_turn_must_be_named(face, asked):
    table = GAME.read(f"game conflit-stellaire\n{DUEL}\nB b1 {face} engaged\nA a1 {face} engaged")
    doubts = take_turn(table, {"active": "A"}).doubts
    told = {card for doubt in doubts if doubt.code == "turned_unnamed" for card in doubt.cards}
    own = face != "dart-missile"  # a missile that is launched leaves the table
    assert told == ({"b1"} if asked else set()) | ({"a1"} if own else set())


# --- laws ----------------------------------------------------------------------------------------


def tables(count: int = TURNS) -> Iterator[tuple[int, random.Random, Table]]:
    for seed in range(count):
        rng = random.Random(seed)
        yield seed, rng, random_table(rng)


def renamed(value: Any, names: dict[str, str]) -> Any:
    """Return what came of a turn with its seats renamed; what is by id becomes a set of pairs."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {(_pair(k, names), renamed(v, names)) for k, v in value.items()}
    if isinstance(value, tuple):
        return tuple(renamed(one, names) for one in value)
    if hasattr(value, "__dataclass_fields__"):
        return tuple(renamed(getattr(value, name), names) for name in value.__dataclass_fields__)
    return value


def _pair(key: Any, names: dict[str, str]) -> Any:
    return frozenset(renamed(key, names)) if isinstance(key, tuple) else renamed(key, names)


def moved_on(table: Table, names: dict[str, str]) -> Table:
    """Return a table on which everybody sits at another seat; cards keep their names."""

    def named(name: str | None) -> str | None:
        return names.get(name or "", name)

    def deed(one: Deed) -> Deed:
        said = {field: named(getattr(one, field)) for field in ("ship", "target", "against", "to")}
        return replace(one, seat=names[one.seat], **said)

    campaign = table.campaign and replace(
        table.campaign,
        officers={names[seat]: n for seat, n in table.campaign.officers.items()},
        dice={names[seat]: n for seat, n in table.campaign.dice.items()},
    )
    return replace(
        table,
        seats=tuple(replace(s, id=names[s.id], broken_by=named(s.broken_by)) for s in table.seats),
        cards=tuple(replace(c, seat=names[c.seat], up=named(c.up)) for c in table.cards),
        distances=tuple(
            replace(d, between=tuple(names[seat] for seat in d.between)) for d in table.distances
        ),
        active=names[table.active],
        declarations=tuple(map(deed, table.declarations)),
        ripostes=tuple(map(deed, table.ripostes)),
        campaign=campaign,
    )


def test_who_sits_where_changes_nothing():
    for seed, rng, table in tables():
        seats = SEATS[: len(table.seats)]
        by = rng.randrange(1, len(seats))
        names = {seat: seats[(k + by) % len(seats)] for k, seat in enumerate(seats)}
        one, other = play(table), play(moved_on(table, names))
        assert told(one, names) == told(other, {}), seed


def told(outcome: Outcome, names: dict[str, str]) -> dict[str, Any]:
    """Return an outcome with its seats renamed; sides by seat in no order."""
    out = {name: renamed(getattr(outcome, name), names) for name in outcome.__dataclass_fields__}
    for name in ("winners", "jumped", "issues"):
        out[name] = frozenset(out[name])
    # of four, both of a side win: which ends and issues there are is the same in any order
    out["endings"] = frozenset((frozenset(winners), p) for winners, p in out["endings"])
    return out


def test_winners_stand_in_the_order_of_seats():
    won = [play(table).winners for _, _, table in tables()]
    assert any(len(winners) > 1 for winners in won)
    assert all(list(winners) == sorted(winners) for winners in won)


def test_one_more_suit_changes_nothing_where_it_counts_for_nothing():
    """On robots, and on who wears one: the same turn, but for where the suit goes."""
    more = "zz-suit"
    added = 0
    for seed, rng, table in tables():
        robots = [c.id for c in table.cards if "robot" in deck().faces[c.face].keywords]
        worn = [c.on for c in table.cards if c.face == "spacesuit" and c.on in _groups(table)]
        if not robots and not worn:
            continue
        if any(deed.do == "transfer" for deed in table.declarations):
            continue  # a suit that is taken off leaves the other one on
        added += 1
        on = rng.choice(robots + worn)
        seat = next(card.seat for card in table.cards if card.id == on)
        other = replace(table, cards=(*table.cards, Card(more, "spacesuit", seat, on=on)))
        after = play(other)
        ledger = tuple(
            replace(entry, gone=tuple(name for name in entry.gone if name != more))
            for entry in after.ledger
        )
        gone = {name: why for name, why in after.gone.items() if name != more}
        assert replace(after, ledger=ledger, gone=gone) == play(table), seed
    assert added > TURNS // 5


def _groups(table: Table) -> set[str]:
    return {card.id for card in table.cards if deck().faces[card.face].kind == "troop"}


def test_the_order_of_declarations_of_different_classes_means_nothing():
    """Fire of all classes may be declared in any order, if there is energy for all of it."""
    mixed = 0
    for seed, rng, table in tables():
        table = replace(table, cards=(*table.cards, *_plenty(table)))
        fires = [k for k, deed in enumerate(table.declarations) if deed.do in ("fire", "launch")]
        kinds = [_kind(table, k) for k in fires]
        if len(fires) < 2 or len(set(kinds)) < len(kinds):
            continue
        if any(deed.do in ("abandon", "transfer") for deed in table.declarations):
            continue  # who has left, and where a card lies, does depend on the order
        mixed += 1
        shuffled = rng.sample(fires, len(fires))
        deeds = list(table.declarations)
        for at, k in zip(fires, shuffled, strict=True):
            deeds[at] = table.declarations[k]
        one, other = play(table), play(replace(table, declarations=tuple(deeds)))
        known = {k: at for at, k in zip(fires, shuffled, strict=True)}
        void = {
            replace(note, declaration=known.get(note.declaration, note.declaration))
            for note in one.issues
            if note.code != "order"
        }
        assert void == {note for note in other.issues if note.code != "order"}, seed
        assert _ends(one) == _ends(other), seed
    assert mixed > TURNS // 20


def _plenty(table: Table) -> list[Card]:
    """Return energy for everything, on every ship of the active seat."""
    ships = [c.id for c in table.cards if c.seat == table.active and _is_auxiliary(c)]
    return [
        Card(f"zz-{at}-{k}", "energy-cell", table.active, on=at)
        for at in (None, *ships)
        for k in range(20)
    ]


def _is_auxiliary(card: Card) -> bool:
    return deck().faces[card.face].kind == "auxiliary"


def _kind(table: Table, k: int) -> str:
    """Return the class of an attack, with its speed if it is a missile's."""
    faces = {card.id: deck().faces[card.face] for card in table.cards}
    face = faces.get(table.declarations[k].card or "")
    if face is None:
        return f"none-{k}"
    return f"missile-{face.speed}" if face.kind in ("missile", "rocket") else face.kind


def _ends(outcome: Outcome) -> Outcome:
    """Return an outcome without what stands in the order of declarations."""
    return replace(outcome, issues=(), announced={}, gone=dict(sorted(outcome.gone.items())))
