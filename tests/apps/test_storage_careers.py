"""Careers as they are stored: one set of tests, run against each database."""

import threading
from dataclasses import replace

import pytest

from tests.apps.test_storage import KEPT, new, records  # noqa: F401 - a fixture
from vision.apps.server.rounds.careers import Careers
from vision.apps.server.storage import KeptCareer, Note
from vision.apps.server.storage.records import Evening
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.judging.career import Service
from vision.values.messages import message

GAME = "conflit-stellaire"


@pytest.fixture
def kept(records):  # noqa: F811
    """Two careers and an evening."""
    for name in ("ann", "ben"):
        records.careers.add(KeptCareer(name, GAME, name.title(), 1.0))
    records.evenings.add(Evening("e", "Friday", {}, 1.0))
    return records


def seats(records):  # noqa: F811
    return records.careers.log(GAME).seats.get("e", {})


def test_careers_are_found_listed_and_renamed(kept):
    assert kept.careers.find("ann") == KeptCareer("ann", GAME, "Ann", 1.0)
    kept.careers.add(KeptCareer("cyd", "other", "Cyd", 2.0))
    assert [one.id for one in kept.careers.list(2)] == ["cyd", "ann"]
    kept.careers.rename("ann", "Anne")
    assert kept.careers.find("ann").name == "Anne"
    assert kept.careers.find("nobody") is None
    assert {one.id for one in kept.careers.log(GAME).careers} == {"ann", "ben"}


def test_a_career_has_one_side_and_a_side_one_career(kept):
    assert kept.careers.games("e") == ()
    assert kept.careers.seat("e", GAME, {"A": "ann", "B": "ben"})
    assert kept.careers.games("e") == (GAME,)
    assert kept.careers.seat("e", GAME, {"C": "ann"})
    assert seats(kept) == {"B": "ben", "C": "ann"}
    assert kept.careers.seat("e", GAME, {"B": "ann", "C": "ben"})
    assert seats(kept) == {"B": "ann", "C": "ben"}
    assert kept.careers.seat("e", GAME, {"B": None, "C": None})
    assert (seats(kept), kept.careers.games("e")) == ({}, ())


def test_all_are_seated_or_none(kept):
    kept.careers.add(KeptCareer("cyd", "other", "Cyd", 2.0))
    kept.careers.seat("e", GAME, {"A": "ann"})
    for wrong in ("nobody", "cyd"):
        assert not kept.careers.seat("e", GAME, {"A": "ben", "B": wrong})
        assert seats(kept) == {"A": "ann"}
    assert not kept.careers.seat("nowhere", GAME, {"A": "ann"})


def test_what_goes_takes_its_seats_along(kept):
    kept.careers.seat("e", GAME, {"A": "ann", "B": "ben"})
    kept.careers.note(0, Note("ann", "points", "{}", 1.0))
    kept.careers.delete("ann")
    assert (seats(kept), kept.careers.notes("ann")) == ({"B": "ben"}, ())
    kept.evenings.delete("e")
    assert kept.careers.log(GAME).seats == {}
    assert kept.careers.find("ben") is not None


def test_the_rounds_of_a_log_are_read_ones_of_its_evenings_in_order(kept):
    kept.careers.seat("e", GAME, {"A": "ann"})
    kept.evenings.add(Evening("f", "Saturday", {}, 2.0))
    late, early, other, gone = (
        new(created, evening=evening)
        for created, evening in ((5.0, "e"), (3.0, "e"), (4.0, "f"), (2.0, "e"))
    )
    for scan in (late, early, other, gone):
        kept.scans.add_read(scan, KEPT)
    kept.scans.add(new(6.0, evening="e"), 9)  # not read yet
    kept.scans.delete(gone.id, 9.0)
    kept.edits.add(early.id, 0, "move", "{}")
    kept.edits.add(early.id, 1, "undo", "{}")
    first, second = kept.careers.log(GAME).rounds
    assert (first.scan, first.revision, first.view) == (early.id, 2, KEPT.view)
    assert (second.scan, second.revision, second.evening) == (late.id, 0, "e")
    kept.scans.restore(gone.id)
    assert len(kept.careers.log(GAME).rounds) == 3


def test_a_log_by_hand_grows_by_one_at_a_time(kept):
    note = Note("ann", "points", '{"points": 3}', 4.0)
    assert kept.careers.note(0, note)
    assert not kept.careers.note(0, note)
    assert kept.careers.note(1, replace(note, kind="undo", body="{}"))
    assert [one.kind for one in kept.careers.notes("ann")] == ["points", "undo"]
    assert kept.careers.log(GAME).notes == kept.careers.notes("ann")
    assert not kept.careers.note(0, Note("nobody", "points", "{}", 1.0))


def test_of_many_who_speak_at_once_one_is_heard(kept):
    done = []

    def speak():
        done.append(kept.careers.note(0, Note("ann", "points", "{}", 1.0)))

    threads = [threading.Thread(target=speak) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False] * 5 + [True]


def test_a_photo_that_came_before_counts_only_where_someone_says_so(kept):
    """Typed tables are drawn: two of them may look alike and be two rounds all the same."""

    def gives_four(_, points):
        return {s: Service(n, 4, n + 4, message("conflit.rank.captain")) for s, n in points.items()}

    kept.careers.seat("e", GAME, {"A": "ann"})
    photo = replace(KEPT, document='{"timings_ms": {"decode": 3.0}}')
    drawn = replace(KEPT, document='{"timings_ms": {}}', view="d" * 64)
    scans = [new(1.0 + k, evening="e", game=GAME) for k in range(6)]
    scans[1] = replace(scans[1], photo="p" * 64)  # another photo, as it came; it shows the same
    for scan, read in zip(scans, (photo, photo, drawn, drawn, photo, drawn), strict=True):
        if read is drawn:
            scan = replace(scan, photo="q" * 64)
        kept.scans.add_read(scan, read)
    careers = Careers(kept, lambda *_: ConflitStellaire(), gives_four)
    told = careers.tell("ann")
    (figure,) = told["figures"]
    assert [line["round"] for line in figure["lines"]] == [scans[k].id for k in (0, 2, 3, 5)]
    copies = {one["round"]: one["counts_as"] for one in told["copies"]}
    assert copies == {scans[1].id: scans[0].id, scans[4].id: scans[0].id}
    for scan, points in zip(scans, (0, 4, 4, 8, 12, 12), strict=True):
        assert dict(careers.points(kept.scans.find(scan.id))) == {"A": points}
    kept.scans.count(scans[4].id, is_counted=True)
    assert careers.tell("ann")["points"] == 20
    kept.scans.delete(scans[0].id, 9.0)
    assert careers.tell("ann")["points"] == 20
    assert careers.tell("ann")["copies"] == []
