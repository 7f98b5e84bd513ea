"""A scan that was kept, and corrections to it: its table, and which of its doubts still stand."""

import json
import logging
from collections.abc import Sequence
from typing import Any

from vision.errors import TableFormatError
from vision.files.layouts import issue_to_json, places_from_json
from vision.files.messages import message_from_json
from vision.judging.game import Game
from vision.texts import Texts, texts
from vision.values.ledger import Ledger
from vision.values.messages import Issue, message

__all__ = ["brought", "changed", "issues_of", "unanswered"]

Json = dict[str, Any]
_log = logging.getLogger(__name__)


def brought(game: Game, table: Any, change: Json) -> Any:
    """Bring a change to a table; whatever a game makes of a wrong one is told in words."""
    try:
        return game.edit(table, change)
    except ValueError as error:
        raise TableFormatError(str(error)) from error
    except (LookupError, TypeError, AttributeError) as error:
        _log.info("a change was not understood", exc_info=error)
        msg = f"the change {json.dumps(change)[:200]} is not understood: {error or 'a field'}"
        msg += " is missing, unknown or of the wrong kind"
        raise TableFormatError(msg) from error


def changed(game: Game, table: Any, changes: Sequence[Json]) -> tuple[Any, tuple[Issue, ...]]:
    """Bring changes to a table, one after another, and tell those that do not fit it any more.

    Each fitted when it was made; since then another photo may have shown the table otherwise.
    """
    lost = []
    for change in changes:
        try:
            table = brought(game, table, change)
        except TableFormatError as error:
            said = message("issue.correction_lost", why=str(error))
            lost.append(Issue("correction_lost", texts("en", game.texts).tell(said), said=said))
    return table, tuple(lost)


def issues_of(document: Json, ledger: Ledger, words: Texts) -> tuple[Issue, ...]:
    """Return the doubts of the reading: those of a scan without those of the round."""
    resolution = document["resolution"] or {"issues": ()}
    told = [*resolution["issues"], *(issue_to_json(issue, words) for issue in ledger.doubts)]
    own = {_text_of(issue) for issue in told}
    return tuple(
        Issue(
            issue["code"],
            issue["message"],
            tuple(issue.get("cards", ())),
            issue.get("severity", "doubt"),
            message_from_json(issue["said"]) if issue.get("said") else None,
            at_px=tuple(issue["at_px"]) if issue.get("at_px") else None,
            places=places_from_json(issue.get("places", ())),
            ids=tuple(issue.get("ids", ())),
        )
        for issue in document["issues"]
        if _text_of(issue) not in own
    )


def _text_of(issue: Json) -> str:
    """Return an issue as text, without its severity, which hangs on how the round stands.

    Nor with ``said`` and ``ids``: what is kept of a scan has them, a ledger has not.
    """
    of_scans = ("severity", "said", "ids")
    return json.dumps({k: value for k, value in issue.items() if k not in of_scans})


def unanswered(
    seen: Sequence[Issue], done: Sequence[Json], before: Json, written: Json, ledger: Ledger
) -> tuple[Issue, ...]:
    """Return the doubts of a reading that no correction has answered.

    ``before`` and ``written`` are the table as it was read and as it stands. A ``ledger`` that
    tells itself which doubts the players' words have closed leaves nothing to be guessed.
    """
    if any(one.is_said for one in ledger.weighed):
        return tuple(seen)
    corrected = [change for change in done if change.get("kind") not in ("ruling", "withdraw")]
    named = ("card", "id", "identity", "piece")
    touched = {str(change[name]) for change in corrected for name in named if name in change}
    answered = touched | (_cards(before) - _cards(written))
    return tuple(issue for issue in seen if not answered & set(issue.cards))


def _cards(table: Json) -> set[str]:
    return {card["card"] for card in table.get("cards", ())}
