"""Everything about a table and its shots that a person should look at again."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from vision.games.light_speed.accounts import tell_missing
from vision.games.light_speed.battlefield import Board, Trace
from vision.games.light_speed.bodies import Contacts, find_gap
from vision.games.light_speed.margins import Margin
from vision.games.light_speed.roster import Roster
from vision.games.light_speed.values import Deck, Hit, Shot, TableState
from vision.games.light_speed.words import doubt, words
from vision.values.ledger import NO_MATTER
from vision.values.messages import Issue, Message, message

__all__ = [
    "CLOSE_CALL",
    "close_message",
    "find_shot_doubts",
    "find_table_doubts",
    "outcome_message",
]

CLOSE_CALL = 0.01  # a shot with a greater chance of another outcome is too close to call
_UNDECIDED = 0.1  # flip probability above which nothing is said but that
APART_MM = 25.0  # halves of a large asteroid farther apart were perhaps meant as two


def find_table_doubts(
    table: TableState, deck: Deck, roster: Roster, board: Board, contacts: Contacts
) -> tuple[Issue, ...]:
    """Return the doubts about a table before any shot, by code, then cards."""
    found = [
        *_card_doubts(deck, roster, table),
        *_contact_doubts(roster, board, contacts),
        *_asteroid_doubts(deck, roster, table, board),
    ]
    missing = tuple(tell_missing(table, deck))
    if missing:  # whether there is none is not known
        found = [*missing, *(issue for issue in found if issue.code != "no_asteroid")]
    return tuple(sorted(found, key=lambda issue: (issue.code, issue.cards)))


def _card_doubts(deck: Deck, roster: Roster, table: TableState) -> Iterator[Issue]:
    ignored = table.rules.face_down == "ignored"
    for card in roster.face_down:
        key = f"issue.face_down.{'ignored' if ignored else 'blocks'}"
        yield doubt("face_down", key, (card,), "note", card=card)
    for card in roster.unreadable:
        yield doubt("unknown_card", "issue.unknown_card", (card,), card=card)
    designs = len(deck.teams) * len(deck.ships)
    if len(roster.ships) + len(roster.face_down) > designs:
        counts = {"ships": len(roster.ships), "down": len(roster.face_down), "designs": designs}
        yield doubt("too_many_ships", "issue.too_many_ships", roster.face_down, **counts)


def _contact_doubts(roster: Roster, board: Board, contacts: Contacts) -> Iterator[Issue]:
    pool = roster.source_of
    for a, b, overlap in contacts.pairs:
        one, other = board.bodies.ids[a], board.bodies.ids[b]
        if one in pool and pool[one] == pool.get(other):
            continue  # parts of one asteroid are meant to lie together
        code = "cards_overlap" if overlap else "cards_touch"
        yield doubt(code, f"issue.{code}", (one, other), one=one, other=other)


def _asteroid_doubts(
    deck: Deck, roster: Roster, table: TableState, board: Board
) -> Iterator[Issue]:
    if not roster.pools:
        yield doubt("no_asteroid", "issue.no_asteroid", (), "note")
    placed = {card.card_id for card in table.cards}
    for front in deck.asteroids:
        if {front, f"{front}-back"} <= placed:
            both = (front, f"{front}-back")
            yield doubt("card_twice", "issue.card_twice", both, card=front)
    joined = [pool.members for pool in roster.pools if len(pool.members) > 1]
    if table.rules.asteroids == "auto" and joined:
        things = [board.bodies.ids.index(member) for member in joined[0]]
        gaps = [min(find_gap(board.bodies, a, b) for b in things if b != a) for a in things]
        if max(gaps) > APART_MM:
            said = {"cards": joined[0], "mm": float(max(gaps))}
            yield doubt("asteroids_apart", "issue.asteroids_apart", joined[0], **said)


def find_shot_doubts(
    board: Board,
    roster: Roster,
    fired: Sequence[tuple[Trace, Shot, Margin]],
    *,
    contested_from: float,
    turning: Mapping[tuple[str, int], float],
) -> tuple[Issue, ...]:
    """Return the doubts about the shots, in the order they were fired.

    A shot is too close to call if another outcome has a chance of more than ``contested_from``; it
    is only a note if both outcomes are nothing, or if it changes no score: by ``turning``, as of
    :class:`~vision.games.light_speed.values.Odds`, which may not know all shots.
    """
    pool = roster.source_of
    found = []
    for trace, shot, margin in fired:
        met = shot.hit.card if shot.hit is not None else ""
        ties = [board.bodies.ids[t] for t in trace.ties]
        others = [tie for tie in ties if pool.get(tie, tie) != pool.get(met, met)]
        if others:
            laser = {"ship": shot.ship, "laser": shot.laser + 1, "things": (met, *others)}
            found.append(doubt("tie", "issue.tie", (shot.ship, met, *others), **laser, met=met))
        risk = margin.risk
        if risk is not None and risk.chance > contested_from:
            other = board.bodies.ids[risk.thing]
            said = close_message(shot, pool)
            cards = tuple(dict.fromkeys(card for card in (shot.ship, met, other) if card))
            idle = _is_idle(shot.hit, roster) and other not in pool and other not in roster.ships
            matters = turning.get((shot.ship, shot.laser), 1.0) > NO_MATTER
            severity: Literal["note", "doubt"] = "doubt" if matters and not idle else "note"
            found.append(Issue("close_call", words().tell(said), cards, severity, said))
    return tuple(found)


def _is_idle(hit: Hit | None, roster: Roster) -> bool:
    """Tell whether a shot does nothing but stop."""
    return hit is None or hit.shielded or hit.card in (*roster.face_down, *roster.unreadable)


# --- close calls in words: calm and short --------------------------------------------------------


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
    what = message(f"close.{key}", card=feature.card, mm=feature.distance_mm)
    verdict = message("close.undecided")
    if shot.flip_probability <= _UNDECIDED:
        verdict = message("close.likely", chance=1 - shot.flip_probability)
    laser = {"ship": shot.ship, "laser": shot.laser + 1}
    return message("close.line", **laser, what=what, sigma=feature.sigma_mm, verdict=verdict)


def outcome_message(hit: Hit | None) -> Message:
    """Say what a shot does, as a verb and what it meets: "hits Red Moth", "goes into space"."""
    if hit is None:
        return message("close.outcome_space")
    return message(f"close.outcome_{'shield' if hit.shielded else 'hit'}", card=hit.card)
