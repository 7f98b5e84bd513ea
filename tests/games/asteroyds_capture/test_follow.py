"""A turn played out by hand: what goes as programmed is let be, the first other move is told."""

import random
from dataclasses import replace

from tests.games.asteroyds_capture.turns import random_table
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.evening import place_of
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.tracks import tracks
from vision.games.asteroyds_capture.values import OtherValues
from vision.games.asteroyds_capture.words import TEXTS
from vision.texts import texts

GAME = AsteroydsCapture()
START = "game asteroyds-capture\nlayout 2v2\n"


def tables(count, seed=0):
    return [random_table(random.Random(seed + k)) for k in range(count)]


def with_place(table, name, place):
    cell, on, way = place if place is not None else (None, None, 0)
    pieces = tuple(
        replace(p, cell=cell, on=on, way=way if kind_of(p.id) in ("ship", "turret", "rock") else 0)
        if p.id == name
        else p
        for p in table.pieces
    )
    return replace(table, pieces=pieces)


def walks(table, rng):
    """Positions that hands may leave: each time some pieces go some states further."""
    ways = tracks(table)
    at = dict.fromkeys(ways, 0)
    while any(k < len(ways[name]) - 1 for name, k in at.items()):
        for name in ways:
            if rng.random() < 0.4:
                at[name] = min(at[name] + rng.randint(1, 2), len(ways[name]) - 1)
        for name, k in at.items():
            table = with_place(table, name, ways[name][k].place)
        yield table


def test_the_states_of_a_turn_end_where_it_leaves_everything():
    for table in tables(200):
        final = {p.id: place_of(p) for p in GAME.resolve(table).final.pieces}
        for name, states in tracks(table).items():
            assert states[-1].place == final.get(name), name


def test_what_hands_play_as_programmed_in_any_order_is_let_be():
    rng = random.Random(7)
    for table in tables(60, 500):
        seen = [table]
        assert GAME.follow(table, seen).said is None
        for position in walks(table, rng):
            seen.append(position)
            assert GAME.follow(table, seen).said is None
        assert GAME.follow(table, seen).is_done


def test_a_piece_that_goes_where_its_programme_never_leads_is_told():
    rng = random.Random(8)
    told = 0
    for table in tables(60, 700):
        seen = [table, *walks(table, rng)]
        name = rng.choice([p.id for p in table.pieces if kind_of(p.id) == "ship"])
        states = {state.place for state in tracks(table)[name]}
        place = (rng.choice(list(board_of(table.radius).cells)), None, rng.randrange(6))
        if place in states:
            continue
        k = rng.randrange(len(seen))
        followed = GAME.follow(table, [*seen[:k], with_place(seen[k], name, place)])
        assert followed.piece == name
        assert not followed.is_done
        told += 1
        assert (
            GAME.follow(table, [*seen[:k], with_place(seen[k], name, place), *seen[k:]]).said
            is None
        )
    assert told > 40


def test_a_move_that_was_played_already_is_not_played_again():
    table = GAME.read(START + "red 1 @f3 0; plan red 1 U U")
    back = with_place(table, "red-1", ("f3", None, 3))
    assert GAME.follow(table, [table, back, table]).is_done
    assert GAME.follow(table, [table, back, table, back]).piece == "red-1"


def test_of_several_the_first_by_its_round_is_told_in_words():
    table = GAME.read(START + "red 1 @d4 0; plan red 1 F R; plan white 1 - - F; rock 1 @a4")
    wrong = GAME.read(START + "red 1 @d5 120; white 1 @h8 240; rock 1 @a3; pod 3 @-")
    said = GAME.follow(table, [table, wrong]).said
    assert texts("en", TEXTS).tell(said) == (
        "rock 1 is on a3 looking to 0°; it should stay on a4 looking to 0°"
    )
    wrong = with_place(wrong, "rock-1", ("a4", None, 0))
    said = GAME.follow(table, [table, wrong]).said
    assert texts("en", TEXTS).tell(said) == (
        "red 1 is on d5 looking to 120°; in round 1 its programme takes it to d5 looking to 0°"
    )


def test_what_is_not_sure_accuses_nobody():
    table = GAME.read(START + "red 1 @d4 0; plan red 1 F")
    seen = with_place(table, "red-1", ("e5", None, 0))
    doubt = OtherValues("red-1", "cell", (("e5", 0.6), ("d5", 0.4)))
    assert GAME.follow(table, [seen]).piece == "red-1"
    assert GAME.follow(table, [replace(seen, alternatives=(doubt,))]).said is None
    assert GAME.follow(table, [with_place(table, "red-1", None)]).said is None
