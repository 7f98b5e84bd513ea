"""Names in source text: what functions, classes, modules, attributes and arguments are called."""

import ast
import re
from collections.abc import Iterable

from tests.source import tree_of

__all__ = ["javascript_names", "python_names", "words_in"]

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_QUOTED = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL
)


def python_names(text: str) -> set[str]:
    """Return every name that Python text gives or uses; strings and remarks are none."""
    names: set[str] = set()
    for node in ast.walk(tree_of(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.arg | ast.keyword) and node.arg is not None:
            names.add(node.arg)
    return names


def javascript_names(text: str) -> set[str]:
    """Return every name in JavaScript text; strings and remarks are none."""
    return set(re.findall(r"[A-Za-z_$][\w$]*", _QUOTED.sub(" ", text)))


def words_in(names: Iterable[str], words: Iterable[str]) -> set[str]:
    """Return the names of which one of the words is a part, alone or as more than one.

    >>> sorted(words_in({"find_ships", "shipment", "bestLaser", "relaser"}, ["ship", "laser"]))
    ['bestLaser', 'find_ships']
    """
    wanted = {*words, *(f"{word}s" for word in words)}
    return {name for name in names if wanted & {p.lower() for p in _PIECE.findall(name)}}
