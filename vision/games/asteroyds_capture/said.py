"""What the players said of a table, and what the rules count -> the doubts that are closed or open.

A word of the players closes every doubt about what it says, of judging and of seeing alike: a die,
a ship's programme, where a piece is, how it looks, who flies it.
"""

from collections.abc import Iterator, Sequence

from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.position import turned_by
from vision.games.asteroyds_capture.values import TEAMS, Table
from vision.games.asteroyds_capture.words import doubt, piece_name
from vision.judging.counts import Expected, Shortfall, find_shortfalls
from vision.judging.said import Closes, PlacePx, closed_by, nothing_more
from vision.values.ledger import Weighed
from vision.values.messages import Issue

__all__ = ["closed", "each_of", "open_unread", "shortfalls_of", "tell_missing"]

#: By what is said, the codes of the doubts that it closes, of judging and of seeing.
_CLOSES: Closes = {
    "die": ("die_doubtful", "die_unsure"),
    "cell": (
        "cell_doubtful",
        "piece_strange",
        "piece_supposed",
        "piece_unsure",
        "set_up_elsewhere",
        "set_up_extra",
        "set_up_missing",
        "ship_missing",
        "ship_unseen",
        "tile_elsewhere",
        "tile_extra",
        "tile_missing",
    ),
    "on": ("carried_doubtful", "set_up_elsewhere"),
    "heading_deg": ("heading_doubtful", "set_up_turned", "tile_turned", "token_heading_unsure"),
    "pilot": ("pilot_doubtful", "pilot_unknown"),
    "column": ("program_doubtful",),
    "sheet": ("sheet_covered", "sheet_unsure"),  # one whose programme is said matters no more
}


def closed(table: Table) -> Iterator[Weighed]:
    """Yield the doubts that are closed: what players have said, and what is sure of dice."""
    words = {(_called(of, what), what) for of, what in table.said}
    words |= {(f"sheet-{of}", "sheet") for of, what in table.said if what == "column"}
    yield from closed_by(words, _CLOSES)
    doubted = {one.of for one in table.alternatives if one.what == "die"}
    for colour in table.dice:
        if colour not in doubted:  # what seeing doubts of it is too unlikely to be played
            yield Weighed((f"{colour}-die",), ("die_unsure",), 0.0)
    open_ = open_unread(table)
    for cells, at_px in table.unread:
        if (cells, at_px) not in open_:
            yield Weighed((), ("thing_unread",), 0.0, at_px, is_said=True)
    ships = [p.id for p in table.pieces if kind_of(p.id) == "ship" and p.cell]
    if ships and all((ship, "column") in table.said for ship in ships):
        yield Weighed((), ("sheet_unnamed",), 0.0, is_said=True)
    if ships and all(ship in table.programs for ship in ships):
        yield Weighed((), ("sheet_unread",), 0.0, is_said=True)  # no sheet is missing


def open_unread(table: Table) -> tuple[tuple[frozenset[str], PlacePx], ...]:
    """Return the things that nobody read, but for those of which the players spoke."""
    places = {p.id: p.cell for p in table.pieces}
    told = {places.get(of) for of, what in table.said if what == "cell"}
    return tuple(
        (cells, at_px)
        for cells, at_px in table.unread
        if not cells <= told and nothing_more({"kind": "nothing", "at_px": at_px}) not in table.said
    )


def _called(of: str, what: str) -> str:
    """Return how doubts call what the players spoke of."""
    return f"{of}-die" if what == "die" else of


def each_of(names: Sequence[str]) -> tuple[Expected, ...]:
    """Return that each of some pieces is on the table."""
    return tuple(Expected(name, (name,), 1) for name in names)


def shortfalls_of(table: Table) -> tuple[Shortfall, ...]:
    """Return the ships that should be there, and the dice that turn what lies there.

    What the players say is off the table, or shows nothing, is accounted for.
    """
    there = {p.id for p in table.pieces if p.cell is not None or p.on is not None}
    there |= {f"{colour}-die" for colour in table.dice}
    turned = turned_by(table.pieces)
    dice = each_of([f"{colour}-die" for colour in TEAMS if colour in turned])
    names = {"cell": "{}", "die": "{}-die"}
    gone = [names[what].format(of) for of, what in table.said if what in names]
    return find_shortfalls((*table.expected, *dice), there, gone)


def tell_missing(table: Table) -> Iterator[Issue]:
    """Yield a doubt for each ship that is missing; dice are told where they are played."""
    for one in shortfalls_of(table):
        for name in one.missing:
            if not name.endswith("-die"):
                yield doubt("ship_missing", (name,), ship=piece_name(name))
