"""What was seen -> what the rules of a game have to say about it. Warnings, not verdicts.

Pure: the cards before and after, what happened, and the phase of the round in; what is to be told
out. It knows no pixels, no clock and no game but by its :class:`~vision.judging.game.Referee`.
"""

from dataclasses import dataclass

from shapely.geometry import Polygon

from vision.judging.game import Referee
from vision.seeing.estimation.overlaps import card_outlines
from vision.values.arrays import FloatArray
from vision.values.messages import Message
from vision.watch.calls import Call
from vision.watch.cards import Bumped, Known, Laid, Moved, Removed, Sighting, Unclear, overlap_depth
from vision.watch.events import Detail, Phase

__all__ = ["GAP_S", "Moment", "judge_by_hand", "judge_sightings"]


_TOUCH_MM = 0.4  # of a gap: what a webcam's pixel and a card's rounded edge leave open
_OVERLAP_MM = 0.8  # of a card's depth over another: beyond, it surely overlaps
_AT_ONCE_S = 0.25  # between two cards of a team that came to lie
GAP_S = 0.5  # between two pictures: in a longer one two cards may be laid in turn
_AFTER_GAP_S = 2.0  # a card that is seen so soon after a gap may have come in it


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """The table and the round as something is seen.

    ``before`` and ``after`` are the cards before and after the picture. In the phase ``verdict``
    cards may be moved and taken away. ``is_hard_stop`` says that "stop" was called, so that a card
    laid now is laid too late; it was called at ``stopped_s``. ``gap_s`` is the last gap in the
    pictures, from when to when: what happened in it, and in what order, nobody saw.
    """

    before: tuple[Known, ...]
    after: tuple[Known, ...]
    phase: Phase
    is_hard_stop: bool = False
    stopped_s: float = 0.0
    gap_s: tuple[float, float] | None = None


def judge_sightings(
    sightings: tuple[Sighting, ...],
    moment: Moment,
    rules: Referee,
    size_mm: tuple[float, float],
) -> tuple[Call, ...]:
    """Say what is to be told about what was seen.

    Parameters
    ----------
    sightings : tuple
        What happened in one picture.
    moment : Moment
        When.
    rules : Referee
        Of the game.
    size_mm : (float, float)
        Width and height of a card.
    """
    judge = _Judge(rules, size_mm)
    calls: list[Call] = []
    names = [card.name for card in moment.before]
    laid_now: list[Known] = []
    for sighting in sightings:
        match sighting:
            case Laid(card, twin):
                names.append(card.name)
                calls += judge.laid(card, twin, names)
                if not card.was_there:
                    unseen = judge.came_in_gap(card, moment)
                    is_early = unseen is not None and unseen < moment.stopped_s
                    if moment.is_hard_stop and not is_early:
                        calls.append(judge.warn("laid_after_stop", card))
                    if unseen is None:
                        calls += judge.at_once(card, [*moment.before, *laid_now])
                    laid_now.append(card)
                calls += judge.contacts(card, moment.after, only_before=card.was_there)
            case Moved(card) if moment.phase != "verdict":
                calls.append(judge.moved(sighting))
                calls += judge.contacts(card, moment.after)
            case Removed(card) if moment.phase != "verdict":
                calls.append(judge.warn("card_removed", card))
            case Bumped(shift, agreeing, known):
                gaps = (("px", shift), ("agreeing", agreeing), ("n", known))
                said = Message("watch.camera_moved", gaps)
                details = {"shift_px": round(shift, 1), "agreeing": agreeing, "known": known}
                calls.append(Call("camera_moved", said, "doubt", (), None, details))
            case Unclear(found, known):
                said = Message("watch.table_unclear", (("found", found), ("n", known)))
                counts: dict[str, Detail] = {"found": found, "known": known}
                calls.append(Call("table_unclear", said, "doubt", (), None, counts))
    return tuple(calls)


def judge_by_hand(
    before: tuple[Known, ...],
    after: tuple[Known, ...],
    rules: Referee,
    size_mm: tuple[float, float],
) -> tuple[Call, ...]:
    """Say what of the table a correction changed, and nothing else.

    Parameters
    ----------
    before, after : tuple of Known
        The cards on the table before the correction and after it.
    rules : Referee
        Of the game.
    size_mm : (float, float)
        Width and height of a card.
    """
    judge = _Judge(rules, size_mm)
    was = {id(card.pose): card for card in before}
    left = {id(card.pose) for card in after}
    calls = [judge.by_hand("denied", card) for card in before if id(card.pose) not in left]
    for card in after:
        old = was.get(id(card.pose))
        if old is card:
            continue
        calls.append(judge.by_hand("placed", card) if old is None else judge.renamed(old, card))
        told = [call.details for call in judge.contacts(old, before)] if old is not None else []
        calls += [call for call in judge.contacts(card, after) if call.details not in told]
    ours, theirs = (rules.count(card.name for card in cards) for cards in (before, after))
    for side, count in theirs.items():
        if 0 < rules.last_of_side == count != ours[side]:
            said = Message("watch.all_laid", (("team", side), ("count", count)))
            calls.append(Call("all_laid", said, "news", (), side, {"count": count}))
    return tuple(calls)


@dataclass(frozen=True, slots=True)
class _Judge:
    """What a game's rules say of one card at a time."""

    rules: Referee
    size_mm: tuple[float, float]

    def side(self, card: Known) -> str | None:
        return self.rules.side_of.get(card.name)

    def laid(self, card: Known, twin: str | None, names: list[str]) -> list[Call]:
        """Tell a card, and what it means: its side's count, the last, a doubt about which it is."""
        side, of = self.side(card), self.rules.last_of_side
        count = self.rules.count(names)[side] if side is not None else 0
        details: dict[str, Detail] = {"score": round(card.match.score, 3)}
        if side is not None:
            details |= {"count": count, "of": of}
        way = "found" if card.was_there else "laid"
        gaps = (("card", card.name), ("count", count), ("of", of))
        said = Message(f"watch.{'thing' if side is None else 'card'}_{way}", gaps)
        calls = [Call(f"card_{way}", said, "news", (card.name,), side, details)]
        if twin is not None:
            doubt = Message("watch.duplicate_card", (("card", card.name), ("twin", twin)))
            calls.append(Call("duplicate_card", doubt, "doubt", (card.name, twin)))
        elif card.face < 0:
            doubt = Message("watch.unreadable_card", (("card", card.name),))
            calls.append(Call("unreadable_card", doubt, "doubt", (card.name,)))
        elif card.name.startswith(self.rules.face_down):
            calls.append(self.warn("face_down", card))
        if side is not None and count == of:
            said = Message("watch.all_laid", (("team", side), ("count", count)))
            calls.append(Call("all_laid", said, "news", (card.name,), side, {"count": count}))
        return calls

    def moved(self, seen: Moved) -> Call:
        """Tell a card that lies elsewhere, and how far."""
        card, distance, turn = seen.card, seen.distance_mm, seen.turn_deg
        gaps = (("card", card.name), ("mm", distance), ("deg", turn))
        details: dict[str, Detail] = {"mm": round(distance, 2), "deg": round(turn, 2)}
        said = Message("watch.card_moved", gaps)
        return Call("card_moved", said, "warning", (card.name,), self.side(card), details)

    def by_hand(self, how: str, card: Known) -> Call:
        """Tell that a finger put a card there, or said that there is none."""
        said = Message(f"watch.by_hand.{how}", (("card", card.name),))
        return Call("by_hand", said, "news", (card.name,), self.side(card), {"how": how})

    def renamed(self, was: Known, card: Known) -> Call:
        """Tell under which name a finger put a card."""
        said = Message("watch.by_hand.named", (("was", was.name), ("card", card.name)))
        details: dict[str, Detail] = {"how": "named", "was": was.name}
        return Call("by_hand", said, "news", (card.name,), self.side(card), details)

    def warn(self, code: str, card: Known) -> Call:
        """Warn about one card."""
        said = Message(f"watch.{code}", (("card", card.name),))
        return Call(code, said, "warning", (card.name,), self.side(card))

    def came_in_gap(self, card: Known, moment: Moment) -> float | None:
        """Return since when a card may have lain there unseen; None if it was seen to come."""
        if moment.gap_s is None:
            return None
        begin_s, end_s = moment.gap_s
        return begin_s if card.time_s <= end_s + _AFTER_GAP_S else None

    def at_once(self, card: Known, others: list[Known]) -> list[Call]:
        """Warn of a card laid by a side before it had let go of the one before."""
        side = self.side(card)
        if side is None or not self.rules.one_at_a_time:
            return []
        with_it = [
            other.name
            for other in others
            if not other.was_there
            and self.side(other) == side
            and abs(card.time_s - other.time_s) <= _AT_ONCE_S
        ]
        if not with_it:
            return []
        other = with_it[-1]
        said = Message("watch.two_at_once", (("team", side), ("one", other), ("other", card.name)))
        return [Call("two_at_once", said, "warning", (other, card.name), side)]

    def contacts(
        self, card: Known, others: tuple[Known, ...], *, only_before: bool = False
    ) -> list[Call]:
        """Warn of the cards that a card touches or overlaps; common ones may lie side by side."""
        if self.rules.touching:
            return []
        calls = []
        shape = Polygon(self._outline(card))
        for other in others:
            if other.name == card.name or (only_before and other.name > card.name):
                continue
            if {card.name, other.name} <= self.rules.common:
                continue
            near = Polygon(self._outline(other))
            gap = shape.distance(near)
            if gap > _TOUCH_MM:
                continue
            depth = overlap_depth(shape.intersection(near))
            code, details = "cards_touch", {"gap_mm": round(gap, 2)}
            if depth > _OVERLAP_MM:
                code, details = "cards_overlap", {"depth_mm": round(depth, 1)}
            gaps = (("card", card.name), ("other", other.name), ("mm", depth))
            both, said = (card.name, other.name), Message(f"watch.{code}", gaps)
            calls.append(Call(code, said, "warning", both, self.side(card), details))
        return calls

    def _outline(self, card: Known) -> FloatArray:
        outline: FloatArray = card_outlines(card.pose[None], self.size_mm)[0]
        return outline
