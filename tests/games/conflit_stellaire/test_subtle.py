"""Sentences of the rules that are easily read past, each a turn worked out by hand."""

from dataclasses import replace

import pytest

from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.conflit_stellaire.resolve import play

GAME = ConflitStellaire()
DUEL = "seat A hull 20\nseat B hull 20\ndistance A B 5\nturn A"
THREE = (
    "seat A hull 20\nseat B hull 20\nseat C hull 20\n"
    "distance A B 3\ndistance B C 3\ndistance A C 3\nturn A"
)
FOUR = (
    "seat A hull 20\nseat B hull 20\nseat C hull 20\nseat D hull 20\n"
    "distance A B 3\ndistance B C 3\ndistance C D 3\ndistance A D 3\nturn A"
)


def cells(seat, count):
    return "\n".join(f"{seat} {seat.lower()}-e{k} energy-cell" for k in range(count))


def turn(*lines):
    return play(GAME.read("\n".join(["game conflit-stellaire", *lines])))


def codes(outcome):
    return [(note.code, note.declaration, note.riposte) for note in outcome.issues]


def test_what_is_bluffed_away_is_missing_for_what_comes_later():
    """6 points: 5 are spent on a laser of 2, then a laser of 2 cannot be paid; one of 1 can."""
    outcome = turn(
        DUEL, cells("A", 3), "A a1 twin-laser", "A a2 twin-laser", "A a3 pulse-laser",
        "A fire a1 at B spend 5", "A fire a2 at B", "A fire a3 at B",
    )  # fmt: skip
    assert codes(outcome) == [("not_enough_energy", 1, None)]
    assert outcome.energy["A"].left == 0
    assert outcome.ships["B"].hull == 20 - 4 - 2


@pytest.mark.parametrize(("order", "hull"), [("before", 14), ("after", 20)])
def test_direct_fire_is_judged_before_the_moves_and_missiles_after_them(order, hull):
    """From 3 A backs off to 6: a disruptor of range 3 hits, a torpedo of range 4 does not."""
    outcome = turn(
        f"rule direct_range={order}", DUEL.replace("A B 5", "A B 3"), cells("A", 8),
        "A a1 disruptor", "A a2 hammer-torpedo", "A a3 main-engine",
        "A fire a1 at B", "A launch a2 at B", "A retreat a3 at B",
    )  # fmt: skip
    assert outcome.distances["A", "B"] == 6
    results = {entry.card: entry.result for entry in outcome.ledger}
    assert results["a2"] == "out_of_range"
    assert results["a1"] == ("hit" if order == "before" else "out_of_range")
    assert outcome.ships["B"].hull == hull


def test_a_shield_against_a_missile_stays_up_against_the_launchers_flagship():
    outcome = turn(
        DUEL, cells("A", 2), cells("B", 2), "A a1 dart-missile", "B b1 screen",
        "A launch a1 at B", "B shield b1 against a1",
    )  # fmt: skip
    assert outcome.ships["B"].hull == 20
    assert outcome.raised == {"b1": "A"}


@pytest.mark.parametrize(
    ("shield", "barred"),
    [
        ("screen engaged up B", [0, 1]),
        ("screen engaged up b9", [0, 1]),
        ("aegis engaged up all", [0, 1, 2]),
    ],
)
def test_an_own_shield_bars_a_side_with_all_its_ships_a_total_one_every_side(shield, barred):
    """Facing B or a ship of B it bars fire at B and that ship, not at C; ships may still board."""
    outcome = turn(
        THREE, cells("A", 8), "B b9 fighter", f"A a0 {shield}",
        "A a1 pulse-laser", "A a2 pulse-laser", "A a3 pulse-laser",
        "A a4 assault-barge", "A a5 marines on a4",
        "A fire a1 at B", "A fire a2 at b9", "A fire a3 at C", "A board a4 at B",
    )  # fmt: skip
    assert codes(outcome) == [("barred", k, None) for k in barred]


def test_neutrons_kill_from_the_weakest_until_one_outlasts_the_points():
    """4 points: the crew (1) and the marines (3) die; nothing is left for the veterans."""
    groups = ["B b1 crew", "B b2 marines", "B b3 veterans", "B b4 war-droids"]
    outcome = turn(
        DUEL.replace("A B 5", "A B 4"), cells("A", 2), "A a1 neutron-burst", *groups,
        "A fire a1 at B",
    )  # fmt: skip
    assert outcome.gone == {"b1": "killed", "b2": "killed"}
    assert outcome.ships["B"].hull == 20
    suited = [*groups[:1], "B b5 spacesuit on b1", *groups[1:]]  # the crew weighs 2 then
    outcome = turn(
        DUEL.replace("A B 5", "A B 4"), cells("A", 2), "A a1 neutron-burst", *suited,
        "A fire a1 at B",
    )  # fmt: skip
    assert outcome.gone == {"b1": "killed", "b5": "killed"}  # 2 points are left, the marines have 3


def test_the_last_point_of_hull_takes_weapons_nets_and_who_needs_air_and_no_more():
    """What lies on an auxiliary stays, and so does a shield; with energy left she is in play."""
    outcome = turn(
        DUEL.replace("B hull 20", "B hull 4"), cells("A", 2), cells("B", 1), "A a1 twin-laser",
        "B b1 pulse-laser", "B b2 dart-missile", "B b4 screen", "B b5 crew", "B b6 marines",
        "B b7 spacesuit on b6", "B b8 war-droids", "B b9 fighter", "B ba pulse-laser on b9",
        "A fire a1 at B",
    )  # fmt: skip
    assert outcome.gone == {"b1": "hull", "b2": "hull", "b5": "killed"}
    assert (outcome.ships["B"].hull, outcome.ships["B"].state) == (0, "in_play")
    assert outcome.fates == {"A": None, "B": None}


def test_boarders_of_a_flagship_without_air_need_it():
    """A barge needs no suits to board; on a hull of 0 all but robots and suits die of it."""
    boarding = [
        DUEL.replace("A B 5", "A B 2"), cells("A", 2), cells("B", 1), "A a1 assault-barge",
        "A a2 veterans on a1", "A a3 marines on a1", "A a4 spacesuit on a3", "B b1 war-droids",
        "A board a1 at B",
    ]  # fmt: skip
    whole = turn(*boarding)
    assert (whole.ledger[0].forces, whole.ledger[0].result) == ((9, 4), "captured")
    broken = turn(boarding[0].replace("B hull 20", "B hull 0"), *boarding[1:])
    assert broken.ledger[0].forces == (4, 4)  # marines with a suit against droids: a tie
    assert broken.ledger[0].result == "repelled"


def test_flight_pays_each_enemy_in_play():
    lines = [THREE, cells("A", 3), "A a1 hyperdrive", "A jump a1"]
    outcome = turn(*lines)
    assert {seat: score.points for seat, score in outcome.scores.items()} == {
        "A": 3,
        "B": 4,
        "C": 4,
    }
    assert (outcome.fates["A"], outcome.over) == ("fled", False)
    gone = turn(lines[0].replace("C hull 20", "C hull 0 fate destroyed"), *lines[1:])
    assert {seat: score.points for seat, score in gone.scores.items()} == {"A": 3, "B": 4, "C": 0}
    assert gone.winners == ("B",)


def test_destruction_pays_who_took_the_last_point_even_turns_ago():
    """C broke B's hull; now B's energy is gone, in A's turn."""
    outcome = turn(THREE.replace("B hull 20", "B hull 0 broken-by C"), "B b1 energy-cell engaged")
    assert {seat: score.points for seat, score in outcome.scores.items()} == {
        "A": 0,
        "B": 0,
        "C": 8,
    }
    duel = turn(DUEL.replace("B hull 20", "B hull 0"), "B b1 energy-cell engaged")
    assert duel.scores["A"].points == 8  # the only enemy, whoever broke it
    alive = turn(
        "rule alive=in-play", DUEL.replace("B hull 20", "B hull 0"), "B b1 energy-cell engaged"
    )
    assert alive.fates["B"] is None


@pytest.mark.parametrize(
    ("cumul", "left", "officer"),
    [(0, 0, "struck_off"), (4, 0, "struck_off"), (23, 8, "same"), (97, 48, "same")],
)
def test_a_capsule_costs_two_ranks_down_to_the_least_of_that_rank(cumul, left, officer):
    """Then the 8 points for the flagship that is lost with its commander are added."""
    outcome = turn(
        DUEL.replace("B hull 20", "B hull 20 commander b1"), cells("A", 2), "A a1 twin-laser",
        "B b1 escape-capsule", "A fire a1 at b1", f"officer A cumul {cumul}", "officer B cumul 0",
    )  # fmt: skip
    score = outcome.scores["A"]
    assert (score.points, score.cumul, score.officer) == (8, (cumul, left), officer)
    assert outcome.fates["B"] == "destroyed"


def test_of_four_the_one_across_is_no_enemy():
    """Neither a target nor one who may riposte; the last side wins, both of it."""
    outcome = turn(
        FOUR, cells("A", 4), cells("C", 2), "A a1 twin-laser", "A a2 twin-laser", "C c1 screen",
        "A fire a1 at C", "A fire a2 at B", "C shield c1 against A",
    )  # fmt: skip
    assert codes(outcome) == [("no_target", 0, None), ("wrong_seat", None, 0)]
    last = FOUR.replace("B hull 20", "B hull 4").replace("D hull 20", "D hull 0 fate fled")
    won = turn(last, cells("A", 2), "A a1 twin-laser", "A fire a1 at B")
    assert won.winners == ("A", "C")


def test_an_auxiliarys_cost_is_paid_once_a_turn_and_first_from_its_own_energy():
    """A bomber (cost 2) fires two lasers of 1: 2 + 1 + 1, of which its own cell pays 2."""
    lines = [
        DUEL, "A a1 bomber", "A a2 pulse-laser on a1", "A a3 pulse-laser on a1",
        "A a4 energy-cell on a1", "A a5 energy-cell", "A fire a2 at B", "A fire a3 at B",
    ]  # fmt: skip
    outcome = turn(*lines)
    assert (outcome.energy["A"].spent, outcome.energy["A"].left, codes(outcome)) == (4, 0, [])
    away = turn(lines[0].replace("A hull 20", "A hull 20 commander a9"), "A a9 shuttle", *lines[1:])
    assert codes(away)[0] == (
        "not_enough_energy",
        0,
        None,
    )  # nobody is there to pay from the flagship


def test_order_is_noted_once_and_void_attacks_are_none():
    """The particles are void, so the laser after them is in order; the one after rocks is not."""
    outcome = turn(
        DUEL.replace("A B 5", "A B 4"), cells("A", 6), "A a1 particle-gun engaged",
        "A a2 pulse-laser", "A a3 rock-thrower", "A a4 pulse-laser", "A a5 neutron-beam",
        "A fire a1 at B", "A fire a2 at B", "A fire a3 at B", "A fire a4 at B", "A fire a5 at B",
    )  # fmt: skip
    assert codes(outcome) == [("engaged", 0, None), ("order", 3, None)]
    assert [entry.card for entry in outcome.ledger] == ["a2", "a4", "a5", "a3"]


def test_a_repair_raises_no_hull_of_none_and_none_above_its_size():
    for hull, wanted in ((0, 0), (1, 4), (18, 20), (20, 20)):
        outcome = turn(
            DUEL.replace("A hull 20", f"A hull {hull}"),
            cells("A", 2),
            "A a1 repair-drone",
            "A use a1",
        )
        assert outcome.ships["A"].hull == wanted


def test_a_card_taken_off_takes_along_what_lies_on_it():
    """The fighter is shot: the laser and the cell on it go with it, the shield beside does not."""
    table = GAME.read(
        "game conflit-stellaire\n"
        + DUEL
        + "\n"
        + cells("A", 2)
        + "\nA a1 twin-laser\nB b1 fighter\n"
        "B b2 pulse-laser on b1\nB b3 energy-cell on b1\nB b4 screen\nA fire a1 at b1\n"
    )
    outcome = play(table)
    assert outcome.gone == dict.fromkeys(("b1", "b2", "b3"), "destroyed")
    new = replace(table, cards=tuple(replace(c, new=c.id == "b1") for c in table.cards))
    assert codes(play(new)) == [("new_target", 0, None)]
