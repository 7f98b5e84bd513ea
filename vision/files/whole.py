"""Reading and writing files for the programs: whole or not at all, and with plain messages."""

import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = [
    "as_typed",
    "atomic_path",
    "check_target",
    "explain_os_error",
    "keep_private",
    "private_folder",
    "read_bytes",
    "remove_abandoned",
    "write_atomically",
]

STDIN = Path("-")
_TEMPORARY = ".sightline-"  # what the name of a file that is being written begins with
_ABANDONED_S = 3600.0  # since a temporary file was last written to
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/(?=[^/])", re.IGNORECASE)  # as a path has it
_OTHERS = 0o077  # permissions of the group and of everybody


def read_bytes(path: Path) -> bytes:
    """Read a whole file; ``-`` is standard input."""
    return sys.stdin.buffer.read() if path == STDIN else path.read_bytes()


def check_target(path: Path) -> None:
    """Find out before any work is done whether a file can be written there.

    Raises
    ------
    OSError
        If its folder does not exist or cannot be written to, or the path is a folder.
    """
    if path.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file name", str(path))
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(2, "the folder does not exist; make it first", str(path.parent))
    if not _is_special(path) and not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "the folder cannot be written to", str(folder))


def _is_special(path: Path) -> bool:
    """Tell whether a path is a pipe or a device, which is written to and not replaced."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place once the block is through.

    If the block fails nothing is left behind and what was there before stays.
    """
    check_target(path)
    target = path.resolve()  # through a link: the file is replaced, the link stays
    if _is_special(target):
        yield target
        return
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=_TEMPORARY, suffix=target.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of a folder whose writers were killed: nobody writes so long."""
    for left in folder.glob(f"{_TEMPORARY}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_S:
                left.unlink()


def _mode(target: Path) -> int:
    """Return the permissions for a file: those it has, or those of any new file."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def private_folder(folder: Path) -> None:
    """Make a folder that its owner alone can enter; one that is there is closed to others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    keep_private(folder)


def keep_private(path: Path) -> None:
    """Close a file or a folder to all but its owner, where it is there and ours to close.

    A folder that is meant for everybody, such as ``/tmp``, stays as it is.
    """
    with suppress(FileNotFoundError, PermissionError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & _OTHERS and not mode & stat.S_ISVTX:
            path.chmod(mode & ~_OTHERS)


def as_typed(path: Path | str) -> str:
    """Return a path as it was typed: of an address it has lost a slash.

    >>> as_typed(Path("http://10.0.0.7/live"))
    'http://10.0.0.7/live'
    """
    return _ADDRESS.sub(r"\1://", str(path), count=1)


def explain_os_error(error: OSError) -> str:
    """Say what is wrong with a file, what was needed and what to try, in one line."""
    name = error.filename if isinstance(error.filename, str) else ""
    if _ADDRESS.match(name) and isinstance(error, FileNotFoundError):
        return f"{as_typed(name)}: needed a file, not an address; save what is there and name that"
    hints = {
        FileNotFoundError: "no such file; check the name and the folder",
        IsADirectoryError: "a folder; needed a file",
        NotADirectoryError: "a part of this path is a file, not a folder",
        PermissionError: "not allowed; check the permissions",
    }
    reason = error.strerror or str(error)
    own_words = reason != os.strerror(error.errno) if error.errno else bool(reason)
    if not own_words and type(error) in hints:
        reason = hints[type(error)]
    return f"{name}: {reason}" if name else reason
