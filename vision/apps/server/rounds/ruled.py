"""A round and an event that may be ruled on -> what each ruling would make of the score."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from vision.apps.server.problems import Problem
from vision.apps.server.rounds.rounds import Round, with_changes
from vision.errors import ScanError
from vision.files.headlines import headline_to_json

__all__ = ["ruled"]

Json = dict[str, Any]


def ruled(round_: Round, event_id: str) -> Json:
    """Return what would come of each choice of an event, in their order.

    Raises
    ------
    Problem
        404 if the round has no such event.
    """
    for step in round_.ledger.steps:
        for event in step.events:
            if event.id == event_id:
                return {"choices": [_after(round_, change) for _, change in event.choices]}
    raise Problem(404, "not_found", f"this round has no event {event_id!r}")


def _after(round_: Round, change: Mapping[str, object]) -> Json:
    """Play a round as it would be after a change; no scores where it does not fit."""
    with suppress(ScanError, ValueError):
        after = with_changes(round_, [dict(change)])
        over = headline_to_json(after.ledger, after.issues, after.game.texts)
        scores = {side: parts["total"] for side, parts in after.ledger.final.scores.items()}
        return {"change": dict(change), "scores": scores, "headline": over}
    return {"change": dict(change), "scores": None, "headline": None}
