"""A battle that is over -> points, and in a campaign cumul, rank, officer and ransom."""

from vision.games.conflit_stellaire.battle import Battle, rank_of
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.values import Note, Score

__all__ = ["score"]

_CAPSULE_RANKS = 2  # lost by who destroys a capsule with its commander


def score(battle: Battle) -> dict[str, Score]:
    """Return each seat's score; a missing die is noted."""
    if battle.table.campaign is None:
        return {seat: Score(points) for seat, points in battle.points.items()}
    return {seat: _career(battle, seat) for seat in battle.commanders}


def _career(battle: Battle, seat: str) -> Score:
    """Take ranks for capsules, add points, then settle the officer's fate."""
    ranks, campaign = deck().ranks, battle.table.campaign
    before = 0 if campaign is None else campaign.officers.get(seat, 0)
    rank, cumul, officer, ransom = rank_of(before), before, "same", None
    for _ in range(battle.capsules_shot.get(seat, 0)):
        lower = rank_of(cumul) - _CAPSULE_RANKS
        if lower < 0:
            officer = "struck_off"
            break
        cumul = ranks[lower].cumul
    points = battle.points[seat]
    cumul += points
    fate = battle.commanders[seat].fate if seat in battle.at_first else None
    if officer == "same" and fate == "destroyed" and battle.table.options.officers == "mortal":
        officer = "dead"
    elif officer == "same" and fate in ("captured", "surrendered"):
        officer, ransom = _ransom(battle, seat, ranks[rank].ransom)
    if officer in ("same", "unknown") and cumul >= ranks[-1].cumul:
        officer = "retired"
    after = cumul if officer in ("same", "unknown") else 0
    names = (ranks[rank].id, ranks[rank_of(after)].id)
    return Score(points, (before, after), names, officer, ransom)


def _ransom(battle: Battle, seat: str, number: int) -> tuple[str, bool | None]:
    die = battle.table.campaign.dice.get(seat) if battle.table.campaign is not None else None
    if die is None:
        battle.notes.append(Note("die_needed", seat=seat))
        return "unknown", None
    return ("same", True) if die <= number else ("jailed", False)
