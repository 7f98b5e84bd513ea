"""JSON in and out: the contract's own examples, every mistake with its place, round trips."""

import copy
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from jsonschema_rs import validator_for
from pydantic import ValidationError

from tests.strategies import LAW, tables
from vision.errors import TableFormatError
from vision.files.codec import json_schema
from vision.files.scans import scan_to_json
from vision.files.schemas import ScanModel
from vision.games.light_speed.deck import card_ids, deck_to_json, load_deck
from vision.games.light_speed.files import read_table, resolution_to_json, table_to_json
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.schemas import DeckModel
from vision.games.light_speed.values import Resolution, TableState
from vision.values.layout import Camera, Layout, Other, Placed
from vision.values.scan import Scan

ANGLE_TOL_RAD = 1e-15  # half a unit in the last place of pi, twice
DECK = load_deck("light-speed")
OF_RESOLUTIONS = validator_for(json_schema("resolution", Resolution))

TABLE: dict[str, Any] = {
    "schema": "sightline/table@1",
    "game": "light-speed",
    "deck": "light-speed",
    "rules": {"piracy": False, "rocks": None, "asteroids": "auto", "kill_credit": "auto"},
    "cards": [
        {
            "card": "red-moth",
            "x_mm": 12.5,
            "y_mm": -80.0,
            "theta_deg": 33.0,
            "covariance": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.002]],
        },
        {"card": "blue-ghost", "x_mm": 100, "y_mm": 0, "theta_deg": -90},
        {"card": "ship-back-2", "x_mm": 300, "y_mm": 0, "theta_deg": 0},
        {"card": "unknown-1", "x_mm": 400, "y_mm": 0, "theta_deg": 0},
    ],
    "objects": [
        {"id": "coaster", "kind": "asteroid", "outline_mm": [[0, 0], [90, 0], [90, 90], [0, 90]]}
    ],
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the table with one field set (a new one too), or dropped if the value is ``...``."""
    document = copy.deepcopy(TABLE)
    keys = [
        int(k) if k.isdigit() else k for k in path.replace("[", ".").replace("]", "").split(".")
    ]
    place: Any = document
    for key in keys[:-1]:
        place = place[key]
    if value is ...:
        del place[keys[-1]]
    elif isinstance(place, list) and keys[-1] == len(place):
        place.append(value)
    else:
        place[keys[-1]] = value
    return document


# --- reading -------------------------------------------------------------------------------------


def test_the_contracts_example_is_read():
    table = read_table(json.dumps(TABLE))
    card = table.cards[0]
    assert (card.card_id, card.x_mm, card.y_mm) == ("red-moth", 12.5, -80.0)
    assert card.theta_rad == math.radians(33)
    assert card.covariance is not None
    assert card.covariance[2, 2] == pytest.approx(0.002 * math.radians(1) ** 2)
    assert table.objects[0].outline_mm.shape == (4, 2)
    assert table.rules.rocks is None


def test_text_bytes_and_parsed_json_are_read_alike():
    forms = [TABLE, json.dumps(TABLE), json.dumps(TABLE).encode(), "\ufeff" + json.dumps(TABLE)]
    assert len({json.dumps(table_to_json(read_table(form))) for form in forms}) == 1


def test_what_may_be_left_out_may_be_left_out():
    bare = {"schema": "sightline/table@1", "cards": []}
    table = read_table(bare)
    assert table_to_json(table) == {
        "schema": "sightline/table@1",
        "game": "light-speed",
        "deck": "light-speed",
        "rules": {"piracy": False, "rocks": None, "asteroids": "auto", "kill_credit": "auto"},
        "cards": [],
    }


def test_angles_out_of_range_are_brought_into_it():
    assert read_table(changed("cards[0].theta_deg", 270)).cards[0].theta_rad == -math.pi / 2
    assert read_table(changed("cards[0].theta_deg", -180)).cards[0].theta_rad == math.pi


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("cards[3].theta_deg", "north", 'cards[3].theta_deg: expected a number, got "north"'),
        ("cards[0].theta_deg", True, "cards[0].theta_deg: expected a number, got true"),
        ("cards[0].x_mm", None, "cards[0].x_mm: expected a number, got null"),
        ("cards[0].x_mm", 1e9, "cards[0].x_mm: expected 100000 or less, got 1000000000.0"),
        ("cards[0].x_mm", 10**400, "cards[0].x_mm: expected a finite number, got 1000"),
        ("cards[0].x_mm", math.inf, "cards[0].x_mm: expected a finite number, got Infinity"),
        ("cards[0].x_mm", ..., "cards[0].x_mm: is missing"),
        ("cards[0].x", 3, 'cards[0].x: unknown field; did you mean "x_mm"?'),
        ("cards[0].theta_rad", 3, 'cards[0].theta_rad: unknown field; did you mean "theta_deg"?'),
        ("rules.pirates", True, 'rules.pirates: unknown field; did you mean "piracy"?'),
        ("card", [], 'card: unknown field; did you mean "cards"?'),
        ("objects[0].outline", [], 'objects[0].outline: unknown field; did you mean "outline_mm"'),
        ("cards", {}, "cards: expected a list, got {}"),
        ("cards[1]", 7, "cards[1]: expected an object, got 7"),
        ("schema", ..., "schema: is missing"),
        ("schema", "sightline/table@2", 'schema: expected "sightline/table@1", got "sightline/t'),
        ("game", "chess", 'game: expected "light-speed" or "none", got "chess"'),
        ("deck", "dark", 'deck: no deck is called "dark"; the known decks are light-speed'),
        ("deck", "/etc/passwd.toml", "deck: no deck is called"),
        ("cards[1].card", "blue-gost", 'has no card "blue-gost"; did you mean "blue-ghost"?'),
        ("cards[1].card", "Blue-Ghost", 'cards[1].card: the deck "light-speed" has no card'),
        ("cards[1].card", "red-moth", 'cards[1].card: "red-moth" is there already (cards[0].card)'),
        ("cards[1].card", "", 'cards[1].card: expected a name, got ""'),
        ("cards[0].covariance", [[1, 2], [3, 4]], "expected 3 entries or more, got [1, 2]"),
        (
            "cards[0].covariance",
            [[1, 1, 0], [0, 1, 0], [0, 0, 1]],
            "cards[0].covariance: expected a symmetric matrix",
        ),
        (
            "cards[0].covariance",
            [[-1, 0, 0], [0, 1, 0], [0, 0, 1]],
            "cards[0].covariance: expected a covariance",
        ),
        ("rules.asteroids", "both", 'expected "auto", "joined" or "separate", got "both"'),
        ("rules.rocks", 2.5, "rules.rocks: expected a whole number, got 2.5"),
        ("rules.rocks", 0, "rules.rocks: expected 1 or more, got 0"),
        ("rules.piracy", "yes", 'rules.piracy: expected true or false, got "yes"'),
        ("rules.teams", ["red", "pink"], 'rules.teams[1]: no team "pink"; expected one of red'),
        ("rules.teams", ["red", "red"], 'rules.teams[1]: "red" is named already'),
        ("objects[0].kind", "coaster", 'objects[0].kind: expected "asteroid", got "coaster"'),
        ("objects[0].id", "red-viper", 'objects[0].id: "red-viper" is the id of a card'),
        ("objects[0].id", "red-moth", 'objects[0].id: "red-moth" is there already (cards[0].card)'),
        ("objects[0].outline_mm", [[0, 0], [1, 0], [2, 0]], "these corners lie on one line"),
        ("objects[0].outline_mm", [[0, 0], [9, 9], [9, 0], [0, 9]], "in order, once round"),
        ("objects[0].outline_mm", [[0, 0], [9, 9]], "expected 3 entries or more"),
    ],
)
def test_a_mistake_is_told_with_its_place(path, value, said):
    with pytest.raises(TableFormatError) as caught:
        read_table(changed(path, value))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1, column 2: not JSON"),
        ('{"cards": [],\n "cards": []}', 'the field "cards" is there twice'),
        ('{"cards": [NaN]}', "NaN is not a number of JSON"),
        ("[1]", "the file: expected an object, got [1]"),
        ("[" * 100_000, "not a table file"),
        ("1" * 5000, "not a table file"),
        (b"\xff\xfe\xff", "not a text file in UTF-8"),
    ],
)
def test_what_is_no_table_file_is_told(text, said):
    with pytest.raises(TableFormatError) as caught:
        read_table(text)
    assert said in str(caught.value)


def test_more_mistakes_are_counted():
    document = changed("cards[0].x_mm", "a")
    document["cards"][1]["y_mm"] = "b"
    with pytest.raises(TableFormatError, match=r"^cards\[0\]\.x_mm: .* \(and 1 more\)$"):
        read_table(document)


def test_a_table_of_another_deck_is_refused():
    with pytest.raises(TableFormatError, match='deck: this is a table of the deck "other"'):
        read_table(changed("deck", "other"), DECK)


# --- there and back ------------------------------------------------------------------------------


@LAW
@given(tables())
def test_a_table_written_and_read_is_the_same(drawn):
    table, deck = drawn
    document = json.loads(json.dumps(table_to_json(table), allow_nan=False))
    back = read_table(document, deck)
    assert (back.rules, back.game, back.deck) == (table.rules, table.game, table.deck)
    for one, other in zip(back.cards, table.cards, strict=True):
        assert (one.card_id, one.x_mm, one.y_mm) == (other.card_id, other.x_mm, other.y_mm)
        assert one.theta_rad == pytest.approx(other.theta_rad, abs=ANGLE_TOL_RAD)
    for one, other in zip(back.objects, table.objects, strict=True):
        assert one.id == other.id
        assert np.array_equal(one.outline_mm, other.outline_mm)
    assert table_to_json(back) == document, "what was read once is written the same for good"


def test_degrees_that_people_write_come_back_as_written():
    for degrees in (33.0, 0.1, -179.999, 12.3456, 180.0, 90.0):
        table = read_table(changed("cards[0].theta_deg", degrees))
        assert table_to_json(table)["cards"][0]["theta_deg"] == degrees


@LAW
@given(tables())
def test_every_resolution_is_of_its_schema(drawn):
    document = resolution_to_json(resolve(*drawn))
    OF_RESOLUTIONS.validate(json.loads(json.dumps(document, allow_nan=False)))


def golden() -> tuple[TableState, Resolution]:
    table = parse_table("asteroid-1 @0,0 0deg\nred moth @-3,200 0deg\nblue moth @900,900 135deg")
    return table, resolve(table, DECK)


def test_a_resolution_has_the_contracts_form():
    document = resolution_to_json(golden()[1])
    shot = document["steps"][0]["shots"][2]
    assert shot == {
        "ship": "red-moth",
        "laser": 0,
        "power": 2,
        "path_mm": [[0.0, 155.55], [0.0, 44.45]],
        "hit": {"card": "asteroid-1", "edge": "bottom", "shielded": False},
        "margin_mm": 31.75,
        "sigma_mm": 0.0,
        "flip_probability": 0.0,
        "margin_card": "asteroid-1",
        "margin_outcome": None,
        "feature": {
            "card": "asteroid-1",
            "kind": "corner",
            "distance_mm": 31.75,
            "sigma_mm": 0.0,
            "point_mm": [31.75, -44.45],
        },
        "ruled": False,
    }
    assert document["odds"] is None
    assert document["contested_from"] == 0.01
    assert document["steps"][0]["mined"] == [
        {"ship": "red-moth", "source": "asteroid-1", "rocks": 2}
    ]
    assert document["scores"]["red"] == {"kills": 0, "rocks": 2, "own": 0, "total": 2}
    assert document["winners"] == ["red"]


def test_a_margin_without_end_is_null():
    alone = resolve(parse_table("red moth @0,0 0deg"), DECK)
    assert resolution_to_json(alone)["steps"][0]["shots"][0]["margin_mm"] is None


def scan() -> Scan:
    table, resolution = golden()
    camera = Camera(np.diag([3000.0, 3000, 1]), np.array([0.01, 0.0]), np.eye(3))
    corners = np.array([[0.0, 0], [600, 0], [600, 900], [0, 900]])
    placed = tuple(
        Placed(
            spot=str(spot),
            piece=card.card_id,
            x_mm=card.x_mm,
            y_mm=card.y_mm,
            theta_rad=card.theta_rad,
            covariance=np.zeros((3, 3)) if card.covariance is None else card.covariance,
            outline_px=corners,
            score=0.93,
            others=(Other("red-viper", 0.41), Other("red-ghost", 0.3)),
        )
        for spot, card in enumerate(table.cards)
    )
    layout = Layout(placed, np.zeros((9, 9)), camera, (4000, 3000))
    ledger = LightSpeed(DECK).tell(table, resolution)
    timings = {"decode": np.float64(12.5)}
    return Scan("light-speed", (layout,), table, resolution, ledger, timings)


def test_a_scan_has_the_contracts_form():
    document = json.loads(json.dumps(scan_to_json(scan(), LightSpeed(DECK)), allow_nan=False))
    ScanModel.model_validate(document)
    assert document["resolution"].pop("open") is False
    OF_RESOLUTIONS.validate(document["resolution"])
    assert document["game"] == "light-speed"
    card = document["cards"][0]
    assert card["runner_up"] == {"card": "red-viper", "score": 0.41}
    assert card["score"] == 0.93
    assert card["corners_px"][1] == [600, 0]
    assert document["photo"] == {"width_px": 4000, "height_px": 3000}
    assert document["camera"]["distortion"]["k1"] == 0.01
    read_table(document["table"])


# --- schemas -------------------------------------------------------------------------------------


def test_each_kind_has_a_schema_that_names_itself():
    forms = {
        "table": TableState,
        "resolution": Resolution,
        "scan": ScanModel,
        "deck": DeckModel,
    }
    for kind, form in forms.items():
        schema = json_schema(kind, form, "validation" if kind == "table" else "serialization")
        assert schema["properties"]["schema"]["const"] == f"sightline/{kind}@1"
        assert schema["additionalProperties"] is False
        json.dumps(schema)


def test_the_deck_as_printed_is_of_its_schema():
    document = json.loads(json.dumps(deck_to_json(DECK)))
    DeckModel.model_validate(document)
    with pytest.raises(ValidationError):
        DeckModel.model_validate({**document, "ships": [{}]})


def test_every_card_of_the_deck_may_be_on_a_table():
    cards = [{"card": c, "x_mm": 0, "y_mm": 0, "theta_deg": 0} for c in card_ids(DECK)]
    assert len(read_table({"schema": "sightline/table@1", "cards": cards}).cards) == 45
