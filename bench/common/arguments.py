"""The arguments of all benches, and how a bench is found by its name."""

import argparse
import ast
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

__all__ = [
    "HARD",
    "SAMPLES",
    "add_collections",
    "bench_names",
    "load_bench",
    "parser_of",
    "photos_with_truth",
    "summary_of",
]

HERE = Path(__file__).parents[1]
SAMPLES = HERE.parent / "sample_photos"
HARD = HERE.parent / "tests" / "photos" / "hard"


def bench_names() -> list[str]:
    """Return the names of all benches: the modules of ``bench`` that measure something."""
    return sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("__"))


def summary_of(name: str) -> str:
    """Return the first line of a bench's docstring, without importing it."""
    text = (HERE / f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def load_bench(name: str) -> ModuleType:
    """Import a bench."""
    return import_module(f"bench.{name}")


def parser_of(name: str, module: ModuleType) -> argparse.ArgumentParser:
    """Return the parser of a bench: what all understand, then what it adds.

    A module may have ``SEED`` and ``COUNT``: what is taken where nothing is said.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m bench {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("photos", nargs="*", type=Path, help="photos, or folders of them")
    parser.add_argument("--seed", type=int, default=getattr(module, "SEED", 0))
    parser.add_argument(
        "--count",
        type=int,
        default=getattr(module, "COUNT", None),
        help="how many tables, photos or the like are drawn (%(default)s)",
    )
    parser.add_argument("--json", type=Path, help="write the record with all its rows here")
    parser.add_argument(
        "--keep",
        metavar="RESULT",
        help="write the record without rows to bench/results/RESULT.json",
    )
    if hasattr(module, "add_options"):
        module.add_options(parser)
    return parser


def add_collections(parser: argparse.ArgumentParser) -> None:
    """Add how real photographs are chosen; see ``bench.common.real_data``."""
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="real photographs and decks")
    parser.add_argument("--deck", action="append", default=[], help="only this deck; repeatable")
    parser.add_argument("--collection", action="append", default=[], help="only this; repeatable")
    parser.add_argument("--split", choices=("dev", "held-out"), default="dev")


def photos_with_truth(places: Iterable[Path], otherwise: Iterable[Path] = (SAMPLES,)) -> list[Path]:
    """Return the JPEG photos at places, files or folders, that have a truth beside them.

    ``otherwise`` is where they are taken from if no place is given.
    """
    found = [photo for place in [*places] or otherwise for photo in _photos_at(place)]
    return [photo for photo in found if photo.with_suffix(".truth.json").exists()]


def _photos_at(place: Path) -> Iterator[Path]:
    yield from sorted(place.glob("*.jpg")) if place.is_dir() else [place]
