"""What people are told to install is in their clone, by no name of a package index."""

import re
from pathlib import Path

import pytest

import vision

ROOT = Path(vision.__file__).parents[1]
#: The distribution's name is not ours on the public index: anybody could take it.
_BY_NAME = re.compile(r"sightline\[|pip3? install [^\n&;|]*(?<![./\w-])sightline\b(?!-)", re.I)
_KINDS = {".py", ".toml", ".md", ".js", ".json", ".html"}


def test_nothing_is_installed_by_a_name_that_is_not_ours():
    folders = [ROOT / name for name in ("vision", "calibration", "docs")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in _KINDS]
    assert len(files) > 100
    told = [
        path for path in (*files, ROOT / "README.md") if _BY_NAME.search(path.read_text("utf-8"))
    ]
    assert told == []


@pytest.mark.parametrize("text", ["pip install 'sightline[https]'", "pip install sightline"])
def test_such_a_hint_is_found(text):
    assert _BY_NAME.search(text)
