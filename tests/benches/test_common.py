"""What benches share: found by name, parsed by one parser, counted, printed, recorded."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.__main__ import main
from bench.common.arguments import bench_names, load_bench, parser_of, summary_of
from bench.common.counting import Tally, bound_of_none, share, wilson
from bench.common.record import Result, make_record, read_records, write_record
from bench.common.report import MEASURED, SECTIONS, render
from bench.common.tables import Table

NAMES = bench_names()


@pytest.mark.parametrize("name", NAMES)
def test_every_bench_says_what_it_measures_and_understands_the_common_arguments(name):
    module = load_bench(name)
    summary = summary_of(name)
    assert summary.endswith((".", "?"))
    assert "python -m" not in summary
    options = parser_of(name, module).parse_args(["one", "two", "--seed", "7", "--json", "out"])
    assert [path.name for path in options.photos] == ["one", "two"]
    assert options.seed == 7
    assert callable(module.run)


def test_the_command_lists_all_benches(capsys):
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed and summary_of(name) in listed for name in NAMES)


def test_a_bench_that_is_none_is_refused_with_the_names(capsys):
    assert main(["nothing"]) == 2
    assert "accuracy" in capsys.readouterr().err


def test_a_run_prints_its_tables_and_writes_one_record(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("bench.scale.most_photos", lambda *_: 1000)  # a small day
    out = tmp_path / "scale.json"
    assert main(["scale", "--seed", "3", "--json", str(out)]) == 0
    record = json.loads(out.read_text(encoding="utf-8"))
    assert {"date", "seed", "machine", "versions", "tables", "rows"} <= set(record)
    assert record["seed"] == 3
    assert record["command"] == "python -m bench scale --seed 3"
    assert Table.from_json(record["tables"][0]).markdown() in capsys.readouterr().out


@given(st.integers(0, 300), st.integers(0, 300))
def test_an_interval_holds_the_share_and_narrows_with_the_count(hits, missed):
    of = hits + missed
    low, high = wilson(hits, of)
    assert 0 <= low <= high <= 1
    if of:
        assert low <= hits / of + 1e-12  # of floats
        assert hits / of <= high + 1e-12
        wider = wilson(10 * hits, 10 * of)
        assert wider[1] - wider[0] < high - low


def test_shares_are_written_with_their_interval_and_zeros_with_their_bound():
    assert share(57, 60) == "57 of 60: 95 % (88 to 98 %)"
    assert share(0, 0) == "0 of 0"
    assert bound_of_none(0, 300) == "0 (at most 1 %)"
    assert bound_of_none(3, 300) == "3"


def test_told_and_true_are_told_by_band():
    tally = Tally([0.95] * 10, [True] * 9 + [False])
    assert tally.table("x").rows == (("0.9 to 0.99", 10, "95.0%", "90.0%"),)
    assert tally.wrong_and_certain() == 0


def test_a_table_with_a_cell_too_few_is_refused():
    with pytest.raises(ValueError, match="expected 2 cells"):
        Table("x", ("a", "b"), (("1",),))


def test_a_record_comes_back_as_it_was_written_but_for_its_rows(tmp_path):
    result = Result((Table("x", ("a",), ((1,), (None,))),), ("a note",), ({"case": 1},))
    record = make_record(result, "some", "python -m bench some", 4, 1.0)
    write_record(record, tmp_path / "some.json", with_rows=False)
    (back,) = read_records(tmp_path).values()
    assert Table.from_json(back["tables"][0]) == result.tables[0]
    assert "rows" not in back


def test_the_page_of_measurements_is_the_one_that_the_records_make():
    """``python -m bench report`` writes it; nothing in it is written by hand."""
    assert MEASURED.read_text(encoding="utf-8") == render(read_records())


def test_the_page_shows_every_record_and_every_table_that_it_names():
    records = read_records()
    shown = [one for section in SECTIONS for one in section.shown]
    assert {one.record for one in shown} == set(records)
    for one in shown:
        titles = {table["title"] for table in records[one.record]["tables"]}
        assert set(one.titles or ()) <= titles, one.record


def test_the_page_is_short_enough_to_be_read():
    assert MEASURED.read_text(encoding="utf-8").count("\n") <= 250
