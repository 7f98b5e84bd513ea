"""What the players say happened, and what follows from it by the options of the table."""

import math
from dataclasses import replace

from vision.errors import TableFormatError
from vision.games.light_speed.values import Deck, TableState
from vision.games.light_speed.variants import CLAIM_KINDS, OF_TEAMS, Claim
from vision.judging.notation import plain_number
from vision.values.layout import PlacedCard

__all__ = ["as_claimed", "format_claim", "left_out", "parse_claim", "with_claim"]

#: Of each claim the option's choice by which what it is of is left out of the round.
_OUT = {"leaning": "out", "late": "out", "slid": "out", "stuck": "upper", "foreign": "ignored"}


def left_out(table: TableState) -> frozenset[str]:
    """Return the cards and objects that do not count, by what the players say."""
    return frozenset(claim.of for claim in table.claims if _is_out(claim, table))


def _is_out(claim: Claim, table: TableState) -> bool:
    if not claim.is_so or _OUT.get(claim.kind) != getattr(table.rules, claim.kind):
        return False
    if claim.kind != "late" or table.rules.two_stops == "first":
        return True
    team = claim.of.split("-")[0]  # its team called stop too, within the camera's resolution
    return Claim("two_stops", team) not in table.claims


def as_claimed(card: PlacedCard, table: TableState) -> PlacedCard:
    """Return a card where it counts: one that was pushed perhaps where it lay before."""
    if table.rules.pushed != "back":
        return card
    for claim in table.claims:
        if claim.kind == "pushed" and claim.of == card.card_id and claim.was_at is not None:
            x, y, theta = claim.was_at
            return replace(card, x_mm=x, y_mm=y, theta_rad=theta)
    return card


def with_claim(
    table: TableState, claim: Claim | None, kind: str, of: str, deck: Deck
) -> TableState:
    """Return a table with a claim in place of that of the same kind and subject; None: without."""
    known = {*(card.card_id for card in table.cards), *(thing.id for thing in table.objects)}
    known = set(deck.teams) if kind in OF_TEAMS else known
    if of not in known:
        what = "team" if kind in OF_TEAMS else "card or object"
        msg = f"claim {kind}: no {what} {of!r} here; there are {', '.join(sorted(known))}"
        raise TableFormatError(msg)
    others = tuple(one for one in table.claims if (one.kind, one.of) != (kind, of))
    return replace(table, claims=others if claim is None else (*others, claim))


# --- as text ---------------------------------------------------------------------------------


def parse_claim(text: str) -> Claim:
    """Read ``leaning red-moth``, ``not late red-moth`` or ``pushed asteroid-1 10,-20,5``."""
    words = text.split()
    is_so = not (words and words[0] == "not")
    words = words if is_so else words[1:]
    place = None
    if words and "," in words[-1]:
        place, words = _read_place(words[-1]), words[:-1]
    if len(words) < 2:
        msg = f'expected a claim such as "leaning red-moth" or "not late red-moth"; got "{text}"'
        raise TableFormatError(msg)
    kind, of = words[0].replace("-", "_"), "-".join(words[1:])
    return _checked(kind, of, is_so, place)


def _read_place(text: str) -> tuple[float, float, float]:
    try:
        x, y, degrees = (float(part) for part in text.split(","))
    except ValueError as error:
        msg = f'expected a place "x,y,degrees" such as "10,-20,5"; got "{text}"'
        raise TableFormatError(msg) from error
    if not all(math.isfinite(v) and abs(v) < 1e5 for v in (x, y, degrees)):
        msg = f"a claim's place must be within 100 m; got {text!r}"
        raise TableFormatError(msg)
    return x, y, math.radians(degrees)


def _checked(kind: str, of: str, is_so: bool, place: tuple[float, float, float] | None) -> Claim:
    for known in CLAIM_KINDS:
        if kind == known:
            try:
                return Claim(known, of, is_so, place)
            except ValueError as error:
                raise TableFormatError(str(error)) from error
    msg = f"no claim is called {kind!r}; there are {', '.join(CLAIM_KINDS)}"
    raise TableFormatError(msg)


def format_claim(claim: Claim) -> str:
    """Write a claim as :func:`parse_claim` reads it."""
    place = ""
    if claim.was_at is not None:
        x, y, theta = claim.was_at
        place = f" {plain_number(x)},{plain_number(y)},{plain_number(math.degrees(theta))}"
    return f"{'' if claim.is_so else 'not '}{claim.kind} {claim.of}{place}"
