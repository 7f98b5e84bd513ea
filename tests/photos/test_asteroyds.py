"""Two sample turns of Asteroyds, read whole from their photos, against their truth."""

from functools import cache

import pytest

from bench.asteroyds import SAMPLES, Score, read_set, score_set, sets_of
from calibration.looks import draw_looks
from vision.games.registry import find_game
from vision.seeing.pieces.reading import build_piece_detector
from vision.values.layout import Layout

SETS = {name: (name, photos, table) for name, photos, table in sets_of(SAMPLES)}
READ = ("carried", "teams")  # rendered, in two photos; three teams and nine sheets in one
RIGHT = 0.85  # of all facts: one sheet whose head cannot be read is a tenth of them, and is told
SURE = 0.65  # of all facts, without a doubt: a doubt about all is as bad as none


GAME = find_game("asteroyds-capture")
DETECTOR = cache(lambda: build_piece_detector(draw_looks(GAME.pieces)))


@cache
def read(name: str) -> tuple[list[Layout], list[str]]:
    return read_set(SETS[name][1], DETECTOR())


@cache
def scored(name: str) -> tuple[dict[str, Score], list[str]]:
    return score_set(GAME, DETECTOR(), SETS[name], lambda *_: read(name))


def test_a_sheet_of_another_colour_than_the_first_has_its_name() -> None:
    """Seen by the colours of red 1, a blue sheet of this photo was like none."""
    (layout,), _ = read("teams")
    assert "sheet_unnamed" not in {doubt.code for doubt in layout.doubts}
    assert {placed.piece for placed in layout.placed if placed.kind == "sheet"} == {
        f"sheet-{team}-{k}" for team in ("red", "white", "blue") for k in (1, 2)
    }


@pytest.mark.parametrize("name", READ)
def test_nothing_of_a_turn_is_wrong_without_a_word(name: str) -> None:
    scores, lines = scored(name)
    assert not [line for score in scores.values() for line in score.wrong], lines
    of_facts = [score for kind, score in scores.items() if kind != "turn"]
    count, right, doubted = (
        sum(getattr(score, name) for score in of_facts) for name in ("facts", "right", "doubted")
    )
    assert right >= RIGHT * count, lines
    assert right - doubted >= SURE * count
