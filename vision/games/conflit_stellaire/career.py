"""Officers: their points brought to a table, and what a turn leaves to each of them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from vision.games.conflit_stellaire.battle import rank_of
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.values import Campaign, Outcome, Table
from vision.judging.career import Service
from vision.values.messages import Message, message

__all__ = ["enlist", "enlisted", "rank", "services"]

_STAYS = ("same", "unknown")  # what an officer is who serves on, as far as is known


def rank(points: int) -> Message:
    """Return the rank that some points are worth."""
    return message(f"conflit.rank.{deck().ranks[rank_of(points)].id}")


def enlist(table: Table, points: Mapping[str, int | None]) -> Table:
    """Return a table with these officers at its seats; those of other seats stay.

    Without any officer and without a die there is no campaign.
    """
    seats = {seat.id for seat in table.seats}
    was = table.campaign or Campaign()
    merged = {**was.officers, **{seat: n for seat, n in points.items() if seat in seats}}
    officers = {seat: n for seat, n in merged.items() if n is not None}
    campaign = Campaign(officers, was.dice) if officers or was.dice else None
    return replace(table, campaign=campaign)


def enlisted(table: Table) -> dict[str, int]:
    """Return the points of the officers that the table names."""
    return {} if table.campaign is None else dict(table.campaign.officers)


def services(table: Table, outcome: Outcome) -> dict[str, Service]:
    """Return what a turn leaves to the officer of each seat, in a campaign."""
    return dict(_services(table, outcome))


def _services(table: Table, outcome: Outcome) -> Iterator[tuple[str, Service]]:
    is_sure = not any(
        (other.fates, other.winners) != (outcome.fates, outcome.winners)
        for other in outcome.alternatives
    )
    for seat, score in outcome.scores.items():
        if score.cumul is None:
            continue
        before, after = score.cumul
        is_over = score.officer not in _STAYS
        yield (
            seat,
            Service(
                before,
                score.points,
                after,
                rank(after),
                message(f"conflit.served.{score.officer}") if is_over else None,
                score.officer != "unknown",
                is_sure,
            ),
        )
