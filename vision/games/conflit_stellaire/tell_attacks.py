"""An entry of the turn -> its event: a sentence, a path to what stopped it, what broke."""

from collections.abc import Mapping

import numpy as np

from vision.games.conflit_stellaire.declare import CLASSES
from vision.games.conflit_stellaire.values import Entry, Stop, Table
from vision.games.conflit_stellaire.words import named
from vision.values.arrays import Points
from vision.values.ledger import Badge, Burst, Cross, Event, Mark, Path
from vision.values.messages import Message, message

__all__ = ["attack_event", "attack_title"]

_ARRIVED = ("hit", "stopped", "harmless", "collided", "captured", "repelled", "blocked")


def attack_title(table: Table, entry: Entry) -> Message:
    """Return the headline of an attack: its class, and what comes."""
    by = entry.source if entry.card is None else entry.card
    return message(
        "conflit.attack", kind=message(f"conflit.class.{entry.kind}"), what=named(table, by)
    )


def attack_event(table: Table, entry: Entry, outlines: Mapping[str, Points], number: int) -> Event:
    """Tell an attack, an interception or a repair."""
    parts = [_result(table, entry), *(_stopped(table, stop) for stop in entry.stopped)]
    if entry.hull_lost:
        parts.append(message("conflit.hull_lost", n=entry.hull_lost))
    if entry.recoil:
        parts.append(message("conflit.recoil", n=entry.recoil, lost=entry.recoil_lost))
    if entry.gone:
        gone = tuple(named(table, name) for name in entry.gone)
        parts.append(message("conflit.gone_by_it", what=gone))
    by = entry.source if entry.card is None else entry.card
    said = message(
        f"conflit.entry.{entry.do}",
        what=named(table, by),
        target=named(table, entry.target),
        n=entry.repaired if entry.do == "repair" else entry.damage,
        said=message("conflit.parts", parts=tuple(parts)),
    )
    pieces = tuple(dict.fromkeys((by, entry.source, entry.target)))
    return Event(
        said,
        tuple(piece for piece in pieces if piece in outlines),
        tuple(_marks(entry, outlines, number + 1)),
        leaves=entry.gone,
        id=f"attack-{number + 1}",
    )


def _result(table: Table, entry: Entry) -> Message:
    if entry.forces is not None:
        ours, theirs = entry.forces
        return message(f"conflit.result.{entry.result}_by", ours=ours, theirs=theirs)
    return message(f"conflit.result.{entry.result}")


def _stopped(table: Table, stop: Stop) -> Message:
    key = "conflit.popped" if stop.popped else "conflit.held"
    return message(key, card=named(table, stop.card), n=stop.points)


def _marks(entry: Entry, outlines: Mapping[str, Points], number: int) -> list[Mark]:
    """Draw a path from what attacks to the last thing it met; popped shields are crossed."""
    by = entry.source if entry.card is None else entry.card
    last = entry.target if entry.through or not entry.stopped else entry.stopped[-1].card
    if by not in outlines or last not in outlines or entry.kind == "maintenance":
        return []
    start, end = (outlines[name].mean(axis=0) for name in (by, last))
    marks: list[Mark] = []
    is_lost = entry.result not in _ARRIVED
    if not np.allclose(start, end):
        ends = np.array([start, end])
        marks.append(Path(ends, entry.kind, 0, fades=is_lost, label=str(number)))
    at = (float(end[0]), float(end[1]))
    if entry.hull_lost:
        marks.append(Burst(at, min(entry.hull_lost, len(CLASSES)), str(entry.hull_lost)))
    for stop in entry.stopped:
        if stop.popped:
            marks.append(Cross(outlines[stop.card], stop.card))
        else:
            x, y = outlines[stop.card].mean(axis=0)
            marks.append(Badge((float(x), float(y)), "shield"))
    return marks
