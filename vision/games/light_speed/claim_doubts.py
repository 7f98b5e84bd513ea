"""The account of what the rulebook leaves open: how it was decided, and where it mattered."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from vision.games.light_speed.battlefield import seam_of, set_board
from vision.games.light_speed.roster import call_roll
from vision.games.light_speed.tell_odds import score_parts
from vision.games.light_speed.values import Claim, Deck, Resolution, TableState
from vision.games.light_speed.words import doubt
from vision.judging.options import parse_options
from vision.values.messages import Issue, Message, message

__all__ = ["is_void", "tell_claims"]

_BESIDE_MM = 30.0  # from a card: as far as a counter that hangs over its edge may reach
#: The two choices of each open question: the default first.
_CHOICES = {
    "leaning": ("lies", "out"),
    "two_stops": ("both", "first"),
    "late": ("lies", "out"),
    "stuck": ("upper", "both"),
    "pushed": ("lies", "back"),
    "seam": ("hits", "passes"),
    "slid": ("rests", "out"),
    "foreign": ("blocks", "ignored"),
    "overhang": ("ignored", "table"),
    "nine": ("stands", "void"),
}

Play = Callable[[TableState], Resolution]


def is_void(table: TableState) -> bool:
    """Tell whether the round does not count: a team began it with nine ships."""
    said = any(claim.kind == "nine" and claim.is_so for claim in table.claims)
    return said and table.rules.nine == "void"


def tell_claims(table: TableState, deck: Deck, played: Resolution, play: Play) -> tuple[Issue, ...]:
    """Say how each open question was decided, what the other choice would give, and what is asked.

    Parameters
    ----------
    table, deck
        What was played.
    played : Resolution
        What came of it.
    play : callable
        Plays another table; the odds are left aside.
    """
    told = [_said(claim, table, played, play) for claim in table.claims if claim.is_so]
    return (*told, *_seams(table, deck, played, play), *_asked(table, played))


def _said(claim: Claim, table: TableState, played: Resolution, play: Play) -> Issue:
    chosen = getattr(table.rules, claim.kind)
    key = f"issue.claim.{claim.kind}.{chosen}"
    mattered = _mattered(claim.kind, table, played, play)
    about = "team" if claim.kind in ("two_stops", "nine") else "card"
    cards = (claim.of,) if about == "card" else ()
    is_open = claim.kind == "nine" and chosen == "void"
    values = {about: claim.of, "mattered": mattered}
    return doubt("claim", key, cards, "doubt" if is_open else "note", **values)


def _mattered(kind: str, table: TableState, played: Resolution, play: Play) -> Message | str:
    """Return what the other choice would give, where that is another score or winner."""
    chosen = getattr(table.rules, kind)
    other = next(one for one in _CHOICES[kind] if one != chosen)
    rules = parse_options(type(table.rules), [f"{kind}={other}"], table.rules)
    otherwise = play(replace(table, rules=rules))
    totals = {team: score.total for team, score in otherwise.scores.items()}
    now = {team: score.total for team, score in played.scores.items()}
    if (totals, otherwise.winners) == (now, played.winners):
        return ""
    return message("claim.mattered", setting=f"{kind}={other}", score=score_parts(totals))


def _seams(table: TableState, deck: Deck, played: Resolution, play: Play) -> Iterator[Issue]:
    """Tell of shots along a gap of no width, where it matters whether they pass."""
    if not any(issue.code == "cards_touch" for issue in played.issues):
        return
    board = set_board(table, deck, call_roll(table, deck))
    every = np.ones(len(board.bodies.ids), bool)
    for beam in range(len(board.beams.ship)):
        things = seam_of(board, beam, every)
        if not things:
            continue
        mattered = _mattered("seam", table, played, play)
        if mattered:
            thing = board.bodies.ids[board.beams.ship[beam]]
            cards = (thing, *sorted(board.bodies.ids[k] for k in things))
            key = f"issue.claim.seam.{table.rules.seam}"
            laser = int(board.beams.laser[beam]) + 1
            values = {"card": thing, "laser": laser, "things": cards[1:], "mattered": mattered}
            yield doubt("claim", key, cards, "note", **values)


# --- what only the table can say -------------------------------------------------------------


def _asked(table: TableState, played: Resolution) -> Iterator[Issue]:
    """Ask what the table alone can have seen, where its options make it matter."""
    rules, said = table.rules, {(claim.kind, claim.of) for claim in table.claims}
    if rules.leaning == "out":
        for one, other in (i.cards for i in played.issues if i.code == "cards_overlap"):
            if not any((kind, of) in said for kind in ("leaning", "stuck") for of in (one, other)):
                yield doubt("ask_leaning", "issue.ask.leaning", (one, other), one=one, other=other)
    for kind, choice in (("late", "out"), ("slid", "out"), ("pushed", "back"), ("nine", "void")):
        if getattr(rules, kind) == choice and not any(one == kind for one, _ in said):
            yield doubt(f"ask_{kind}", f"issue.ask.{kind}", (), "note")
    if rules.overhang == "table":
        yield from _overhangs(table, played)


def _overhangs(table: TableState, played: Resolution) -> Iterator[Issue]:
    """Ask for a ruling on each shot at or close by a ship with counters over its edge."""
    over = {claim.of for claim in table.claims if claim.kind == "overhang" and claim.is_so}
    for shot in (shot for step in played.steps for shot in step.shots):
        met = {shot.hit.card} if shot.hit else set()
        if shot.margin_card is not None and abs(shot.margin_mm) <= _BESIDE_MM:
            met.add(shot.margin_card)
        for card in sorted(met & over):
            if not shot.ruled:
                values = {"card": shot.ship, "laser": shot.laser + 1, "other": card}
                yield doubt("ask_overhang", "issue.ask.overhang", (shot.ship, card), **values)
