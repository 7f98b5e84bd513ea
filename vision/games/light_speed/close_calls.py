"""Close calls in words: calm and short."""

from collections.abc import Mapping

from vision.games.light_speed.values import Hit, Shot
from vision.values.messages import Message

__all__ = ["close_message", "outcome_message"]

_UNDECIDED = 0.1  # flip probability above which nothing is said but that


def close_message(shot: Shot, pools: Mapping[str, str]) -> Message:
    """Say how close a shot is: what it passes or hits, by how much, and how sure that is.

    ``pools`` maps cards to pools: those that lie together as one asteroid count as one.
    """
    feature, hit = shot.feature, shot.hit
    if feature is None:
        msg = f"{shot.ship} laser {shot.laser + 1}: no feature decides this shot"
        raise ValueError(msg)
    is_met = hit is not None and pools.get(hit.card, hit.card) == pools.get(
        feature.card, feature.card
    )
    if feature.card == shot.ship:
        key = "own"
    elif feature.kind == "shield":
        key = "hit_shield" if is_met and hit is not None and hit.shielded else "pass_shield"
    else:
        key = f"{'hit' if is_met else 'pass'}_{feature.kind}"
    what = Message(f"close.{key}", (("card", feature.card), ("mm", feature.distance_mm)))
    verdict = Message("close.undecided")
    if shot.flip_probability <= _UNDECIDED:
        verdict = Message("close.likely", (("chance", 1 - shot.flip_probability),))
    return Message(
        "close.line",
        (
            ("ship", shot.ship),
            ("laser", shot.laser + 1),
            ("what", what),
            ("sigma", feature.sigma_mm),
            ("verdict", verdict),
        ),
    )


def outcome_message(hit: Hit | None) -> Message:
    """Say what a shot does, as a verb and what it meets: "hits Red Moth", "goes into space"."""
    if hit is None:
        return Message("close.outcome_space")
    key = "close.outcome_shield" if hit.shielded else "close.outcome_hit"
    return Message(key, (("card", hit.card),))
