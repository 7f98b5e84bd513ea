"""Declarations and ripostes by taps, by words and as JSON; what those who answer are told."""

import random
from dataclasses import replace

import pytest

from tests.games.conflit_stellaire.random_turns import random_table
from tests.games.conflit_stellaire.test_files import GAME
from tests.games.conflit_stellaire.test_golden import CASES
from vision.errors import TableFormatError
from vision.games.conflit_stellaire.files import read_table
from vision.games.conflit_stellaire.values import Card, Table
from vision.judging.orders import Choice
from vision.texts import texts

EN, FR = (texts(language, GAME.texts) for language in ("en", "fr"))

TABLE = """
seat A hull 20
seat B hull 20
A a-e1 energy-cell
A a-e2 energy-cell
A a-e3 energy-cell
A a-e4 energy-cell
A a1 pulse-laser
A a2 hunter-missile face-down
A a3 thruster
A a4 main-engine
A a5 back
B b1 screen
B b2 ir-jammer
B b3 point-defence
B b-e1 energy-cell
distance A B 5
turn A
"""


def said(message) -> str:
    assert FR.tell(message)
    return EN.tell(message)


def declared(table: Table, text: str | None) -> Table:
    return GAME.edit(table, {"kind": "orders", "orders": {"A": text}})


def offered(table: Table, seat: str, so_far: str = "") -> dict[str, Choice]:
    return {said(choice.said): choice for choice in GAME.choices(table, seat, so_far)}


def test_it_offers_what_pages_ask_for():
    table = GAME.read(TABLE)
    assert [party.id for party in GAME.parties(table)] == ["A", "B"]
    assert GAME.turns(table) == (("A",), ("B",))


def test_several_deeds_are_tapped_one_after_the_other_and_taken_out_again():
    table = GAME.read(TABLE)
    first = offered(table, "A")
    assert first["Pulse laser (a1)"].piece == "a1"
    at = offered(table, "A", first["Pulse laser (a1)"].text)
    (shot,) = at.values()
    assert (shot.piece, shot.text, shot.is_whole) == ("B", "fire a1 at B", True)
    then = offered(table, "A", shot.text)
    assert "Pulse laser (a1)" not in then
    assert then["surrenders → flagship B"].piece is None  # not by a tap on what is aimed at
    assert "nothing declared" not in then
    spent = then["one more point on it (2)"]
    assert spent.text == "fire a1 at B spend 2"
    moves = offered(table, "A", offered(table, "A", spent.text)["Thruster (a3)"].text)
    both = offered(table, "A", moves["approaches"].text)
    text = both["with Main engine (a4) too"].text
    whole = next(c for c in GAME.choices(table, "A", text) if c.piece == "B")
    assert whole.text == "fire a1 at B spend 2; approach a3 a4 at B"
    read = GAME.order(table, "A", whole.text)
    assert (read.text, len(read.lines), len(read.marks)) == (whole.text, 2, 2)
    assert all(line.warning is None for line in read.lines)
    assert [line.without for line in read.lines] == [
        "approach a3 a4 at B",
        "fire a1 at B spend 2",
    ]
    assert "of 8 points of energy" in said(read.said)


def test_what_is_void_is_told_while_composing_and_may_be_declared_all_the_same():
    table = GAME.read(TABLE.replace("A B 5", "A B 9"))
    (far,) = GAME.choices(table, "A", "fire a1")
    assert "range" in said(far.warning)
    read = GAME.order(table, "A", far.text)
    assert said(read.lines[0].warning) == said(far.warning)
    assert GAME.resolve(declared(table, far.text)).issues[0].code == "out_of_range"


def test_a_card_that_lies_face_down_is_named_by_its_owner_alone():
    table = GAME.read(TABLE)
    (named,) = [c for c in GAME.choices(table, "A", "a5") if c.text.endswith("is eye-missile")]
    launch = next(c for c in GAME.choices(table, "A", f"{named.text}; launch a5") if c.piece == "B")
    assert launch.text == "a5 is eye-missile; launch a5 at B"
    after = declared(table, launch.text)
    assert next(c for c in after.cards if c.id == "a5").face == "eye-missile"
    assert GAME.order(table, "A", launch.text).text == launch.text
    for wrong in ("a1 is eye-missile", "b1 is screen", "a5 is nothing"):
        with pytest.raises(TableFormatError):
            GAME.order(table, "A", wrong)
    with pytest.raises(TableFormatError):
        GAME.order(table, "B", "a5 is screen")


def test_who_answers_is_told_echoes_and_what_he_can_jam_and_no_more():
    table = declared(GAME.read(TABLE), "launch a2 at B; approach a3 at B")
    told = [said(line) for line in GAME.heard(table, "B")]
    assert told[0].startswith("A launches: a card face down (a2) → flagship B: 1 echo, for ")
    assert told[1].startswith("A approaches → flagship B")
    assert told[2] == "guidance among the missiles aimed at you: infra-red"
    assert "Thruster" not in " ".join(told)
    assert GAME.heard(table, "A") == ()
    quiet = declared(GAME.read(TABLE), None)
    assert [said(line) for line in GAME.heard(quiet, "B")] == ["A declares nothing"]


def test_ripostes_answer_what_was_declared():
    bare, table = GAME.read(TABLE), declared(GAME.read(TABLE), "launch a2 at B")
    assert [c.piece for c in GAME.choices(table, "B", "intercept b3")] == ["a2"]
    assert list(GAME.choices(bare, "B", "intercept b3")) == []
    assert {c.piece for c in GAME.choices(table, "B", "shield b1")} == {"A", "a2"}
    assert GAME.order(table, "B", "intercept b3 at a2; jam b2").lines[0].warning is None
    assert GAME.order(bare, "B", "intercept b3 at a2").lines[0].warning is not None


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_golden_turns_are_written_and_read_as_orders_text_and_json(case):
    table = read_table(case["table"])
    bare = replace(table, declarations=(), ripostes=())
    orders = {seat: text for seat, text in GAME.orders(table).items() if text is not None}
    again = GAME.edit(bare, {"kind": "orders", "orders": orders})
    assert GAME.write_outcome(GAME.resolve(again)) == GAME.write_outcome(GAME.resolve(table))
    deeds = [deed.to_json(is_riposte=False) for deed in table.declarations]
    assert GAME.order(bare, table.active, deeds).text == orders.get(table.active)
    words = [GAME.order(table, seat, text) for seat, text in orders.items()]
    assert all(said(line.said) for read in words for line in read.lines)


def test_voids_and_energy_while_composing_are_those_of_the_turn():
    for seed in range(120):
        table = random_table(random.Random(seed))
        outcome = GAME.resolve(table)
        active = table.active
        text = GAME.orders(table)[active]
        read = GAME.order(table, active, text)
        void = {n.declaration for n in outcome.issues if n.declaration is not None}
        assert {k for k, line in enumerate(read.lines) if line.warning is not None} == void, seed
        assert dict(read.said.values)["spent"] == outcome.energy[active].spent


def tapped(rng: random.Random, table: Table, seat: str) -> str:
    """Tap at random until the order is whole and long enough."""
    so_far, whole = "", "pass"
    for _ in range(12):
        found = [c for c in GAME.choices(table, seat, so_far) if c.text != "pass"]
        if not found:
            return whole
        choice = rng.choice(found)
        so_far = choice.text
        if choice.is_whole:
            whole = so_far
            assert GAME.order(table, seat, so_far).text == so_far
    return whole


def test_whatever_is_tapped_is_an_order():
    for seed in range(25):
        rng = random.Random(seed)
        table = replace(random_table(rng), declarations=(), ripostes=())
        for party in GAME.parties(table):
            text = tapped(rng, table, party.id)
            table = GAME.edit(table, {"kind": "orders", "orders": {party.id: text}})
        GAME.resolve(table)


# --- what is hidden --------------------------------------------------------------------------


def everything_told(table: Table, seat: str) -> str:
    """Return all that a seat is told while it composes, whatever it asks."""
    cards = [card.id for card in table.cards]
    asked = [f"shield b1 against {card}" for card in cards] + [
        f"intercept b3 at {c}" for c in cards
    ]
    told = [GAME.heard(table, seat), GAME.choices(table, seat, "")]
    told += [GAME.order(table, seat, text) for text in asked]
    told += [
        GAME.choices(table, seat, so_far) for so_far in ("shield b1", "intercept b3", "jam b2")
    ]
    return repr(told)


HIDDEN = (  # pairs of what A orders that sounds the same to B
    ("approach a3 at B spend 3", "approach a4 at B spend 3"),
    ("launch a2 at B spend 4", "a2 is dart-missile; launch a2 at B spend 4"),
    ("a5 is eye-missile; launch a5 at B spend 4", "a5 is lance-missile; launch a5 at B spend 4"),
    (None, "a5 is fighter"),
    (None, "fire a1 at B spend 99"),
)


@pytest.mark.parametrize(("one", "other"), HIDDEN)
def test_what_the_rules_hide_changes_nothing_of_what_is_told(one, other):
    table = GAME.read(TABLE)
    assert everything_told(declared(table, one), "B") == everything_told(
        declared(table, other), "B"
    )


def test_faces_of_hidden_cards_change_nothing_of_what_is_told():
    table = GAME.read(TABLE)
    faces = ("hunter-missile", "eye-missile", "fighter", "deflector", "escape-capsule", "crew")
    seen = set()
    for face in faces:
        spare = Card("a9", face, "A", face_down=True)
        more = replace(table, cards=(*table.cards, spare))
        seen.add(everything_told(declared(more, "fire a1 at B"), "B"))
    assert len(seen) == 1
