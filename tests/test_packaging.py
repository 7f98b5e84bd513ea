"""What a visitor installs: few packages, permissive ones, and a scan loads only its own."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
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
#: Of extras: lesser licences of the database's driver. The wheels of av and pillow-heif hold GPL
#: libraries that their metadata does not name (pyproject.toml).
COPYLEFT = {"psycopg": ["LGPL-3.0-only"], "psycopg-binary": ["LGPL-3.0-only"]}
#: Where the Dockerfile's packages run.
IN_THE_IMAGE = {
    "python_version": "3.12",
    "python_full_version": "3.12.0",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
}
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


def needed(of: Requirement, **where: str) -> list[Requirement]:
    """Return what an installed package needs, with the extras that are asked of it."""
    found = [Requirement(text) for text in requires(of.name) or []]
    asked = [{**where, "extra": extra} for extra in ("", *of.extras)]
    return [one for one in found if one.marker is None or any(map(one.marker.evaluate, asked))]


def installed(wanted: Sequence[Requirement] = CORE, **where: str) -> Iterator[str]:
    """Yield the names of all that comes with packages, themselves included."""
    waiting, seen = list(wanted), set()
    while waiting:
        one = waiting.pop()
        if canonicalize_name(one.name) not in seen:
            seen.add(canonicalize_name(one.name))
            yield one.name
            waiting += needed(one, **where)


def licence_of(name: str) -> list[str]:
    """Return the parts of a package's licence, as its metadata names it."""
    said = metadata(name)
    if expression := said.get("License-Expression"):
        return re.split(r"\s+(?:AND|OR)\s+", expression.strip("()"))
    classifiers = said.get_all("Classifier") or []
    named = [text for text in classifiers if text.startswith("License ::")]
    return [*named, *((said["License"],) if said.get("License") and not named else ())]


def locked() -> dict[str, tuple[str, int]]:
    """Return the version of each package in the Dockerfile's lock, and how many hashes it has."""
    text = (ROOT / "docker.lock").read_text("utf-8")
    found = {}
    for part in re.split(r"^(?=[a-z])", text, flags=re.M)[1:]:
        name, version = re.match(r"([a-z0-9-]+)==(\S+) ", part).groups()
        found[name] = version, len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", part))
    return found


def test_the_lock_names_all_that_the_dockerfile_installs_by_hashes_without_addresses():
    """Any index will do: a file of another content has another hash."""
    assert "://" not in (ROOT / "docker.lock").read_text("utf-8")
    lock = locked()
    assert all(count for _, count in lock.values())
    extras = re.search(r"^ARG EXTRAS=(\S+)$", (ROOT / "Dockerfile").read_text("utf-8"), re.M)
    wanted = [*CORE]
    for extra in extras[1].split(","):
        wanted += [Requirement(text) for text in PROJECT["optional-dependencies"][extra]]
    for one in wanted:
        assert lock[canonicalize_name(one.name)][0] in one.specifier, one
    assert {canonicalize_name(name) for name in installed(wanted, **IN_THE_IMAGE)} == lock.keys()


def test_the_core_is_small():
    assert len(CORE) <= MOST_CORE
    assert len({one.name for one in CORE}) == len(CORE)


@pytest.mark.parametrize("name", sorted(installed([*CORE, *OPTIONAL])))
def test_what_is_installed_has_a_permissive_licence_but_for_one_extra(name):
    parts = licence_of(name)
    assert parts
    others = [part for part in parts if not PERMISSIVE.search(part) or "GPL" in part]
    assert others == COPYLEFT.get(canonicalize_name(name), [])


def test_no_copyleft_is_in_the_core():
    assert not {canonicalize_name(name) for name in installed()} & COPYLEFT.keys()


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
