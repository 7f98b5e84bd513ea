"""Rules about the code itself: which way imports point, and that every error is mapped."""

import ast
import os
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import calibration
import vision
from tests.sizes import javascript_functions, too_large, unsaid_settings
from tests.source import tree_of
from tests.words import javascript_names, python_names, words_in
from vision.errors import InputError, ScanError

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
HEAVY = ("numpy", "cv2", "shapely", "pydantic", "PIL", "rich", "reportlab", "fastapi")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def parsed(path: Path) -> ast.Module:
    return tree_of(path.read_text(encoding="utf-8"))


@cache
def imported_modules(path: Path, *, at_top_only: bool = False) -> set[str]:
    """Return what a file imports, by full name; ``if TYPE_CHECKING`` does not count."""
    tree = parsed(path)
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


def test_the_program_imports_neither_tests_nor_benches():
    for path in SOURCES:
        used = {name.split(".")[0] for name in imported_modules(path)} & {"tests", "bench"}
        assert not used, f"{module_name(path)} imports {used}"


SEES_PIXELS = ("imaging", "seeing", "showing", "watch")


def test_only_some_rooms_know_pixels():
    for path in SOURCES:
        module = module_name(path)
        if module == "vision":
            continue
        used = {name.split(".")[0] for name in imported_modules(path)} & {"cv2", "PIL"}
        may = module.startswith("calibration") or module.split(".")[1] in SEES_PIXELS
        assert may or not used, f"{module} imports {used}"


STORAGE = "vision.apps.server.storage"
SQL = re.compile(r"\b(SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|PRAGMA)\b")


def speaks_sql(path: Path) -> bool:
    """Tell whether a module imports a database, or holds words for one."""
    tree = parsed(path)
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    used = {name.split(".")[0] for name in imported_modules(path)}
    return bool(used & {"sqlalchemy", "sqlite3", "psycopg"}) or any(
        isinstance(text, str) and SQL.search(text) for text in texts
    )


def test_storage_alone_knows_sql():
    assert {module_name(path) for path in SOURCES if speaks_sql(path)} == {
        f"{STORAGE}.{name}"
        for name in (
            "careers",
            "database",
            "live",
            "migrations",
            "notices",
            "sittings",
            "sql",
            "sql_notes",
            "sql_scans",
            "tables",
        )
    }


def test_only_apps_print():
    for path in SOURCES:
        if module_name(path).startswith("vision.apps"):
            continue
        tree = parsed(path)
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        assert not [c for c in calls if isinstance(c, ast.Name) and c.id == "print"], path


def kinds(error: type[ScanError]) -> set[type[ScanError]]:
    """Return the errors below one that may be raised: those that are no mere names for others."""
    below = [child for child in error.__subclasses__() if child.__module__ == "vision.errors"]
    own = set() if error in (ScanError, InputError) else {error}
    return own.union(*(kinds(child) for child in below))


def test_every_error_has_a_code_of_its_own():
    codes = [kind.code for kind in kinds(ScanError)]
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


# Names outside the games' rooms that still hold a word of one game: entries go, none comes.
WORDY: dict[str, str] = {
    "calibration/drafts/finish.py": "lasers",  # handed on to what learns a deck
    "calibration/learned/decks.py": "_LASERS lasers",
    "calibration/learned/learn.py": "asteroids lasers ships",
    "vision/apps/cli/deck.py": "lasers",
    "vision/apps/decks.py": "ships",
    "vision/games/registry.py": "ships",
}


def named(found: dict[str, set[str]]) -> set[str]:
    return {f"{path}: {name}" for path, names in found.items() for name in names}


def check_allowance(found: dict[str, set[str]], allowed: dict[str, str]) -> None:
    """Nothing but what is allowed breaks a law, and all that is allowed still does."""
    broken, excused = named(found), named({path: set(n.split()) for path, n in allowed.items()})
    assert not broken - excused, "breaks the law; make it smaller or say it"
    assert not excused - broken, "is mended: delete its entry here"


def test_sizes():
    """A function has at most 60 lines and six arguments, a module 600 lines, a script 400."""
    scripts = (ROOT / "vision" / "apps" / "server" / "page" / "js").rglob("*.js")
    found = {path: too_large(path.read_text("utf-8"), path.suffix) for path in [*SOURCES, *scripts]}
    assert not {path: names for path, names in found.items() if names}


def seeing() -> dict[str, Path]:
    """Return the modules of seeing by name, but the faces of its parts."""
    inside = {module_name(path): path for path in SOURCES if path.name != "__init__.py"}
    return {name: path for name, path in inside.items() if name.startswith("vision.seeing.")}


def test_no_two_public_classes_of_seeing_have_one_name():
    """Law 6: one name, one meaning."""
    classes = [
        node.name
        for path in seeing().values()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert len(classes) > 50
    assert sorted(set(classes)) == sorted(classes)


ASKED = re.compile(r"startswith\(\s*\(?[^)]*[\"']unknown")


def test_whether_a_piece_could_be_read_is_asked_in_one_place():
    """``identity_of``, or ``identity`` of what is placed: ids of unread pieces have one form."""
    others = (path for room in ("bench", "tests") for path in (ROOT / room).rglob("*.py"))
    asked = [path for path in (*SOURCES, *others) if ASKED.search(path.read_text("utf-8"))]
    assert not asked
    for prefix in ("unknown", "unknown-"):
        assert ASKED.search(f"name.startswith('{prefix}')")
        assert ASKED.search(f'name.startswith(("pilot-", "{prefix}"))')


FIRST_LINES = 12
SEPARATE = re.compile(r"Separate from\s+``(\w+)``[:,]")
# Modules that one other imports and that do not say yet why they are none of it: none comes.
UNSAID_REASONS = {
    f"vision.seeing.{name}"
    for name in (
        "issues.photo_quality",
        "pieces.counters",
        "pieces.cubes",
        "pieces.sticks",
        "pieces.unread_things",
    )
}


def reason_of(text: str) -> str | None:
    """Return what a module says at its beginning that it is separate from."""
    lines = (ast.get_docstring(tree_of(text)) or "").split("\n")
    found = SEPARATE.search("\n".join(lines[:FIRST_LINES]))
    return found and found[1]


def test_a_module_of_one_importer_says_why_it_is_none_of_it():
    """Law 6: a file that one other imports goes into it, or becomes a part that deserves its name.

    What is imported from outside of seeing is a part's door.
    """
    users: dict[str, set[str]] = {}
    for path in SOURCES:
        for target in imported_modules(path) - {module_name(path)}:
            users.setdefault(target, set()).add(module_name(path))
    unsaid = set()
    for name, path in seeing().items():
        assert users.get(name), f"nothing imports {name}"
        if len(users[name]) == 1 and (only := min(users[name])).startswith("vision.seeing."):
            said = reason_of(path.read_text("utf-8"))
            assert said in (None, only.rpartition(".")[2]), f"{name}: {only} imports it"
            unsaid |= {name} if said is None else set()
    assert not unsaid - UNSAID_REASONS, "fold it into what imports it, or say why not"
    assert not UNSAID_REASONS - unsaid, "is mended: delete its entry here"


def test_a_reason_stands_in_the_first_lines():
    assert reason_of('"""Does it.\n\nSeparate from ``b``: it knows none.\n"""') == "b"
    assert reason_of('"""Does it.\n\nSeparate from ``b``.\n"""') is None  # no reason
    assert reason_of('"""Does it.' + "\n" * FIRST_LINES + 'Separate from ``b``: late.\n"""') is None


def test_every_setting_says_what_it_means():
    found = {
        path: unsaid_settings(path.read_text("utf-8"), is_tuned="seeing" in path.parts)
        for path in SOURCES
    }
    assert not {path: names for path, names in found.items() if names}


def test_no_number_of_a_module_is_a_field():
    """``field`` makes a default of a class; outside of one it is no value, and no type says so."""
    for path in SOURCES:
        values = [getattr(node, "value", None) for node in parsed(path).body]
        calls = [ast.unparse(value.func) for value in values if isinstance(value, ast.Call)]
        assert "field" not in calls, path


def game_rooms() -> dict[str, tuple[str, ...]]:
    """Return the folder of each game and its own words."""
    folders = sorted(Path(vision.__file__).parent.glob("games/*/__init__.py"))
    modules = {f.parent.name: import_module(f"vision.games.{f.parent.name}") for f in folders}
    return {name: getattr(module, "WORDS", ()) for name, module in modules.items()}


def test_no_word_of_one_game_names_anything_outside_the_games():
    """Law 3: seeing, showing, apps and pages speak of pieces, sides and events."""
    words = {word for several in game_rooms().values() for word in several}
    assert "laser" in words
    own = tuple(
        f"{room}/{name}/" for name in game_rooms() for room in ("vision/games", "calibration")
    )
    found = {}
    page = ROOT / "vision" / "apps" / "server" / "page"
    for path in [*SOURCES, *page.rglob("*.js")]:
        place = path.relative_to(ROOT).as_posix()
        if not place.startswith(own):
            read = javascript_names if path.suffix == ".js" else python_names
            names = {*read(path.read_text("utf-8")), path.stem}
            found[place] = words_in(names, words)
    check_allowance(found, WORDY)


def test_no_game_knows_another():
    for path in SOURCES:
        parts = module_name(path).split(".")
        if parts[:2] == ["vision", "games"] and len(parts) > 3:
            games = {
                m.split(".")[2] for m in imported_modules(path) if m.startswith("vision.games.")
            }
            assert games <= {parts[2]}, path


def test_a_word_of_a_game_is_found_in_a_name():
    found = python_names("def find_ships(laser=1): return ship.x  # asteroid")
    assert words_in(found, ["ship", "laser", "asteroid"]) == {"find_ships", "laser", "ship"}
    script = "const bestShip = row.laser; // asteroid\nlet a = 'rock', flagship = 1;"
    assert words_in(javascript_names(script), ["ship", "laser", "rock"]) == {"bestShip", "laser"}


SCRIPT = """
export function plain(a, {b, c} = {}, [d] = [], e = f(1, 2)) {  // } not this
  const text = `} ${list.map((x) => `{${x}`).join("}")} {`;
  if (/[}/]/.test(text)) { call(a); }
  return {
    method(a) {
      return '}';
    },
    arrow: async (one) => ({
      two: one,
    }),
  };
}
"""


def test_a_script_is_measured_as_it_runs():
    found = {name: (lines, taken) for name, lines, taken in javascript_functions(SCRIPT)}
    del found["=> in line 3"]
    assert found == {"plain": (12, 5), "method": (3, 1), "arrow": (3, 1)}
