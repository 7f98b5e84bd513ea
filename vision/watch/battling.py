"""A watch over one of two tables: what it tells the other, and what that one's word means here."""

from abc import abstractmethod
from typing import Any

from vision.judging.game import Game, Referee
from vision.values.arrays import Points
from vision.values.messages import Message
from vision.watch.battle import SharedCard, SharedReading, SharedTable
from vision.watch.calls import Call, late_call, verdict_calls
from vision.watch.cards import Kit, Known
from vision.watch.events import Detail, Event
from vision.watch.meeting import Meeting
from vision.watch.state import Following
from vision.watch.telling import Telling
from vision.watch.verdict import Verdict, as_corrected, join_verdicts

__all__ = ["Battling"]

_SAME_VERDICT_S = 0.5  # between two words of when one verdict was given: clocks are measured anew


def _is_other_verdict(before: SharedTable | None, now: SharedTable) -> bool:
    """Tell whether a table has given a verdict since it was heard last, or another one."""
    if now.judged_s is None:
        return False
    was_s = None if before is None else before.judged_s
    return was_s is None or abs(now.judged_s - was_s) > _SAME_VERDICT_S


class Battling(Telling):
    """A watch that may be one of two; what it follows, and how, is its own."""

    options: Any
    _kit: Kit
    _rules: Referee
    _state: Following | None

    def __init__(self, game: Game, silence_s: float | None) -> None:
        super().__init__(game, silence_s)
        self.meeting: Meeting | None = None  # with another table, in a battle
        self.is_first = True  # of two tables in a battle: whose card stands that came at once
        self._joined_of: tuple[Known, ...] | None = None  # the cards that were joined last
        self._own: Verdict | None = None  # the verdict of this table alone
        self._judged_s: float | None = None  # when that was given
        self._round_s = 0.0  # when the round began
        self._last_card_s: float | None = None  # when a card came last, at either table

    @abstractmethod
    def _cards(self) -> tuple[Known, ...]:
        """Return the cards that lie here."""

    @abstractmethod
    def _foresee(self, *, is_clear: bool) -> None:
        """Play the table as it lies now, if that is asked."""

    @abstractmethod
    def _card_came(self) -> list[Event]:
        """Go on with the round that a new card belongs to."""

    def begin_battle(self) -> None:
        """Be one of two tables from now on."""
        if self.meeting is None:
            self.meeting = Meeting(self._rules, self._kit.size_mm)

    def end_battle(self) -> None:
        """Be one table again."""
        self.meeting = None

    def meet(self, other: SharedTable) -> tuple[Event, ...]:
        """Take in how the other table stands, its times in the clock of these pictures.

        Returns
        -------
        tuple of Event
            What follows here: who yields, a stop, the verdict of both.
        """
        self.begin_battle()
        assert self.meeting is not None
        before, self.meeting.other = self.meeting.other, other
        events = self._join()
        self._foresee(is_clear=self._state is not None and self._state.is_settled)
        newest = max((card.at_s for card in other.cards), default=None)
        if newest is not None and (self._last_card_s is None or newest > self._last_card_s):
            is_soft = self._stopped_by == "silence" and newest > self._stopped_s
            if self._last_card_s is not None:
                self._last_card_s = newest
            if is_soft and self._phase in ("stopped", "verdict"):
                events += self._card_came()
        stop = other.stopped_s
        if stop is not None and stop >= self._round_s and self._phase == "playing":
            events += self.stop("other")
            self._stopped_s = min(self._time_s, stop)
            late = [c for c in self._cards() if c.time_s > stop and not c.was_there]
            events += [self._tell(late_call(card.name, self._rules)) for card in late]
        if self._phase == "verdict" and _is_other_verdict(before, other):
            both = self._of_both()
            if both is not None:
                self.verdict = both
                events += [self._tell(call) for call in verdict_calls(both, is_of_both=True)]
        return tuple(events)

    @property
    def others(self) -> tuple[tuple[str, str | None, Points], ...]:
        """The other table's cards: name, side, and corners (4, 2) in the present picture."""
        if self.meeting is None or self._state is None:
            return ()
        scale = self._picture_scale()
        shown = self.meeting.shown(self._state.ground)
        return tuple((card, side, corners * scale) for card, side, corners in shown)

    def note_away(self, seconds: float | None) -> tuple[Event, ...]:
        """Say that the other table has not been heard for so long, or None: that it is back."""
        if seconds is None:
            return (self._tell(Call("battle_back", Message("watch.battle.back"))),)
        said = Message("watch.battle.away", (("seconds", seconds),))
        details: dict[str, Detail] = {"away_s": round(seconds, 1)}
        return (self._tell(Call("battle_away", said, "doubt", (), None, details)),)

    @property
    def shared(self) -> SharedTable:
        """What this table tells the other."""
        cards = tuple(SharedCard(c.name, c.pose, c.time_s) for c in self._cards())
        is_over = self._phase in ("stopped", "verdict") and self._stopped_by != "silence"
        read = None
        if self._own is not None and self._phase == "verdict":
            layout = as_corrected(self._own, self._kit.size_mm)
            told = tuple(placed.card for placed in layout.placed)
            read = SharedReading(told, layout.joint_covariance, layout.doubts)
        judged_s = self._judged_s if read is not None else None
        return SharedTable(
            cards, self.is_first, self._stopped_s if is_over else None, read, judged_s
        )

    def _theirs(self) -> list[str]:
        """Return which cards of the other table count."""
        joined = None if self.meeting is None else self.meeting.joined
        if joined is None:
            return []
        out = joined.yielding("other")
        return [card.card for card in joined.others if card.card not in out]

    def _join(self) -> list[Event]:
        """Lay the other table over this one as they lie now; tell what is new."""
        if self.meeting is None:
            return []
        self._joined_of = None if self._state is None else self._state.cards
        return [self._tell(call) for call in self.meeting.join(self.shared)]

    def _of_both(self) -> Verdict | None:
        """Return the verdict of both tables, if both have given theirs of this round."""
        own, meeting = self._own, self.meeting
        if own is None or meeting is None or meeting.other is None or meeting.joined is None:
            return None
        other = meeting.other
        if other.read is None or other.judged_s is None or other.judged_s < self._round_s:
            return None
        how = (meeting.joined, self._kit, self.game)
        return join_verdicts(own, other.read, *how, options=self.options)
