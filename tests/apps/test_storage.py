"""What is stored: one set of tests, run against each member of both protocols."""

import hashlib
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from vision.apps.addresses import content_of
from vision.apps.server.reading.owners import is_dead, own_name
from vision.apps.server.reading.runner import free_the_dead
from vision.apps.server.storage import Objects, Storage, open_storage
from vision.apps.server.storage.bucket import BucketObjects
from vision.apps.server.storage.objects import FolderObjects
from vision.apps.server.storage.records import (
    Evening,
    JobLimits,
    Kept,
    NewScan,
    Queue,
    Share,
    new_id,
)
from vision.apps.server.storage.sittings import Seat, Sitting, new_token
from vision.apps.server.storage.sql import Records
from vision.apps.server.storage.tables import metadata

LIMITS = JobLimits(lease_s=60.0, attempts=3, interruptions=5)
KEPT = Kept("{}", "b" * 64, "c" * 64)


@pytest.fixture(params=["sqlite", "postgresql"])
def records(request, tmp_path) -> Iterator[Records]:
    url = "" if request.param == "sqlite" else request.getfixturevalue("postgres")
    records = Records(tmp_path, url)
    with records.database.write() as connection:
        for table in reversed(metadata.sorted_tables):
            if table.name != "meta":
                connection.execute(table.delete())
    yield records
    records.close()


@pytest.fixture(params=["folder", "bucket"])
def objects(request, tmp_path) -> Objects:
    if request.param == "folder":
        return FolderObjects(tmp_path / "files")
    return BucketObjects(request.getfixturevalue("bucket") + "/of/ours", tmp_path / "files")


def new(created: float = 1.0, **more: object) -> NewScan:
    return NewScan(new_id(), "a" * 64, "light-speed", "{}", created, **more)


def taken(records: Records, owner: str = "me", now: float = 0.0, limits: JobLimits = LIMITS):
    return records.jobs.take(owner, limits, now)


# --- scans -----------------------------------------------------------------------------------


def test_scans_are_found_listed_named_and_moved(records):
    one, two = new(1.0, name="one"), new(2.0)
    assert [records.scans.add(scan, 9) for scan in (one, two)] == ["added", "added"]
    found = records.scans.find(one.id)
    assert (found.name, found.state, found.view, found.attempts) == ("one", "waiting", None, 0)
    assert [scan.id for scan in records.scans.list(9)] == [two.id, one.id]
    assert [scan.id for scan in records.scans.list(9, before=2.0)] == [one.id]
    assert len(records.scans.list(1)) == 1
    assert records.scans.ahead(records.scans.find(two.id)) == 1
    records.scans.rename(one.id, "été")
    assert records.scans.find(one.id).name == "été"
    assert not records.scans.move(one.id, "nowhere")
    records.evenings.add(Evening("e", "Friday", {}, 1.0))
    assert records.scans.move(one.id, "e")
    assert [scan.id for scan in records.scans.list(9, evening="e")] == [one.id]
    assert records.scans.find("nothing") is None


def test_what_cannot_be_added_is_not_there(records):
    first = new(key="k")
    assert records.scans.add(first, 2) == "added"
    assert records.scans.add(new(key="k"), 2) == "key taken"
    assert records.scans.add(new(evening="nowhere"), 2) == "no evening"
    assert records.scans.add(new(), 1) == "full"
    assert len(records.scans.list(9)) == 1
    assert records.scans.find_key("k") == (first.id, {first.photo}, False)
    assert records.scans.find_key("other") is None
    records.scans.delete(first.id, 5.0)
    assert records.scans.find_key("k") == (first.id, {first.photo}, True)


def test_deleted_scans_come_back_until_they_are_purged(records):
    scan, other = new(), new()
    for one in (scan, other):
        records.scans.add(one, 9)
        records.shares.add(Share(one.id[:16], one.id, 1.0, 9e9), 9)
        records.edits.add(one.id, 0, "move", "{}")
        records.scans.delete(one.id, 10.0)
    assert records.scans.find(scan.id) is None
    assert records.shares.find(scan.id[:16]).revoked
    records.scans.restore(scan.id)
    assert records.scans.find(scan.id) is not None
    records.scans.purge(11.0)
    records.scans.restore(other.id)
    assert records.scans.find(other.id) is None
    assert records.scans.find(scan.id) is not None
    assert records.shares.find(other.id[:16]) is None


def test_a_scan_that_is_read_takes_the_place_of_one_that_nobody_corrected(records):
    first, second, third = new(1.0, evening="gone"), new(2.0), new(3.0)
    records.scans.add_read(first, KEPT)
    found = records.scans.find(first.id)
    assert (found.state, found.evening, found.view) == ("done", None, KEPT.view)
    assert records.scans.read(first.id) == KEPT
    records.scans.add_read(second, KEPT, first.id)
    assert records.scans.find(first.id) is None
    records.edits.add(second.id, 0, "move", "{}")
    records.scans.add_read(third, KEPT, second.id)
    assert records.scans.find(second.id) is not None


def test_the_view_stands_for_originals_of_old(records):
    old, young = new(1.0), replace(new(9.0), photo="d" * 64)
    for scan in (old, young):
        records.scans.add_read(scan, KEPT)
    unread = replace(new(1.0), photo="e" * 64)
    records.scans.add(unread, 9)
    records.scans.drop_originals(5.0)
    assert records.scans.find(old.id).photo == KEPT.view
    assert records.scans.find(young.id).photo == young.photo
    assert set(records.scans.objects()) == {KEPT.view, KEPT.joint, young.photo, unread.photo}


# --- jobs ------------------------------------------------------------------------------------


def test_a_job_is_taken_held_and_finished(records):
    scans = [new(float(k)) for k in range(2)]
    for scan in scans:
        records.scans.add(scan, 9)
    assert records.jobs.waiting() == 2
    job = taken(records)
    assert (job.scan, job.photos, job.attempt) == (scans[0].id, (scans[0].photo,), 1)
    assert records.jobs.held() == {job.scan: "me"}
    records.jobs.renew(job.scan, "me", 100.0, "pose")
    records.jobs.renew(job.scan, "someone else", 0.0, "late")
    assert records.scans.find(job.scan).stage == "pose"
    assert taken(records, now=99.0).scan == scans[1].id
    records.jobs.finish(job.scan, KEPT)
    assert records.scans.find(job.scan).state == "done"
    assert records.scans.read(job.scan) == KEPT
    assert records.jobs.waiting() == 1


def test_a_lease_that_ran_out_is_taken_by_another_until_the_tries_are_over(records):
    scan = new()
    records.scans.add(scan, 9)
    short = replace(LIMITS, lease_s=0.0)
    for attempt, owner in enumerate(("one", "other", "third"), 1):
        assert taken(records, owner, float(attempt), short).attempt == attempt
    records.jobs.renew(scan.id, "one", 999.0, "late")  # the first may not write any more
    assert records.scans.find(scan.id).stage == "starting"
    assert taken(records, "fourth", 9.0, short) is None
    found = records.scans.find(scan.id)
    assert (found.state, found.error_code) == ("failed", "worker_failed")


def test_readers_that_come_down_cost_tries_and_a_retry_begins_anew(records):
    scan = new()
    records.scans.add(scan, 9)
    for attempt in (1, 2, 3):
        assert taken(records).attempt == attempt
        assert records.jobs.stumble(scan.id, "timed_out", "slow", 3) == (attempt < 3)
    found = records.scans.find(scan.id)
    assert (found.state, found.error) == ("failed", "slow (tried 3 times)")
    records.jobs.retry(scan.id)
    assert taken(records).attempt == 1
    records.jobs.fail(scan.id, "table_not_found", "x" * 5000)
    assert len(records.scans.find(scan.id).error) == 2000
    assert not records.jobs.stumble("nothing", "c", "r", 3)


def test_a_server_that_stops_costs_no_try_but_not_for_ever(records):
    scan = new()
    records.scans.add(scan, 9)
    for _ in range(LIMITS.interruptions):
        assert taken(records).attempt == 1
        records.jobs.give_back(scan.id)
    assert taken(records) is None
    assert records.scans.find(scan.id).state == "failed"


def test_what_dead_servers_held_is_freed_at_once(records, objects):
    dead = subprocess.Popen(["true"])
    dead.wait()
    mine = own_name()
    machine = mine.partition(":")[0]
    assert not is_dead(mine)
    for owner, freed in ((f"{machine}:{dead.pid}:1", 1), (mine, 0), ("other:1:1", 0)):
        records.scans.add(new(), 99)
        assert taken(records, owner) is not None
        assert free_the_dead(Storage(records, objects)) == freed, owner
        while (job := taken(records, "other:1:1")) is not None:
            records.jobs.finish(job.scan, KEPT)


def test_several_servers_share_the_work(records):
    for k in range(12):
        records.scans.add(new(float(k)), 99)
    found: list[str] = []

    def take(owner: str) -> None:
        while (job := taken(records, owner)) is not None:
            found.append(job.scan)

    threads = [threading.Thread(target=take, args=(f"server {k}",)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(set(found)) == 12


# --- corrections, links, evenings, the rest ----------------------------------------------------


def test_the_log_grows_by_one_at_a_time(records):
    scan = new()
    records.scans.add(scan, 9)
    assert records.edits.revision(scan.id) == 0
    assert records.edits.add(scan.id, 0, "move", '{"a": 1}')
    assert not records.edits.add(scan.id, 0, "move", "{}")
    assert records.edits.add(scan.id, 1, "undo", "{}")
    assert records.edits.log(scan.id) == (("move", '{"a": 1}'), ("undo", "{}"))
    assert records.edits.log(scan.id, 1) == (("move", '{"a": 1}'),)
    assert records.edits.revision(scan.id) == 2


def test_links_end(records):
    scan = new()
    records.scans.add(scan, 9)
    shares = [Share(f"token-{k}", scan.id, float(k), 10.0) for k in range(3)]
    assert [records.shares.add(share, 2) for share in shares] == [True, True, False]
    assert records.shares.list(scan.id, 5.0) == tuple(shares[:2])
    assert records.shares.list(scan.id, 11.0) == ()
    assert records.shares.end("token-0")
    assert not records.shares.end("token-9")
    assert records.shares.list(scan.id, 5.0) == (shares[1],)
    assert records.shares.find("token-0").revoked
    assert records.shares.find("token-9") is None


def test_evenings_are_kept_changed_and_end_without_their_rounds(records):
    friday = Evening("e1", "Friday", {"red": "Zoé <b>"}, 1.0)
    for evening in (friday, Evening("e2", "", {}, 2.0)):
        records.evenings.add(evening)
    assert records.evenings.find("e1") == friday
    assert [evening.id for evening in records.evenings.list(9)] == ["e2", "e1"]
    records.evenings.change(replace(friday, name="Saturday"))
    assert records.evenings.find("e1").name == "Saturday"
    scan = new(evening="e1")
    records.scans.add(scan, 9)
    records.evenings.delete("e1")
    assert records.evenings.find("e1") is None
    assert records.scans.find(scan.id).evening is None


# --- sittings ------------------------------------------------------------------------------------


def sitting(records: Records, *parties: str, created: float = 1.0) -> Sitting:
    scan = new()
    records.scans.add(scan, 99)
    seats = tuple(Seat(party, new_token()) for party in parties or ("one", "two"))
    begun = Sitting(new_id(), scan.id, "gathering", 60.0, created, seats)
    records.sittings.add(begun)
    return begun


def opened(records: Records) -> tuple[Sitting, Seat, Seat]:
    begun = sitting(records)
    one, two = begun.seats
    assert records.sittings.start(begun.id, 100.0)
    return begun, one, two


def test_a_clock_starts_when_all_have_come_or_when_it_is_told(records):
    begun = sitting(records)
    one, two = begun.seats
    assert records.sittings.find(begun.id) == begun
    assert records.sittings.find("nothing") is None
    assert records.sittings.join(one.token, 10.0)
    assert records.sittings.join(one.token, 20.0)
    found = records.sittings.find(begun.id)
    assert (found.state, found.ends, [seat.phones for seat in found.seats]) == (
        "gathering", None, [2, 0],
    )  # fmt: skip
    assert records.sittings.join(two.token, 30.0)
    found, seat = records.sittings.by_token(two.token)
    assert (found.state, found.ends, seat.party, seat.phones) == ("open", 90.0, "two", 1)
    assert not records.sittings.start(begun.id, 40.0)
    assert not records.sittings.join("nobody", 40.0)
    other = sitting(records, "red-1", "red-2", "blue-1")
    assert records.sittings.start(other.id, 50.0)
    assert records.sittings.find(other.id).ends == 110.0
    assert [s.party for s in records.sittings.find(other.id).seats] == ["red-1", "red-2", "blue-1"]


def test_orders_are_taken_while_the_clock_runs_and_the_last_one_counts(records):
    begun = sitting(records)
    one, two = begun.seats
    give = records.sittings.give
    assert give(one.token, '"x"', "phone", 10.0) == "early"
    assert records.sittings.start(begun.id, 100.0)
    assert give(one.token, '"x"', "phone", 110.0) == "in"
    assert give(one.token, "null", "other", 159.999) == "in"
    assert give(two.token, '"y"', "third", 160.0) == "late"
    assert give("nobody", '"y"', "third", 110.0) == "no seat"
    found = records.sittings.find(begun.id)
    assert [(seat.order, seat.by) for seat in found.seats] == [("null", "other"), (None, "")]
    assert not found.is_all_in


def test_what_is_due_is_all_in_or_out_of_time(records):
    begun, one, two = opened(records)
    late = opened(records)[0]
    sitting(records)
    assert records.sittings.due(159.0) == ()
    for seat in (one, two):
        records.sittings.give(seat.token, "null", "phone", 110.0)
    assert records.sittings.due(120.0) == (begun.id,)
    assert set(records.sittings.due(160.0)) == {begun.id, late.id}


def test_orders_are_revealed_once_and_with_the_log_or_not_at_all(records):
    begun, one, _ = opened(records)
    seen = records.sittings.find(begun.id)
    reveal = records.sittings.reveal
    records.sittings.give(one.token, '"x"', "phone", 110.0)
    assert not reveal(seen, 0, "orders", "{}")  # an order came after it was looked at
    seen = records.sittings.find(begun.id)
    records.edits.add(seen.scan, 0, "move", "{}")
    assert not reveal(seen, 0, "orders", "{}")  # the scan was corrected meanwhile
    assert records.sittings.find(begun.id).state == "open"
    assert reveal(seen, 1, "orders", '{"a": 1}')
    assert not reveal(seen, 2, "orders", "{}")
    assert records.edits.log(seen.scan)[1:] == (("orders", '{"a": 1}'),)
    over = records.sittings.find(begun.id)
    assert (over.state, [seat.order for seat in over.seats]) == ("over", [None, None])
    assert records.sittings.due(999.0) == ()
    assert records.sittings.give(one.token, '"x"', "phone", 110.0) == "late"


def test_several_servers_reveal_it_once(records):
    begun, *_ = opened(records)
    done: list[bool] = []

    def reveal() -> None:
        seen = records.sittings.find(begun.id)
        done.append(records.sittings.reveal(seen, 0, "orders", "{}"))

    threads = [threading.Thread(target=reveal) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False] * 5 + [True]
    assert records.edits.revision(begun.scan) == 1


def test_a_seat_gets_another_token_and_keeps_its_order(records):
    begun, one, _ = opened(records)
    records.sittings.join(one.token, 101.0)
    records.sittings.give(one.token, '"x"', "phone", 110.0)
    assert records.sittings.renew(begun.id, "one", "another")
    assert not records.sittings.renew(begun.id, "nobody", "third")
    assert not records.sittings.renew("nothing", "one", "third")
    assert records.sittings.by_token(one.token) is None
    assert records.sittings.give(one.token, "null", "phone", 110.0) == "no seat"
    _, seat = records.sittings.by_token("another")
    assert (seat.order, seat.phones) == ('"x"', 0)


def test_a_sitting_is_called_off_and_one_that_is_over_goes_on_elsewhere(records):
    begun, one, _ = opened(records)
    records.sittings.give(one.token, '"x"', "phone", 110.0)
    assert not records.sittings.move(begun.id, begun.scan, 30.0, begun.seats)
    assert records.sittings.call_off(begun.id)
    assert not records.sittings.call_off(begun.id)
    assert records.sittings.find(begun.id).seats[0].order is None
    assert records.sittings.newest(scan=begun.scan) is None
    again, *_ = opened(records)
    assert records.sittings.newest(scan=again.scan).id == again.id
    assert records.sittings.reveal(records.sittings.find(again.id), 0, "orders", "{}")
    scan = new()
    records.scans.add(scan, 99)
    assert records.sittings.newest().id == again.id
    kept = replace(again.seats[0], phones=1)
    assert records.sittings.move(again.id, scan.id, 30.0, [kept, Seat("three", "t" * 20)])
    assert records.sittings.newest() is None
    moved = records.sittings.newest(scan=scan.id)
    assert (moved.id, moved.scan, moved.state, moved.seconds) == (
        again.id, scan.id, "gathering", 30.0,
    )  # fmt: skip
    assert [(s.party, s.phones) for s in moved.seats] == [("one", 1), ("three", 0)]


def in_turn(records: Records) -> Sitting:
    begun = sitting(records, "one", "two", "three")
    seats = [replace(seat, turn=turn) for seat, turn in zip(begun.seats, (0, 1, 1), strict=True)]
    begun = replace(begun, id=new_id(), seats=tuple(replace(s, token=new_token()) for s in seats))
    records.sittings.add(begun)
    assert records.sittings.start(begun.id, 100.0)
    return begun


def test_seats_order_in_their_turn_and_the_clock_starts_for_each(records):
    begun = in_turn(records)
    one, two, three = begun.seats
    give = lambda seat, now: records.sittings.give(seat.token, '"x"', "phone", now)  # noqa: E731
    assert give(two, 110.0) == "not yet"
    assert give(one, 120.0) == "in"
    assert records.sittings.find(begun.id).ends == 180.0
    assert give(one, 121.0) == "stands"
    assert give(two, 130.0) == "in"
    assert give(two, 131.0) == "in"  # he may think again while the other has not answered
    found = records.sittings.find(begun.id)
    assert (found.turn, found.ends, found.is_all_in) == (1, 180.0, False)
    assert give(three, 140.0) == "in"
    assert records.sittings.find(begun.id).is_all_in


def test_who_gives_no_order_in_his_turn_has_none_and_the_others_answer(records):
    begun = in_turn(records)
    seen = records.sittings.find(begun.id)
    assert records.sittings.pass_turn(seen, 160.0)
    assert not records.sittings.pass_turn(seen, 160.0)  # it was passed already
    found = records.sittings.find(begun.id)
    assert [seat.order for seat in found.seats] == ["null", None, None]
    assert (found.turn, found.ends) == (1, 220.0)


def test_another_sitting_round_the_same_scan_ends_the_first(records):
    begun, *_ = opened(records)
    second = replace(begun, id=new_id(), seats=(Seat("one", new_token()),), created=2.0)
    records.sittings.add(second)
    assert records.sittings.find(begun.id).state == "off"
    assert records.sittings.newest(scan=begun.scan).id == second.id


def test_an_error_of_the_database_tells_nothing_of_what_it_was_given(records):
    begun = sitting(records)
    with pytest.raises(IntegrityError) as raised:
        records.sittings.add(begun)
    told = str(raised.value)
    assert not any(seat.token in told for seat in begun.seats)
    assert begun.scan not in told


def test_a_scan_that_is_forgotten_takes_its_sittings_with_it(records):
    begun, one, _ = opened(records)
    records.scans.delete(begun.scan, 10.0)
    records.scans.purge(11.0)
    assert records.sittings.find(begun.id) is None
    assert records.sittings.by_token(one.token) is None


def test_a_scan_that_is_being_read_is_forgotten_afterwards(records):
    scan = new()
    records.scans.add(scan, 9)
    assert records.jobs.take("a server", LIMITS, 5.0).scan == scan.id
    records.scans.delete(scan.id, 10.0)
    assert records.scans.purge(11.0) == 0
    records.jobs.finish(scan.id, KEPT)
    assert records.scans.purge(11.0) == 1


def test_secrets_stay(records):
    name = new_id()
    assert records.secret(name) == records.secret(name) != records.secret(new_id())
    assert len(records.secret(name)) >= 22
    records.check()


def test_the_queue_is_told(records):
    assert records.jobs.queue() == Queue(0, 0, None)
    for created in (3.0, 2.0):
        records.scans.add(new(created), 9)
    assert records.jobs.queue() == Queue(2, 0, 2.0)
    taken(records)
    assert records.jobs.queue() == Queue(1, 1, 3.0)


# --- objects ---------------------------------------------------------------------------------


def test_objects_are_whole_or_not_there(objects):
    key = objects.put(b"content")
    assert key == hashlib.sha256(b"content").hexdigest() == objects.put(b"content")
    assert objects.read(key) == b"content"
    assert objects.has(key)
    source = objects.source(key)
    assert content_of(source) == b"content"
    assert not objects.has("0" * 64)
    for name in ("../x", "a" * 63, "G" * 64, ""):
        with pytest.raises(ValueError, match="not the key"):
            objects.read(name)
    upload = objects.scratch()
    upload.write_bytes(b"upload")
    objects.adopt(upload, hashlib.sha256(b"upload").hexdigest())
    assert not upload.exists()
    assert objects.read(hashlib.sha256(b"upload").hexdigest()) == b"upload"
    assert objects.space().total >= objects.space().free > 0


def test_drawn_pictures_are_kept_for_a_while(objects):
    assert objects.drawn("x.png") is None
    for content in (b"old", b"new"):
        source = objects.keep_drawn("x.png", content)
    assert content_of(source) == b"new"
    assert objects.drawn("x.png") == source


def test_what_nothing_names_is_swept_once_it_is_old(tmp_path):
    objects = FolderObjects(tmp_path)
    used, unused = objects.put(b"used"), objects.put(b"unused")
    upload = objects.scratch()
    upload.write_bytes(b"died")
    objects.keep_drawn("x.png", b"drawn")
    objects.sweep({used})
    assert objects.has(unused)  # its row may be on the way
    hours_ago = time.time() - 2 * 3600
    for path in tmp_path.rglob("*"):
        os.utime(path, (hours_ago, hours_ago))
    objects.sweep({used})
    assert objects.has(used)
    assert not objects.has(unused)
    assert not upload.exists()
    assert objects.drawn("x.png") is not None


def test_a_bucket_is_swept_too(bucket, tmp_path, monkeypatch):
    objects, other = (BucketObjects(f"{bucket}/{name}", tmp_path) for name in ("ours", "theirs"))
    used, unused, strange = objects.put(b"used"), objects.put(b"unused"), other.put(b"strange")
    objects.keep_drawn("x.png", b"drawn")
    objects.sweep({used})
    assert objects.has(unused)  # its row may be on the way
    assert objects.sweep({used}, longest_s=-60.0) == len(b"unused")
    assert (objects.has(used), objects.has(unused), other.has(strange)) == (True, False, True)
    assert objects.drawn("x.png") == b"drawn"
    monkeypatch.setattr("vision.apps.server.storage.bucket.DRAWN_S", -60.0)
    objects.sweep({used})
    assert objects.drawn("x.png") is None


def test_a_store_that_is_not_there_is_told(bucket, tmp_path):
    with pytest.raises(OSError, match="s3://nowhere/x: the store"):
        list(BucketObjects("s3://nowhere/x", tmp_path)._bucket.list("x"))
    with pytest.raises(OSError, match="expected an address"):
        BucketObjects("s4://nowhere", tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="permissions are of POSIX")
def test_nobody_else_on_the_machine_reads_the_token(tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o755)
    (folder / "sightline.sqlite3").touch(mode=0o644)  # as older versions made it
    storage = open_storage(folder)
    storage.records.secret("token")
    files = [folder, *folder.glob("sightline.sqlite3*")]
    assert len(files) > 1
    assert [oct(one.stat().st_mode & 0o077) for one in files] == ["0o0"] * len(files)
    storage.records.close()
