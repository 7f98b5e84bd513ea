"""The further photos of scans as they are stored: one set of tests, run against each database."""

import pytest

from tests.apps.test_storage import KEPT, new, records, taken  # noqa: F401 - a fixture
from vision.apps.server.storage import ReadPhoto

BOARD, SHEET, DICE, HAND = (ReadPhoto(c * 64, c.upper() * 64) for c in "ghij")
MOST = 12


@pytest.fixture
def scan(records):  # noqa: F811
    """A scan of two photos, which wait."""
    made = new(more=(BOARD.photo,))
    records.scans.add(made, 9)
    return made


def test_photos_are_read_together_and_the_board_comes_first(records, scan):  # noqa: F811
    job = taken(records)
    assert job.photos == (scan.photo, BOARD.photo)
    sheet = ReadPhoto(scan.photo, "s" * 64)
    records.jobs.finish(scan.id, KEPT, (BOARD, sheet))
    assert records.photos.list(scan.id) == (sheet,)
    found = records.scans.find(scan.id)
    assert (found.photo, found.readings) == (BOARD.photo, 1)


def test_a_photo_that_is_added_has_all_read_again(records, scan):  # noqa: F811
    assert records.photos.add(scan.id, (SHEET.photo,), MOST, 9) == "busy"
    records.jobs.finish(taken(records).scan, KEPT, (BOARD, ReadPhoto(scan.photo, "")))
    assert records.photos.list(scan.id) == ()
    assert records.photos.add(scan.id, (scan.photo, BOARD.photo), MOST, 9) == "there"
    assert records.photos.add(scan.id, (SHEET.photo, DICE.photo), 2, 9) == "too many"
    assert records.photos.add(scan.id, (SHEET.photo,), MOST, 0) == "full"
    assert records.photos.add(scan.id, (SHEET.photo, SHEET.photo), 2, 9) == "added"
    assert records.scans.find(scan.id).state == "waiting"
    assert taken(records).photos == (BOARD.photo, SHEET.photo)  # not the one that shows nothing
    records.jobs.finish(scan.id, KEPT, (BOARD, SHEET))
    assert records.photos.list(scan.id) == (SHEET,)
    assert records.scans.find(scan.id).readings == 2


def test_what_fails_leaves_a_round_that_was_read(records, scan):  # noqa: F811
    records.jobs.fail(taken(records).scan, "table_not_found", "no board")
    assert records.scans.find(scan.id).state == "failed"
    assert records.photos.add(scan.id, (SHEET.photo,), MOST, 9) == "added"
    assert taken(records).photos == (scan.photo, BOARD.photo, SHEET.photo)
    records.jobs.finish(scan.id, KEPT, (BOARD, SHEET))
    records.photos.add(scan.id, (HAND.photo,), MOST, 9)
    records.jobs.fail(taken(records).scan, "table_not_found", "a hand")
    found = records.scans.find(scan.id)
    assert (found.state, found.error, found.readings) == ("done", "a hand", 1)
    assert records.photos.list(scan.id) == (SHEET,)
    assert records.photos.add(scan.id, (DICE.photo,), MOST, 9) == "added"
    assert records.scans.find(scan.id).error == ""
    assert taken(records).photos == (BOARD.photo, SHEET.photo, DICE.photo)


def test_a_photo_is_taken_away_by_its_view(records, scan):  # noqa: F811
    records.jobs.finish(taken(records).scan, KEPT, (BOARD, SHEET, DICE))
    assert not records.photos.remove(scan.id, HAND.view)
    assert records.photos.remove(scan.id, SHEET.view)
    assert not records.photos.remove(scan.id, DICE.view)  # it waits to be read
    assert taken(records).photos == (BOARD.photo, DICE.photo)


def test_photos_are_named_and_go_with_their_scan(records, scan):  # noqa: F811
    records.jobs.finish(taken(records).scan, KEPT, (BOARD, SHEET, ReadPhoto(HAND.photo, "")))
    keys = {BOARD.photo, *(SHEET.photo, SHEET.view), HAND.photo, KEPT.view, KEPT.joint}
    assert records.scans.objects() == keys
    records.scans.drop_originals(scan.created + 1)
    assert records.photos.list(scan.id) == (ReadPhoto(SHEET.view, SHEET.view),)
    records.scans.delete(scan.id, 5.0)
    records.scans.purge(6.0)
    assert records.scans.objects() == set()


def test_a_key_belongs_to_all_photos_of_its_scan(records):  # noqa: F811
    made = new(key="k", more=(SHEET.photo,))
    records.scans.add(made, 9)
    assert records.scans.find_key("k") == (made.id, {made.photo, SHEET.photo}, False)
