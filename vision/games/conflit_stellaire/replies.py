"""An outcome -> JSON, ``sightline/resolution@1``."""

from collections.abc import Mapping
from typing import Any

from vision.games.conflit_stellaire.deck import NAME
from vision.games.conflit_stellaire.values import (
    Entry,
    Note,
    OtherTurn,
    Outcome,
    Score,
    ShipState,
    reading_to_json,
)

__all__ = ["outcome_to_json"]

Json = dict[str, Any]


def outcome_to_json(outcome: Outcome) -> Json:
    """Return what came of a turn, in the form of the golden turns."""
    return {
        "schema": "sightline/resolution@1",
        "game": NAME,
        "steps": [],
        "ledger": [_entry(entry) for entry in outcome.ledger],
        "announced": {
            seat: {"echoes": list(told.echoes), "guidance": list(told.guidance)}
            for seat, told in outcome.announced.items()
        },
        "initiative": [{"card": card, "success": won} for card, won in outcome.initiative],
        "energy": {
            seat: {"ready": e.ready, "spent": e.spent, "left": e.left}
            for seat, e in outcome.energy.items()
        },
        "ships": _ships(outcome.ships),
        "gone": dict(outcome.gone),
        "raised": dict(outcome.raised),
        "distances": [
            {"between": list(pair), "uds": uds} for pair, uds in outcome.distances.items()
        ],
        "jumped": list(outcome.jumped),
        "fates": dict(outcome.fates),
        "scores": {seat: _score(score) for seat, score in outcome.scores.items()},
        "over": outcome.over,
        "winners": list(outcome.winners),
        "issues": [_note(note) for note in outcome.issues],
        "alternatives": [_alternative(one) for one in outcome.alternatives],
    }


def _entry(entry: Entry) -> Json:
    out: Json = {
        "class": entry.kind,
        "do": entry.do,
        "card": entry.card,
        "source": entry.source,
        "target": entry.target,
        "damage": entry.damage,
        "stopped": [
            {"card": stop.card, "points": stop.points, "popped": stop.popped}
            for stop in entry.stopped
        ],
        "through": entry.through,
        "hull_lost": entry.hull_lost,
        "result": entry.result,
        "gone": list(entry.gone),
    }
    if entry.do == "launch":
        out["echoes"] = entry.echoes
    if entry.do in ("ram", "board"):
        out |= {"recoil": entry.recoil, "recoil_lost": entry.recoil_lost}
    if entry.do == "ram":
        out["speed"] = entry.speed
    if entry.do == "board":
        out["forces"] = None if entry.forces is None else list(entry.forces)
    if entry.do == "repair":
        out["repaired"] = entry.repaired
    return out


def _ships(ships: Mapping[str, ShipState]) -> Json:
    return {
        name: {"hull": ship.hull, "state": ship.state, **({"by": ship.by} if ship.by else {})}
        for name, ship in ships.items()
    }


def _score(score: Score) -> Json:
    if score.cumul is None or score.rank is None:
        return {"points": score.points}
    return {
        "points": score.points,
        "cumul": list(score.cumul),
        "rank": list(score.rank),
        "officer": score.officer,
        "ransom": score.ransom,
    }


def _note(note: Note) -> Json:
    found = {"declaration": note.declaration, "riposte": note.riposte, "seat": note.seat}
    return {"code": note.code, **{k: v for k, v in found.items() if v is not None}}


def _alternative(one: OtherTurn) -> Json:
    kind, name = one.of
    return {
        "of": {kind: name if isinstance(name, str) else list(name)},
        "reading": reading_to_json(one.reading),
        "ships": _ships(one.ships),
        "fates": dict(one.fates),
        "winners": list(one.winners),
    }
