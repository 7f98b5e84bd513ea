"""The one way in which benches print tables: Markdown, from cells of any kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Cell", "Table"]

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """A title, the names of the columns, and rows of cells.

    Numbers that are not whole are written with three significant digits; a bench that wants
    another form gives the text. A cell of None is empty.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                msg = f"{self.title}: expected {len(self.columns)} cells a row, got {row}"
                raise ValueError(msg)

    def markdown(self) -> str:
        """Return the table as Markdown, its title as a bold line.

        Examples
        --------
        >>> print(Table("Cards", ("deck", "mm"), (("a", 0.12345), ("b", None))).markdown())
        **Cards**
        <BLANKLINE>
        | deck | mm |
        | --- | --- |
        | a | 0.123 |
        | b |  |
        """
        head = [f"**{self.title}**", ""] if self.title else []
        lines = [_line(self.columns), "|" + " --- |" * len(self.columns)]
        return "\n".join([*head, *lines, *(_line(row) for row in self.rows)])

    def to_json(self) -> dict[str, Any]:
        """Return the table as data."""
        return {"title": self.title, "columns": self.columns, "rows": self.rows}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> "Table":
        """Read what ``to_json`` wrote."""
        rows = tuple(tuple(row) for row in said["rows"])
        return cls(said["title"], tuple(said["columns"]), rows)


def _line(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join(_text(cell) for cell in cells) + " |"


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)
