"""A round of an evening and the one before -> what was set up otherwise than that one left it."""

from vision.apps.server.rounds.rounds import Round, Rounds
from vision.apps.server.storage import Records, Scan
from vision.judging.evening import ExpectsTable
from vision.judging.game import CanGoOn
from vision.values.messages import Issue

__all__ = ["set_up_issues"]

_BACK = 10  # rounds of an evening that are looked at for one of the same game: others lie between


def set_up_issues(records: Records, rounds: Rounds, scan: Scan, round_: Round) -> tuple[Issue, ...]:
    """Return a doubt for each piece that is not as the last round of the evening left it.

    Both rounds are taken as they stand: what is corrected in either is no doubt any more.
    """
    game = round_.game
    if scan.evening is None or not isinstance(game, CanGoOn) or not isinstance(game, ExpectsTable):
        return ()
    earlier = records.scans.list(_BACK, evening=scan.evening, before=scan.created)
    last = next((one for one in earlier if one.state == "done" and one.game == scan.game), None)
    if last is None:
        return ()
    before = rounds.get(last)
    if type(before.game) is not type(game):
        return ()
    own = (*round_.ledger.doubts, *round_.seen)
    table = game.expect(round_.table, game.next_table(before.table, before.outcome))
    ledger = game.tell(table, game.resolve(table))
    return tuple(issue for issue in ledger.doubts if issue not in own)
