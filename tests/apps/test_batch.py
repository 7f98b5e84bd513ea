"""Batches: each table read once, whatever stops them; sources, pools, the table of results."""

import csv
import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps import web_readers
from tests.apps.web_help import apart, picture
from vision.apps.batch.entries import Entry, find_entries, together
from vision.apps.batch.journal import Journal, Line
from vision.apps.batch.run import Batch, _holds, run_batch
from vision.apps.batch.table import write_csv, write_parquet
from vision.apps.buckets import open_bucket
from vision.apps.pools.opening import open_pool
from vision.apps.pools.values import PoolLimits
from vision.apps.reading import ReadResult
from vision.errors import SourceError, TableNotFoundError

SCAN = web_readers.CANNED.read_text(encoding="utf-8")


class Stopped(BaseException):
    """Everything ends at once."""


class Counting:
    """A pool in this process; it counts, and stops everything when told to."""

    def __init__(self, slots: int = 1, stop_after: int = 10**6) -> None:
        self.slots, self.left, self.read_names = slots, stop_after, []

    async def read(self, task, tell=None):
        await anyio.sleep(0)
        if self.left == 0:
            raise Stopped
        self.left -= 1
        self.read_names.append(Path(task.photos[0]).stem)
        if task.photos[0].read_bytes() == b"empty":
            raise TableNotFoundError("found no card")
        return ReadResult(SCAN, picture=b"drawn")

    async def draw(self, task):
        raise AssertionError


def entries_in(folder: Path, count: int, empty: frozenset[int] = frozenset()) -> tuple[Entry, ...]:
    for k in range(count):
        (folder / f"{k}.jpg").write_bytes(b"empty" if k in empty else b"photo")
    return find_entries([str(folder)])


def run(out: Path, entries, pool, **given) -> list[Line]:
    """Run a batch; return what was told of it."""
    lines: list[Line] = []
    out.mkdir(exist_ok=True)
    with Journal(out, {}) as journal:
        try:
            batch = Batch(out, **given)
            apart(lambda: anyio.run(run_batch, batch, entries, journal, pool, lines.append))
        except* Stopped:
            pass
    return lines


# --- laws ------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    stops=st.lists(st.integers(0, 5), max_size=4),
    slots=st.integers(1, 3),
    cut=st.integers(0, 60),
    empty=st.frozensets(st.integers(0, 5), max_size=2),
)
def test_stopped_anywhere_it_goes_on_and_reads_each_table_once(
    tmp_path_factory, stops, slots, cut, empty
):
    """Its journal may even have lost its end, as a disk that was cut off leaves it."""
    folder = tmp_path_factory.mktemp("batch")
    photos, out = folder / "photos", folder / "out"
    photos.mkdir()
    entries = entries_in(photos, 6, empty)
    read: list[str] = []
    for stop in stops:
        pool = Counting(slots, stop)
        run(out, entries, pool)
        read += [name for name in pool.read_names if int(name) not in empty]
        assert len(read) == len(set(read))
    journal = out / "batch.jsonl"
    if journal.exists() and cut:
        whole = journal.read_bytes()
        journal.write_bytes(whole[: max(0, len(whole) - cut)])
    lines = run(out, entries, Counting(slots))
    assert sorted(line.name for line in lines) == [str(k) for k in range(6)]
    assert {int(line.name) for line in lines if line.error} == empty
    last = Counting(slots)
    again = run(out, entries, last)
    assert {int(name) for name in last.read_names} == empty  # only what failed is tried again
    done = {line.name: line for line in lines if not line.error}
    assert {line.name: line for line in again if not line.error} == done
    for name in done:
        assert (out / f"{name}.json").read_text(encoding="utf-8") == SCAN


def test_another_photo_of_the_same_name_is_read(tmp_path):
    (tmp_path / "photos").mkdir()
    entries = entries_in(tmp_path / "photos", 2)
    run(tmp_path / "out", entries, Counting())
    entries[1].photos[0].write_bytes(b"another photo")
    (tmp_path / "out" / "0.json").unlink()
    pool = Counting()
    run(tmp_path / "out", entries, pool)
    assert sorted(pool.read_names) == ["0", "1"]  # side by side: either may be first
    pool = Counting()
    run(tmp_path / "out", entries, pool, pictures=True)  # they are not there yet
    assert sorted(pool.read_names) == ["0", "1"]  # side by side: either may be first
    assert (tmp_path / "out" / "0.jpg").read_bytes() == b"drawn"


def test_a_folder_of_another_batch_is_refused(tmp_path):
    with Journal(tmp_path, {"deck": "a"}) as journal:
        journal.add(Line("x", ("x.jpg",), "1"))
    with pytest.raises(SourceError, match="deck 'a'"):
        Journal(tmp_path, {"deck": "b"})
    with Journal(tmp_path, {"deck": "b"}, afresh=True) as journal:
        assert not journal.done


# --- what is to be read ----------------------------------------------------------------------


def test_sources(tmp_path):
    for name in ("a.jpg", "b.PNG", "deep/er/c.jpeg", "note.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"a.jpg\n\n  deep/er/c.jpeg\n" if "note" in name else b"")
    names = [entry.name for entry in find_entries([str(tmp_path)])]
    assert names == ["a", "b", "deep/er/c"]
    listed = find_entries([str(tmp_path / "note.txt")])
    assert [entry.name for entry in listed] == ["a", "c"]
    assert listed[1].photos == (tmp_path / "deep/er/c.jpeg",)
    assert [e.name for e in find_entries([str(tmp_path / "*.[jP]*")])] == ["a", "b"]
    table = tmp_path / "list.csv"
    table.write_text("photo,name,game\na.jpg,x,toy\nb.PNG,x,toy\ndeep/er/c.jpeg,,\n")
    assert find_entries([str(table)]) == (
        Entry("x", (tmp_path / "a.jpg", tmp_path / "b.PNG"), None, "toy"),
        Entry("c", (tmp_path / "deep/er/c.jpeg",)),
    )


def test_photos_of_one_table_are_told_by_their_names():
    photos = [Entry(name, (Path(name),)) for name in ("fri-1", "fri-2", "other", "sat-1")]
    found = together(photos, r"(.+)-\d")
    assert [(e.name, len(e.photos)) for e in found] == [("fri", 2), ("other", 1), ("sat", 1)]
    with pytest.raises(SourceError, match="group"):
        together(photos, ".*")
    with pytest.raises(SourceError, match="regular expression"):
        together(photos, "(")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("photo,colour\na.jpg,red\n", "expected columns"),
        ("photo,name\n,x\n", "row 1 names no photo"),
        ("photo,name\na.jpg,../x\n", "below the folder"),
        ("photo,name\na.jpg,x\nb.jpg,X\n", "named 'X'"),
    ],
)
def test_a_list_that_cannot_be(tmp_path, text, told):
    (tmp_path / "list.csv").write_text(text)
    with pytest.raises(SourceError, match=told):
        find_entries([str(tmp_path / "list.csv")])


# --- real pools ------------------------------------------------------------------------------


@pytest.mark.parametrize("cluster", ["", "local"])
def test_bad_photos_cost_their_tries_and_no_other(tmp_path, cluster):
    """Killed, hung and out of memory: on processes and on a Dask cluster of this machine."""
    photos, out = tmp_path / "photos", tmp_path / "out"
    photos.mkdir()
    out.mkdir()
    for k in range(6):
        (photos / f"good-{k}.png").write_bytes(picture(seed=k, kind="PNG"))
    for kind in (b"kill", b"hang", b"fill"):
        shown = picture(seed=9, kind="PNG", tail=kind + b" poison")
        (photos / f"{kind.decode()}.png").write_bytes(shown)
    entries = find_entries([str(photos)])
    batch = Batch(out, limits=PoolLimits(2, worker_mb=3000.0, scan_seconds=3.0), attempts=2)
    lines: dict[str, Line] = {}

    async def read() -> None:
        with Journal(out, {}) as journal:
            async with open_pool(web_readers.misbehaves, batch.limits, cluster) as pool:
                await run_batch(batch, entries, journal, pool, lambda x: lines.update({x.name: x}))

    apart(lambda: anyio.run(read))
    codes = {name: (line.code, line.tries) for name, line in lines.items()}
    good = {f"good-{k}": ("", 1) for k in range(6)}
    bad = {"kill": ("worker_failed", 2), "hang": ("timed_out", 2), "fill": ("out_of_memory", 2)}
    assert codes == good | bad
    assert all(json.loads((out / f"{name}.json").read_text()) == json.loads(SCAN) for name in good)


def test_no_cluster_is_told(monkeypatch):
    monkeypatch.setattr("vision.apps.pools.cluster._CONNECT_S", 1.0)

    async def reach() -> None:
        async with open_pool(web_readers.canned, PoolLimits(1), "tcp://127.0.0.1:9"):
            raise AssertionError

    with pytest.raises(SourceError, match=r"127\.0\.0\.1:9"):
        apart(lambda: anyio.run(reach))


def test_photos_of_a_store_are_read(bucket, tmp_path):
    store = open_bucket(bucket.removeprefix("s3://"))
    for k in range(3):
        store.put(f"evening/deep/{k}.jpg", picture(seed=k))
    store.put("evening/notes.txt", b"none")
    entries = find_entries([f"{bucket}/evening/"])
    assert [entry.name for entry in entries] == ["deep/0", "deep/1", "deep/2"]
    batch = Batch(tmp_path, limits=PoolLimits(2))
    lines: list[Line] = []

    async def read() -> None:
        with Journal(tmp_path, {}) as journal:
            async with open_pool(web_readers.canned, batch.limits) as pool:
                await run_batch(batch, entries, journal, pool, lines.append)
                await run_batch(batch, entries, journal, Counting(stop_after=0), lines.append)

    apart(lambda: anyio.run(read))
    assert [line.error for line in lines] == [""] * 6
    assert (tmp_path / "deep" / "2.json").read_text(encoding="utf-8") == SCAN
    with pytest.raises(SourceError, match="no photos found"):
        find_entries([f"{bucket}/nothing/"])


# --- the table of results --------------------------------------------------------------------


def test_results_as_csv_and_parquet_agree(tmp_path):
    result = {"game": "x", "winners": ["a", "b"], "scores": {"a": 3, "b": -1}, "doubts": 2}
    result |= {"open": False, "unordered": True}
    result["outcome"] = "A and b win, together"
    good = Line("one", ("p.jpg", "q.jpg"), "s", 1.5, 1, result=result)
    bad = replace(good, name="two", code="no", error='why, "so"', result={})
    write_csv(tmp_path / "r.csv", [good, bad])
    write_parquet(tmp_path / "r.parquet", [good, bad])
    with (tmp_path / "r.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["scores"] == "a=3 b=-1"
    assert (rows[0]["score_a"], rows[0]["score_b"], rows[0]["open"]) == ("3", "-1", "False")
    assert (rows[0]["unordered"], rows[1]["unordered"]) == ("True", "")
    assert (rows[1]["score_a"], rows[1]["open"]) == ("", "")
    assert rows[0]["outcome"] == "A and b win, together"
    assert rows[1]["error"] == 'why, "so"'
    import pyarrow.parquet

    columns = pyarrow.parquet.read_table(tmp_path / "r.parquet").to_pylist()
    told = [{k: "" if v is None else str(v) for k, v in row.items()} for row in columns]
    floats = ("seconds", "read_ms")
    assert [{k: v for k, v in r.items() if k not in floats} for r in told] == [
        {k: v for k, v in r.items() if k not in floats} for r in rows
    ]
    shutil.rmtree(tmp_path)


@given(
    said=st.text(max_size=6),
    begin=st.sampled_from(["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", ""]),
)
def test_no_cell_is_taken_for_a_formula(tmp_path_factory, said, begin):
    text = begin + said
    result = {"game": text, "winners": [text], "scores": {text: -1}, "outcome": text}
    line = Line(text, (text,), "s", 1.5, 1, text, text, result)
    folder = tmp_path_factory.mktemp("csv")
    write_csv(folder / "r.csv", [line])
    with (folder / "r.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    for name, cell in row.items():
        for one in (name, cell):
            assert one[:1] not in tuple("=+-@\t\r\n\uff1d") or _is_number(one)
    assert row["outcome"].removeprefix("'") == text.removeprefix("'")


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell)) and cell.strip() == cell
    except ValueError:
        return cell == ""


def test_what_an_older_version_read_is_read_again(tmp_path):
    (tmp_path / "one.json").write_text("{}")
    line = Line(
        "one", ("p.jpg",), "s", result={"winners": ["red"], "open": True, "unordered": False}
    )
    batch = Batch(tmp_path)
    assert _holds(batch, line, "s")
    for older in ({"winners": ["red"]}, {"winners": ["red"], "open": True}):
        assert not _holds(batch, replace(line, result=older), "s")
