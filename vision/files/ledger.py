"""Ledger -> JSON: in the words of one language, with what is drawn in millimetres.

What the page and the HTTP interface show of a round of any game. Sentences are told; pieces and
sides are named by their ids; a number that is not finite becomes null.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from vision.judging.coach import Advice
from vision.texts import Texts
from vision.values.arrays import Points
from vision.values.ledger import (
    Closeness,
    Event,
    Ledger,
    LedgerStep,
    Mark,
    Odds,
    PieceView,
    Side,
    Tally,
)
from vision.values.messages import Issue, Message

__all__ = ["advice_to_json", "issue_to_json", "ledger_to_json", "mark_to_json"]

Json = dict[str, Any]
_PLACES = 3  # decimals of a millimetre
#: What a game calls itself, the number, the harm and the things of a piece, and what it says of
#: the corners of cards in close-ups.
_WORDS = ("game.title", "piece.number", "piece.harm", "piece.held", "close.corners")


def ledger_to_json(ledger: Ledger, texts: Texts) -> Json:
    """Return a ledger as plain JSON.

    Parameters
    ----------
    ledger : Ledger
        What a game tells of a round.
    texts : Texts
        The catalogue of the game, in the language to be shown.
    """
    columns = (*ledger.columns, "total")
    return {
        "game": ledger.game,
        "words": {key: texts.say(key) for key in _WORDS if texts.has(key)},
        "sides": [_side(side, texts) for side in ledger.sides],
        "kinds": [_side(kind, texts) for kind in ledger.kinds],
        "gauges": list(ledger.gauges),
        "columns": [{"id": name, "name": texts.say(f"column.{name}")} for name in columns],
        "pieces": [_piece(piece, texts) for piece in ledger.pieces],
        "opening": _tally(ledger.opening, texts),
        "steps": [_step(step, ledger, texts) for step in ledger.steps],
        "winners": list(ledger.winners),
        "outcome": texts.tell(ledger.outcome),
        "reason": _told(ledger.reason, texts),
        "doubts": [issue_to_json(issue, texts) for issue in ledger.doubts],
        "odds": None if ledger.odds is None else _odds(ledger.odds, texts),
    }


def _side(side: Side, texts: Texts) -> Json:
    name = texts.tell(side.name)
    return {"id": side.id, "name": name, "colour": side.colour, "shape": side.shape}


def issue_to_json(issue: Issue, texts: Texts) -> Json:
    """Return a doubt or a note as plain JSON."""
    return {
        "code": issue.code,
        "severity": issue.severity,
        "message": texts.issue(issue),
        "pieces": list(issue.cards),
    }


def advice_to_json(advice: Advice, texts: Texts) -> Json:
    """Return what another order would have done as plain JSON."""
    return {
        "side": advice.side,
        "kind": advice.kind,
        "said": texts.tell(advice.said),
        "order": advice.order,
    }


def mark_to_json(mark: Mark, texts: Texts) -> Json:
    """Return a mark as plain JSON: its kind, and its fields by their names."""
    out: Json = {"kind": type(mark).__name__.lower()}
    for name in mark.__slots__:
        value = getattr(mark, name)
        if name == "points_mm":
            out[name] = _points(value)
        elif name == "at_mm":
            out[name] = [round(float(x), _PLACES) for x in value]
        elif name == "text":
            out[name] = texts.tell(value)
        else:  # a badge and a path are of a kind themselves
            out["style" if name == "kind" else name] = value
    return out


def _piece(piece: PieceView, texts: Texts) -> Json:
    return {
        "id": piece.id,
        "kind": piece.kind,
        "title": texts.tell(piece.title),
        "label": texts.tell(piece.label),
        "side": piece.side,
        "number": piece.number,
        "health": piece.health,
        "known": piece.is_known,
        "spot": piece.spot or piece.id,
        "outline_mm": _points(piece.outline_mm),
        "theta_deg": None if piece.theta_rad is None else math.degrees(piece.theta_rad),
    }


def _tally(tally: Tally, texts: Texts) -> Json:
    pieces = {
        name: {
            "harm": state.harm,
            "held": state.held,
            "note": _told(state.note, texts),
            "out": state.is_out,
            "taken_by": state.taken_by,
            "points": state.points,
        }
        for name, state in tally.pieces.items()
    }
    return {"scores": {side: dict(score) for side, score in tally.scores.items()}, "pieces": pieces}


def _step(step: LedgerStep, ledger: Ledger, texts: Texts) -> Json:
    return {
        "title": texts.tell(step.title),
        "events": [_event(event, ledger, texts) for event in step.events],
        "tally": _tally(step.tally, texts),
    }


def _event(event: Event, ledger: Ledger, texts: Texts) -> Json:
    return {
        "id": event.id,
        "said": texts.tell(event.said),
        "title": _told(event.title, texts),
        "depth": event.depth,
        "pieces": list(event.pieces),
        "marks": [mark_to_json(mark, texts) for mark in event.marks],
        "leaves": list(event.leaves),
        "along": list(event.along),
        "closeness": None if event.closeness is None else _closeness(event.closeness, texts),
        "contested": ledger.is_contested(event),
        "ruled": event.ruled,
        "choices": [
            {"said": texts.tell(said), "change": dict(change)} for said, change in event.choices
        ],
        "undo": None if event.undo is None else dict(event.undo),
    }


def _closeness(close: Closeness, texts: Texts) -> Json:
    point = close.point_mm
    return {
        "margin_mm": _finite(close.margin_mm),
        "sigma_mm": _finite(close.sigma_mm),
        "chance": round(close.chance, 6),
        "said": _told(close.said, texts),
        "other": _told(close.other, texts),
        "point_mm": None if point is None else [round(float(x), _PLACES) for x in point],
        "distance_mm": _finite(close.distance_mm),
        "spread_mm": _finite(close.spread_mm),
        "piece": close.piece,
    }


def _odds(odds: Odds, texts: Texts) -> Json:
    return {
        "winners": [{"sides": list(w), "probability": chance} for w, chance in odds.winners],
        "scores": [
            {
                "totals": _plain(chance.totals),
                "winners": list(chance.winners),
                "probability": chance.probability,
                "said": _told(chance.said, texts),
            }
            for chance in odds.scores
        ],
        "lines": [texts.tell(line) for line in odds.lines],
        **({"unknown": odds.unknown} if odds.unknown else {}),
    }


def _plain(totals: Mapping[str, int]) -> Json:
    return {side: int(total) for side, total in totals.items()}


def _told(message: Message | None, texts: Texts) -> str | None:
    return None if message is None else texts.tell(message)


def _points(points: Points) -> list[list[float]]:
    rounded: list[list[float]] = np.round(points, _PLACES).tolist()
    return rounded


def _finite(value: float) -> float | None:
    return round(float(value), _PLACES) if math.isfinite(value) else None
