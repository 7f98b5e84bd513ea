"""The scripts of the page, joined: one for the first screen, others for what is opened later.

A module becomes a function that returns what it exports; comments and indents are left out. What a
module imports by ``import("./other.js")`` goes, with all that only it needs, into a script of its
own that is asked for when that line runs; what the first script has is taken from there.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

__all__ = ["Address", "join_page"]

#: Where a script is asked for, by its name and its text.
Address: TypeAlias = Callable[[str, str], str]

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_LATE = re.compile(r'\bimport\("([^"]+)"\)')
_EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"\s*//")
_SHARED = "globalThis.$page"  # what the first script lends to those that come later


def join_page(entry: Path, address: Address) -> tuple[str, dict[str, str]]:
    """Return the script of the first screen, and the later ones by their names.

    Parameters
    ----------
    entry : Path
        The module that runs first.
    address : callable
        Where a later script is asked for, by its name and its text.

    Raises
    ------
    ValueError
        If modules import one another in a circle, or one is imported both at once and later.
    """
    joiner = _Joiner(entry, address)
    return joiner.main(), joiner.late


class _Joiner:
    """The scripts of a page while they are joined."""

    def __init__(self, entry: Path, address: Address) -> None:
        self.entry, self.address = entry, address
        self.first = _in_order(entry)
        self.late: dict[str, str] = {}
        self.lent: dict[Path, None] = {}  # modules of the first script that later ones use
        self.open: list[Path] = []  # later scripts that are being joined

    def main(self) -> str:
        """Return the script of the first screen."""
        *modules, last = (self._joined(path) for path in self.first)
        lent = ", ".join(_name(path) for path in self.first if path in self.lent)
        lends = [f"{_SHARED} = {{ {lent} }};"] if self.late else []
        return "\n".join([*modules, *lends, last])

    def _joined(self, path: Path) -> str:
        text = path.read_text(encoding="utf-8")
        exports = _EXPORT.findall(text)

        def from_module(match: re.Match[str]) -> str:
            names = " ".join(match[1].split()).rstrip(",")
            return f"const {{ {names} }} = {_name((path.parent / match[2]).resolve())};\n"

        def from_later(match: re.Match[str]) -> str:
            return f'import("{self._later((path.parent / match[1]).resolve())}")'

        text = _EXPORT.sub(r"\1", _IMPORT.sub(from_module, _LATE.sub(from_later, text)))
        body = "\n".join(_without_air(text))
        if path == self.entry:
            return f"{{\n{body}\n}}\n"  # it may await
        told = ", ".join(name for _, name in exports)
        return f"const {_name(path)} = (() => {{\n{body}\nreturn {{ {told} }};\n}})();"

    def _later(self, path: Path) -> str:
        """Join a script that is asked for later; return its address."""
        name = _name(path).removeprefix("$")
        if path in self.first:
            msg = f"{path.name} is imported at once elsewhere: it cannot come later"
            raise ValueError(msg)
        if path in self.open:
            msg = f"{path.name} imports itself, by way of {self.open[-1].name}"
            raise ValueError(msg)
        if name not in self.late:
            self.open.append(path)
            self.late[name] = self._own_script(path)
            self.open.pop()
        return self.address(name, self.late[name])

    def _own_script(self, path: Path) -> str:
        needed = _in_order(path)
        own = [one for one in needed if one not in self.first]
        used = {other for one in own for other in _imported(one)}
        lent = [one for one in needed if one in self.first and one in used]
        self.lent.update(dict.fromkeys(lent))
        borrows = f"const {{ {', '.join(map(_name, lent))} }} = {_SHARED};"
        told = ", ".join(name for _, name in _EXPORT.findall(path.read_text(encoding="utf-8")))
        gives = f"export const {{ {told} }} = {_name(path)};"
        return "\n".join([borrows, *(self._joined(one) for one in own), gives, ""])


def _imported(path: Path) -> list[Path]:
    """Return what a module imports at once."""
    text = path.read_text(encoding="utf-8")
    return [(path.parent / place).resolve() for _, place in _IMPORT.findall(text)]


def _in_order(entry: Path) -> list[Path]:
    """Return a module and all that it imports at once, each before who imports it."""
    order: dict[Path, None] = {}

    def put(path: Path, above: tuple[Path, ...]) -> None:
        if path in above:
            msg = f"{path.name} imports itself, by way of {above[-1].name}"
            raise ValueError(msg)
        if path in order:
            return
        for other in _imported(path):
            put(other, (*above, path))
        order[path] = None

    put(entry, ())
    return list(order)


def _name(path: Path) -> str:
    return "$" + "_".join((path.parent.name, path.stem))


def _without_air(text: str) -> Iterator[str]:
    """Yield the lines of a script without indents and comments; those within a text as they are."""
    is_inside = False
    for line in text.splitlines():
        was_inside = is_inside
        is_inside ^= line.count("`") % 2 == 1
        if was_inside:
            yield line
        elif line.strip() and not _COMMENT.match(line):
            yield line.lstrip()
