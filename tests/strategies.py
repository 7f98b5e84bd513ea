"""Hypothesis strategies: poses, decks, tables; and a plain random table for long loops."""

import math
from collections.abc import Sequence

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from vision.games.light_speed.deck import card_ids
from vision.games.light_speed.values import (
    EDGES,
    Deck,
    Laser,
    RuleOptions,
    Shield,
    Ship,
    TableObject,
    TableState,
)
from vision.values.layout import PlacedCard

__all__ = [
    "LAW",
    "LIGHT",
    "PICTURES",
    "angles_rad",
    "decks",
    "layouts",
    "objects",
    "poses",
    "random_table",
    "rule_options",
    "ships",
    "tables",
]

#: For laws: the same examples in every run, so that a failure can be shown to others.
LAW = settings(max_examples=50, deadline=None, derandomize=True)

#: For laws whose every example is a picture: what it shows differs little from one to the next.
PICTURES = settings(LAW, max_examples=12)

#: For laws whose every example is a round or more.
LIGHT = settings(LAW, max_examples=20)

SPREAD_MM = 250.0  # small enough that cards are hit, touch and overlap


def angles_rad() -> st.SearchStrategy[float]:
    """Return angles in (-pi, pi]: quarter turns, multiples of 15 degrees, anything."""
    return st.one_of(
        st.sampled_from([0.0, math.pi / 2, math.pi, -math.pi / 2]),
        st.integers(-11, 12).map(lambda n: math.radians(15 * n)),
        st.floats(-math.pi, math.pi, exclude_min=True),
    )


def places_mm(spread_mm: float = SPREAD_MM) -> st.SearchStrategy[float]:
    """Return places: on a coarse grid (cards touch and tie there) or anywhere."""
    steps = int(spread_mm / 15.875)
    return st.one_of(
        st.integers(-steps, steps).map(lambda n: n * 15.875),  # a quarter of a card's width
        st.floats(-spread_mm, spread_mm).map(lambda x: round(x, 6)),
    )


def poses(spread_mm: float = SPREAD_MM) -> st.SearchStrategy[tuple[float, float, float]]:
    """Return (x mm, y mm, theta rad)."""
    return st.tuples(places_mm(spread_mm), places_mm(spread_mm), angles_rad())


@st.composite
def ships(draw: st.DrawFn, name: str, speed: int, size_mm: tuple[float, float]) -> Ship:
    """Return a ship of any design that a deck file may have."""
    half_w, half_h = size_mm[0] / 2, size_mm[1] / 2

    def within(half: float) -> st.SearchStrategy[float]:
        return st.floats(-half, half).map(lambda x: round(x, 2) if abs(x) < half - 0.01 else x)

    lasers = draw(
        st.lists(
            st.builds(
                Laser, st.integers(1, 3), st.tuples(within(half_w), within(half_h)), angles_rad()
            ),
            max_size=3,
        )
    )
    shields = []
    for edge in draw(st.lists(st.sampled_from(EDGES), max_size=3)):
        half = half_w if edge in ("top", "bottom") else half_h
        ends = sorted(draw(st.tuples(within(half), within(half))))
        if ends[0] < ends[1]:
            shields.append(Shield(edge, *ends))
    return Ship(name, speed, draw(st.integers(1, 4)), tuple(lasers), tuple(shields))


@st.composite
def decks(draw: st.DrawFn, max_teams: int = 4) -> Deck:
    """Return small decks: a few designs, one to four teams, two asteroids."""
    names = ("moth", "wasp", "hornet")[: draw(st.integers(1, 3))]
    teams = ("red", "green", "purple", "blue")[: draw(st.integers(1, max_teams))]
    size = draw(st.sampled_from([(63.5, 88.9), (50.0, 50.0), (70.0, 40.0)]))
    designs = tuple(draw(ships(name, speed, size)) for speed, name in enumerate(names, start=1))
    return Deck("drawn", *size, teams, designs, ("asteroid-1", "asteroid-2"))


def rule_options() -> st.SearchStrategy[RuleOptions]:
    """Return options that suit any teams."""
    return st.builds(
        RuleOptions,
        piracy=st.booleans(),
        rocks=st.one_of(st.none(), st.integers(1, 20)),
        asteroids=st.sampled_from(["auto", "joined", "separate"]),
        kill_credit=st.sampled_from(["auto", "most-damage"]),
        face_down=st.sampled_from(["blocks", "ignored"]),
    )


@st.composite
def objects(draw: st.DrawFn, name: str = "coaster") -> TableObject:
    """Return a coaster: a star-shaped outline, often concave, round its centre."""
    x, y, _ = draw(poses())
    corners = draw(st.integers(3, 8))
    radii = draw(st.lists(st.floats(15, 60), min_size=corners, max_size=corners))
    angles = [2 * math.pi * i / corners for i in range(corners)]
    outline = [
        (x + r * math.cos(a), y + r * math.sin(a)) for r, a in zip(radii, angles, strict=True)
    ]
    return TableObject(name, "asteroid", np.array(outline))


def layouts(
    ids: Sequence[str], spread_mm: float = SPREAD_MM, max_size: int = 8
) -> st.SearchStrategy[tuple[PlacedCard, ...]]:
    """Return some of the cards, laid anywhere."""
    return st.lists(st.sampled_from(list(ids)), unique=True, max_size=max_size).flatmap(
        lambda chosen: st.tuples(
            *(poses(spread_mm).map(lambda pose, c=card: PlacedCard(c, *pose)) for card in chosen)
        )
    )


@st.composite
def tables(draw: st.DrawFn, deck: Deck | None = None, max_size: int = 8) -> tuple[TableState, Deck]:
    """Return a table and its deck; every card a table may have, overlaps and all."""
    deck = draw(decks()) if deck is None else deck
    ids = [*card_ids(deck), "ship-back-2", "unknown-1"]
    cards = draw(layouts(ids, max_size=max_size))
    things = draw(st.lists(objects(), max_size=1))
    rules = draw(rule_options())
    return TableState(cards, tuple(things), rules, deck=deck.name), deck


def random_table(
    rng: np.random.Generator, ids: Sequence[str], cards: int, spread_mm: float = SPREAD_MM
) -> TableState:
    """Return a table for a long loop: half of them on a grid with quarter turns."""
    chosen = rng.choice(len(ids), size=min(cards, len(ids)), replace=False)
    place = rng.uniform(-spread_mm, spread_mm, (len(chosen), 2))
    theta = rng.uniform(-math.pi, math.pi, len(chosen))
    if rng.random() < 0.5:
        place = np.round(place / 15.875) * 15.875
        theta = np.round(theta / (math.pi / 2)) * (math.pi / 2)
    rules = RuleOptions(
        piracy=bool(rng.random() < 0.5),
        asteroids=("auto", "joined", "separate")[int(rng.integers(3))],
    )
    placed = (
        PlacedCard(ids[i], float(x), float(y), float(t))
        for i, (x, y), t in zip(chosen.tolist(), place, theta, strict=True)
    )
    return TableState(tuple(placed), (), rules)
