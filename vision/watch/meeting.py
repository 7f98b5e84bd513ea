"""The other table of a battle, as a watch knows it: laid over the own one, and what that says."""

from vision.judging.game import Referee
from vision.values.arrays import FloatArray, Points
from vision.values.messages import Message
from vision.watch.battle import Conflict, Joined, SharedTable, join_tables
from vision.watch.calls import Call
from vision.watch.ground import Ground, corners_in_picture

__all__ = ["Meeting"]


class Meeting:
    """Holds what was told last, so that each thing is told once."""

    def __init__(self, rules: Referee, size_mm: tuple[float, float]) -> None:
        self._rules, self._size_mm = rules, size_mm
        self.other: SharedTable | None = None
        self.joined: Joined | None = None
        self._told: frozenset[Conflict] = frozenset()

    def join(self, own: SharedTable) -> tuple[Call, ...]:
        """Lay the other table over the own one as both lie now; return what is new."""
        before, now = self.joined, None
        if self.other is not None:
            now = join_tables(own, self.other, self._rules, self._size_mm)
        self.joined = now
        calls = []
        if now is not None and (before is None or before.shared != now.shared):
            said = Message("watch.battle.joined", (("card", now.shared),))
            calls.append(Call("battle_joined", said, "news", (now.shared,)))
        if before is not None and now is None and self.other is not None:
            said = Message("watch.battle.apart", (("card", before.shared),))
            calls.append(Call("battle_apart", said, "doubt", (before.shared,)))
        conflicts = frozenset(now.conflicts if now is not None else ())
        new = (one for one in conflicts if one not in self._told)
        calls += [self._call(one) for one in sorted(new, key=lambda one: (one.own, one.other))]
        self._told = conflicts
        return tuple(calls)

    def _call(self, conflict: Conflict) -> Call:
        own, other = conflict.own, conflict.other
        said = Message(
            f"watch.battle.{conflict.why}.{conflict.stands}", (("own", own), ("other", other))
        )
        side = self._rules.side_of.get(own)
        details = {"other": other, "stands": conflict.stands}
        return Call(f"battle_{conflict.why}", said, "warning", (own,), side, dict(details))

    def shown(self, ground: Ground | None) -> tuple[tuple[str, str | None, Points], ...]:
        """Return the other's cards: name, side, and corners (4, 2) in the picture followed."""
        if self.joined is None or ground is None:
            return ()
        told = []
        for card in self.joined.others:
            corners: FloatArray = corners_in_picture(ground, card.pose[None], self._size_mm)[0]
            told.append((card.card, self._rules.side_of.get(card.card), corners))
        return tuple(told)
