"""A round as it may be shown while some still order in secret: without the orders that lie open."""

from vision.apps.server.rounds.rounds import Round, with_changes
from vision.apps.server.storage import Sitting

__all__ = ["veiled"]


def veiled(round_: Round, sitting: Sitting | None) -> Round:
    """Return a round without the orders on it while a sitting round it is on.

    What was read from sheets, or given in the open before, is told again once all is revealed:
    who still orders may look at the table's screen.
    """
    if sitting is None or sitting.state not in ("gathering", "open"):
        return round_
    standing = round_.game.orders(round_.table)
    given = {party: None for party, order in standing.items() if order}
    return with_changes(round_, [{"kind": "orders", "orders": given}]) if given else round_
