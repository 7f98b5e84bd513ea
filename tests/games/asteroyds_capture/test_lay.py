"""From what was seen to a table: cells, headings, what is carried, dice, counters on sheets."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from vision.errors import TableNotFoundError
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.files import read_table, table_to_json
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.games.asteroyds_capture.layouts import lay_out
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.values import Options
from vision.judging.play import play
from vision.texts import make_issue
from vision.values.layout import Camera, Layout, Other, Placed

GAME = AsteroydsCapture()
BOARD = board_of(5)
CAMERA = Camera(np.eye(3), np.zeros(2), np.eye(3))
SEEN = np.diag([0.2, 0.2, 0.01]) ** 2  # mm, mm, rad: an ordinary photo
PODS = tuple(f"pod-{k}" for k in range(1, 6))
ROWS = ("forward", "left", "right", "back", "fire", "power", "anticipation")


def put(piece, x, y, degrees=0.0, kind="token", **more):
    seen = {"kind": kind, "score": 1.0, **more}
    return Placed(piece, piece, x, y, math.radians(degrees), SEEN, np.zeros((4, 2)), **seen)


def pieces_of(layout="2v2", leave=()):
    """Return the pieces of a layout where they lie, pods without their numbers."""
    found = []
    for name, piece in lay_out(layout, 5).items():
        if name not in leave:
            seen = "pod" if kind_of(name) == "pod" else name
            found.append(put(seen, *BOARD.centre_mm(piece.cell), 60.0 * piece.way))
    return found


def photo(*placed):
    return Layout(tuple(placed), np.zeros((0, 0)), CAMERA, (4000, 3000))


def lay(*layouts):
    return GAME.lay(layouts, Options())


def die(colour, side, others=()):
    read = tuple(Other(f"{colour}-die-{k}", 0.5, p) for k, p in others)
    return put(f"{colour}-die", 250.0, 0.0, kind="die", side=str(side), others=read)


def on_sheet(sheet, x, y, piece="counter", degrees=0.0):
    """Return a counter at a place of a sheet."""
    c, s = math.cos(sheet.theta_rad), math.sin(sheet.theta_rad)
    turn = math.degrees(sheet.theta_rad) + degrees
    return put(piece, sheet.x_mm + c * x - s * y, sheet.y_mm + s * x + c * y, turn)


def cell(column, row):
    return -48.0 + 18.0 * (column - 1), -30.5 + 12.0 * (row - 1)


def alternatives(table):
    return {one.spot: dict(one.options) for one in table.alternatives}


# --- the board -----------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["2v2", "3v3", "3v2", "2v2v2"])
def test_a_layout_seen_is_the_layout(layout):
    """But for pods, which are alike and get other numbers."""
    table = lay(photo(*pieces_of(layout)))
    laid = lay_out(layout, 5)
    for piece in table.pieces:
        if kind_of(piece.id) != "pod":
            assert piece == laid[piece.id]
    pods = [
        {p.cell for p in all_ if kind_of(p.id) == "pod"} for all_ in (table.pieces, laid.values())
    ]
    assert pods[0] == pods[1]
    assert not table.alternatives


def test_pods_are_numbered_from_the_top_left():
    table = lay(photo(*pieces_of()))
    pods = {p.id: p.cell for p in table.pieces if kind_of(p.id) == "pod"}
    assert pods == {"pod-1": "f8", "pod-2": "c5", "pod-3": "f6", "pod-4": "i4", "pod-5": "f4"}


def test_a_ship_between_two_cells_is_either():
    (x, y), (u, v) = BOARD.centre_mm("e5"), BOARD.centre_mm("e6")
    ship = put("red-1", 0.45 * x + 0.55 * u, 0.45 * y + 0.55 * v, 60)
    told = alternatives(lay(photo(*pieces_of(leave=["red-1"]), ship)))
    off = [0.55 * 38, 0.45 * 38]
    weights = np.exp(-(np.array(off) ** 2) / 2 / (25 + 0.04))
    assert told == {
        ("red-1", "cell", 0): {
            "e6": pytest.approx(weights[1] / weights.sum(), abs=1e-6),
            "e5": pytest.approx(weights[0] / weights.sum(), abs=1e-6),
        }
    }


def test_a_ship_askew_looks_either_way():
    ship = put("red-1", *BOARD.centre_mm("e5"), 28.0)
    told = alternatives(lay(photo(*pieces_of(leave=["red-1"]), ship)))
    assert list(told["red-1", "heading_deg", 0]) == [0, 1]


@pytest.mark.parametrize(("apart", "sure"), [(3.0, True), (11.5, None), (20.0, False)])
def test_what_lies_under_a_ship_is_carried(apart, sure):
    x, y = BOARD.centre_mm("e5")
    below = put("white-asteroyd", x - 4.0, y)
    ship = put("red-1", x - 4.0 + apart, y, 0.0)
    table = lay(photo(*pieces_of(leave=["red-1", "white-asteroyd"]), ship, below))
    piece = next(p for p in table.pieces if p.id == "white-asteroyd")
    assert piece.on == (None if sure is False else "red-1")
    assert (("white-asteroyd", "on", 0) in alternatives(table)) == (sure is None)


def test_an_own_ship_on_an_asteroyd_does_not_carry_it():
    ship = put("red-1", *BOARD.centre_mm("f2"), 0.0)
    table = lay(photo(*pieces_of(leave=["red-1"]), ship))
    assert next(p for p in table.pieces if p.id == "red-asteroyd").cell == "f2"


def test_dice_and_two_of_a_colour():
    table = lay(photo(*pieces_of(), die("red", 3), die("white", 5, [(2, 0.3)])))
    assert dict(table.dice) == {"red": 3, "white": 5}
    assert alternatives(table) == {
        ("white", "die", 0): {5: pytest.approx(0.7), 2: pytest.approx(0.3)}
    }
    table = lay(photo(*pieces_of(), die("red", 3), die("red", 4)))
    assert alternatives(table)["red", "die", 0] == {3: 0.5, 4: 0.5}
    assert "die_doubtful" in [issue.code for issue in GAME.resolve(table).issues]


def test_several_dice_of_a_colour_that_agree_are_in_doubt():
    """There is one: what was taken for the others is none, and so may each be."""
    table = lay(photo(*pieces_of(), die("red", 1), die("red", 1), die("white", 2)))
    told = alternatives(table)
    assert table.dice == {"red": 1, "white": 2}
    assert set(told) == {("red", "die", 0)}
    assert set(told["red", "die", 0]) == set(range(1, 7))
    assert "die_doubtful" in [issue.code for issue in GAME.resolve(table).issues]


def test_two_photos_that_differ_leave_it_open():
    seen = [put("red-1", *BOARD.centre_mm(name), 0.0) for name in ("e5", "e6")]
    table = lay(*(photo(*pieces_of(leave=["red-1"]), ship) for ship in seen))
    assert alternatives(table)["red-1", "cell", 0] == {"e5": 0.5, "e6": 0.5}


@pytest.mark.parametrize(
    ("placed", "words"),
    [
        ([], "no board"),
        ([put("sheet-red-1", 0, 0, kind="sheet")], "1 sheets"),
        ([put("pod", 0.0, 0.0)], "no piece of a team"),
    ],
)
def test_what_is_missing_is_said_in_one_line(placed, words):
    with pytest.raises(TableNotFoundError, match=words):
        lay(photo(*placed))


@pytest.mark.parametrize(("placed", "near"), [((), False), (("sheet-red-1",), True)])
def test_a_sheet_alone_shows_which_game_it_is(placed, near):
    with pytest.raises(TableNotFoundError, match="no board of Asteroyds") as told:
        lay(photo(*(put(piece, 0, 0, kind="sheet") for piece in placed)))
    assert told.value.is_near is near


@pytest.mark.parametrize("layout", ["2v2", "3v3", "3v2", "2v2v2"])
@pytest.mark.parametrize("kind", ["home", "platform", "asteroyd"])
def test_what_nobody_can_play_without_is_supposed_where_the_layout_has_it(layout, kind):
    """It is the same table but for a doubt; of a home below its asteroyd a note is enough."""
    name = f"red-{kind}"
    whole = lay(photo(*pieces_of(layout)))
    table = lay(photo(*pieces_of(layout, leave=[name])))
    assert table.pieces == whole.pieces
    severity = "note" if kind == "home" else "doubt"
    assert [(one.code, one.severity) for one in table.doubts] == [("piece_supposed", severity)]
    assert table.doubts[0].cards == (name,)


def test_a_home_is_doubted_where_no_asteroyd_tells_that_it_is_there():
    """Its asteroyd was not found either."""
    table = lay(photo(*pieces_of(leave=["red-home", "red-asteroyd"])))
    told = {one.cards[0]: one.severity for one in table.doubts if one.code == "piece_supposed"}
    assert told == {"red-home": "doubt", "red-asteroyd": "doubt"}


def test_a_home_is_supposed_below_its_asteroyd_where_tiles_are_laid_freely():
    table = lay(photo(*pieces_of(leave=["white-home", *PODS])))
    home, asteroyd = (
        next(piece for piece in table.pieces if piece.id == f"white-{kind}")
        for kind in ("home", "asteroyd")
    )
    assert home.cell == asteroyd.cell
    assert ("piece_supposed", "doubt") in [(one.code, one.severity) for one in table.doubts]


@pytest.mark.parametrize(
    ("moved", "cell"),
    [
        ({}, "h8"),  # its ships stand there
        ({"white-1": "c4"}, "h8"),  # where a layout has it
        ({"white-1": "c4", "rock-1": "h8"}, "g8"),  # a free cell beside that
        ({"white-1": "c4", "white-2": "c4"}, "c4"),
        ({"white-1": "c4", "white-2": "c4", "rock-1": "c4"}, "h8"),
    ],
)
def test_a_platform_is_supposed_where_tiles_are_laid_freely(moved, cell):
    """The table is played with a doubt, and can be put right."""
    laid = pieces_of(leave=["white-platform", *PODS, *moved])
    laid += [put(name, *BOARD.centre_mm(at)) for name, at in moved.items()]
    table = lay(photo(*laid))
    assert next(piece for piece in table.pieces if piece.id == "white-platform").cell == cell
    told = [one for one in table.doubts if one.code == "piece_supposed"]
    assert [(one.cards, one.severity) for one in told] == [(("white-platform",), "doubt")]
    assert "piece_supposed" in [issue.code for issue in GAME.resolve(table).issues]


@pytest.mark.parametrize("kinds", list(product((True, False), repeat=3)))
def test_what_a_team_needs_is_supposed_while_more_than_one_of_it_is_seen(kinds):
    """Whatever was not seen of home, platform and asteroyd is told, piece by piece."""
    names = [f"blue-{kind}" for kind in ("home", "platform", "asteroyd")]
    missing = [name for name, is_seen in zip(names, kinds, strict=True) if not is_seen]
    table = lay(photo(*pieces_of("2v2v2", leave=[*missing, *PODS])))
    assert set(names) <= {piece.id for piece in table.pieces if piece.cell}
    told = {one.cards[0] for one in table.doubts if one.code == "piece_supposed"}
    assert told == set(missing)


@pytest.mark.parametrize("strange", ["blue-1", "blue-turret-2"])
def test_a_piece_of_a_team_that_is_not_there_is_left_out_with_a_doubt(strange):
    whole = lay(photo(*pieces_of()))
    (x, y), (u, v) = BOARD.centre_mm("b3"), BOARD.centre_mm("b4")
    table = lay(photo(*pieces_of(), put(strange, 0.45 * x + 0.55 * u, 0.45 * y + 0.55 * v)))
    assert table.pieces == whole.pieces
    assert [one.code for one in table.doubts] == ["piece_strange"]
    assert not table.alternatives


# --- sheets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [0.0, 17.0, 90.0, 180.0, -120.0])
def test_counters_say_the_programme_however_the_sheet_lies(turn):
    sheet = put("sheet-red-1", 400.0, -120.0, turn, kind="sheet")
    chosen = [(1, 1), (2, 5), (4, 2), (5, 6), (6, 4), (3, 7), (7, 2)]
    counters = [on_sheet(sheet, *cell(*at)) for at in chosen]
    table = lay(photo(*pieces_of()), photo(sheet, *counters))
    program = table.programs["red-1"]
    assert program.columns == ("forward", "fire", None, "left", "power", "back")
    assert (program.mode, program.rounds) == ("shield", (3,))
    assert not table.alternatives


@pytest.mark.parametrize(("column", "row"), list(product(range(1, 7), range(1, 8))))
def test_each_cell_is_its_own(column, row):
    sheet = put("sheet-white-2", -500.0, 80.0, 5.0, kind="sheet")
    table = lay(photo(*pieces_of(), sheet, on_sheet(sheet, *cell(column, row))))
    program = table.programs["white-2"]
    if row == 7:
        assert program.rounds == (column,)
    else:
        assert program.columns[column - 1] == ROWS[row - 1]
    assert sum(action is not None for action in program.columns) == (row < 7)


def test_a_counter_on_a_line_is_in_doubt_and_one_astray_is_none():
    sheet = put("sheet-red-1", 400.0, 0.0, 0.0, kind="sheet")
    x, y = cell(2, 3)
    line, astray = on_sheet(sheet, x + 9.0, y), on_sheet(sheet, 48.0, -44.5)
    table = lay(photo(*pieces_of()), photo(sheet, line, astray))
    told = alternatives(table)
    assert told["red-1", "column", 2] == told["red-1", "column", 3]
    assert told["red-1", "column", 2] == {"right": pytest.approx(0.5), None: pytest.approx(0.5)}
    assert "program_doubtful" in [issue.code for issue in GAME.resolve(table).issues]
    assert read_table(table_to_json(table)) == GAME.edit(table, {"kind": "rules", "rules": {}})


@pytest.mark.parametrize("chance", [0.02, 0.3, 0.9])
def test_a_counter_that_may_be_none_is_as_doubtful_as_it_is(chance):
    sheet = put("sheet-red-1", 400.0, 0.0, 0.0, kind="sheet")
    faint = replace(on_sheet(sheet, *cell(2, 3)), confidence=chance)
    told = alternatives(lay(photo(*pieces_of()), photo(sheet, faint)))
    assert set(told) == {("red-1", "column", 2)}
    assert told["red-1", "column", 2]["right"] == pytest.approx(chance, abs=0.01)


def test_two_counters_in_a_column_are_either():
    sheet = put("sheet-red-1", 400.0, 0.0, 0.0, kind="sheet")
    counters = [on_sheet(sheet, *cell(2, row)) for row in (1, 5)]
    told = alternatives(lay(photo(*pieces_of()), photo(sheet, *counters)))
    assert told["red-1", "column", 2] == pytest.approx({"forward": 0.5, "fire": 0.5})


def test_the_pilot_s_token_is_his_power_with_its_turn():
    sheet = put("sheet-red-1", 400.0, 0.0, 40.0, kind="sheet")
    spent = on_sheet(sheet, *cell(3, 6), "pilot-mhand", 240.0)
    table = lay(photo(*pieces_of()), photo(sheet, spent))
    assert table.programs["red-1"].columns[2] == "power-240"
    slot = on_sheet(sheet, 47.0, -45.0, "pilot-hector")
    table = lay(photo(*pieces_of()), photo(sheet, slot))
    assert table.programs["red-1"].columns == (None,) * 6
    assert next(p for p in table.pieces if p.id == "red-1").pilot == "hector"


@pytest.mark.parametrize(("row", "likeness"), [(6, 0.75), (2, 0.95), (7, 0.8)])
def test_a_doubtful_name_of_a_pilot_is_told_and_none_elsewhere_than_where_tokens_lie(row, likeness):
    """Glass counters look a little like a token; names are played only where pilots count."""
    sheet = put("sheet-red-1", 400.0, 0.0, 40.0, kind="sheet")
    token = replace(on_sheet(sheet, *cell(3, row), "pilot-hector"), score=likeness)
    photos = photo(*pieces_of()), photo(sheet, token)
    plain = lay(*photos)
    assert next(p for p in plain.pieces if p.id == "red-1").pilot is None
    assert ("red-1", "pilot", 0) not in alternatives(plain)
    table = GAME.lay(photos, Options(pilots=True))
    told = alternatives(table).get(("red-1", "pilot", 0))
    codes = [(i.code, i.cards) for i in GAME.resolve(table).issues]
    if row == 6:
        assert told == {
            "hector": pytest.approx(0.45, abs=0.02),
            None: pytest.approx(0.55, abs=0.02),
        }
        assert ("pilot_doubtful", ("red-1",)) in codes
        assert read_table(table_to_json(table)).alternatives == table.alternatives
    else:
        assert told is None
        assert ("pilot_unknown", ("red-1",)) in codes
    said = GAME.edit(table, {"kind": "set", "piece": "red-1", "pilot": "hector"})
    codes = [i.code for i in GAME.resolve(said).issues if i.cards == ("red-1",)]
    assert not {"pilot_doubtful", "pilot_unknown"} & set(codes)


def test_who_flew_before_settles_a_doubtful_name():
    sheet = put("sheet-red-1", 400.0, 0.0, 40.0, kind="sheet")
    token = replace(on_sheet(sheet, *cell(3, 6), "pilot-hector"), score=0.75)
    table = GAME.lay((photo(*pieces_of()), photo(sheet, token)), Options(pilots=True))
    crew = {"kind": "carry", "scores": {}, "pilots": {"red-1": "mhand"}, "spent": []}
    after = GAME.edit(table, crew)
    assert next(p for p in after.pieces if p.id == "red-1").pilot == "mhand"
    assert ("red-1", "pilot", 0) not in alternatives(after)


def test_a_ship_that_nothing_shows_is_told_where_others_say_that_it_plays():
    """The layout has it, or one of its team with a higher number lies there."""
    for leave, layout in (("red-2", "2v2"), ("white-1", "3v3"), ("blue-1", "2v2v2")):
        table = lay(photo(*pieces_of(layout, leave=[leave])))
        (told,) = [i for i in GAME.resolve(table).issues if i.code == "ship_missing"]
        assert told.cards == (leave,)
        assert told.severity == "doubt"
    for layout in ("1v1", "2v2", "3v2", "2v2v2"):
        issues = GAME.resolve(lay(photo(*pieces_of(layout)))).issues
        assert "ship_missing" not in [issue.code for issue in issues]


def test_an_asteroyd_that_nothing_shows_is_taken_to_lie_in_its_home():
    """The table is laid freely, so no layout says it."""
    free = {"white-home": "d4", "white-platform": "c6", "white-turret-1": "h6", "pod-1": "e6"}
    kept = pieces_of("1v1", leave=[*free, "white-asteroyd", "pod-2", "pod-3"])
    moved = [put(name, *BOARD.centre_mm(cell)) for name, cell in free.items()]
    table = lay(photo(*kept, *moved))
    assert next(p for p in table.pieces if p.id == "white-asteroyd").cell == "d4"
    assert "piece_supposed" in [issue.code for issue in GAME.resolve(table).issues]


def test_a_ship_that_only_its_sheet_shows_is_taken_to_be_at_home():
    sheet = put("sheet-red-1", 400.0, 0.0, 0.0, kind="sheet")
    table = lay(photo(*pieces_of(leave=["red-1"])), photo(sheet))
    assert next(p for p in table.pieces if p.id == "red-1").cell == "d2"
    assert "ship_unseen" in [issue.code for issue in GAME.resolve(table).issues]


@pytest.mark.parametrize("sheets", [("red-1",), ("red-1", "red-2", "white-1", "white-2")])
def test_what_may_be_an_unread_sheet_is_a_doubt_while_a_ship_has_no_programme(sheets):
    unread = make_issue("sheet_unread", "issue.sheet_unread", x="12", y="7")
    placed = [put(f"sheet-{ship}", 400.0 * k, 0, kind="sheet") for k, ship in enumerate(sheets, 1)]
    played = play([replace(photo(*pieces_of(), *placed), doubts=(unread,))], GAME, Options(), {})
    told = [issue.code for issue in played.issues if issue.severity == "doubt"]
    assert ("sheet_unread" in told) == ("program_missing" in told) == (len(sheets) < 4)


# --- how carefully counters are laid -------------------------------------------------------------


def programmed(offs, off):
    """Return a layout of sheets on which counters lie so far off their cells, one by ``off``."""
    ships = ("red-1", "red-2", "white-1", "white-2")
    sheets = [put(f"sheet-{ship}", 300.0 * k, 500.0, 7.0, "sheet") for k, ship in enumerate(ships)]
    places = list(product(sheets, range(1, 7)))
    tokens = [
        on_sheet(sheet, x, y + dy)
        for (sheet, c), dy in zip(places[1:], offs, strict=False)
        for x, y in [cell(c, 3)]
    ]
    x, y = cell(1, 3)
    return photo(*pieces_of(), *sheets, *tokens, on_sheet(sheets[0], x, y + off))


def doubt_of(layout):
    return max(0.0, 1 - max(alternatives(lay(layout)).get(("red-1", "column", 1), {0: 1}).values()))


def test_a_counter_off_its_cell_is_sure_where_all_others_lie_well_and_else_not():
    rng = np.random.default_rng(5)
    careful, careless = rng.normal(0, 0.7, 20), rng.normal(0, 5.0, 20).clip(-5, 5)
    assert doubt_of(programmed(careful, 2.8)) == 0
    assert doubt_of(programmed(careless, 2.8)) > 0.01
    assert doubt_of(programmed([], 2.8)) > 0.01  # nothing is known of who laid it
    assert doubt_of(programmed(careful, 5.0)) > 0.05  # half a millimetre to the line: nobody knows
    assert doubt_of(programmed(careless, 5.0)) > doubt_of(programmed(careful, 5.0))
