"""Tables read and written: text, JSON, French; what is refused and how it is said."""

from copy import deepcopy

import pytest

from tests.games.conflit_stellaire.test_golden import CASES
from vision.errors import TableFormatError
from vision.games.conflit_stellaire.deck import deck_to_json
from vision.games.conflit_stellaire.files import read_table
from vision.games.conflit_stellaire.game import ConflitStellaire

GAME = ConflitStellaire()


FRENCH = """
jeu conflit-stellaire
règle alive=in-play
siège A coque 20
siège B coque 7
A a1 twin-laser
A a2 main-engine
B b1 deflector engagée levée A
B b2 shuttle neuve
B b3 crew sur b2
distance A B 5
tour A
A tire a1 à B dépense 3
A éperonne A avec a2 à B
B bouclier b1 contre A
B se-rend à A
"""
ENGLISH = """
game conflit-stellaire
rule alive=in-play
seat A hull 20
seat B hull 7
A a1 twin-laser
A a2 main-engine
B b1 deflector engaged up A
B b2 shuttle new
B b3 crew on b2
distance A B 5
turn A
A fire a1 at B spend 3
A ram A with a2 at B
B shield b1 against A
B surrender to A
"""


def test_french_says_the_same():
    assert GAME.read(FRENCH) == GAME.read(ENGLISH)


def base() -> dict:
    return deepcopy(CASES[0]["table"])


def broken(change) -> dict:
    table = base()
    change(table)
    return table


REFUSED = {
    "an unknown field": (lambda t: t.update(colour=1), "colour"),
    "an unknown face": (lambda t: t["cards"][0].update(card="pulse-lazer"), "pulse-laser"),
    "an unknown seat of a card": (lambda t: t["cards"][0].update(seat="C"), "'C'"),
    "an id twice": (lambda t: t["cards"].append(t["cards"][0]), "twice"),
    "a seat twice": (lambda t: t["seats"].append(t["seats"][0]), "twice"),
    "an unknown rule": (lambda t: t.update(rules={"overflown": "ship"}), "overflow"),
    "an unknown value of a rule": (lambda t: t.update(rules={"overflow": "sea"}), "ship"),
    "an unknown verb": (lambda t: t["declarations"][0].update(do="fires"), "fire"),
    "several verbs": (lambda t: t["declarations"][0].update(do=["fire"]), "no declaration"),
    "a field of another verb": (lambda t: t["declarations"][0].update(die=3), "die"),
    "a riposte declared": (lambda t: t["declarations"][0].update(do="jam"), "no declaration"),
    "a die of nine": (
        lambda t: t["declarations"].append({"do": "initiative", "card": "a1", "die": 9}),
        "1 to 8",
    ),
    "on no auxiliary": (lambda t: t["cards"][0].update(on="a1"), "auxiliary"),
    "on itself": (lambda t: t["cards"][0].update(on="a-e1"), "auxiliary"),
    "up and ready": (lambda t: t["cards"][-1].update(up="A"), "ready"),
    "up and no shield": (lambda t: t["cards"][0].update(up="B", engaged=True), "no shield"),
    "no distance": (lambda t: t.update(distances=[]), "missing"),
    "too far": (lambda t: t["distances"][0].update(uds=13), "12"),
    "nobody's turn": (lambda t: t.update(active="D"), "'D'"),
    "a reading that cannot be": (
        lambda t: t["cards"][0].update(readings=[{"card": "nothing"}]),
        "another reading",
    ),
    "a commander on no ship": (lambda t: t["seats"][0].update(commander="a1"), "commander"),
    "one seat": (lambda t: t.update(seats=t["seats"][:1]), "seat"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name):
    change, said = REFUSED[name]
    with pytest.raises(TableFormatError, match=said):
        read_table(broken(change))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("A firre a1 at B", '"fire"'),
        ("A fire a1 at B spend much", "line 17"),
        ("seat Q hull 3", "expected a line"),
        ("A fire a1 a2 at B", "already"),
        ("A a9 twin-laser sideways", "sideways"),
        ("distance A B x", "line 17"),
    ],
)
def test_a_wrong_line_is_told(line, said):
    with pytest.raises(TableFormatError, match=said):
        GAME.read(ENGLISH + line)


def test_unknown_ids_in_deeds_are_void_not_refused():
    table = broken(lambda t: t["declarations"][0].update(card="nobody"))
    assert GAME.write_outcome(GAME.resolve(read_table(table)))["issues"][0] == {
        "code": "unknown_card",
        "declaration": 0,
    }


def test_the_deck_is_shown_with_its_faces():
    shown = deck_to_json()
    assert len(shown["faces"]) == 48
    assert shown["faces"][0]["provenance"]["kind"] == "known"
    assert shown["scale"]["start"] == 8
