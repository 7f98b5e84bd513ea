"""What the README shows is what happens."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from vision.apps.cli.main import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(marker: str) -> str:
    found = re.search(rf"<!-- {marker} -->\n```\w+\n(.*?)\n```", README, re.DOTALL)
    assert found, marker
    return found.group(1)


def test_scan_command_prints_what_the_readme_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install, scan = block("scan").rsplit(" && ", 1)
    assert install == "python3 -m venv .venv && .venv/bin/pip install -q ."
    words = shlex.split(scan)
    assert words[0] == ".venv/bin/sightline"
    shutil.copytree(ROOT / "sample_photos", tmp_path / "sample_photos")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", words)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as end:
        run()
    assert end.value.code == 0
    out = [line.rstrip() for line in capsys.readouterr().out.strip().splitlines()]
    begin, end_ = (part.strip().splitlines() for part in block("scan output").split("...\n"))
    assert out[: len(begin)] == begin
    assert out[-len(end_) :] == end_
    assert (tmp_path / "round.jpg").stat().st_size > 100_000


def test_the_close_calls_are_told_as_the_readme_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    photo = str(ROOT / "sample_photos" / "close-calls.jpg")
    monkeypatch.setattr("sys.argv", ["sightline", "scan", photo])
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        run()
    out = capsys.readouterr().out
    for part in block("close").split("...\n"):
        assert part.rstrip() in out


def test_python_examples_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(code, names)
    out = capsys.readouterr().out
    assert "{'red': 4, 'blue': 2} ('red',)" in out
    assert "blue-ghost" in out


def test_ci_runs_the_readme_test_command() -> None:
    assert "<!-- tests -->" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert block("tests").endswith(".venv/bin/pytest -q -n 3 --dist loadfile")


def test_files_and_modules_named_exist() -> None:
    named = re.findall(r"`((?:vision|calibration|tests|sample_photos)/[\w/.]*)`", README)
    linked = re.findall(r"\]\(((?!http)[^)#]+)\)", README)
    assert named
    assert linked
    for name in [*named, *linked]:
        assert (ROOT / name).exists(), name
