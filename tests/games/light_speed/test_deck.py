"""The deck file: what the loader takes and refuses, and the facts the deck must agree with."""

import json
import math
import tomllib
from collections import Counter
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from shapely.geometry import LineString, Polygon

from vision.errors import DeckError
from vision.games.light_speed.deck import (
    card_ids,
    deck_to_json,
    is_asteroid,
    list_decks,
    load_deck,
    ship_of,
    team_of,
)
from vision.games.light_speed.values import Deck, Ship
from vision.geometry import card_corners, heading_vector, rotation, table_from_card

BEAM_MM = 500.0  # longer than any table of this test

SMALL = """\
name = "small"
teams = ["red", "blue"]
asteroids = ["rock"]

[card]
width_mm = 60
height_mm = 90.5

[[ships]]
name = "gnat"
speed = 1
health = 1

[[ships.lasers]]
power = 2
muzzle_mm = [0, -10.5]
heading_deg = 33.3

[[ships.shields]]
edge = "left"
from_mm = -45.25
to_mm = 10

[[ships]]
name = "whale"
speed = 2
health = 4
"""


def ships(deck: Deck) -> dict[str, Ship]:
    return {ship.name: ship for ship in deck.ships}


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(text, encoding="utf-8")
    return path


# --- reading -------------------------------------------------------------------------------------


def test_every_deck_of_the_list_loads_under_its_own_name():
    assert list_decks() == ("light-speed",)
    for name in list_decks():
        assert load_deck(name).name == name


def test_a_file_is_read_by_path_and_by_string_that_ends_in_toml(tmp_path):
    path = write(tmp_path, SMALL)
    assert load_deck(path) == load_deck(str(path))


def test_angles_are_exact_and_come_back_as_written(tmp_path):
    deck = load_deck(write(tmp_path, SMALL))
    assert deck.ships[0].lasers[0].heading_rad == math.radians(33.3)
    assert deck_to_json(deck)["ships"][0]["lasers"][0]["heading_deg"] == 33.3


def test_json_says_every_number_of_the_file(deck):
    text = (
        resources.files("vision.games.light_speed") / "editions" / "light-speed.toml"
    ).read_text("utf-8")
    wanted = tomllib.loads(text)
    printed = json.loads(json.dumps(deck_to_json(deck)))
    assert printed["schema"] == "sightline/deck@1"
    for key in ("name", "teams", "asteroids"):
        assert printed[key] == wanted[key]
    assert printed["card"] == {"width_mm": 63.5, "height_mm": 88.9}
    for have, want in zip(printed["ships"], wanted["ships"], strict=True):
        assert set(have) == {"name", "speed", "health", "provenance", "lasers", "shields"}
        assert [have[k] for k in ("name", "speed", "health")] == [
            want[k] for k in ("name", "speed", "health")
        ]
        for kind in ("lasers", "shields"):
            items = want.get(kind, [])
            assert have[kind] == [
                {k: v for k, v in item.items() if k != "provenance"} for item in items
            ]


def test_the_order_of_ships_in_the_file_does_not_matter(tmp_path):
    head, first, second = SMALL.split("[[ships]]\n")
    swapped = f"{head}[[ships]]\n{second}\n[[ships]]\n{first}"
    assert load_deck(write(tmp_path, swapped)) == load_deck(write(tmp_path, SMALL))


# --- refusing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("health = 1", "health = 1\nhull = 3", ("gnat", "hull", "not a field")),
        ("health = 1", 'health = "1"', ("gnat", "health", "whole number", "'1'")),
        ("health = 1", "health = true", ("gnat", "health", "whole number")),
        ("health = 1", "health = 0", ("gnat", "health", "1 or more")),
        ("health = 1", "", ("gnat", "health", "missing")),
        ("power = 2", "power = 4", ("gnat", "lasers[0].power", "1, 2 or 3", "not 4")),
        ("[0, -10.5]", "[0, -45.3]", ("gnat", "lasers[0].muzzle_mm", "on the card", "-45.3")),
        ("[0, -10.5]", "[0]", ("gnat", "lasers[0].muzzle_mm", "2 entries")),
        ("[0, -10.5]", "[0, nan]", ("gnat", "lasers[0].muzzle_mm[1]", "finite")),
        ("33.3", "180.5", ("gnat", "lasers[0].heading_deg", "180.5")),
        ("33.3", "-180", ("gnat", "lasers[0].heading_deg", "-180")),
        ('"left"', '"up"', ("gnat", "shields[0].edge", "'bottom' or 'left'", "'up'")),
        ("-45.25", "-45.26", ("gnat", "shields[0].from_mm", "left edge", "45.25")),
        ("to_mm = 10", "to_mm = -45.25", ("gnat", "shields[0].from_mm", "less than to_mm")),
        ('"whale"', '"gnat"', ("ships", "'gnat'", "2 times")),
        ('"whale"', '"Whale"', ("'Whale'", "lower case")),
        ('"blue"', '"red"', ("teams", "'red'", "2 times")),
        ("speed = 2", "speed = 1", ("'gnat', 'whale'", "speed", "more than once")),
        ("speed = 2", "speed = 3", ("speed 2", "without a gap")),
        ("width_mm = 60", "width_mm = 0", ("card.width_mm", "more than 0")),
        ('name = "small"', "", ("name", "missing")),
        ('name = "whale"', "", ("ship number 2", "name", "missing")),
        ("health = 4", "health = 4\nlasers = 3", ("whale", "lasers", "must be a list")),
        ("health = 1", "health =", ("not valid TOML", "line 12")),
        (
            "health = 1",
            'health = 1\nprovenance = { name = "known", speed = "known" }',
            ("gnat", "provenance.health", "missing"),
        ),
        (
            "health = 1",
            'health = 1\nprovenance = { name = "guessed" }',
            ("gnat", "provenance.name", "'known', 'designed' or 'entered by hand'"),
        ),
    ],
)
def test_a_mistake_is_named_with_file_ship_field_and_reason(tmp_path, old, new, said):
    assert old in SMALL
    with pytest.raises(DeckError) as caught:
        load_deck(write(tmp_path, SMALL.replace(old, new, 1)))
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "small.toml") + ": ")
    assert "\n" not in message.removesuffix("\n")
    for words in said:
        assert words in message


def test_all_mistakes_are_told_at_once(tmp_path):
    text = SMALL.replace("33.3", "400").replace('"left"', '"top"').replace("speed = 2", "speed = 5")
    with pytest.raises(DeckError, match=r"speed 2.*heading_deg.*from_mm"):
        load_deck(write(tmp_path, text))


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(DeckError, match=r"'dark-speed'.*light-speed"):
        load_deck("dark-speed")


@pytest.mark.parametrize("name", ["../rules/decks/light-speed", "/etc/passwd", ""])
def test_a_name_is_never_opened_as_a_file(name):
    with pytest.raises(DeckError, match="no deck is called"):
        load_deck(name)


def test_a_file_that_is_not_there_or_not_text_is_a_deck_error(tmp_path):
    with pytest.raises(DeckError, match="cannot read"):
        load_deck(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"name = '\xff\xfe'")
    with pytest.raises(DeckError, match="UTF-8"):
        load_deck(tmp_path / "binary.toml")


# --- card ids ------------------------------------------------------------------------------------


def test_card_ids_are_unique_and_answer_for_their_ship_and_team(deck):
    ids = card_ids(deck)
    assert len(ids) == len(set(ids)) == 45
    for card_id in ids:
        ship, team = ship_of(deck, card_id), team_of(deck, card_id)
        assert (ship is None) == (team is None)
        if ship is not None:
            assert card_id == f"{team}-{ship.name}"
        assert is_asteroid(deck, card_id) == card_id.startswith("asteroid-")
    assert [i for i in ids if ship_of(deck, i) is None] == [
        "asteroid-1",
        "asteroid-2",
        "asteroid-1-back",
        "asteroid-2-back",
        "ship-back",
    ]


@pytest.mark.parametrize("card_id", ["", "red", "red-", "moth", "red-moth-back", "unknown-1"])
def test_other_ids_stand_for_nothing(deck, card_id):
    assert ship_of(deck, card_id) is None
    assert team_of(deck, card_id) is None
    assert not is_asteroid(deck, card_id)


# --- the published facts -------------------------------------------------------------------------


def test_the_fleet_agrees_with_every_known_fact(deck):
    fleet = ships(deck)
    assert [ship.speed for ship in deck.ships] == list(range(1, 11))
    assert len(deck.teams) == 4
    assert len(deck.asteroids) == 2
    assert (fleet["moth"].speed, fleet["sidewinder"].speed, fleet["destroyer"].speed) == (1, 2, 10)
    order = [fleet[name].speed for name in ("intruder", "ghost", "avenger")]
    assert order == sorted(order)
    assert all(3 <= speed <= 9 for speed in (*order, fleet["viper"].speed))
    health = {name: fleet[name].health for name in ("moth", "sidewinder", "viper", "destroyer")}
    assert health == {"moth": 1, "sidewinder": 2, "viper": 3, "destroyer": 4}
    assert all(1 <= ship.health <= 4 for ship in deck.ships)

    power = {name: sorted(laser.power for laser in ship.lasers) for name, ship in fleet.items()}
    assert power["moth"] == [1, 2]
    assert len({laser.heading_rad for laser in fleet["moth"].lasers}) == 2
    assert len(power["intruder"]) == 2
    assert fleet["intruder"].shields
    assert len(power["ghost"]) >= 2
    assert fleet["ghost"].shields
    assert 1 < fleet["ghost"].health <= max(power["sidewinder"]) + 1
    assert max(power["avenger"]) >= 2
    assert fleet["avenger"].health > max(power["ghost"])
    assert len(power["destroyer"]) == 4
    assert 3 in power["destroyer"]
    seventh = next(ship for ship in deck.ships if ship.speed == 7)
    halves = {"top": 31.75, "bottom": 31.75, "left": 44.45, "right": 44.45}
    assert any(s.from_mm == -halves[s.edge] and s.to_mm == halves[s.edge] for s in seventh.shields)


def test_slower_ships_have_more_of_everything(deck):
    for count in (
        [ship.health for ship in deck.ships],
        [len(ship.lasers) for ship in deck.ships],
        [sum(shield.to_mm - shield.from_mm for shield in ship.shields) for ship in deck.ships],
    ):
        assert np.mean(count[5:]) > np.mean(count[:5])


def test_about_half_of_the_headings_are_oblique(deck):
    headings = [math.degrees(laser.heading_rad) for ship in deck.ships for laser in ship.lasers]
    oblique = [h for h in headings if abs(math.remainder(h, 90)) > 1e-9]
    assert 0.4 <= len(oblique) / len(headings) <= 0.6


def test_every_value_says_whether_it_is_known_or_designed(deck):
    for ship in deck.ships:
        values = ["name", "speed", "health"]
        for i in range(len(ship.lasers)):
            values += [f"lasers[{i}].{key}" for key in ("power", "muzzle_mm", "heading_deg")]
        for i in range(len(ship.shields)):
            values += [f"shields[{i}].{key}" for key in ("edge", "from_mm", "to_mm")]
        clauses = [c for c in ship.provenance.split("; ") if c.startswith(("known:", "designed:"))]
        said = [value for clause in clauses for value in clause.split(": ")[1].split(", ")]
        assert Counter(said) == Counter(values), ship.name


def test_the_golden_round_can_be_laid(deck):
    """Figure 1 of the rulebook, traced with shapely alone."""
    poses = {
        "asteroid-1": (-61, -200, 0),
        "red-moth": (60, -200, -90),
        "blue-ghost": (130, -265, 0),
        "red-sidewinder": (20, -299, 25),
        "blue-intruder": (81.2, -10, 90),
        "red-ghost": (0, 0, 0),
        "blue-avenger": (-70, -100, 0),
    }
    outlines = {
        card: Polygon(table_from_card(card_corners(63.5, 88.9), x, y, math.radians(t)))
        for card, (x, y, t) in poses.items()
    }

    def hits(card: str) -> list[tuple[int, str | None, bool]]:
        x, y, t = poses[card]
        turn = rotation(math.radians(t))
        found = []
        for laser in ships(deck)[card.split("-")[1]].lasers:
            start = turn @ laser.muzzle_mm + [x, y]
            end = start + BEAM_MM * (turn @ heading_vector(laser.heading_rad))
            beam = LineString([start, end])
            meets = {
                other: start_to_first(beam, outline)
                for other, outline in outlines.items()
                if other != card and beam.intersects(outline)
            }
            target = min(meets, key=lambda other: float(meets[other]), default=None)
            entry = None if target is None else beam.interpolate(meets[target])
            found.append((laser.power, target, entry is not None and shielded(target, entry)))
        return found

    def start_to_first(beam: LineString, outline: Polygon) -> float:
        return beam.project(beam.intersection(outline).boundary.geoms[0])

    def shielded(card: str, entry) -> bool:
        x, y, t = poses[card]
        cx, cy = np.array([entry.x - x, entry.y - y]) @ rotation(math.radians(t))
        edges = {"top": (cy, -44.45, cx), "bottom": (cy, 44.45, cx)}
        edges |= {"left": (cx, -31.75, cy), "right": (cx, 31.75, cy)}
        ship = ship_of(deck, card)
        return ship is not None and any(
            abs(edges[s.edge][0] - edges[s.edge][1]) < 1e-6
            and s.from_mm <= edges[s.edge][2] <= s.to_mm
            for s in ship.shields
        )

    assert hits("red-moth") == [(2, "asteroid-1", False), (1, "blue-ghost", False)]
    strongest, other = hits("red-sidewinder")
    assert strongest == (2, "blue-ghost", False)
    assert other[1] is None
    assert ships(deck)["ghost"].health <= 1 + 2
    del outlines["blue-ghost"]  # dead before it fires
    assert hits("blue-intruder") == [(1, None, False), (2, "red-ghost", True)]
    assert hits("red-ghost") == [(1, "blue-avenger", False), (2, "blue-intruder", True)]
    assert (2, "asteroid-1", False) in hits("blue-avenger")
    assert {target for _, target, _ in hits("blue-avenger")} == {"asteroid-1", None}
