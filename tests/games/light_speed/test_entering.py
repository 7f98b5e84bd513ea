"""What a person enters of the cards, step by step; and the deck file that it makes."""

import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import LIGHT
from vision.games.light_speed.deck import (
    card_ids,
    deck_to_json,
    form_of_known,
    load_deck,
    load_form,
)
from vision.games.light_speed.deck_form import BY_HAND, DesignForm, LaserForm, ShieldForm
from vision.games.light_speed.deck_toml import deck_to_toml
from vision.games.light_speed.entering import (
    Steps,
    deck_document,
    entry_of_file,
    find_fleet,
    known_of_file,
    look_at,
    problems_of,
    problems_of_ship,
    put,
    redo,
    undo,
    unseen,
)
from vision.games.light_speed.notation import format_table, parse_table
from vision.games.light_speed.roster import call_roll
from vision.games.light_speed.words import words

SIZE = (70.0, 110.0)
CARDS = ("red-moth", "red-fly", "blue-moth", "blue-fly", "asteroid-1", "asteroid-1-back")

lengths = st.floats(-35, 35)
weapons = st.builds(
    LaserForm,
    power=st.sampled_from([1, 2, 3]),
    muzzle_mm=st.tuples(lengths, st.floats(-55, 55)).map(list),
    heading_deg=st.floats(-180, 180, exclude_min=True),
    provenance=st.just({}),
)
stretches = st.builds(
    lambda edge, ends: ShieldForm(
        edge=edge, from_mm=min(ends), to_mm=max(ends) + 0.5, provenance={}
    ),
    st.sampled_from(["top", "right", "bottom", "left"]),
    st.tuples(st.floats(-34, 34), st.floats(-34, 34)),
)
designs = st.builds(
    DesignForm,
    speed=st.none() | st.integers(1, 10),
    health=st.none() | st.integers(1, 4),
    lasers=st.lists(weapons, max_size=3),
    shields=st.lists(stretches, max_size=2),
    provenance=st.just({}),
)


def whole(design, speed):
    return design.model_copy(update={"speed": speed, "health": design.health or 1})


def entered(*kinds):
    return {ship: put(Steps(), design) for ship, design in zip(("moth", "fly"), kinds, strict=True)}


def said(problems, language="en"):
    return [words(language).tell(problem) for problem in problems]


@LIGHT
@given(designs, designs)
def test_undo_takes_a_step_back_and_redo_takes_it_again(first, second):
    before = put(Steps(), first)
    after = put(before, second)
    if after.now == before.now:
        assert after is before
    else:
        assert undo(after).now == before.now
        assert redo(undo(after)).now == after.now
        assert redo(undo(after)).past == after.past
    assert not put(undo(after), DesignForm(speed=99, provenance={})).future


def test_undo_without_a_step_changes_nothing():
    assert undo(Steps()) == redo(Steps()) == Steps()


@LIGHT
@given(designs, designs)
def test_a_deck_file_holds_what_was_entered_of_both_teams(one, other):
    entry = entered(whole(one, 1), whole(other, 2))
    document = deck_document(entry, CARDS, "mine", SIZE)
    text = deck_to_toml(document)
    assert tomllib.loads(text) == document
    assert problems_of(document, CARDS) == ()
    ships = document["ships"]
    for ship, told in zip(ships, (one, other), strict=True):
        assert [part["power"] for part in ship.get("lasers", ())] == [w.power for w in told.lasers]
        for part in (*ship.get("lasers", ()), *ship.get("shields", ())):
            assert set(part["provenance"].values()) == {BY_HAND}


@pytest.mark.parametrize("name", ["Étoile", "雪", "🚀"])
def test_a_deck_file_is_written_in_any_alphabet(name):
    """Half of a pair of surrogates, as JSON may write a sign, is none in TOML."""
    text = deck_to_toml({"name": name, "card": {}, "ships": []})
    assert name in text
    assert tomllib.loads(text)["name"] == name


@LIGHT
@given(designs, designs)
def test_a_read_file_is_entered_again_as_it_was(one, other):
    text = deck_to_toml(deck_document(entered(whole(one, 1), whole(other, 2)), CARDS, "mine", SIZE))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.toml"
        file.write_text(text, encoding="utf-8")
        deck, form = load_deck(file), load_form(file)
    assert deck_to_toml(deck_document(entry_of_file(form), CARDS, "mine", SIZE)) == text
    assert deck.teams == ("red", "blue")
    assert set(CARDS) <= set(card_ids(deck))


def test_the_deck_of_the_program_goes_through_by_hand(tmp_path):
    """What is entered of every ship anew gives the deck's own numbers, by hand each of them."""
    known = load_deck("light-speed")
    told = deck_to_json(known)
    entry = {
        ship["name"]: put(
            Steps(),
            DesignForm.model_validate(
                {key: ship[key] for key in ("speed", "health", "lasers", "shields")}
            ),
        )
        for ship in told["ships"]
    }
    size = (known.width_mm, known.height_mm)
    document = deck_document(entry, card_ids(known), "again", size)
    (tmp_path / "again.toml").write_text(deck_to_toml(document), encoding="utf-8")
    again = deck_to_json(load_deck(tmp_path / "again.toml"))
    assert {ship.pop("provenance").partition(":")[0] for ship in again["ships"]} == {BY_HAND}
    for ship in told["ships"]:
        ship.pop("provenance")
    assert again == {**told, "name": "again"}


def test_what_is_not_entered_yet_is_told_by_the_reader_and_no_file_is_made_up():
    entry = entered(DesignForm(speed=1, health=2, provenance={}), DesignForm(provenance={}))
    document = deck_document(entry, CARDS, "mine", SIZE)
    assert said(problems_of(document, CARDS)) == [
        "ship 'fly', speed is missing",
        "ship 'fly', health is missing",
    ]
    assert (
        said(problems_of(document, CARDS), "fr")[0] == "vaisseau 'fly', vitesse : valeur manquante"
    )
    moth, fly = document["ships"]
    assert problems_of_ship(moth, SIZE) == ()
    assert len(problems_of_ship(fly, SIZE)) == 2


@pytest.mark.parametrize(
    ("change", "words_of_it"),
    [
        (
            {"lasers": [{"power": 1, "muzzle_mm": [36, 0], "heading_deg": 0}]},
            "must lie on the card",
        ),
        ({"shields": [{"edge": "top", "from_mm": 3, "to_mm": 1}]}, "must be less than to_mm"),
        ({"shields": [{"edge": "left", "from_mm": -56, "to_mm": 1}]}, "must lie on the left edge"),
    ],
)
def test_a_ship_is_checked_while_others_are_missing(change, words_of_it):
    moth = DesignForm.model_validate({"speed": 1, "health": 2, **change})
    document = deck_document(entered(moth, DesignForm(provenance={})), CARDS, "mine", SIZE)
    assert words_of_it in said(problems_of_ship(document["ships"][0], SIZE))[0]


def test_two_ships_of_one_speed_and_a_gap_are_told():
    moth, fly = (DesignForm(speed=3, health=1, provenance={}) for _ in range(2))
    document = deck_document(entered(moth, fly), CARDS, "mine", SIZE)
    told = said(problems_of(document, CARDS))
    assert "speed: 3 is given more than once" in told[0]
    assert "no ship has speed 1" in told[1]


def test_names_tell_what_cards_are():
    fleet = find_fleet(
        ["blue-3", "red-3", "red-old-one", "asteroide", "asteroid-2-back", "ship-back", "fool"]
    )
    assert fleet.teams == ("blue", "red")
    assert fleet.designs == ("3", "old-one")  # the second has no twin among the blue
    assert fleet.asteroids == ("asteroide", "asteroid-2")
    assert fleet.strange == ("fool",)
    assert find_fleet(["red-moth-back"]).strange == ("red-moth-back",)


def test_a_strange_card_keeps_the_deck_from_being_played():
    cards = (*CARDS, "fool")
    entry = entered(*(DesignForm(speed=k, health=1, provenance={}) for k in (1, 2)))
    document = deck_document(entry, cards, "mine", SIZE)
    assert [text[:6] for text in said(problems_of(document, cards))] == ["'fool'"]


def test_a_ship_of_which_the_box_alone_tells_is_not_done_before_a_hand_was_there():
    known = known_of_file(form_of_known("light-speed"))["moth"]
    cards = ("red-moth", "blue-moth")

    def problems(steps):
        document = deck_document({"moth": steps}, cards, "mine", SIZE)
        of_ship = problems_of_ship(document["ships"][0], SIZE)
        assert set(of_ship) <= set(problems_of(document, cards))
        return [one.key for one in of_ship]

    assert problems(known) == ["deck.entry.untouched"]
    laser = LaserForm(power=2, muzzle_mm=[3.0, -13.0], heading_deg=0.0, provenance={})
    assert problems(put(known, known.now.model_copy(update={"lasers": [laser]}))) == []
    assert problems(put(known, DesignForm(speed=2, health=1, provenance={}))) == []


def test_a_look_lasts_until_something_changes():
    steps = put(Steps(), DesignForm(speed=1, provenance={}))
    looked = look_at(look_at(steps, "blue-moth", is_so=True), "blue-moth", is_so=True)
    assert looked.looked_at == ("blue-moth",)
    assert put(looked, looked.now).looked_at == ("blue-moth",)
    assert put(looked, DesignForm(speed=2, provenance={})).looked_at == ()
    assert undo(looked).looked_at == ()
    assert look_at(looked, "blue-moth", is_so=False).looked_at == ()
    assert unseen({"moth": looked})["moth"].looked_at == ()


def test_what_stays_keeps_where_it_is_from():
    known = LaserForm(
        power=2,
        muzzle_mm=[0, 0],
        heading_deg=10,
        provenance=dict.fromkeys(("power", "muzzle_mm", "heading_deg"), "known"),
    )
    origins = dict.fromkeys(("name", "speed", "health"), "known")
    before = Steps(DesignForm(speed=1, health=2, lasers=[known], provenance=origins))
    wanted = {
        "speed": 1,
        "health": 3,
        "lasers": [
            {"power": 2, "muzzle_mm": [0, 0], "heading_deg": 10},
            {"power": 3, "muzzle_mm": [0, 0], "heading_deg": 10},
        ],
    }
    now = put(before, DesignForm.model_validate(wanted)).now
    assert now.provenance == {"name": "known", "speed": "known", "health": BY_HAND}
    assert set(now.lasers[0].provenance.values()) == {"known"}
    assert set(now.lasers[1].provenance.values()) == {BY_HAND}


def test_ships_may_be_called_by_numbers(tmp_path):
    entry = {str(k): put(Steps(), DesignForm(speed=k, health=1, provenance={})) for k in (1, 2)}
    document = deck_document(entry, ["red-1", "red-2"], "mine", SIZE)
    (tmp_path / "mine.toml").write_text(deck_to_toml(document), encoding="utf-8")
    deck = load_deck(tmp_path / "mine.toml")
    table = parse_table("red 1 @0,0 0deg\nred 2 @100,0 0deg\n")
    assert [card.card_id for card in table.cards] == ["red-1", "red-2"]
    assert format_table(parse_table(format_table(table))) == format_table(table)
    assert call_roll(table, deck).teams == ("red",)
