"""Rules about the code itself: which way imports point, and that every error is mapped."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import calibration
import vision
from vision.apps.cli.talk import EXIT_CODES
from vision.errors import ScanError

ROOT = Path(vision.__file__).parents[1]
SOURCES = sorted(
    path
    for package in (vision, calibration)
    for path in Path(package.__file__).parent.rglob("*.py")
)

HOUSE = ROOT / "docs" / "house.md"


def read_table(title: str) -> dict[str, set[str]]:
    """Read a table of rooms in docs/house.md: the one place that says what may import what."""
    text = HOUSE.read_text(encoding="utf-8")
    part = text.split(f"<!-- {title} -->")[1].split(f"<!-- /{title} -->")[0]
    rows = [line.split("|")[1:3] for line in part.splitlines() if line.startswith("| `")]
    return {
        room.strip(" `"): {name.strip(" `") for name in others.split(",") if name.strip()}
        for room, others in rows
    }


ROOMS = read_table("rooms")
SEEING = read_table("seeing")
HEAVY = ("numpy", "cv2", "scipy", "shapely", "pydantic", "PIL", "rich", "reportlab", "fastapi")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path, *, at_top_only: bool = False) -> set[str]:
    """Return what a file imports, by full name; ``if TYPE_CHECKING`` does not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()

    def visit(node: ast.AST, inside: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import) and not (inside and at_top_only):
                found.update(alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom) and not (inside and at_top_only):
                assert child.level == 0, f"{path}: relative imports hide where they point"
                assert child.module is not None
                for alias in child.names:
                    full = f"{child.module}.{alias.name}"
                    is_module = (ROOT / (full.replace(".", "/") + ".py")).exists() or (
                        ROOT / full.replace(".", "/")
                    ).is_dir()
                    found.add(full if is_module else child.module)
            inner = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            visit(child, inside or inner)

    visit(tree, False)
    return found


def room_of(module: str, rooms: dict[str, set[str]]) -> str:
    """Return the room of a module: the longest name of the table that it begins with."""
    fitting = [name for name in rooms if module == name or module.startswith(name + ".")]
    assert fitting, f"{module} is in no room of docs/house.md"
    return max(fitting, key=len)


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] in ("vision", "calibration")}


def check_rooms(path: Path, rooms: dict[str, set[str]], below: str) -> None:
    module = module_name(path)
    room = room_of(module, rooms)
    for target in ours(imported_modules(path)) - {"vision", "calibration"}:
        if target.startswith(below):
            other = room_of(target, rooms)
            assert other == room or other in rooms[room], f"{module} imports {target}"


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_follow_the_house(path):
    module = module_name(path)
    if module in ("vision", "calibration"):  # the faces of the packages
        return
    check_rooms(path, ROOMS, "")
    if module.startswith("vision.seeing."):
        check_rooms(path, SEEING, "vision.seeing.")


STILL_TO_MOVE = {"vision.apps.server.reading.worker"}  # its film goes to showing
SEES_PIXELS = ("imaging", "seeing", "showing", "watch")


def test_only_some_rooms_know_pixels():
    for path in SOURCES:
        module = module_name(path)
        if module == "vision" or module in STILL_TO_MOVE:
            continue
        used = {name.split(".")[0] for name in imported_modules(path)} & {"cv2", "PIL"}
        may = module.startswith("calibration") or module.split(".")[1] in SEES_PIXELS
        assert may or not used, f"{module} imports {used}"


def test_only_apps_print():
    for path in SOURCES:
        if module_name(path).startswith("vision.apps"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        assert not [c for c in calls if isinstance(c, ast.Name) and c.id == "print"], path


def leaves(kind: type[ScanError]) -> set[type[ScanError]]:
    below = [child for child in kind.__subclasses__() if child.__module__.startswith("vision.")]
    return {kind} if not below else set().union(*(leaves(child) for child in below))


def test_every_error_has_an_exit_code():
    assert leaves(ScanError) == set(EXIT_CODES)
    assert set(EXIT_CODES.values()) == {1}  # the contract: no result


def test_every_error_has_a_code_of_its_own():
    codes = [kind.code for kind in leaves(ScanError)]
    assert len(set(codes)) == len(codes)


def test_the_command_line_starts_light():
    """``--help`` imports nothing heavy; its time is what a user of the shell feels."""
    used = imported_modules(ROOT / "vision" / "apps" / "cli" / "main.py", at_top_only=True)
    assert not {name.split(".")[0] for name in used} & set(HEAVY)
    script = (
        "import sys\n"
        "from vision.apps.cli.main import create_app\n"
        "try:\n    create_app()(['--help'])\nexcept SystemExit:\n    pass\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.exit(', '.join(heavy) or 0)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_module_says_what_it_offers():
    for path in SOURCES:
        assert path.name == "__init__.py" or "\n__all__ = [" in path.read_text("utf-8"), path
