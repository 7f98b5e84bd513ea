"""Officers over many turns: points, ranks, deaths, ransoms, retirement, as the rules have them."""

import random
from dataclasses import replace

import pytest

from tests.games.conflit_stellaire.duels import DUEL, SURRENDER
from tests.games.conflit_stellaire.random_turns import random_table
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.conflit_stellaire.resolve import play
from vision.games.conflit_stellaire.values import Campaign, OtherTurn, Reading
from vision.games.conflit_stellaire.words import TEXTS
from vision.judging.career import serve
from vision.texts import texts

GAME = ConflitStellaire()
WORDS = texts("en", TEXTS)


def services(text, points, change=None):
    """Play a table with officers of so many points; return what it leaves to each."""
    table = GAME.read(text)
    if change is not None:
        table = GAME.edit(table, change)
    enlisted = GAME.enlist(table, points)
    return GAME.services(enlisted, GAME.resolve(enlisted))


def test_a_win_and_a_death():
    left = services(DUEL.format(hull=4), {"A": 3, "B": 30})
    assert (left["A"].before, left["A"].gained, left["A"].after) == (3, 8, 11)
    assert (WORDS.tell(left["A"].rank), left["A"].ended) == ("lieutenant", None)
    assert (left["B"].before, left["B"].after) == (30, 0)
    assert WORDS.tell(left["B"].ended) == "dead"


def test_who_retires_makes_room():
    left = services(DUEL.format(hull=4), {"A": 92, "B": 0})["A"]
    assert (left.gained, left.after, WORDS.tell(left.ended)) == (8, 0, "retired, a grand manitou")
    assert services(DUEL.format(hull=4), {"A": 91, "B": 0})["A"].ended is None  # 99


@pytest.mark.parametrize(("die", "ended"), [(3, None), (4, "in jail: nobody paid the ransom")])
def test_a_ransom_is_paid_by_the_old_rank(die, ended):
    """A lieutenant (4 points) is paid for up to 3; his 2 points for the surrender count, too."""
    dice = {"kind": "campaign", "campaign": {"dice": {"B": die}}}
    left = services(SURRENDER, {"A": 0, "B": 4}, dice)["B"]
    assert (left.ended and WORDS.tell(left.ended)) == ended
    assert (left.after, left.is_settled) == (6 if ended is None else 0, True)


def test_without_a_die_it_is_open():
    left = services(SURRENDER, {"A": 0, "B": 4})
    assert not left["B"].is_settled
    assert left["A"].is_settled
    assert left["A"].after == 10


def test_a_hull_by_rank_is_the_records():
    """A marshal's flagship has 28 points: that of a ram tells."""
    ram = DUEL.format(hull=20).replace("fire a1 at B spend 2", "ram A with a2 at B")
    ram += "A a2 thruster\nA a-e2 energy-cell\n"
    ram = ram.replace("distance A B 3", "distance A B 1")
    size = {}
    for points in (0, 80):
        table = GAME.enlist(GAME.read(ram), {"A": points, "B": 0})
        size[points] = play(table).ledger[0].damage
    assert size[80] * 16 == size[0] * 28
    assert size[0]


def test_enlisting_twice_is_enlisting_once_and_none_takes_away():
    for seed in range(100):
        table = random_table(random.Random(seed))
        points = {seat.id: seed + k for k, seat in enumerate(table.seats)}
        once = GAME.enlist(table, points)
        assert GAME.enlist(once, points) == once
        assert GAME.enlisted(once) == points
        bare = GAME.enlist(once, dict.fromkeys(points))
        assert GAME.enlisted(bare) == {}
        assert GAME.enlist(bare, points) == once
        dice = None if table.campaign is None else table.campaign.dice
        assert (bare.campaign is None) == (not dice)
        assert GAME.enlist(table, {"X": 3}) == (
            table if table.campaign != Campaign() else replace(table, campaign=None)
        )


def test_every_seat_of_a_campaign_is_told_and_points_add_up():
    for seed in range(400):
        table = random_table(random.Random(seed))
        points = {seat.id: 7 * seed % 101 for seat in table.seats}
        table = GAME.enlist(table, points)
        outcome = play(table)
        left = GAME.services(table, outcome)
        assert set(left) == set(points)
        for seat, service in left.items():
            assert service.before == points[seat]
            assert service.gained == outcome.scores[seat].points
            if service.ended is not None:
                assert service.after == 0, seed
            else:  # fewer only for a capsule that was shot
                assert service.after <= service.before + service.gained, seed


def test_a_doubt_of_the_turn_is_one_of_the_record():
    table = GAME.enlist(GAME.read(DUEL.format(hull=4)), {"A": 0, "B": 0})
    outcome = GAME.resolve(table)
    assert all(one.is_sure for one in GAME.services(table, outcome).values())
    other = OtherTurn(
        ("seats", "B"), Reading({"hull": 9}, 0.2), outcome.ships, {"A": None, "B": None}, ()
    )
    doubtful = replace(outcome, alternatives=(other,))
    assert not any(one.is_sure for one in GAME.services(table, doubtful).values())


def test_what_the_table_says_otherwise_is_told():
    table = GAME.read(DUEL.format(hull=4) + "officer A cumul 13\n")
    enlisted, outcome, ledger = serve(GAME, table, {"A": 5, "B": 0}, GAME.tell)
    assert outcome.scores["A"].cumul == (5, 13)
    assert GAME.enlisted(enlisted)["A"] == 5
    (told,) = [issue for issue in ledger.doubts if issue.code == "career_differs"]
    assert told.message.startswith("the table gives A 13 points, the career 5")
    assert serve(GAME, table, {"A": 13}, GAME.tell)[2].doubts == GAME.tell(table, outcome).doubts
