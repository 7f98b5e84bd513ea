"""What is asked of a live game, and its verdicts kept as ordinary rounds."""

import json
import time
from dataclasses import dataclass
from typing import Any

from vision.apps.server.storage import Kept, NewScan, Storage, new_id

__all__ = ["LiveOrder", "keep_verdict"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LiveOrder:
    """What is asked of a live game: as for a photo, and what stops a round."""

    deck: str
    game: str
    rules: Json
    name: str = ""
    evening: str | None = None
    silence_s: float | None = 5.0
    stop_on_count: bool = True


def keep_verdict(storage: Storage, order: LiveOrder, verdict: Json, replaces: str | None) -> str:
    """Store a verdict as a round; one that it replaces goes, unless someone worked on it.

    What fingers said while the table was followed are corrections of the round, to be undone there.
    """
    result, put = verdict["result"], storage.objects.put
    new = NewScan(
        id=new_id(),
        photo=put(verdict["photo"]),
        deck=order.deck,
        rules=json.dumps(order.rules),
        created=time.time(),
        name=order.name,
        evening=order.evening,
        game=order.game,
    )
    kept = Kept(result.document, put(result.view), put(result.joint))
    changes = tuple(json.dumps(change) for change in verdict.get("changes", ()))
    storage.records.scans.add_read(new, kept, replaces, changes)
    return new.id
