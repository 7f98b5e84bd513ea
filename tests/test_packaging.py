"""What a visitor installs: few packages, permissive ones, and a scan loads only its own."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import metadata, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.test_codebase import SOURCES, imported_modules

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CORE = [Requirement(text) for text in PROJECT["dependencies"]]
OPTIONAL = [
    Requirement(text)
    for name, texts in PROJECT["optional-dependencies"].items()
    if name != "dev"
    for text in texts
]
MOST_CORE = 13
#: What a permissive licence is called, in expressions, classifiers and older metadata.
PERMISSIVE = re.compile(r"0BSD|Apache|BSD|CC0|HPND|ISC|MIT|PSF|Python Software Foundation|Zlib")
#: What is for the page, the rounds kept and printing: a scan does without.
NOT_FOR_A_SCAN = {
    "anyio",
    "fastapi",
    "h11",
    "multipart",
    "python_multipart",
    "reportlab",
    "rich",
    "scipy",
    "sqlalchemy",
    "starlette",
    "typer",
    "uvicorn",
}


def needed(of: Requirement) -> list[Requirement]:
    """Return what an installed package needs without any of its extras."""
    found = [Requirement(text) for text in requires(of.name) or []]
    return [one for one in found if one.marker is None or one.marker.evaluate({"extra": ""})]


def installed() -> Iterator[str]:
    """Yield the names of all that comes with the core packages, themselves included."""
    waiting, seen = list(CORE), set()
    while waiting:
        one = waiting.pop()
        if canonicalize_name(one.name) not in seen:
            seen.add(canonicalize_name(one.name))
            yield one.name
            waiting += needed(one)


def licence_of(name: str) -> list[str]:
    """Return the parts of a package's licence, as its metadata names it."""
    said = metadata(name)
    if expression := said.get("License-Expression"):
        return re.split(r"\s+(?:AND|OR)\s+", expression.strip("()"))
    classifiers = said.get_all("Classifier") or []
    named = [text for text in classifiers if text.startswith("License ::")]
    return [*named, *((said["License"],) if said.get("License") and not named else ())]


def test_the_core_is_small():
    assert len(CORE) <= MOST_CORE
    assert len({one.name for one in CORE}) == len(CORE)


@pytest.mark.parametrize("name", sorted(installed()))
def test_what_is_installed_has_a_permissive_licence(name):
    parts = licence_of(name)
    assert parts
    assert [part for part in parts if not PERMISSIVE.search(part) or "GPL" in part] == []


def test_what_is_imported_is_named_or_comes_with_what_is():
    """A package that another one is made of is its to choose; all others are in pyproject.toml."""
    within = [one for named in (*CORE, *OPTIONAL) for one in needed(named)]
    within += [one for core in within for one in needed(core)]  # anyio is Starlette's
    known = {canonicalize_name(one.name) for one in (*CORE, *OPTIONAL, *within)}
    homes = packages_distributions()
    used = {name.split(".")[0] for path in SOURCES for name in imported_modules(path)}
    used -= {"vision", "calibration"} | set(sys.stdlib_module_names)
    strange = {
        name
        for name in used
        if not {canonicalize_name(home) for home in homes.get(name, [name])} & known
    }
    assert strange == set()


def test_each_core_package_is_used():
    homes = packages_distributions()
    used = {name.split(".")[0] for path in SOURCES for name in imported_modules(path)}
    found = {canonicalize_name(home) for name in used for home in homes.get(name, [])}
    # Starlette imports it where a form comes in
    assert {canonicalize_name(one.name) for one in CORE} - found == {"python-multipart"}


def test_a_scan_loads_neither_server_nor_database_nor_pdf():
    script = (
        "import sys\n"
        "import vision\n"
        f"vision.scan({str(ROOT / 'sample_photos' / 'golden-round.jpg')!r})\n"
        f"loaded = sorted({NOT_FOR_A_SCAN!r} & set(sys.modules))\n"
        "loaded += [name for name in sys.modules if name.startswith('vision.apps.server')]\n"
        "sys.exit(', '.join(loaded) or 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
