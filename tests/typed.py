"""What people type: the command line, run in this process."""

from typing import Any

import pytest

from vision.apps.cli.main import create_app


def run(*words: object) -> int:
    """Run a command; return its exit status."""
    with pytest.raises(SystemExit) as done:
        create_app()([str(word) for word in words])
    return int(done.value.code or 0)


def command(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, Any]:
    """Run a command in English; return its exit status and what it told."""
    code = run(*words, "--lang", "en")
    return code, capsys.readouterr()
