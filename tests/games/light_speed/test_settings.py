"""What a tap says of a card stands on the table, and can be said otherwise, and taken back."""

import pytest

from vision.games.registry import find_game

GAME = find_game("light-speed")
TABLE = "red moth @0,0 0deg\nblue ghost @5,-200 90deg\n"
KINDS = {"leaning": "out", "late": "out", "stuck": "both", "slid": "out", "overhang": "table"}


def claims(table, kind):
    return [one for one in GAME.settings(table) if one.id.startswith(f"{kind}-")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_is_offered_where_it_matters_and_stands_once_it_is_tapped(kind):
    plain = GAME.read(TABLE)
    assert claims(plain, kind) == []
    table = GAME.edit(plain, {"kind": "rules", "set": [f"{kind}={KINDS[kind]}"]})
    assert [one.id for one in claims(table, kind)] == [f"{kind}-red-moth", f"{kind}-blue-ghost"]
    for one in claims(table, kind):
        assert (one.chosen, one.is_doubtful) == (-1, kind == "leaning")
        assert one.id == f"{kind}-{one.of}"
        for k, (_, change) in enumerate(one.choices):
            after = GAME.edit(table, change)
            told = {each.id: each for each in claims(after, kind)}
            assert told[one.id].chosen == k
            assert not told[one.id].is_doubtful
            assert all(each.chosen == -1 for name, each in told.items() if name != one.id)
            back = GAME.edit(after, {"kind": "set", "piece": one.of, kind: None})
            assert claims(back, kind) == claims(table, kind)
            again = GAME.edit(after, {"kind": "rules", "set": [f"{kind}={_default(kind)}"]})
            assert [each.id for each in claims(again, kind)] == [one.id]  # it was said


def _default(kind):
    return getattr(GAME.options(), kind)
