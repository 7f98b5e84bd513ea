"""Where the user's own things are kept, on each system."""

from pathlib import Path

import pytest

from vision.apps.folders import cache_folder, data_folder

HOME = Path("/home/ann")


@pytest.mark.parametrize(
    ("system", "data", "cache"),
    [
        ("linux", ".local/share/sightline", ".cache/sightline"),
        ("darwin", "Library/Application Support/sightline", "Library/Caches/sightline"),
        ("win32", "AppData/Local/sightline", "AppData/Local/sightline/Cache"),
    ],
)
def test_each_system_has_its_places_in_the_home(monkeypatch, system, data, cache):
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr(Path, "home", lambda: HOME)
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert data_folder() == HOME / data
    assert cache_folder({}) == HOME / cache


def test_what_the_environment_names_goes_before_the_home(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(Path, "home", lambda: HOME)
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert data_folder() == Path("/data/sightline")
    assert cache_folder({}) == HOME / ".cache/sightline"
    assert cache_folder({"SIGHTLINE_FOLDER": "/here"}) == Path("/here/cache")
