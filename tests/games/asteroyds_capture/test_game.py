"""Asteroyds, capture, as a game of the house: files, doubts, corrections, words."""

import json
import random
from dataclasses import replace

import pytest

from tests.games.asteroyds_capture.cases import load_cases
from tests.games.asteroyds_capture.turns import random_table
from tests.typed import run
from vision.errors import TableFormatError
from vision.files.documents import adapter_of
from vision.files.ledger import ledger_to_json
from vision.games.asteroyds_capture.coach import changes
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.games.asteroyds_capture.values import OtherValues, Program
from vision.games.asteroyds_capture.words import TEXTS
from vision.judging.options import help_of, options_of
from vision.texts import LANGUAGES, texts

GAME = AsteroydsCapture()
CASES = load_cases()
START = "game asteroyds-capture\nlayout 2v2\n"


def table_json(**fields):
    return {"schema": "sightline/table@1", "game": "asteroyds-capture", "layout": "2v2"} | fields


def read_json(**fields):
    return GAME.read(json.dumps(table_json(**fields)))


def codes(table):
    return [issue.code for issue in GAME.resolve(table).issues]


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_what_is_left_can_be_played_on(case):
    outcome = GAME.resolve(GAME.read(CASES[case][0]))
    final = GAME.write_outcome(outcome)["final"]
    assert GAME.read(json.dumps(final)) == outcome.final
    again = GAME.resolve(outcome.final)
    assert ("game_over" in [i.code for i in again.issues]) == bool(outcome.winners)
    assert bool(again.rounds) != bool(outcome.winners)


def test_the_page_s_own_table_is_read():
    table = GAME.read(
        """{"schema": "sightline/table@1", "game": "asteroyds-capture", "board": {"radius": 5},
        "layout": "2v2", "pieces": [{"piece": "red-1", "cell": "d4", "heading_deg": 60,
        "pilot": "hector", "power_spent": false}, {"piece": "white-asteroyd", "on": "red-1"},
        {"piece": "pod-3", "cell": null}], "dice": {"red": 3, "white": 5},
        "scores": {"red": 1, "white": 0}, "rules": {"base": "zone", "target": "auto"},
        "programs": {"red-1": {"columns": ["forward", null, "fire"], "mode": "shield",
        "rounds": [3]}}, "alternatives": [{"of": "red-1", "what": "cell",
        "options": [{"value": "d4", "p": 0.8}, {"value": "d5", "p": 0.2}]}]}"""
    )
    written = GAME.write(table)
    assert GAME.read(json.dumps(written)) == table
    told = GAME.write_outcome(GAME.resolve(table))
    assert told["uncertain"]
    assert sum(way["p"] for way in told["odds"]) == pytest.approx(1)
    assert set(told) == {
        *("schema", "game", "rounds", "scores", "winners", "uncertain", "odds", "final", "issues")
    }
    assert "cell_doubtful" in [issue["code"] for issue in told["issues"]]


def test_french_says_the_same():
    french = """jeu asteroyds-capture
    plateau 5; disposition 2v2; DÉS rouge 3 blanc 5; score rouge 1
    règle base=home; Règle pilots=true
    rouge 1 @d4 60 pilote hector utilisé
    tourelle rouge 1 @h2 120
    plateforme blanche @h8; départ blanc @f10; roche 2 @c4 60
    astéroyd blanc sur rouge 1
    pod 3 @-
    plan rouge 1 A G - T P120 D bouclier 3
    plan blanc 2 U tir 2"""
    english = """game asteroyds-capture
    board 5; layout 2v2; dice red 3 white 5; score red 1
    rule base=home; rule pilots=true
    red 1 @d4 60 pilot hector spent
    red turret 1 @h2 120
    white platform @h8; white home @f10; rock 2 @c4 60
    white asteroyd on red 1
    pod 3 @-
    plan red 1 F L - X P120 R shield 3
    plan white 2 U fire 2"""
    assert GAME.read(french) == GAME.read(english)


@pytest.mark.parametrize(
    "line",
    [
        "dice red 7",
        "dice red 0",
        "dice green 2",
        "dice red 2 red 3",
        "red 1 @d4 45",
        "red 1 @z9 0",
        "red 1 @a7 0",
        "red 4 @d4 0",
        "green 1 @d4 0",
        "red 1 @d4 0; red 1 @d5 0",
        "red 1 pilot bob",
        "plan red 1 F Q",
        "plan red 1 P90",
        "plan red 1 F shield 7",
        "plan red 1 F shield 0",
        "plan red 1 F F F F F F F",
        "plan red 3 F",
        "plan blue 1 F",
        "plan red 1 F; plan red 1 X",
        "rule base=moon",
        "rule zone=5",
        "rule target=6",
        "rule moon=1",
        "red platform @-",
        "white home @-",
        "white asteroyd @-",
        "blue 1 @d4 0",
        "red asteroyd on red 1",
        "red asteroyd on white 3",
        "score blue 1",
        "layout 4v4",
        "board 8",
        "board 3",
        "game chess",
        "hello",
    ],
)
def test_nonsense_is_refused_in_one_line(line):
    text = line if line.startswith(("layout", "board 8", "game")) else START + line
    with pytest.raises(TableFormatError) as caught:
        GAME.read(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"dice": {"red": 7}},
        {"dice": {"red": True}},
        {"pieces": [{"piece": "red-1", "heading_deg": 45}]},
        {"pieces": [{"piece": "red-1", "cell": "z1"}]},
        {"pieces": [{"piece": "moon"}]},
        {"pieces": [{"piece": "red-1", "cell": "d4"}, {"piece": "red-1", "cell": "d4"}]},
        {"pieces": [{"piece": "red-asteroyd", "on": "red-2"}]},
        {"pieces": [{"piece": "red-1", "on": "white-1"}]},
        {"pieces": [{"piece": "red-home", "cell": None}]},
        {"pieces": [{"piece": "rock-1"}]},
        {"programs": {"red-3": {"columns": []}}},
        {"programs": {"red-1": {"columns": ["dance"]}}},
        {"programs": {"red-1": {"columns": [None] * 7}}},
        {"programs": {"red-1": {"rounds": [0]}}},
        {"programs": {"red-1": {"mode": "hide"}}},
        {"rules": {"zone": 5}},
        {"rules": {"zone": "auto"}},
        {"rules": {"target": 0}},
        {"rules": {"rocks": "soft"}},
        {"board": {"radius": 9}},
        {"scores": {"blue": 1}},
        {"moon": 1},
        {"alternatives": [{"of": "red-1", "what": "cell", "options": [{"value": "d9", "p": 1}]}]},
        {"alternatives": [{"of": "moon", "what": "cell", "options": [{"value": "d2", "p": 1}]}]},
        {"alternatives": [{"of": "red-1", "what": "cell", "options": [{"value": "d2", "p": 1.5}]}]},
    ],
)
def test_nonsense_in_json_is_refused(fields):
    with pytest.raises(TableFormatError):
        read_json(**fields)


# --- doubts --------------------------------------------------------------------------------------


def test_odds_over_a_die_and_a_column():
    table = read_json(
        pieces=[
            {"piece": "white-asteroyd", "on": "red-1"},
            {"piece": "red-1", "cell": "e4", "heading_deg": 180},
        ],
        dice={"white": 1},
        programs={"red-1": {"columns": ["forward"]}},
        alternatives=[
            {
                "of": "red-1",
                "what": "column",
                "column": 1,
                "options": [{"value": "forward", "p": 0.7}, {"value": None, "p": 0.3}],
            },
            {
                "of": "white",
                "what": "die",
                "options": [{"value": 1, "p": 0.5}, {"value": 2, "p": 0.5}],
            },
        ],
    )
    outcome = GAME.resolve(table)
    assert {way.scores["red"]: pytest.approx(way.probability) for way in outcome.endings} == {
        1: 0.7,
        0: 0.3,
    }
    doubtful = [code for code in codes(table) if code.endswith("doubtful")]
    assert doubtful == ["program_doubtful", "die_doubtful"]


def test_a_reading_that_changes_nothing_leaves_nothing_open():
    options = [{"value": None, "p": 0.6}, {"value": "red-1", "p": 0.4}]
    table = read_json(
        pieces=[{"piece": "white-asteroyd", "cell": "d4"}, {"piece": "red-1", "cell": "d4"}],
        programs={"red-1": {"columns": ["forward"]}},
        alternatives=[{"of": "white-asteroyd", "what": "on", "options": options}],
    )
    assert GAME.resolve(table).uncertain  # taken along, or left where it lies
    fire = [{"value": "fire", "p": 0.6}, {"value": None, "p": 0.4}]
    shot = {"of": "white-2", "what": "column", "column": 1, "options": fire}
    table = read_json(programs={"white-2": {"columns": ["fire"]}}, alternatives=[shot])
    outcome = GAME.resolve(table)
    assert not outcome.uncertain
    assert [way.probability for way in outcome.endings] == [pytest.approx(1)]


def test_beyond_4096_ways_they_are_drawn_and_that_takes_seconds_at_most():
    ways = [{"value": 60 * k, "p": p} for k, p in ((0, 0.9), (1, 0.1))]
    turrets = [{"piece": f"red-turret-{k}", "cell": f"c{k}", "heading_deg": 0} for k in range(1, 8)]
    ships = [{"piece": f"red-{k}", "cell": "f5", "heading_deg": 0} for k in (1, 2, 3)]
    names = [piece["piece"] for piece in turrets + ships]
    doubts = [{"of": name, "what": "heading_deg", "options": ways} for name in names]
    dice = [{"value": k, "p": 0.25} for k in (1, 2, 3, 4)]
    doubts += [{"of": team, "what": "die", "options": dice} for team in ("red", "white")]
    table = read_json(pieces=turrets + ships, dice={"red": 1, "white": 1}, alternatives=doubts)
    outcome = GAME.resolve(table)
    assert outcome.uncertain
    assert sum(way.probability for way in outcome.endings) == pytest.approx(1)


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("", "die_missing"),
        ("plan red 1 F", "program_missing"),
        ("plan red 1 F shield 1 2", "anticipation_extra"),
        ("plan red 1 F shield", "anticipation_incomplete"),
        ("plan red 1 F anticipation 2", "anticipation_incomplete"),
        ("plan red 1 P", "power_refused"),
        ("rule pilots=true; red 1 pilot hector spent; plan red 1 P", "power_refused"),
        ("rule pilots=true; red 1 pilot hector; plan red 1 P P", "power_refused"),
        ("rule pilots=true; red 1 pilot mhand; plan red 1 P60", "power_refused"),
        ("red 1 @f4 0", "ship_on_obstacle"),
        ("rock 1 @f4", "pieces_share_cell"),
        ("score red 3", "game_over"),
    ],
)
def test_what_is_odd_is_told(lines, code):
    assert code in codes(GAME.read(START + lines))


def test_a_clean_table_has_no_issue():
    plans = "".join(f"\nplan {ship} F" for ship in ("red 1", "red 2", "white 1", "white 2"))
    assert not codes(GAME.read(START + "dice red 1 white 2" + plans))


# --- corrections ---------------------------------------------------------------------------------


def test_what_players_say_is_no_more_in_doubt():
    options = [{"value": "d2", "p": 0.5}, {"value": "d3", "p": 0.5}]
    table = read_json(alternatives=[{"of": "red-1", "what": "cell", "options": options}])
    after = GAME.edit(table, {"kind": "set", "piece": "red-1", "cell": "d4", "heading_deg": 60})
    assert not after.alternatives
    after = GAME.edit(after, {"kind": "program", "ship": "red-1", "program": "F L shield 2"})
    after = GAME.edit(after, {"kind": "dice", "dice": {"red": 3}})
    after = GAME.edit(after, {"kind": "set", "piece": "white-asteroyd", "on": "red-1"})
    after = GAME.edit(after, {"kind": "scores", "scores": {"red": 1}})
    after = GAME.edit(after, {"kind": "rules", "set": ["base=home"]})
    after = GAME.edit(after, {"kind": "remove", "id": "pod-3"})
    said = "dice red 3; score red 1; rule base=home; red 1 @d4 60; pod 3 @-;"
    assert after == GAME.read(START + said + "white asteroyd on red 1; plan red 1 F L shield 2")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "moon"},
        {"kind": "set", "piece": "red-1", "cell": "z1"},
        {"kind": "set", "piece": "red-1", "colour": "blue"},
        {"kind": "set", "piece": "moon", "cell": "d4"},
        {"kind": "remove", "id": "red-home"},
        {"kind": "program", "ship": "blue-1", "program": "F"},
        {"kind": "dice", "dice": {"red": 9}},
        {"kind": "rules", "set": ["base=moon"]},
    ],
)
def test_what_cannot_be_is_not_brought_to_a_table(change):
    with pytest.raises(TableFormatError):
        GAME.edit(GAME.read(START), change)


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_a_turn_is_told_in_both_languages(case, language):
    table = GAME.read(CASES[case][0])
    outcome = GAME.resolve(table)
    ledger = GAME.tell(table, outcome)
    told = ledger_to_json(ledger, texts(language, TEXTS))
    assert len(told["steps"]) == len(outcome.rounds)
    totals = {team: score["total"] for team, score in ledger.final.scores.items()}
    assert totals == outcome.scores
    shown = {piece["id"] for piece in told["pieces"]}
    for step in told["steps"]:
        for event in step["events"]:
            assert set(event["pieces"]) <= shown
            assert "{" not in event["said"]
    assert "{" not in " ".join(GAME.turn(table, language=language))


def test_a_form_offers_all_options():
    assert set(help_of(GAME.options)) == {option.name for option in options_of(GAME.options)}


SHOT = START + (
    "dice red 5 white 1; red 1 @h3 180; red 2 @h4 180; white asteroyd on red 1; white 1 @h5 180;"
    "plan red 1 F; plan red 2 F R; plan white 1 - X shield 1; plan white 2"
)


def test_the_coach_says_what_a_column_later_would_have_changed():
    """White 1 hits red 2 in round 2, before it is home; a round later it would have been late."""
    assert GAME.turn(GAME.read(SHOT)) == (
        "A column earlier or later",
        "white 1, from column 2, one column later: Red: 1, White: 0",
    )
    french = GAME.turn(GAME.read(SHOT), language="fr")
    assert (
        french[1]
        == "blanc 1, à partir de la colonne 2, une colonne plus tard : Rouge : 1, Blanc : 0"
    )
    assert GAME.turn(GAME.read(START))[1].startswith("no single column")
    assert [(advice.side, advice.kind) for advice in GAME.coach(GAME.read(SHOT))] == [
        ("white", "later")
    ]


def test_what_the_coach_says_would_have_happened():
    for seed in range(20):
        table = random_table(random.Random(seed))
        before = GAME.resolve(table)
        for change in changes(table):
            program = adapter_of(Program).dump_python(change.program, mode="json")
            said = {"kind": "program", "ship": change.ship, "program": program}
            outcome = GAME.resolve(GAME.edit(table, said))
            assert (tuple(outcome.scores.items()), outcome.winners) == (
                change.scores,
                change.winners,
            )
            assert (outcome.scores, outcome.winners) != (before.scores, before.winners)


def test_the_command_line_plays_it(tmp_path, capsys):
    table, picture = tmp_path / "turn.txt", tmp_path / "turn.png"
    table.write_text(SHOT)
    assert run("resolve", table, "--out", picture, "--lang", "en") == 0
    assert "white 1 fires h4 h3: hits red 2" in capsys.readouterr().out
    assert picture.stat().st_size > 10_000


def test_what_is_not_sure_is_told_in_one_line_each_with_what_it_may_be():
    table = GAME.read(START + "plan red 1 F L shield 2\ndice red 3 white 5\n")
    options = (
        OtherValues("red-1", "column", (("left", 0.6), (None, 0.4)), 2),
        OtherValues("red-1", "rounds", (((2,), 0.7), ((2, 3), 0.3))),
        OtherValues("red", "die", ((3, 0.8), (4, 0.2))),
    )
    issues = GAME.resolve(replace(table, alternatives=options)).issues
    told = {one.code: one for one in issues if one.code.endswith("_doubtful")}
    said = [texts(lang, TEXTS).issue(told["program_doubtful"]) for lang in LANGUAGES]
    assert [one.replace("\N{NO-BREAK SPACE}", " ") for one in said] == [
        "the sheet of red 1 is uncertain, column 2: left (60%) or nothing (40%), round of the "
        "anticipation: 2 (70%) or 2, 3 (30%); check and correct it, "
        'for example --plan "red 1 F L X"',
        "la fiche de rouge 1 est incertaine, colonne 2 : gauche (60 %) ou rien (40 %), round de "
        "l'anticipation : 2 (70 %) ou 2, 3 (30 %) ; vérifiez et corrigez, "
        'par exemple --plan "rouge 1 A G T"',
    ]
    assert (
        "the value of the red die is uncertain: 3 (80%) or 4 (20%)" in told["die_doubtful"].message
    )
    assert sum(one.code == "program_doubtful" for one in issues) == 1
