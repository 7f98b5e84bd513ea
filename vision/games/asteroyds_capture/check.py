"""Pieces that a photo shows -> what lies otherwise than in the layout that was surely meant.

Tiles never move, so the check holds before every turn. A table that is laid freely is like no
layout, and nothing is said of it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.evening import misplaced, place_of
from vision.games.asteroyds_capture.layouts import LAYOUTS, lay_out
from vision.games.asteroyds_capture.pieces import kind_of, team_of
from vision.games.asteroyds_capture.position import teams_of
from vision.games.asteroyds_capture.values import RADIUS, Piece
from vision.games.asteroyds_capture.words import doubt
from vision.values.messages import Issue, message

__all__ = ["check_tiles", "layout_meant"]

_MEANT = 0.7  # of a layout's tiles as it has them: three of ten may be wrong or out of sight
_TILES = ("home", "platform", "turret", "pod")


def check_tiles(pieces: Sequence[Piece]) -> tuple[Issue, ...]:
    """Return a doubt for each tile that is not there, or lies or looks otherwise."""
    meant = layout_meant(pieces)
    if meant is None:
        return ()
    wanted, seen = _tiles(lay_out(meant, RADIUS).values()), _tiles(pieces)
    return (*_named(wanted, seen), *_pods(wanted, seen))


def layout_meant(pieces: Sequence[Piece]) -> str | None:
    """Return the layout that most tiles lie in, of as many ships; None if they lie in none."""
    crowd = _crowd(pieces)
    seen = _tiles(pieces)
    here = {name: place_of(piece) for name, piece in seen.items()}
    best, most = None, _MEANT
    for layout in LAYOUTS:
        laid = lay_out(layout, RADIUS)
        wanted = _tiles(laid.values())
        if teams_of(tuple(laid.values())) != teams_of(pieces) or crowd - _crowd(laid.values()):
            continue
        pods = {p.cell for p in seen.values() if kind_of(p.id) == "pod"}
        right = sum(
            piece.cell in pods if kind_of(name) == "pod" else place_of(piece) == here.get(name)
            for name, piece in wanted.items()
        )
        missing = sum((_crowd(laid.values()) - crowd).values())
        share = right / (max(len(wanted), len(seen)) + missing)
        if share > most:
            best, most = layout, share
    return best


def _crowd(pieces: Iterable[Piece]) -> Counter[str | None]:
    """Count the ships of each team."""
    return Counter(team_of(p.id) for p in pieces if kind_of(p.id) == "ship")


def _tiles(pieces: Iterable[Piece]) -> dict[str, Piece]:
    return {p.id: p for p in pieces if kind_of(p.id) in _TILES and p.cell}


def _named(wanted: Mapping[str, Piece], seen: Mapping[str, Piece]) -> Iterator[Issue]:
    """Yield what is odd of tiles that bear a name."""
    for name in sorted({*wanted, *seen}):
        left, here = place_of(wanted.get(name)), place_of(seen.get(name))
        if kind_of(name) != "pod" and left != here:
            yield misplaced("tile", name, left, here)


def _pods(wanted: Mapping[str, Piece], seen: Mapping[str, Piece]) -> Iterator[Issue]:
    """Yield where a pod lies instead of where it should, is missing, or is too many.

    All are alike: the nearest cells go together. One that is missing has the next free number.
    """
    here = {str(p.cell): name for name, p in seen.items() if kind_of(name) == "pod"}
    there = {str(p.cell) for name, p in wanted.items() if kind_of(name) == "pod"}
    extra, missing = sorted(set(here) - there), sorted(there - set(here))
    a_pod, middle = message("asteroyds.piece.a_pod"), board_of(RADIUS).centre_mm
    pairs = [(cell, place) for cell in extra for place in missing]
    pairs.sort(key=lambda pair: math.dist(middle(pair[0]), middle(pair[1])))
    for cell, place in pairs:
        if cell in extra and place in missing:
            extra.remove(cell)
            missing.remove(place)
            yield doubt("tile_elsewhere", (here[cell],), piece=a_pod, seen=cell, place=place)
    spare = (name for k in count(1) if (name := f"pod-{k}") not in seen)
    for cell in missing:
        yield doubt("tile_missing", (next(spare),), piece=a_pod, place=cell)
    for cell in extra:
        yield doubt("tile_extra", (here[cell],), piece=a_pod, place=cell)
