"""Reports of rounds: packed and unpacked they say the same; whatever else comes is refused."""

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.errors import ReportFormatError
from vision.files.reports import Report, is_report, pack_report, unpack_report

JPEG = b"\xff\xd8\xff\xd9"
PNG = b"\x89PNG\r\n"
PLAIN = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=8), max_size=3)
REPORTS = st.builds(
    Report,
    version=st.just("1.0"),
    game=st.text(max_size=10),
    deck=st.text(max_size=10),
    photo=st.sampled_from(["as_is", "table", "none"]),
    photos=st.lists(st.sampled_from([JPEG, PNG]), max_size=3).map(tuple),
    scan=st.none() | PLAIN,
    changes=st.lists(PLAIN, max_size=3).map(tuple),
    points=st.dictionaries(st.text(max_size=5), st.integers(0, 90), max_size=2),
    note=st.text(max_size=30),
)


@given(REPORTS)
def test_a_report_says_the_same_when_it_is_opened(report):
    packed = pack_report(report)
    assert is_report(packed)
    opened = unpack_report(packed)
    for name in Report.__slots__:
        assert getattr(opened, name) == getattr(report, name), name
    assert pack_report(opened) == packed


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return out.getvalue()


ABOUT = json.loads(
    zipfile.ZipFile(io.BytesIO(pack_report(Report("1.0", "g", "d", "none")))).read("report.json")
)


def about(**changes):
    return json.dumps({**ABOUT, **changes})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK\x03\x04 and then nothing", "damaged"),
        (zipped(**{"a.txt": "hello"}), "no report that Sightline made"),
        (zipped(**{"report.json": about(), "../../etc/passwd": "x"}), "not opened"),
        (zipped(**{"report.json": about(), "/photo-0.jpg": "x"}), "not opened"),
        (zipped(**{"report.json": about(), "photo-0.jpg/x": "x"}), "not opened"),
        (zipped(**{"report.json": about(), "run.sh": "x"}), "not opened"),
        (zipped(**{"report.json": b"0" * 5_000_001}), "too large"),
        (zipped(**{"report.json": about(), "scan.json": b" " * 20_000_001}), "too large"),
        (zipped(**{"report.json": "[1"}), "no JSON"),
        (zipped(**{"report.json": "[" * 100_000}), "no JSON"),
        (zipped(**{"report.json": "[]"}), "no JSON object"),
        (zipped(**{"report.json": about(schema="other@1")}), "expected the schema"),
        (zipped(**{"report.json": about(changes=3)}), "changes is missing or of the wrong kind"),
        (zipped(**{"report.json": about(photo="all")}), "not as a report has them"),
        (zipped(**{"report.json": about(photos=["../x"])}), "not as a report has them"),
        (zipped(**{"report.json": about(photos=["photo-0.jpg"])}), "lacks photo-0.jpg"),
        (zipped(**{"report.json": about(), "scan.json": "{}"}), "lacks joint.npy"),
    ],
)
def test_what_is_no_report_is_refused_in_words(content, says):
    with pytest.raises(ReportFormatError, match=says):
        unpack_report(content)


def test_a_zip_that_lies_about_its_size_is_refused():
    """A bomb says that it is small: what it says is not believed."""
    packed = bytearray(zipped(**{"report.json": b"0" * 6_000_000}))
    real = (6_000_000).to_bytes(4, "little")
    assert packed.count(real) == 2
    while (at := packed.find(real)) >= 0:
        packed[at : at + 4] = (1000).to_bytes(4, "little")
    with pytest.raises(ReportFormatError):
        unpack_report(bytes(packed))


def test_a_name_that_is_there_twice_is_refused():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("report.json", about())
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("report.json", about(version="2"))
    with pytest.raises(ReportFormatError, match="twice"):
        unpack_report(out.getvalue())


@given(st.integers(0, 10_000), st.binary(min_size=1, max_size=4))
def test_damage_is_told_or_does_no_harm(at, noise):
    report = Report("1.0", "g", "d", "as_is", (JPEG,), {"a": 1}, b"npy")
    packed = bytearray(pack_report(report))
    packed[at % len(packed) : at % len(packed) + len(noise)] = noise
    try:
        opened = unpack_report(bytes(packed))
    except ReportFormatError:
        return
    assert (opened.scan, opened.joint) == (report.scan, report.joint)
