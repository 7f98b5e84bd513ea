"""Everything about a table and its shots that a person should look at again."""

from collections.abc import Iterator, Sequence

from vision.rules.board import Board, Trace
from vision.rules.bodies import Contacts, find_gap
from vision.rules.margins import Margin
from vision.rules.roster import Roster
from vision.types import Deck, Hit, Issue, Shot, TableState

__all__ = ["CLOSE_CALL", "find_shot_doubts", "find_table_doubts"]

CLOSE_CALL = 0.01  # a shot with a greater chance of another outcome is too close to call
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
    return tuple(sorted(found, key=lambda issue: (issue.code, issue.cards)))


def _card_doubts(deck: Deck, roster: Roster, table: TableState) -> Iterator[Issue]:
    ignored = table.rules.face_down == "ignored"
    for card in roster.face_down:
        does = "is ignored" if ignored else "stops beams, takes and does nothing"
        yield Issue("face_down", f"{card}: a ship lies face down; it {does}", (card,), "note")
    for card in roster.unreadable:
        yield Issue(
            "unknown_card",
            f"{card}: a card that could not be read; it stops beams, takes and does nothing, "
            "so the round may go another way",
            (card,),
        )
    designs = len(deck.teams) * len(deck.ships)
    if len(roster.ships) + len(roster.face_down) > designs:
        yield Issue(
            "too_many_ships",
            f"{len(roster.ships)} ships and {len(roster.face_down)} face down: "
            f"the deck has {designs}",
            roster.face_down,
        )


def _contact_doubts(roster: Roster, board: Board, contacts: Contacts) -> Iterator[Issue]:
    pool = {member: p.source for p in roster.pools for member in p.members}
    for a, b, overlap in contacts.pairs:
        one, other = board.bodies.ids[a], board.bodies.ids[b]
        if one in pool and pool[one] == pool.get(other):
            continue  # parts of one asteroid are meant to lie together
        code, verb = ("cards_overlap", "overlap") if overlap else ("cards_touch", "touch")
        yield Issue(
            code, f"{one} and {other} {verb}; the round is played as they lie", (one, other)
        )


def _asteroid_doubts(
    deck: Deck, roster: Roster, table: TableState, board: Board
) -> Iterator[Issue]:
    if not roster.pools:
        yield Issue("no_asteroid", "there is no asteroid on the table; nothing can be mined")
    placed = {card.card_id for card in table.cards}
    for front in deck.asteroids:
        if {front, f"{front}-back"} <= placed:
            yield Issue(
                "card_twice",
                f"{front} lies front up and back up, and is one card; both are targets",
                (front, f"{front}-back"),
            )
    joined = [pool.members for pool in roster.pools if len(pool.members) > 1]
    if table.rules.asteroids == "auto" and joined:
        things = [board.bodies.ids.index(member) for member in joined[0]]
        gaps = [min(find_gap(board.bodies, a, b) for b in things if b != a) for a in things]
        if max(gaps) > APART_MM:
            yield Issue(
                "asteroids_apart",
                f"{' and '.join(joined[0])} lie {max(gaps):.0f} mm apart and are played as one "
                "asteroid; set asteroids=separate if two were meant",
                joined[0],
            )


def find_shot_doubts(
    board: Board,
    roster: Roster,
    traces: Sequence[Trace],
    shots: Sequence[Shot],
    margins: Sequence[Margin],
    *,
    contested_from: float = CLOSE_CALL,
) -> tuple[Issue, ...]:
    """Return the doubts about the shots, in the order they were fired.

    A shot is too close to call if another outcome has a chance of more than ``contested_from``; it
    is only a note if both outcomes are nothing.
    """
    pool = {member: p.source for p in roster.pools for member in p.members}
    found = []
    for trace, shot, margin in zip(traces, shots, margins, strict=True):
        met = shot.hit.card if shot.hit is not None else ""
        ties = [board.bodies.ids[t] for t in trace.ties]
        others = [tie for tie in ties if pool.get(tie, tie) != pool.get(met, met)]
        name = f"{shot.ship} laser {shot.laser + 1}"
        if others:
            message = f"{name} meets {' and '.join([met, *others])} at once; {met} is taken"
            found.append(Issue("tie", message, (shot.ship, met, *others)))
        risk = margin.risk
        if risk is not None and risk.chance > contested_from:
            other = board.bodies.ids[risk.thing]
            if risk.mm == shot.margin_mm:
                where = f"{risk.mm:.2f} mm to the side {_outcome(shot.margin_outcome)}"
            else:
                where = f"a corner or shield end of {other} is {risk.mm:.2f} mm beside the beam"
            message = (
                f"{name} is too close to call: {_outcome(shot.hit)}, but {where}, and the poses "
                f"are known to {risk.sigma_mm:.2f} mm there ({risk.chance:.0%})"
            )
            cards = dict.fromkeys(card for card in (shot.ship, met, other) if card)
            idle = _is_idle(shot.hit, roster) and other not in pool and other not in roster.ships
            found.append(Issue("close_call", message, tuple(cards), "note" if idle else "doubt"))
    return tuple(found)


def _outcome(hit: Hit | None) -> str:
    if hit is None:
        return "it goes into space"
    return f"it meets the shield of {hit.card}" if hit.shielded else f"it hits {hit.card}"


def _is_idle(hit: Hit | None, roster: Roster) -> bool:
    """Tell whether a shot does nothing but stop."""
    return hit is None or hit.shielded or hit.card in (*roster.face_down, *roster.unreadable)
