"""Files and folders that their owner alone may read, and what is left of files."""

import os
import stat

import pytest

from vision.files.whole import atomic_path, keep_private, private_folder, remove_abandoned

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are of POSIX")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("was", [0o755, 0o777, 0o750, 0o700, 0o500])
def test_a_folder_that_is_there_is_closed_to_others(tmp_path, was):
    folder = tmp_path / "kept"
    folder.mkdir()
    folder.chmod(was)
    private_folder(folder)
    assert mode_of(folder) == was & 0o700
    folder.chmod(0o700)


def test_a_new_folder_is_closed_whatever_the_mask(tmp_path):
    mask = os.umask(0)
    try:
        private_folder(tmp_path / "deep" / "kept")
    finally:
        os.umask(mask)
    assert mode_of(tmp_path / "deep" / "kept") == 0o700


def test_what_is_meant_for_everybody_or_not_there_stays(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    keep_private(shared)
    assert mode_of(shared) == 0o1777
    keep_private(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_what_a_killed_writer_left_is_removed_and_what_is_being_written_is_not(tmp_path):
    kept = tmp_path / "faces.npz"
    kept.write_bytes(b"kept")
    old = tmp_path / ".sightline-old.npz"
    for path in (old, kept):
        path.write_bytes(b"")
        os.utime(path, (0, 0))
    with atomic_path(kept) as fresh:
        remove_abandoned(tmp_path)
        assert {*tmp_path.iterdir()} == {kept, fresh}
