"""Law 5 of the house: the tuned numbers of seeing are counted, and may only become fewer.

A number that a program hangs on is easy to add and hard to take away. Counted is every numeric
literal in ``vision/seeing``

- in the value of an assignment of a module or a class (named constants, defaults of dataclasses),
  but 0, 1, 2 and 0.5, with either sign;
- in a function, but whole numbers below 10 (indices, shapes, powers, corners of a card), 255 (the
  brightest tone) and what is below 1e-5 (guards against division by nothing).

Literals in docstrings and texts are none. A change that needs another number names the row of a
bench that needs it, and raises the ceiling in the same commit; one that takes some away lowers it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import vision
from tests.source import tree_of

SEEING = Path(vision.__file__).parent / "seeing"
CEILING = 853
PLAIN = {0, 1, 2, 0.5}  # of constants
WHOLE = 10  # from which on a whole number in a function counts
BRIGHTEST = 255
GUARD = 1e-5


def literals(node: ast.AST) -> Iterator[int | float]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and type(one.value) in (int, float):
            yield one.value


def counts_in_function(value: int | float) -> bool:
    if value == int(value):
        return value >= WHOLE and value != BRIGHTEST
    return value >= GUARD


def tuned_numbers(text: str) -> list[int | float]:
    """Return the numbers in Python text that count."""
    found: list[int | float] = []

    def visit(body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.extend(v for v in literals(node) if counts_in_function(v))
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                found.extend(v for v in literals(node.value) if v not in PLAIN)

    visit(tree_of(text).body)
    return found


def test_the_tuned_numbers_of_seeing_only_become_fewer():
    count = sum(len(tuned_numbers(path.read_text("utf-8"))) for path in SEEING.rglob("*.py"))
    assert count <= CEILING, f"{count} tuned numbers, {CEILING} allowed: take one away, or say why"
    assert count == CEILING, f"only {count} are left: lower the ceiling, so that none comes back"


def test_a_number_is_counted_wherever_it_is_hidden():
    text = '''
"""A module of 12.5 words."""
SHARE = 0.3  # 0.4
HALF, ONE, LESS = 0.5, 1.0, -1
LIMITS = {"a": (0.2, 7), "b": 2}

class Settings:
    width_mm: float = 63.5
    def method(self, margin=1.4):
        return self.width_mm > 40 and 3 * margin < 0.25 + 1e-9

def function(tone=255):
    limit = 0.75
    return tone[4] > limit
'''
    assert tuned_numbers(text) == [0.3, 0.2, 7, 63.5, 1.4, 40, 0.25, 0.75]
