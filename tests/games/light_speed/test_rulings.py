"""Rulings: the players' word counts, is marked, and changes nothing else."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import LineString, Point, Polygon

from tests.strategies import LIGHT, tables
from tests.told import account as told_lines
from vision.errors import TableFormatError
from vision.games.light_speed.bodies import place_bodies
from vision.games.light_speed.corrections import edit
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.files import read_table, resolution_to_json, table_to_json
from vision.games.light_speed.notation import format_table, parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.ruling_text import format_ruling, parse_ruling
from vision.games.light_speed.tell import tell
from vision.games.light_speed.values import Deck, Hit, Resolution, Ruling, Shot, TableState

DECK = load_deck("light-speed")


def shots_of(told: Resolution) -> list[Shot]:
    return [shot for step in told.steps for shot in step.shots]


def as_told(shot: Shot) -> Ruling:
    hit = shot.hit
    return Ruling(shot.ship, shot.laser, hit.card if hit else None, bool(hit and hit.shielded))


@LIGHT
@given(tables())
def test_ruling_what_the_beams_say_changes_nothing(drawn: tuple[TableState, Deck]) -> None:
    table, deck = drawn
    plain = resolve(table, deck)
    rulings = tuple(as_told(shot) for shot in shots_of(plain))
    ruled = resolve(replace(table, rulings=rulings), deck)
    assert ruled.scores == plain.scores
    for one, other in zip(shots_of(plain), shots_of(ruled), strict=True):
        assert other == replace(one, ruled=True, flip_probability=0.0)


@LIGHT
@given(tables(), st.integers(0, 2**32 - 1))
def test_a_ruled_shot_hits_what_was_ruled(drawn: tuple[TableState, Deck], seed: int) -> None:
    table, deck = drawn
    rng = np.random.default_rng(seed)
    before = shots_of(resolve(table, deck))
    things = [c.card_id for c in table.cards if not c.card_id.startswith("ship-back")]
    things += [thing.id for thing in table.objects]
    if not before:
        return
    shot = before[int(rng.integers(len(before)))]
    targets: list[str | None] = [None, *(t for t in things if t != shot.ship)]
    target = targets[int(rng.integers(len(targets)))]
    ruling = Ruling(shot.ship, shot.laser, target, target is not None and bool(rng.random() < 0.4))
    told = resolve(replace(table, rulings=(ruling,)), deck)
    after = next(s for s in shots_of(told) if (s.ship, s.laser) == (shot.ship, shot.laser))
    void = [issue for issue in told.issues if issue.code == "ruling_void"]
    if void:
        assert after == shot  # what was ruled had left the table before
        return
    assert after.ruled
    if target is None:
        assert after.hit is None
    else:
        assert after.hit is not None
        assert (after.hit.card, after.hit.shielded) == (target, ruling.shielded)
    # nothing before or beside it changed
    for one, other in zip(before, shots_of(told), strict=False):
        if (one.ship, one.laser) == (shot.ship, shot.laser):
            break
        assert one == other
    # and the path stays on the beam
    start, end = np.array(after.path_mm)
    way, was = end - start, np.array(shot.path_mm[1]) - start
    assert np.allclose(start, shot.path_mm[0])
    assert abs(way[0] * was[1] - way[1] * was[0]) <= 1e-6 * max(np.hypot(*was), 1.0) * max(
        np.hypot(*way), 1.0
    )


@pytest.mark.parametrize("degrees", [0, 20, 75, 130, 200, 310])
@pytest.mark.parametrize("beside_mm", [-90.0, 80.0, 160.0])
def test_a_beam_ruled_onto_a_card_that_it_passes_ends_where_it_is_nearest(degrees, beside_mm):
    """Whatever else lies there, and however the card does."""
    table = parse_table(
        f"red moth @0,0 0deg\nblue viper @{beside_mm},-300 {degrees}deg\n"
        "blue bastion @-300,-120 10deg\ngreen ghost @320,-420 40deg\nruling red-moth:1=blue-viper"
    )
    shot = next(s for s in shots_of(resolve(table, DECK)) if (s.ship, s.laser) == ("red-moth", 0))
    start, end = (np.array(point) for point in shot.path_mm)
    card = next(c for c in table.cards if c.card_id == "blue-viper")
    outline = Polygon(place_bodies((card,), (), (DECK.width_mm, DECK.height_mm)).corners[0])
    beam = LineString([start, start + 2000 * (end - start) / np.hypot(*(end - start))])
    assert shot.hit is not None
    assert shot.hit.card == "blue-viper"
    assert Point(end).distance(outline) == pytest.approx(beam.distance(outline), abs=1e-3)


def test_a_ruling_on_a_shot_that_never_happens_is_told() -> None:
    table = parse_table(
        "red moth @0,0 0deg\nblue moth @500,500 0deg\nruling blue-viper:1=space\n"
        "ruling red-moth:1=blue-ghost"
    )
    told = resolve(table, DECK)
    void = [i for i in told.issues if i.code == "ruling_void"]
    assert [i.cards for i in void] == [("blue-viper",), ("red-moth", "blue-ghost")]
    assert "never fired" in void[0].message
    assert "not on the table" in void[1].message
    assert not any(shot.ruled for shot in shots_of(told))


def test_ledger_account_and_json_say_who_ruled() -> None:
    table = parse_table("red moth @0,0 0deg\nblue moth @40,-300 0deg\nruling red-moth:1=blue-moth")
    told = resolve(table, DECK)
    lines = told_lines(table, DECK, told)
    assert any("red moth laser 1" in x and x.endswith("(ruled by the players)") for x in lines)
    in_french = told_lines(table, DECK, told, "fr")
    assert any(line.endswith("(décision des joueurs)") for line in in_french)
    document = resolution_to_json(told)
    flags = {
        (s["ship"], s["laser"]): s["ruled"] for step in document["steps"] for s in step["shots"]
    }
    assert [key for key, is_ruled in flags.items() if is_ruled] == [("red-moth", 0)]
    events = [e for step in tell(table, DECK, told).steps for e in step.events if e.closeness]
    assert [e.closeness.said is None for e in events] == [e.ruled for e in events]


@pytest.mark.parametrize(
    "text",
    ["red-moth:1=blue-ghost", "red-moth:2=space", "blue-viper:1=asteroid-1-back", "a:9=b:shield"],
)
def test_rulings_are_written_as_read(text: str) -> None:
    assert format_ruling(parse_ruling(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "red-moth",
        "red-moth=blue",
        "red-moth:0=blue-moth",
        "red-moth:x=y",
        "a:1=space:shield",
        "a:1=",
        ":1=b",
        "a:1=b:armour",
        "a:1=b=c",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(TableFormatError, match="SHIP:LASER=TARGET"):
        parse_ruling(text)


@LIGHT
@given(tables(DECK), st.integers(0, 2**32 - 1))
def test_rulings_stay_in_the_table_file(drawn: tuple[TableState, Deck], seed: int) -> None:
    table, deck = drawn
    rng = np.random.default_rng(seed)
    rulings = []
    for shot in shots_of(resolve(table, deck))[:4]:
        targets = [None, *(i for i in card_ids(deck) if i != shot.ship)]
        target = targets[int(rng.integers(len(targets)))]
        rulings.append(Ruling(shot.ship, shot.laser, target, bool(target and rng.random() < 0.5)))
    table = replace(table, rulings=tuple(rulings))
    assert parse_table(format_table(table)).rulings == table.rulings
    assert read_table(json.dumps(table_to_json(table))).rulings == table.rulings


@pytest.mark.parametrize(
    ("ruling", "place"),
    [
        ({"ship": "red-moht", "laser": 0, "target": None}, r"rulings\[0\].ship.*red-moth"),
        ({"ship": "red-moth", "laser": 2, "target": None}, r"rulings\[0\].laser"),
        ({"ship": "red-moth", "laser": 0, "target": "blu-moth"}, r"rulings\[0\].target.*blue"),
        ({"ship": "red-moth", "laser": 0, "target": "red-moth"}, r"rulings\[0\].target"),
        (
            {"ship": "red-moth", "laser": 0, "target": None, "shielded": True},
            r"rulings\[0\].*space has no shield",
        ),
        ({"ship": "red-moth", "laser": 0, "target": None, "why": ""}, r"rulings\[0\].why"),
    ],
)
def test_a_wrong_ruling_is_named_by_its_place(ruling: dict[str, object], place: str) -> None:
    document = {"schema": "sightline/table@1", "cards": [], "rulings": [ruling]}
    with pytest.raises(TableFormatError, match=place):
        read_table(json.dumps(document))


def test_the_readings_are_what_the_rulings_make_of_them() -> None:
    """Deciding the contested shots as a reading has them gives the score that it tells."""
    sample = Path(__file__).parents[3] / "sample_photos" / "close-calls.truth.json"
    table = read_table(json.loads(sample.read_text(encoding="utf-8"))["table"])
    cards = tuple(replace(c, covariance=np.diag([4e-3, 4e-3, 2e-8])) for c in table.cards)
    table = replace(table, cards=cards)
    told = resolve(table, DECK)
    assert len(told.contested()) == 2
    assert told.odds is not None
    assert len(told.odds.readings) == 4
    assert len({tuple(r.totals.values()) for r in told.odds.readings}) == 4
    for reading in told.odds.readings:
        rulings = tuple(
            Ruling(c.ship, c.laser, hit.card if hit else None, bool(hit and hit.shielded))
            for c in reading.conditions
            for hit in c.hits
        )
        ruled = resolve(replace(table, rulings=rulings), DECK)
        assert {team: score.total for team, score in ruled.scores.items()} == reading.totals
        assert ruled.winners == reading.winners
        assert ruled.odds is not None
        assert ruled.odds.score_probability == 1.0
        assert not ruled.contested()


def test_a_shield_can_be_ruled() -> None:
    table = parse_table("red moth @0,0 0deg\nblue viper @0,-300 0deg")
    plain = resolve(table, DECK)
    ruled = resolve(replace(table, rulings=(parse_ruling("red-moth:1=blue-viper:shield"),)), DECK)
    hit = shots_of(ruled)[0].hit
    assert isinstance(hit, Hit)
    assert hit.shielded
    assert shots_of(plain)[0].ruled is False


@pytest.mark.parametrize("target", [None, "blue-viper", "asteroid-1"])
@pytest.mark.parametrize("shielded", [False, True])
@pytest.mark.parametrize("laser", [0, 1])
def test_a_ruling_in_fields_is_the_ruling_as_it_is_typed(target, shielded, laser):
    table = parse_table("red moth @0,0 0deg\nblue viper @0,-300 20deg\nasteroid 1 @300,0 0deg")
    told = {"kind": "ruling", "ship": "red-moth", "laser": laser, "target": target}
    if target is None and shielded:
        with pytest.raises(TableFormatError, match="space has no shield"):
            edit(table, told | {"shielded": True}, DECK)
        return
    text = format_ruling(Ruling("red-moth", laser, target, shielded))
    ruled = edit(table, told | {"shielded": shielded}, DECK)
    typed = edit(table, {"kind": "ruling", "text": text}, DECK)
    assert ruled.rulings == typed.rulings == (Ruling("red-moth", laser, target, shielded),)
