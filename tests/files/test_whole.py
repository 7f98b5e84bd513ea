"""Files and folders that their owner alone may read."""

import os
import stat

import pytest

from vision.files.whole import keep_private, private_folder

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
