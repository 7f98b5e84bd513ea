"""Odds of a round -> how sure the score and the winner are, and what they hang on, in words."""

from collections.abc import Mapping, Sequence

from vision.games.light_speed.roster import is_unreadable
from vision.games.light_speed.values import (
    Condition,
    Hit,
    Named,
    Odds,
    Resolution,
    TableReading,
)
from vision.judging.odds import unknown_lines
from vision.values.ledger import Chance
from vision.values.ledger import Odds as LedgerOdds
from vision.values.messages import Message, message

__all__ = ["score_parts", "tell_odds"]

_RARE = 0.005  # winners less likely than this are left out, unless nobody is likelier
_NAMED = 3  # names told of one card: more are said by their number


def score_parts(totals: Mapping[str, int]) -> tuple[Message, ...]:
    """Say a score, a part for each team: ``Red 14``, ``Blue 9``."""
    return tuple(message("odds.total", team=team, total=total) for team, total in totals.items())


def tell_odds(resolution: Resolution) -> LedgerOdds | None:
    """Tell how sure the score and the winner are; None if that is not known."""
    odds = resolution.odds
    if odds is None or not resolution.scores:
        return None
    unknown = [issue for issue in resolution.issues if issue.code == "unknown_card"]
    given = not all(any(one.is_of(issue) for one in resolution.weighed) for issue in unknown)
    head = message("odds.head_given" if given else "odds.head")
    scores = tuple(
        Chance(
            dict(c.totals), c.winners, c.probability, _sentence("score", c.totals, c.probability)
        )
        for c in odds.scores
    )
    lines = tuple(_lines(odds, scores, several=len(resolution.scores) > 1))
    lines = (head, *lines, *unknown_lines(odds.unknown))
    return LedgerOdds(odds.winners, scores, lines, odds.unknown)


def _lines(odds: Odds, scores: Sequence[Chance], *, several: bool) -> list[Message]:
    if not scores:
        return []
    if len(scores) == 1:
        return [_sentence("sure", scores[0].totals, scores[0].probability)]
    lines = [message("odds.winners", winners=_winners(odds))] if several else []
    return lines + (_readings(odds) or [score.said for score in scores if score.said is not None])


def _sentence(key: str, totals: Mapping[str, int], chance: float, **more: object) -> Message:
    return message(f"odds.{key}", score=score_parts(totals), chance=chance, **more)


def _winners(odds: Odds) -> tuple[Message, ...]:
    rare = min(_RARE, odds.winners[0][1])
    return tuple(
        message("odds.wins", n=len(teams), teams=teams, chance=chance)
        for teams, chance in odds.winners
        if chance >= rare
    )


def _readings(odds: Odds) -> list[Message]:
    lines = []
    for i, reading in enumerate(odds.readings):
        if i == 1 and len(odds.readings) == 2 and _is_opposite(*odds.readings):
            lines.append(_sentence("else", reading.totals, reading.probability))
            continue
        asked = tuple(_condition(condition) for condition in _worth_saying(reading.conditions))
        lines.append(_sentence("if", reading.totals, reading.probability, conditions=asked))
    return lines


def _worth_saying(
    conditions: tuple[Condition | Named, ...],
) -> tuple[Condition | Named, ...]:
    """Leave out that a card is what it was read as, unless nothing else is asked."""
    told = tuple(
        one for one in conditions if not isinstance(one, Named) or one.pieces != (one.card,)
    )
    return told or conditions


def _is_opposite(one: TableReading, other: TableReading) -> bool:
    """Tell whether two readings ask the same single shot."""
    a, b = one.conditions, other.conditions
    return len(a) == len(b) == 1 and _question(a[0]) == _question(b[0])


def _question(asked: Condition | Named) -> tuple[str, int]:
    return (asked.card, -1) if isinstance(asked, Named) else (asked.ship, asked.laser)


def _condition(asked: Condition | Named) -> Message:
    if isinstance(asked, Named):
        pieces = tuple(_piece(asked.card, piece) for piece in asked.pieces[:_NAMED])
        more = len(asked.pieces) - len(pieces)
        if more:
            pieces = (*pieces, message("odds.one_of", n=more))
        return message("odds.is", card=asked.card, pieces=pieces)
    targets = tuple(_target(hit) for hit in asked.hits)
    return message("odds.hits", ship=asked.ship, laser=asked.laser + 1, targets=targets)


def _piece(card: str, piece: str | None) -> Message:
    """Say what a card is: none at all, one that is not read, or which."""
    if piece is None:
        return message("odds.is_nothing")
    if is_unreadable(piece):
        return message("odds.is_foreign")
    return message("odds.target", card=piece)


def _target(hit: Hit | None) -> Message:
    if hit is None:
        return message("odds.target_space")
    return message("odds.target_shield" if hit.shielded else "odds.target", card=hit.card)
