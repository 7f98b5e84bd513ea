"""Write a file in one go or not at all."""

import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]

_MODE = 0o644


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever finds half of it, an older one of that name replaced."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.chmod(_MODE)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
