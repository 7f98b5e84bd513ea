"""What the page is told of a round and before one: whole in each language, placed in the photo."""

import json
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest

from vision.apps.server.rounds.offers import offers
from vision.apps.server.rounds.told import tell_in_photo
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.tell import tell
from vision.games.light_speed.words import FOLDER
from vision.judging.options import Option, options_of
from vision.values.layout import Camera

SIZE = (1000, 800)
SCALE = 0.5  # px per mm
TABLE = "red moth @0,0 0deg\nblue moth @20,-300 0deg\nasteroid-1 @5000,0 0deg"


def told(notation: str):
    """Tell a round in a photo taken from straight above, the table's origin in its middle."""
    homography = np.array([[SCALE, 0, SIZE[0] / 2], [0, SCALE, SIZE[1] / 2], [0, 0, 1]])
    matrix = np.array([[1000.0, 0, SIZE[0] / 2], [0, 1000.0, SIZE[1] / 2], [0, 0, 1]])
    camera = Camera(matrix, np.zeros(2), homography)
    table, deck = parse_table(notation), load_deck("light-speed")
    return tell_in_photo(tell(table, deck, resolve(table, deck)), camera, SIZE, FOLDER)


def test_places_are_those_of_the_photo():
    ledger = told(TABLE)["en"]
    assert not re.search(r'"(points|at|outline|point)_mm"', json.dumps(ledger))
    moth = next(piece for piece in ledger["pieces"] if piece["id"] == "red-moth")
    assert np.mean(moth["outline_px"], axis=0) == pytest.approx([500, 400], abs=0.1)
    shot = next(e for e in ledger["steps"][0]["events"] if e["id"] == "red-moth-laser-1")
    path, *others = shot["marks"]
    assert path["points_px"][0][1] == pytest.approx(400 - 44.45 * SCALE, abs=0.1)
    assert [mark["at_px"] for mark in others] == [path["points_px"][-1]]


def test_what_lies_beside_the_photo_has_no_place_in_it():
    ledger = told("red moth @0,0 90deg\nblue moth @5000,0 0deg")["en"]
    shot = next(e for e in ledger["steps"][0]["events"] if e["id"] == "red-moth-laser-1")
    assert max(x for x, _ in shot["marks"][0]["points_px"]) < 1100
    assert [mark["at_px"] for mark in shot["marks"][1:]] == [None]


def test_every_language_tells_the_same_round():
    both = told(TABLE)
    assert set(both) == {"en", "fr"}
    one, other = ([len(step["events"]) for step in both[lang]["steps"]] for lang in both)
    assert one == other
    assert both["en"]["outcome"] != both["fr"]["outcome"]


def test_offers_name_sides_pieces_and_options():
    offer = next(offer for offer in offers() if offer["deck"] == "light-speed")
    assert {side["id"] for side in offer["sides"]} == {"red", "green", "purple", "blue"}
    assert {piece["side"] for piece in offer["pieces"]} == {"red", "green", "purple", "blue", None}
    rocks = next(option for option in offer["options"] if option["id"] == "rocks")
    assert (rocks["kind"], rocks["default"]) == ("number", None)
    assert rocks["choices"][0]["name"] == {"en": "as the rulebook says", "fr": "selon la règle"}
    assert "teams" not in {option["id"] for option in offer["options"]}


def test_options_follow_from_their_types():
    @dataclass(frozen=True)
    class Options:
        fast: bool = True
        size: Literal["small", "large"] = "small"
        most: int | None = None
        names: tuple[str, ...] = ()

    assert options_of(Options) == (
        Option("fast", "flag", True),
        Option("size", "choice", "small", ("small", "large")),
        Option("most", "number", None, (None,)),
    )
