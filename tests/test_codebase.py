"""Rules about the code itself: which way imports point, and that every error is mapped."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import calibration
import vision
from vision.apps.talk import EXIT_CODES
from vision.errors import ScanError

ROOT = Path(vision.__file__).parents[1]
SOURCES = sorted(
    path
    for package in (vision, calibration)
    for path in Path(package.__file__).parent.rglob("*.py")
)

#: Layers from the lowest up. A module imports from its own layer or lower ones; which of its own,
#: SIBLINGS says.
LAYERS = (
    ("vision.types", "vision.errors"),
    ("vision.geometry", "vision.imaging", "vision.texts", "vision.progress", "vision.threads"),
    ("vision.adjustment", "vision.overlaps"),  # cards on a plane, which several stages use
    (
        "vision.edges",
        "vision.registration",
        "vision.descriptors",
        "vision.elbows",
    ),  # what of them a photo shows
    ("vision.covered", "vision.align"),  # faces of which a part shows, or that lie elsewhere
    ("vision.rules", "vision.annotate", "calibration", "stages"),
    ("vision.formats", "vision.findings", "vision.laying", "vision.advice", "vision.explain"),
    ("vision.findings_pictures",),
    ("vision.reading",),
    ("vision.reading_pictures",),
    ("vision.pipeline",),
    ("vision.watch",),
    ("vision.apps",),
)
SIBLINGS = {
    "vision.types",
    "vision.rules",
    "vision.annotate",
    "calibration",
    "vision.watch",
    "vision.apps",
}  # not the stages: they meet in vision.reading
RULES_MAY_USE = {
    "vision.types",
    "vision.errors",
    "vision.geometry",
    "vision.texts",
    "vision.rules",
}
ANNOTATE_MAY_USE = {
    "vision.types",
    "vision.errors",
    "vision.geometry",
    "vision.imaging",
    "vision.texts",
    "vision.annotate",
}
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


def group_of(module: str) -> str:
    """Return the group of a module: an entry of LAYERS."""
    for layer in LAYERS:
        for name in layer:
            if module == name or module.startswith(name + "."):
                return name
    return "stages"


def layer_of(group: str) -> int:
    return next(k for k, layer in enumerate(LAYERS) if group in layer)


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] in ("vision", "calibration")}


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_point_down(path):
    module = module_name(path)
    if module in ("vision", "calibration"):
        assert not ours(imported_modules(path)) - {module}
        return
    group = group_of(module)
    for target in ours(imported_modules(path)) - {"vision"}:
        other = group_of(target)
        if target == module:
            continue
        if group == "calibration":  # known before the photo: no stage, no app
            assert other in RULES_MAY_USE | {"vision.imaging", "calibration"}, target
        elif group == other:
            assert group in SIBLINGS, f"{module} imports {target}"
        elif other == "calibration":
            assert group == "vision.apps", f"{module} imports {target}"
        else:
            assert layer_of(other) < layer_of(group), f"{module} imports {target}"


def test_rules_know_no_pixels():
    for path in SOURCES:
        if module_name(path).startswith("vision.rules"):
            used = imported_modules(path)
            assert {group_of(name) for name in ours(used)} <= RULES_MAY_USE, path
            assert not {name.split(".")[0] for name in used} & {"cv2", "PIL"}, path


def test_annotate_knows_neither_rules_nor_stages():
    for path in SOURCES:
        if module_name(path).startswith("vision.annotate"):
            used = {group_of(name) for name in ours(imported_modules(path))}
            assert used <= ANNOTATE_MAY_USE, path


def test_types_and_errors_need_no_images():
    for name in ("types", "errors", "geometry"):
        used = imported_modules(ROOT / "vision" / f"{name}.py")
        assert not {module.split(".")[0] for module in used} & {"cv2", "PIL", "scipy"}


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
    used = imported_modules(ROOT / "vision" / "apps" / "cli.py", at_top_only=True)
    assert not {name.split(".")[0] for name in used} & set(HEAVY)
    script = (
        "import sys\n"
        "from vision.apps.cli import create_app\n"
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
