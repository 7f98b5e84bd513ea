"""The ledger of a turn, its words in both languages, corrections, turns brought to a photo."""

import random
import string
from dataclasses import replace

import pytest

from tests.games.conflit_stellaire.random_turns import random_table, with_doubts
from tests.games.conflit_stellaire.test_files import ENGLISH, GAME
from tests.games.conflit_stellaire.test_golden import CASES
from vision.errors import TableFormatError
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.files import read_table
from vision.games.conflit_stellaire.readings import read_as, readings_of
from vision.games.conflit_stellaire.resolve import play
from vision.games.conflit_stellaire.settle import name_of
from vision.games.conflit_stellaire.values import Reading
from vision.games.conflit_stellaire.voids import RULES
from vision.games.conflit_stellaire.words import doubt
from vision.showing.words import account_lines
from vision.texts import make_issue, texts
from vision.values.ledger import Burst, Cross, Path

EN, FR = (texts(language, GAME.texts) for language in ("en", "fr"))


def told(case):
    table = read_table(case["table"])
    return GAME.tell(table, GAME.resolve(table))


def gaps(text) -> set[str]:
    forms = text.values() if isinstance(text, dict) else [text]
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


def test_names_are_those_of_the_edition():
    for face in deck().faces.values():
        if face.kind != "back":
            assert EN.say(f"conflit.face.{face.id}") == face.names["en"]
            assert FR.say(f"conflit.face.{face.id}") == face.names["fr"]
    for rank in deck().ranks:
        assert FR.say(f"conflit.rank.{rank.id}") == rank.names["fr"]
    assert all(EN.has(f"conflit.void.{code}") for code in RULES)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_golden_turn_is_told(case):
    ledger, expected = told(case), case["resolution"]
    for speech in (EN, FR):
        assert all(account_lines(ledger, speech))
    final = ledger.final.scores
    for seat, score in expected["scores"].items():
        assert final[seat]["total"] == score["points"]
        assert final[seat]["hull"] == expected["ships"][seat]["hull"]
        assert final[seat]["energy"] == expected["energy"][seat]["left"]
    attacks = [e for step in ledger.steps for e in step.events if e.id.startswith("attack-")]
    assert len(attacks) == len(expected["ledger"])
    assert [set(e.leaves) for e in attacks] == [set(e["gone"]) for e in expected["ledger"]]
    assert list(ledger.winners) == expected["winners"]


def test_a_beam_ends_at_what_stopped_it_and_a_popped_shield_is_crossed():
    ledger = told(CASES[0])
    outlines = {piece.id: piece.outline_mm for piece in ledger.pieces}
    last = next(e for step in ledger.steps for e in step.events if e.id == "attack-3")
    path = next(mark for mark in last.marks if isinstance(mark, Path))
    assert path.points_mm[-1] == pytest.approx(outlines["b1"].mean(axis=0))
    assert [mark.piece for mark in last.marks if isinstance(mark, Cross)] == ["b1"]
    hit = next(e for step in told(CASES[1]).steps for e in step.events if e.id == "attack-1")
    assert [mark.text for mark in hit.marks if isinstance(mark, Burst)] == ["1"]


def test_random_turns_are_told_in_both_languages():
    for seed in range(150):
        rng = random.Random(seed)
        table = with_doubts(rng, random_table(rng))
        ledger = GAME.tell(table, GAME.resolve(table))
        for speech in (EN, FR):
            assert all(account_lines(ledger, speech)), seed
        assert sum(chance for _, chance in ledger.odds.winners) == pytest.approx(1), seed


def test_what_another_reading_would_change_is_a_doubt():
    ledger = told(CASES[-1])
    doubt = next(d for d in ledger.doubts if d.code == "outcome_doubtful")
    assert "flagship B would have survived with hull 7" in doubt.message
    assert doubt.severity == "doubt"


def test_changes_by_hand():
    table = GAME.read(ENGLISH)
    ready = GAME.edit(table, {"kind": "card", "id": "b1", "set": {"engaged": False}})
    assert next(c for c in ready.cards if c.id == "b1").up is None
    low = GAME.edit(table, {"kind": "seat", "id": "B", "set": {"hull": 3}})
    assert low.seats[1].hull == 3
    near = GAME.edit(table, {"kind": "distance", "between": ["B", "A"], "uds": 2})
    assert near.distances[0].uds == 2
    new = GAME.edit(table, {"kind": "add", "card": {"id": "b9", "card": "screen", "seat": "B"}})
    assert GAME.edit(new, {"kind": "remove", "id": "b9"}) == table
    quiet = GAME.edit(table, {"kind": "declare", "deeds": []})
    assert quiet.declarations == ()
    jam = {"kind": "riposte", "seat": "B", "deeds": [{"do": "jam", "card": "b1"}]}
    assert [deed.do for deed in GAME.edit(table, jam).ripostes] == ["jam"]
    ruled = GAME.edit(table, {"kind": "rules", "set": ["nets=all"]})
    assert (ruled.options.nets, ruled.options.alive) == ("all", "in-play")
    for wrong in (
        {"kind": "card", "id": "b7", "set": {}},
        {"kind": "card", "id": "b1", "set": {"engaged": "yes"}},
        {"kind": "seat", "id": "B", "set": {"hull": -1}},
        {"kind": "card", "id": "b3", "set": {"on": "a1"}},
        {"kind": "ruling", "text": "so"},
    ):
        with pytest.raises(TableFormatError):
            GAME.edit(table, wrong)


WRONG_TURNS = {  # what is written wrongly -> what is said of it
    " ": "nothing says whose turn it is",
    "A fire a1 at B": "nothing says whose turn it is",
    "turn A\nturn B": "said twice: A, then B",
    "turn A\nA fier a1 at B": 'line 2: .* did you mean "fire"',
    "turn A\nA attack a1 at B": "line 2: .* then one of fire, launch",
    "turn A\nB fire b1 at A": r"line 2: .* no riposte \(A has the turn\); there are shield",
    "turn A\nA fire a1": "line 2: .* needs card and target",
    "turn A\nrule nets=all": "give it as --rule nets=all",
    "turn A\nseat A hull 20": "line 2: .* expected a line like: turn A",
    "turn C": "no seat 'C'",
    '{"active": "A", "declaration": []}': 'did you mean "declarations"',
}


@pytest.mark.parametrize("said", WRONG_TURNS)
def test_a_turn_that_is_written_wrongly_is_refused_in_words(said):
    table = GAME.read(PHOTOGRAPHED)
    with pytest.raises(TableFormatError, match=WRONG_TURNS[said]):
        GAME.take_turn(table, said)


def test_an_arrow_is_read_as_it_is_written():
    table = GAME.take_turn(GAME.read(PHOTOGRAPHED), "turn A\nA fire a1 → B\nB shield b1 -> A\n")
    assert (table.declarations[0].target, table.ripostes[0].against) == ("B", "A")


def test_hulls_are_told_before_and_after_and_what_is_void_by_its_card():
    ledger = told(CASES[1])
    assert EN.tell(ledger.final.pieces["B"].note) == "hull 20, then 19"
    void = GAME.read(PHOTOGRAPHED + "A fire a3 at B\n")
    notes = [d.message for d in GAME.tell(void, GAME.resolve(void)).doubts]
    assert notes == ["declaration 1, A fires Pulse laser (a3): it is engaged, or used already"]


PHOTOGRAPHED = """
seat A hull 20
seat B hull 7
A a-e1 energy-cell engaged
A a1 twin-laser engaged
A a2 pulse-laser
A a3 pulse-laser engaged
B b1 deflector engaged up A
B b-e1 energy-cell engaged
B b-e2 energy-cell engaged
distance A B 5
turn A
"""
TURN = "turn A\nA fire a1 at B\nA fire a2 at B\nB shield b1 against A\n"


def test_a_turn_is_brought_to_a_photo_taken_when_all_was_declared():
    table = GAME.edit(GAME.read(PHOTOGRAPHED), {"kind": "turn", "turn": TURN})
    state = {card.id: card.engaged for card in table.cards}
    assert state == {
        **dict.fromkeys(("a-e1", "a1", "a2", "b1", "b-e1"), False),
        **dict.fromkeys(("a3", "b-e2"), True),
    }
    assert [(d.code, d.cards) for d in table.doubts] == [
        ("not_turned", ("a2",)),
        ("turned_unnamed", ("a3",)),
    ]
    outcome = GAME.resolve(table)
    assert [note.code for note in outcome.issues] == ["not_enough_energy"]  # 2 points for 2 + 1
    assert outcome.ledger[0].stopped[0].card == "b1"


def test_a_photo_of_the_start_is_played_as_it_lies():
    turn = {"active": "A", "moment": "start", "declarations": [{"do": "surrender"}]}
    table = GAME.read(PHOTOGRAPHED)
    started = GAME.edit(table, {"kind": "turn", "turn": turn})
    assert started.cards == table.cards
    assert [deed.do for deed in started.declarations] == ["surrender"]


def test_a_card_is_doubted_in_one_line():
    """Seeing's doubt of a face is a note beside the card's own, or beside what it would change."""
    text = "seat A hull 20\nseat B hull 20\nA a1 twin-laser\nA a-e energy-cell\nA a-f energy-cell"
    text += "\nB b1 screen\ndistance A B 2\nturn A\nA fire a1 at B"
    table = GAME.read(text)
    seen = make_issue(
        "doubtful_card", "issue.doubtful_card", ("x",), x="1", y="2", card="x",
        second="y", score=0.9, second_score=0.8,
    )  # fmt: skip

    def told(name, face, **more):
        cards = tuple(
            replace(c, readings=(Reading({"face": face}, 0.3),)) if c.id == name else c
            for c in table.cards
        )
        of = replace(table, cards=cards, **more)
        ledger = GAME.tell(of, GAME.resolve(of))
        own = next(c.face for c in cards if c.id == name)
        issues = ledger.weigh((replace(seen, cards=(own,)), *ledger.doubts))
        return sorted((i.code, i.cards) for i in issues if i.severity == "doubt")

    undeclared = {"declarations": ()}
    assert told("b1", "deflector", **undeclared) == [("piece_doubtful", ("b1",))]
    changed = told("a1", "heavy-laser")
    assert ("outcome_doubtful", ("a1",)) in changed
    assert "piece_doubtful" not in {code for code, _ in changed}
    askew = doubt("askew", "conflit.doubt.askew", ("b1",), what="b1")
    assert told("b1", "deflector", doubts=(askew,), **undeclared) == [("askew", ("b1",))]


def doubted(table):
    """Return what of a turn stands as a doubt: codes with what they are of."""
    ledger = GAME.tell(table, GAME.resolve(table))
    told = ledger.weigh(ledger.doubts)
    return {(issue.code, issue.cards) for issue in told if issue.severity == "doubt"}


def test_what_changes_nothing_of_a_declared_turn_is_a_note():
    """A screen that nobody raises may be another shield; the laser that fires may not."""
    text = "seat A hull 20\nseat B hull 20\nA a1 twin-laser\nA a-e energy-cell\nA a-f energy-cell"
    table = GAME.read(f"{text}\nB b1 screen\ndistance A B 2\nturn A\nA fire a1 at B")

    def read(name, fields, chance, **more):
        readings = (Reading(fields, chance),)
        cards = [replace(c, readings=readings) if c.id == name else c for c in table.cards]
        return replace(table, cards=tuple(cards), **more)

    assert doubted(read("b1", {"face": "deflector"}, 0.3)) == set()
    assert doubted(read("b1", {"engaged": True, "up": "A"}, 0.3)) != set()
    assert doubted(read("a1", {"face": "heavy-laser"}, 0.3)) == {("outcome_doubtful", ("a1",))}
    assert doubted(read("a1", {"face": "heavy-laser"}, 0.004)) == set()
    before = read("b1", {"face": "deflector"}, 0.3, declarations=())
    assert doubted(before) == {("piece_doubtful", ("b1",))}
    told = doubt("unread", "conflit.doubt.unread", ("b1",), what="b1")
    assert ("unread", ("b1",)) in doubted(read("b1", {"face": "deflector"}, 0.3, doubts=(told,)))


def test_who_names_cards_by_the_photo_need_not_know_which_seat_is_a():
    """Declared or not: only officers sit somewhere before the photo."""
    text = "seat A hull 20\nseat B hull 20\nA a1 twin-laser\nA a-e energy-cell\ndistance A B 2"
    table = GAME.read(f"{text}\nturn A\nA fire a1 at B")
    between = doubt("seats_named", "conflit.doubt.seats_named", (), seats="A - B")
    table = replace(table, doubts=(between,))
    named = {("seats_named", ())}
    assert doubted(table) == set()
    assert doubted(replace(table, declarations=())) == set()
    enlisted = GAME.enlist(table, {"A": 3, "B": 4})
    assert doubted(enlisted) == named
    assert doubted(replace(enlisted, declarations=())) == named


def test_a_turn_without_a_doubt_is_the_same_however_it_is_read():
    """Each reading that alone changes anything of a declared turn is doubted, if it is likely."""
    told = 0
    for seed in range(300):
        rng = random.Random(seed)
        table = with_doubts(rng, random_table(rng))
        if not (table.declarations or table.ripostes):
            continue
        of = {name for _, names in doubted(table) for name in names}
        taken = play(table)
        for spot, reading in readings_of(table):
            if play(read_as(table, {spot: reading})) != taken:
                told += 1
                assert name_of(spot) in of, (seed, spot)
    assert told > 200
