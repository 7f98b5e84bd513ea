"""The program's own files as trees: many tests ask of the same ones, so each is parsed once."""

import ast
from functools import cache

__all__ = ["tree_of"]

#: The tree of a text of Python, which nobody may change.
tree_of = cache(ast.parse)
