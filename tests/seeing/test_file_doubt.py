"""A damaged file leaves its round open, whatever is played and however sure all else is."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.games.asteroyds_capture.test_lay import photo as laid_out
from tests.games.asteroyds_capture.test_lay import pieces_of
from vision import pipeline
from vision.apps.known import named_table
from vision.errors import TableNotFoundError
from vision.games.registry import game_names
from vision.imaging.photo import Photo, decode_photo
from vision.seeing.issues.photo_quality import report_damaged_file
from vision.seeing.reading import read_layout
from vision.texts import LANGUAGES, texts
from vision.values.scan import Scan
from vision.values.verdict import count_doubts, judge

SAMPLES = Path(__file__).parents[2] / "sample_photos"
#: A photo of each game.
PHOTOS = {
    "light-speed": "practice-alone.jpg",
    "laser-shield": "laser-shield/halves.jpg",
    "conflit-stellaire": "conflit-stellaire/duel.jpg",
    "asteroyds-capture": "asteroyds-capture/teams-board.jpg",
}
PHOTO = Photo(np.full((300, 400, 3), 90, np.uint8), kind="JPEG")


@cache
def read_as_damaged(name: str) -> Scan:
    """Read the sample of a game as if its file were damaged, though no pixel of it is wrong."""
    known = named_table(None, name)

    def decode(encoded, limits=None):
        return replace(decode_photo(encoded, limits), is_damaged=True)

    def read_board(photo, *_, **__):
        return replace(laid_out(*pieces_of()), doubts=report_damaged_file(photo))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "decode_photo", decode)
        if name == "asteroyds-capture":  # its photos take long, and are read as those before
            patch.setattr(pipeline, "read_layout", read_board)
        scan, _ = pipeline.scan((SAMPLES / PHOTOS[name]).read_bytes(), known.game, known.detector())
    return scan


def test_each_game_has_its_photo():
    assert set(game_names()) >= set(PHOTOS)
    assert len(PHOTOS) == 4


@pytest.mark.parametrize("name", PHOTOS)
def test_a_damaged_file_is_a_doubt_that_no_game_makes_a_note_of(name):
    scan = read_as_damaged(name)
    (told,) = [issue for issue in scan.issues if issue.code == "file_damaged"]
    assert told.severity == "doubt"
    assert count_doubts([told]) == 1
    # of all that is open this alone, and no odds that weigh it: as sure as a round can be
    sure = replace(scan.ledger, odds=None, doubts=())
    assert not judge(sure, ()).is_open
    assert judge(sure, sure.weigh([told])).is_open


def test_a_sound_file_is_not_doubted():
    assert report_damaged_file(PHOTO) == ()


def test_a_damaged_file_that_shows_nothing_says_so_in_every_language():
    known = named_table(None, "light-speed")
    with pytest.raises(TableNotFoundError, match="JPEG file is damaged") as caught:
        read_layout(replace(PHOTO, is_damaged=True), known.detector())
    for language in LANGUAGES:
        assert "JPEG" in texts(language).tell(caught.value.said)
