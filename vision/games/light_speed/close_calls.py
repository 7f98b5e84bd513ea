"""Close calls and odds in words: calm and short, in the language of the table."""

from collections.abc import Mapping, Sequence

from vision.games.light_speed.roster import Roster
from vision.games.light_speed.values import Hit, Odds, Resolution, Shot, TableReading
from vision.texts import Texts, speak
from vision.values.messages import Message

__all__ = ["close_lines", "close_message", "odds_lines", "score_text"]

_UNDECIDED = 0.1  # flip probability above which nothing is said but that
_INDENT = "  "


def close_message(shot: Shot, pools: Mapping[str, str]) -> Message:
    """Say how close a shot is: what it passes or hits, by how much, and how well that is known.

    Parameters
    ----------
    shot : Shot
        A shot with a feature.
    pools : mapping of card to pool
        The cards that lie together as one asteroid count as one.
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


def close_lines(resolution: Resolution, roster: Roster, language: str | Texts = "en") -> list[str]:
    """Tell the contested shots, the least certain first, under a headline; nothing if none."""
    t = speak(language)
    pools = {member: pool.source for pool in roster.pools for member in pool.members}
    contested = [shot for shot in resolution.contested() if shot.feature is not None]
    if not contested:
        return []
    lines = [t.tell(close_message(shot, pools)) for shot in contested]
    return [t.say("close.head"), *(_INDENT + line for line in lines)]


def score_text(totals: Mapping[str, int], t: Texts) -> str:
    """Write a score: ``Red 14 – Blue 9``."""
    parts = [t.say("odds.total", team=team, total=total) for team, total in totals.items()]
    return t.say("odds.between").join(parts)


def odds_lines(resolution: Resolution, language: str | Texts = "en") -> list[str]:
    """Tell how sure the score and the winner are, and what they hang on; nothing if unknown."""
    t, odds = speak(language), resolution.odds
    if odds is None or not resolution.scores:
        return []
    lines: list[str] = []
    if len(odds.scores) == 1:
        only = odds.scores[0]
        score = score_text(only.totals, t)
        lines.append(t.say("odds.sure", score=score, chance=only.probability))
    else:
        if len(resolution.scores) > 1:
            lines.append(
                t.say("sign.list").join(_winner(w, chance, t) for w, chance in _told_winners(odds))
            )
        lines += _reading_lines(odds, t) or [
            t.say("odds.score", score=score_text(c.totals, t), chance=c.probability)
            for c in odds.scores
        ]
    head = t.say("odds.head")
    if any(issue.code == "unknown_card" for issue in resolution.issues):
        head += f" ({t.say('odds.given')})"
    return [head, *(_INDENT + line for line in lines)]


def _told_winners(odds: Odds) -> list[tuple[tuple[str, ...], float]]:
    rare = min(0.005, odds.winners[0][1])
    return [(winners, chance) for winners, chance in odds.winners if chance >= rare]


def _winner(winners: Sequence[str], chance: float, t: Texts) -> str:
    return t.say("odds.wins", n=len(winners), teams=winners, chance=chance)


def _reading_lines(odds: Odds, t: Texts) -> list[str]:
    lines = []
    for i, reading in enumerate(odds.readings):
        score = score_text(reading.totals, t)
        is_rest = i == 1 and len(odds.readings) == 2 and _is_opposite(*odds.readings)
        if is_rest:
            lines.append(t.say("odds.else", score=score, chance=reading.probability))
            continue
        asked = t.join(
            t.say(
                "odds.hits",
                ship=asked.ship,
                laser=asked.laser + 1,
                targets=_targets(asked.hits, t),
            )
            for asked in reading.conditions
        )
        lines.append(t.say("odds.if", conditions=asked, score=score, chance=reading.probability))
    return lines


def _is_opposite(one: TableReading, other: TableReading) -> bool:
    """Tell whether two readings ask the same single shot."""
    a, b = one.conditions, other.conditions
    return len(a) == len(b) == 1 and (a[0].ship, a[0].laser) == (b[0].ship, b[0].laser)


def _targets(hits: Sequence[Hit | None], t: Texts) -> str:
    names = []
    for hit in hits:
        if hit is None:
            names.append(t.say("odds.target_space"))
        else:
            kind = "target_shield" if hit.shielded else "target"
            names.append(t.say(f"odds.{kind}", card=hit.card))
    return f" {t.say('odds.or')} ".join(names)
