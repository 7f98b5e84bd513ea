"""A round of an evening and the one before: what was set up otherwise, what goes on from there."""

import json
from functools import lru_cache

from vision.apps.server.rounds.played import PlayedRounds, Round, tell
from vision.apps.server.storage import Scan
from vision.errors import ScanError
from vision.judging.game import Game
from vision.judging.play import changes_after
from vision.values.messages import Issue

__all__ = ["carry_on", "is_set_up_again", "set_up_issues"]

_BACK = 10  # rounds of an evening that are looked at for one of the same game: others lie between


def set_up_issues(played: PlayedRounds, scan: Scan, round_: Round) -> tuple[Issue, ...]:
    """Return a doubt for each piece that is not as the last round of the evening left it.

    Both rounds are taken as they stand: what is corrected in either is no doubt any more.
    """
    before = _before(played, scan, round_) if _is_expected(round_.game) else None
    return () if before is None else _unexpected(before, round_)


def is_set_up_again(played: PlayedRounds, scan: Scan) -> bool:
    """Tell whether a round may have such doubts, before it is played."""
    return scan.evening is not None and _is_expected(played.game_of(scan))


def _is_expected(game: Game) -> bool:
    return game.overrides(Game.expect)


@lru_cache(maxsize=256)  # lists ask of every round, each time
def _unexpected(before: Round, round_: Round) -> tuple[Issue, ...]:
    game = round_.game
    own = (*round_.ledger.doubts, *round_.seen)
    table = game.expect(round_.table, game.next_table(before.table, before.outcome))
    ledger = tell(game, table, game.resolve(table))
    return tuple(issue for issue in ledger.doubts if issue not in own)


def carry_on(played: PlayedRounds, scan_id: str) -> None:
    """Bring over to a round that was just read what follows from the one before it.

    It enters the log as the first change: who does not want it takes it back.
    """
    scan = played.records.scans.find(scan_id)
    if scan is None or scan.view is None or scan.evening is None:
        return
    round_ = played.get(scan)
    game = round_.game
    before = _before(played, scan, round_)
    if before is None:
        return
    expected = game.next_table(before.table, before.outcome)
    revision = round_.revision
    for change in changes_after(game, round_.table, expected):
        try:
            game.resolve(game.edit(round_.table, change))
        except (ScanError, ValueError):  # it does not fit this table: the doubts of it say so
            continue
        played.records.edits.add(scan.id, revision, str(change["kind"]), json.dumps(change))
        revision += 1


def _before(played: PlayedRounds, scan: Scan, round_: Round) -> Round | None:
    """Return the last round of the same game before one of an evening."""
    if scan.evening is None:
        return None
    earlier = played.records.scans.list(_BACK, evening=scan.evening, before=scan.created)
    last = next((one for one in earlier if one.state == "done" and one.game == scan.game), None)
    if last is None:
        return None
    before = played.get(last)
    return before if type(before.game) is type(round_.game) else None
