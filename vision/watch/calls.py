"""What is to be told, as it is: of the picture, of the round, of the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from vision.errors import TableNotFoundError
from vision.imaging.film_faults import FilmState
from vision.values.messages import Message
from vision.watch.events import Detail, PictureState, Severity, StopBy
from vision.watch.verdict import Verdict

__all__ = [
    "Call",
    "film_call",
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


def stop_call(by: StopBy, side: str | None, silence_s: float) -> Call:
    """Tell what ended the round."""
    said = {
        "key": Message("watch.stopped.key"),
        "count": Message("watch.stopped.count", (("team", side),)),
        "silence": Message("watch.stopped.silence", (("seconds", silence_s),)),
        "end": Message("watch.stopped.end"),
    }[by]
    return Call("stopped", said, "news", (), side, {"by": by})


def verdict_calls(verdict: Verdict) -> list[Call]:
    """Tell who won and how sure that is, and what lies there other than was seen to be laid."""
    calls = []
    if verdict.stray:
        said = Message("watch.table_differs", (("cards", verdict.stray),))
        calls.append(Call("table_differs", said, "doubt", verdict.stray))
    ledger = verdict.scan.ledger
    totals: dict[str, Detail] = {side: s["total"] for side, s in ledger.final.scores.items()}
    said = Message(
        "watch.verdict", (("n", verdict.pictures), ("sentence", verdict.scan.verdict.said))
    )
    return [*calls, Call("verdict", said, "news", (), None, totals)]
