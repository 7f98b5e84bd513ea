"""What is to be told, as it is: of the picture, of the round, of the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from vision.errors import TableNotFoundError
from vision.imaging.film_faults import FilmState
from vision.judging.game import Referee
from vision.values.messages import Message
from vision.watch.events import Detail, PictureState, Severity, StopBy
from vision.watch.verdict import Verdict

__all__ = [
    "Call",
    "corrected_calls",
    "film_call",
    "late_call",
    "lost_call",
    "mirrored_call",
    "picture_calls",
    "size_calls",
    "stop_call",
    "verdict_calls",
]


@dataclass(frozen=True, slots=True)
class Call:
    """Something to be told; the session gives it a number and a time."""

    code: str
    said: Message
    severity: Severity = "news"
    cards: tuple[str, ...] = ()
    team: str | None = None
    details: Mapping[str, Detail] = field(default_factory=dict)


def size_calls(was_wh: tuple[int, int] | None, size_wh: tuple[int, int]) -> list[Call]:
    """Tell the first picture, and pictures that are of another size than those before."""
    sizes: dict[str, Detail] = {"width": size_wh[0], "height": size_wh[1]}
    if was_wh is None:
        said = Message("watch.picture_first", tuple(sizes.items()))
        return [Call("picture_first", said, "news", (), None, sizes)]
    if was_wh == size_wh:
        return []
    sizes |= {"was_width": was_wh[0], "was_height": was_wh[1]}
    said = Message("watch.picture_size", tuple(sizes.items()))
    return [Call("picture_size", said, "doubt", (), None, sizes)]


def lost_call(why: str) -> Call:
    """Tell that a picture is left out, and why."""
    return Call("picture_lost", Message("watch.picture_lost", (("why", why),)), "doubt")


def film_call(state: FilmState) -> Call:
    """Tell that the film is damaged, or of a kind in which damage is not noticed."""
    return Call(f"film_{state}", Message(f"watch.film_{state}"), "doubt")


def picture_calls(was: PictureState, now: PictureState) -> list[Call]:
    """Tell that the picture has gone black, or is back."""
    if now == "black" and was != "black":
        return [Call("picture_black", Message("watch.picture_black"), "doubt")]
    if now == "live" and was in ("black", "stalled"):
        return [Call("picture_back", Message("watch.picture_back"))]
    return []


def mirrored_call(refusal: TableNotFoundError) -> Call:
    """Tell that the picture is mirrored: names and places of what is read there mean nothing."""
    told = Message("watch.as_told", (("text", str(refusal)),))
    said = refusal.said if isinstance(refusal.said, Message) else told
    return Call("picture_mirrored", said, "doubt")


def late_call(card: str, rules: Referee) -> Call:
    """Tell a card that was laid after the other table had called stop."""
    said = Message("watch.laid_after_stop", (("card", card),))
    return Call("laid_after_stop", said, "warning", (card,), rules.side_of.get(card))


def stop_call(by: StopBy, side: str | None, silence_s: float) -> Call:
    """Tell what ended the round."""
    said = {
        "key": Message("watch.stopped.key"),
        "count": Message("watch.stopped.count", (("team", side),)),
        "silence": Message("watch.stopped.silence", (("seconds", silence_s),)),
        "end": Message("watch.stopped.end"),
        "other": Message("watch.stopped.other"),
    }[by]
    return Call("stopped", said, "news", (), side, {"by": by})


def verdict_calls(verdict: Verdict, *, is_of_both: bool = False) -> list[Call]:
    """Tell who won and how sure that is, and what lies there other than was seen to be laid."""
    calls = []
    if verdict.changes:
        said = Message("watch.by_hand.verdict", (("n", len(verdict.changes)),))
        calls.append(Call("by_hand", said, "news", (), None, {"how": "verdict"}))
    if verdict.stray:
        said = Message("watch.table_differs", (("cards", verdict.stray),))
        calls.append(Call("table_differs", said, "doubt", verdict.stray))
    said = Message(
        "watch.verdict", (("n", verdict.pictures), ("sentence", verdict.scan.verdict.said))
    )
    if is_of_both:
        said = Message("watch.battle.verdict", (("sentence", verdict.scan.verdict.said),))
    return [*calls, Call("verdict", said, "news", (), None, _totals(verdict))]


def corrected_calls(before: Verdict, after: Verdict) -> list[Call]:
    """Tell what a correction changed in a verdict: points, and who wins."""
    old, new = _totals(before), _totals(after)
    parts: list[Message] = []
    for side in [*new, *(side for side in old if side not in new)]:
        was, now = old.get(side, 0), new.get(side, 0)
        if was != now:
            gaps = (("team", side), ("now", now), ("was", was))
            parts.append(Message("watch.by_hand.points", gaps))
    if before.scan.verdict.said != after.scan.verdict.said:
        parts.append(after.scan.verdict.said)
    said = Message("watch.by_hand.same")
    if parts:
        said = Message("watch.by_hand.changed", (("parts", tuple(parts)),))
    return [Call("verdict", said, "news", (), None, new)]


def _totals(verdict: Verdict) -> dict[str, Detail]:
    return {side: s["total"] for side, s in verdict.scan.ledger.final.scores.items()}
