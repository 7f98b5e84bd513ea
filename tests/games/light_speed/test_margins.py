"""The margin's law: within it nothing changes, just beyond it the outcome named comes true."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.light_speed.reference import Thing, first_met, own_way_out, things_of, turn
from tests.strategies import LAW, random_table, tables
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.features import Features
from vision.games.light_speed.notation import format_table, parse_table
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.roster import find_pools
from vision.games.light_speed.values import Deck, Hit, Resolution, Shot, TableState
from vision.values.layout import PlacedCard

DECK = load_deck("light-speed")
BEYOND_MM = 2e-7  # just behind the margin; breakpoints nearer than 1e-7 count as one
FAR_MM = 2000.0  # where nothing is left to hit

Outcome = tuple[str | None, bool]  #: the pool or card, and whether its shield holds


class Beam:
    """One shot of a resolution, to be shifted by the reference."""

    def __init__(self, table: TableState, deck: Deck, shot: Shot, gone: set[str]) -> None:
        things = [thing for thing in things_of(table, deck) if thing.name not in gone]
        self.own = next(thing for thing in things if thing.name == shot.ship)
        self.rest = [thing for thing in things if thing is not self.own]
        self.pool = {m: p.source for p in find_pools(table, deck) for m in p.members}
        laser = self.own.ship.lasers[shot.laser]
        x, y, theta = self.own.pose
        dx, dy = turn(laser.muzzle_mm, theta)
        self.muzzle = (x + dx, y + dy)
        self.direction = turn(turn((0.0, -1.0), laser.heading_rad), theta)

    def meet(self, shift_mm: float) -> tuple[Thing | None, bool]:
        start = own_way_out(self.muzzle, self.direction, shift_mm, self.own.corners)
        thing, _, shielded, _ = first_met(start, self.direction, self.rest)
        return thing, shielded

    def outcome(self, shift_mm: float) -> Outcome:
        thing, shielded = self.meet(shift_mm)
        return (None if thing is None else self.pool.get(thing.name, thing.name)), shielded

    def named(self, hit: Hit | None) -> Outcome:
        return (None, False) if hit is None else (self.pool.get(hit.card, hit.card), hit.shielded)


def beams(table: TableState, deck: Deck, told: Resolution) -> Iterator[tuple[Shot, Beam]]:
    gone: set[str] = set()
    for step in told.steps:
        for shot in step.shots:
            yield shot, Beam(table, deck, shot, gone)
        gone |= {dead.card for dead in step.destroyed} | set(step.gone)


def assert_margins_hold(
    table: TableState, deck: Deck, rng: np.random.Generator, shifts: int
) -> None:
    for shot, beam in beams(table, deck, resolve(table, deck)):
        said = f"{shot}\n{format_table(table)}"
        now = beam.named(shot.hit)
        limit = min(shot.margin_mm, FAR_MM) - BEYOND_MM
        for shift in rng.uniform(-1, 1, shifts) * max(limit, 0.0):
            assert beam.outcome(float(shift)) == now, f"{shift}: {said}"
        if math.isinf(shot.margin_mm):
            assert shot.margin_outcome is None
            assert shot.margin_card is None
            continue
        sides = [beam.meet(sign * (shot.margin_mm + BEYOND_MM)) for sign in (1, -1)]
        want = shot.margin_outcome
        assert (want and want.card, bool(want and want.shielded)) in [
            (thing and thing.name, shielded) for thing, shielded in sides
        ], said
        assert beam.named(want) != now, said


def test_margins_hold_on_random_tables():
    rng = np.random.default_rng(12)
    ids = [*card_ids(DECK), "ship-back-2", "unknown-1"]
    for i in range(120):
        table = random_table(rng, ids, 8, (100.0, 180.0, 300.0)[i % 3])
        assert_margins_hold(table, DECK, rng, shifts=4)


@LAW
@given(tables(), st.integers(0, 1000))
def test_margins_hold_on_drawn_decks_and_objects(drawn, seed):
    assert_margins_hold(*drawn, np.random.default_rng(seed), shifts=3)


# --- what decides --------------------------------------------------------------------------------

SEEN = "asteroid-1 @0,0 0deg\nred moth @-3,200 0deg\nblue moth @600,600 90deg"


def only_shot(notation: str, ship: str = "red-moth", laser: int = 0) -> Shot:
    told = resolve(parse_table(notation), DECK)
    return next(s for step in told.steps for s in step.shots if (s.ship, s.laser) == (ship, laser))


def test_the_end_of_the_target_decides():
    shot = only_shot(SEEN)  # the beam runs up the middle
    assert shot.margin_mm == 31.75
    assert (shot.margin_card, shot.margin_outcome) == ("asteroid-1", None)


def test_a_card_that_may_come_between_decides():
    shot = only_shot(SEEN + "\nblue ghost @50,100 90deg")  # its left end is at 50 - 44.45
    assert shot.margin_mm == pytest.approx(5.55)
    assert shot.margin_card == "blue-ghost"
    assert shot.margin_outcome == Hit("blue-ghost", "right", shielded=False)  # beside its shield


def test_a_miss_is_measured_to_what_it_may_hit():
    shot = only_shot(SEEN.replace("@0,0", "@40,0"))
    assert shot.hit is None
    assert shot.margin_mm == pytest.approx(8.25)
    assert shot.margin_outcome == Hit("asteroid-1", "bottom", shielded=False)


def test_the_end_of_a_shield_decides():
    shot = only_shot("red moth @3,200 180deg\nblue avenger @0,0 90deg\nred ghost @0,400 0deg")
    assert shot.hit is not None
    assert shot.hit.card == "red-ghost"
    held = only_shot("red moth @-200,-1 90deg\nblue avenger @0,0 0deg")
    assert held.hit == Hit("blue-avenger", "left", shielded=True)  # it comes in at y = 2
    assert held.margin_mm == pytest.approx(6.0)  # the stretch begins at -4
    assert held.margin_outcome == Hit("blue-avenger", "left", shielded=False)


def test_nothing_to_hit_has_no_margin():
    assert only_shot("red moth @0,0 0deg").margin_mm == math.inf


def test_the_parts_of_one_asteroid_are_one_target():
    table = "asteroid-1-back @-31.75,0 0deg\nasteroid-2-back @31.75,0 0deg\nred moth @2,200 0deg"
    assert only_shot(table).margin_mm == pytest.approx(58.5)
    assert only_shot(table + "\nrule asteroids=separate").margin_mm == pytest.approx(5.0)


# --- the spread ----------------------------------------------------------------------------------

STEP = 1e-6  # mm or rad, for differences; the second derivative is at most 1e3 per rad^2
SLOPE_TOL = 2e-3  # of a derivative: STEP times that, and rounding of 1e-10 over STEP


def nudged(table: TableState, card: int, axis: int, step: float) -> TableState:
    cards = list(table.cards)
    field = ("x_mm", "y_mm", "theta_rad")[axis]
    cards[card] = replace(cards[card], **{field: getattr(cards[card], field) + step})
    return replace(table, cards=tuple(cards))


def shots_of(told: Resolution) -> list[Shot]:
    return [shot for step in told.steps for shot in step.shots]


ALONE = JudgeSettings(odds=None)  # of shots nothing else is asked


def test_sigma_is_the_derivative_of_the_margin_by_each_pose():
    """A spread of 1 in one number alone gives the derivative by that number."""
    rng = np.random.default_rng(4)
    ids = [c for c in card_ids(DECK) if not c.startswith("ship")]
    checked = 0
    for i in range(40):
        table = random_table(rng, ids, 6, (120.0, 250.0)[i % 2])
        if all(math.remainder(card.theta_rad, math.pi / 2) == 0 for card in table.cards):
            continue  # on a grid two corners are equally near: no derivative
        count = len(table.cards)
        plain = shots_of(resolve(table, DECK))
        for card in range(count):
            for axis in range(3):
                joint = np.zeros((3 * count, 3 * count))
                joint[3 * card + axis, 3 * card + axis] = 1.0
                said = replace(table, joint_covariance=joint)
                spread = shots_of(resolve(said, DECK, settings=ALONE))
                there = [
                    shots_of(resolve(nudged(table, card, axis, sign * STEP), DECK))
                    for sign in (1, -1)
                ]
                for k, shot in enumerate(spread):
                    same = [s[k] for s in there if len(s) == len(plain)]
                    if len(same) < 2 or any(
                        (s.hit, s.margin_card, s.margin_outcome)
                        != (shot.hit, shot.margin_card, shot.margin_outcome)
                        for s in same
                    ):
                        continue
                    if not 1e-3 < shot.margin_mm < math.inf:
                        continue
                    slope = (same[0].margin_mm - same[1].margin_mm) / (2 * STEP)
                    assert shot.sigma_mm == pytest.approx(abs(slope), abs=SLOPE_TOL), (
                        f"{shot} by {axis} of {table.cards[card]}\n{format_table(table)}"
                    )
                    checked += 1
    assert checked > 2000


def test_the_heading_error_grows_with_the_way_from_the_shooter():
    shot = only_shot(
        "asteroid-1 @0,0 0deg\nred moth @-3,500 0deg cov=0,0,0,0,0,0.01\nblue moth @600,600 90deg"
    )
    lever = 500 - 44.45  # to the asteroid's near corners (both are as near; either decides)
    far = 500 + 44.45
    assert shot.sigma_mm == pytest.approx(math.radians(0.1) * lever) or (
        shot.sigma_mm == pytest.approx(math.radians(0.1) * far)
    )
    assert shot.flip_probability == pytest.approx(
        0.5 * math.erfc(shot.margin_mm / shot.sigma_mm / math.sqrt(2))
    )


def test_cards_that_err_together_do_not_err_apart():
    """The same shift of all cards moves no beam; independent shifts of the same size do."""
    table = parse_table(SEEN)
    cov = np.diag([0.04, 0.04, 0.0])
    apart = replace(table, cards=tuple(replace(card, covariance=cov) for card in table.cards))
    together = np.kron(np.ones((3, 3)), cov)
    shot = shots_of(resolve(apart, DECK))[2]
    assert shot.ship == "red-moth"
    assert shot.sigma_mm == pytest.approx(0.2 * math.sqrt(2))
    assert shots_of(resolve(replace(apart, joint_covariance=together), DECK))[2].sigma_mm == 0.0


def test_a_joint_covariance_follows_the_order_of_the_cards():
    table = parse_table("rule face_down=ignored\n" + SEEN + "\nship-back @900,0 0deg")
    rng = np.random.default_rng(0)
    root = rng.normal(size=(12, 12)) * np.tile([0.2, 0.2, 0.002], 4)
    joint = root.T @ root
    order = [2, 0, 3, 1]
    shuffled = replace(table, cards=tuple(table.cards[i] for i in order))
    index = [3 * i + k for i in order for k in range(3)]
    one = shots_of(resolve(replace(table, joint_covariance=joint), DECK))
    other = shots_of(resolve(replace(shuffled, joint_covariance=joint[np.ix_(index, index)]), DECK))
    assert [s.sigma_mm for s in other] == pytest.approx([s.sigma_mm for s in one])
    with pytest.raises(ValueError, match=r"expected shape \(12, 12\)"):
        resolve(replace(table, joint_covariance=np.eye(3)), DECK)


def test_a_close_shot_is_told_and_an_exact_one_is_not():
    near = SEEN.replace("@0,0", "@31,0")  # 0.75 mm from missing
    assert [i.code for i in resolve(parse_table(near), DECK).issues] == []
    cards = tuple(
        PlacedCard(c.card_id, c.x_mm, c.y_mm, c.theta_rad, np.diag([0.09, 0.09, 1e-6]))
        for c in parse_table(near).cards
    )
    told = resolve(TableState(cards), DECK)
    assert [(i.code, i.cards) for i in told.issues] == [("close_call", ("red-moth", "asteroid-1"))]


def test_the_likeliest_way_to_turn_is_told_even_if_another_is_nearer():
    """One card nearer and well known, another farther and hardly known (half covered, say)."""
    table = parse_table(
        SEEN + "\nblue ghost @54.45,100 90deg cov=0.0001,0,0,0.0001,0,0"
        "\ngreen ghost @-60.45,100 90deg cov=100,0,0,100,0,0"
    )
    shot = shots_of(resolve(table, DECK))[2]
    assert (shot.ship, shot.margin_card) == ("red-moth", "blue-ghost")
    assert shot.margin_mm == pytest.approx(10.0)
    assert shot.sigma_mm == pytest.approx(0.01)
    assert shot.flip_probability == pytest.approx(0.5 * math.erfc(1.6 / math.sqrt(2)))
    close = [i for i in resolve(table, DECK).issues if i.code == "close_call"]
    assert ("red-moth", "asteroid-1", "green-ghost") in [issue.cards for issue in close]


PLACE_SD_MM, ANGLE_SD_RAD = 0.8, math.radians(0.4)


def test_the_chance_told_is_how_often_the_shot_turns():
    """Play each table again and again with its cards laid a little differently."""
    rng = np.random.default_rng(5)
    sd = np.array([PLACE_SD_MM, PLACE_SD_MM, ANGLE_SD_RAD])
    ids = [c for c in card_ids(DECK) if c.endswith(("moth", "bastion", "ghost")) or "aster" in c]
    rounds, told, seen = 60, [], []
    while len(told) < 40:
        table = random_table(rng, ids, 6, 300.0)
        if all(math.remainder(card.theta_rad, math.pi / 2) == 0 for card in table.cards):
            continue  # on a grid cards touch, and that is told as such
        known = replace(
            table, cards=tuple(replace(card, covariance=np.diag(sd**2)) for card in table.cards)
        )
        beam_of = [beam for _, beam in beams(known, DECK, resolve(known, DECK))]
        steps = resolve(known, DECK).steps
        if not steps:
            continue
        shots = steps[0].shots
        turned = np.zeros(len(shots))
        for _ in range(rounds):
            errors = rng.normal(size=(len(table.cards), 3)) * sd
            laid = replace(
                table,
                cards=tuple(
                    replace(c, x_mm=c.x_mm + dx, y_mm=c.y_mm + dy, theta_rad=c.theta_rad + turn)
                    for c, (dx, dy, turn) in zip(table.cards, errors.tolist(), strict=True)
                ),
            )
            for k, shot in enumerate(resolve(laid, DECK).steps[0].shots):
                turned[k] += beam_of[k].named(shot.hit) != beam_of[k].named(shots[k].hit)
        told += [shot.flip_probability for shot in shots]
        seen += (turned / rounds).tolist()
    chance, often = np.array(told), np.array(seen)
    spread = np.sqrt(chance * (1 - chance) / rounds)
    assert (often <= 2 * chance + 4 * spread + 0.03).all()  # two ways to turn at most double it
    assert (often >= chance - 4 * spread - 0.03).all()


def test_edges_along_the_level_of_a_shifted_start_raise_nothing() -> None:
    # cards at one place, two of them turned by an eighth: their edges run along the line on which
    # beams shifted past their own card begin, and rounding gives that line a slope of 1e-16
    deck = load_deck("light-speed")
    names = [f"{team}-{ship.name}" for team in deck.teams[:2] for ship in deck.ships[:4]]
    cards = tuple(
        PlacedCard(name, 0.0, 0.0, -np.pi / 4 if k % 2 else 0.0) for k, name in enumerate(names)
    )
    with np.errstate(all="raise"):
        for step in resolve(TableState(cards), deck).steps:
            assert all(shot.margin_mm >= 0 for shot in step.shots)


@LAW
@given(st.floats(-3, 3), st.floats(0.3, 2.8), st.floats(-3, 3), st.tuples(*[st.floats(-5, 5)] * 4))
def test_where_two_lines_cross_moves_so_that_it_stays_on_both(first, between, beam, pushed):
    """The lines meet at any angle: each is pushed, and the crossing is computed anew."""
    turns = np.array([first, first + between])
    normals = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    side = np.array([math.cos(beam), math.sin(beam)])
    push = np.reshape(pushed, (2, 2))
    none, zero = np.zeros(1, int), np.zeros((1, 2))
    made = Features.of_crossings(none, zero[:, 0], zero, none[None], normals[None], side[None])
    crossing = np.linalg.solve(normals, (normals * push).sum(axis=1))
    assert (made.weights[0] * push).sum() == pytest.approx(side @ crossing, abs=1e-6)
