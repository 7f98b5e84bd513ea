"""What was seen -> what the rules have to say about it. Warnings, not verdicts.

Pure: the cards before and after, what happened, and the phase of the round in; what is to be told
out. It knows no pixels and no clock.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

from vision.games.light_speed.deck import is_asteroid, team_of
from vision.games.light_speed.values import Deck
from vision.seeing.cards.overlaps import card_outlines
from vision.values.arrays import FloatArray
from vision.values.messages import Message
from vision.watch.cards import Bumped, Known, Laid, Moved, Removed, Sighting, Unclear
from vision.watch.events import Detail, Phase, Severity

__all__ = ["Call", "RefereeSettings", "count_ships", "judge_sightings"]


@dataclass(frozen=True, slots=True)
class RefereeSettings:
    """When cards touch, and when two were laid at once."""

    touch_mm: float = 0.4  # of a gap: what a webcam's pixel and a card's rounded edge leave open
    overlap_mm: float = 0.8  # of a card's depth over another: beyond, it surely overlaps
    at_once_s: float = 0.25  # between two cards of a team that came to lie


@dataclass(frozen=True, slots=True)
class Call:
    """Something to be told; the session gives it a number and a time."""

    code: str
    said: Message
    severity: Severity = "news"
    cards: tuple[str, ...] = ()
    team: str | None = None
    details: Mapping[str, Detail] = field(default_factory=dict)


def count_ships(names: Iterable[str], deck: Deck) -> dict[str, int]:
    """Return how many ships each team of the deck has on the table."""
    teams = [team_of(deck, name) for name in names]
    return {team: teams.count(team) for team in deck.teams}


def judge_sightings(
    sightings: tuple[Sighting, ...],
    before: tuple[Known, ...],
    after: tuple[Known, ...],
    deck: Deck,
    *,
    phase: Phase,
    is_hard_stop: bool = False,
    settings: RefereeSettings | None = None,
) -> tuple[Call, ...]:
    """Say what is to be told about what was seen.

    Parameters
    ----------
    sightings : tuple
        What happened in one picture.
    before, after : tuple of Known
        The cards before and after it.
    phase : Phase
        Of the round; in ``verdict`` cards may be moved and taken away.
    is_hard_stop : bool
        Whether "stop" was called, so that a card laid now is laid too late.
    """
    s = settings or RefereeSettings()
    calls: list[Call] = []
    names = [card.name for card in before]
    laid_now: list[Known] = []
    for sighting in sightings:
        match sighting:
            case Laid(card, twin):
                names.append(card.name)
                calls += _laid(card, twin, names, deck)
                if not card.was_there:
                    if is_hard_stop:
                        calls.append(_warn("laid_after_stop", card, deck))
                    calls += _at_once(card, [*before, *laid_now], deck, s)
                    laid_now.append(card)
                calls += _contacts(card, after, deck, s, only_before=card.was_there)
            case Moved(card, distance, turn) if phase != "verdict":
                gaps: dict[str, Detail] = {"mm": round(distance, 2), "deg": round(turn, 2)}
                said = Message(
                    "watch.card_moved", (("card", card.name), ("mm", distance), ("deg", turn))
                )
                team = team_of(deck, card.name)
                calls.append(Call("card_moved", said, "warning", (card.name,), team, gaps))
                calls += _contacts(card, after, deck, s)
            case Removed(card) if phase != "verdict":
                calls.append(_warn("card_removed", card, deck))
            case Bumped(shift, agreeing, known):
                gaps = {"shift_px": round(shift, 1), "agreeing": agreeing, "known": known}
                said = Message(
                    "watch.camera_moved", (("px", shift), ("agreeing", agreeing), ("n", known))
                )
                calls.append(Call("camera_moved", said, "doubt", (), None, gaps))
            case Unclear(found, known):
                gaps = {"found": found, "known": known}
                said = Message("watch.table_unclear", (("found", found), ("n", known)))
                calls.append(Call("table_unclear", said, "doubt", (), None, gaps))
    return tuple(calls)


def _laid(card: Known, twin: str | None, names: list[str], deck: Deck) -> list[Call]:
    """Tell a card, and what it means: its team's count, the tenth, a doubt about which it is."""
    team = team_of(deck, card.name)
    count = count_ships(names, deck)[team] if team is not None else 0
    details: dict[str, Detail] = {"score": round(card.match.score, 3)}
    if team is not None:
        details |= {"count": count, "of": len(deck.ships)}
    gaps = (("card", card.name), ("count", count), ("of", len(deck.ships)))
    code = "card_found" if card.was_there else "card_laid"
    if team is not None:
        said = Message("watch.card_found" if card.was_there else "watch.card_laid", gaps)
    else:
        said = Message("watch.thing_found" if card.was_there else "watch.thing_laid", gaps)
    calls = [Call(code, said, "news", (card.name,), team, details)]
    if twin is not None:
        doubt = Message("watch.duplicate_card", (("card", card.name), ("twin", twin)))
        calls.append(Call("duplicate_card", doubt, "doubt", (card.name, twin)))
    elif card.face < 0:
        doubt = Message("watch.unreadable_card", (("card", card.name),))
        calls.append(Call("unreadable_card", doubt, "doubt", (card.name,)))
    elif card.name.startswith("ship-back"):
        calls.append(_warn("face_down", card, deck))
    if team is not None and count == len(deck.ships):
        said = Message("watch.all_laid", (("team", team), ("count", count)))
        calls.append(Call("all_laid", said, "news", (card.name,), team, {"count": count}))
    return calls


def _warn(code: str, card: Known, deck: Deck) -> Call:
    """Warn about one card."""
    said = {
        "laid_after_stop": Message("watch.laid_after_stop", (("card", card.name),)),
        "card_removed": Message("watch.card_removed", (("card", card.name),)),
        "face_down": Message("watch.face_down", (("card", card.name),)),
    }[code]
    return Call(code, said, "warning", (card.name,), team_of(deck, card.name))


def _at_once(card: Known, others: list[Known], deck: Deck, settings: RefereeSettings) -> list[Call]:
    """Warn of a card laid by a team before it had let go of the one before."""
    team = team_of(deck, card.name)
    if team is None:
        return []
    with_it = [
        other.name
        for other in others
        if not other.was_there
        and team_of(deck, other.name) == team
        and abs(card.time_s - other.time_s) <= settings.at_once_s
    ]
    if not with_it:
        return []
    other = with_it[-1]
    said = Message("watch.two_at_once", (("team", team), ("one", other), ("other", card.name)))
    return [Call("two_at_once", said, "warning", (other, card.name), team)]


def _contacts(
    card: Known,
    others: tuple[Known, ...],
    deck: Deck,
    settings: RefereeSettings,
    *,
    only_before: bool = False,
) -> list[Call]:
    """Warn of the cards that a card touches or overlaps; asteroids may lie side by side."""
    calls = []
    shape = Polygon(_outline(card.pose, deck))
    for other in others:
        if other.name == card.name or (only_before and other.name > card.name):
            continue
        if is_asteroid(deck, card.name) and is_asteroid(deck, other.name):
            continue
        near = Polygon(_outline(other.pose, deck))
        gap = shape.distance(near)
        if gap > settings.touch_mm:
            continue
        common = shape.intersection(near)
        depth = _depth(common)
        gaps = (("card", card.name), ("other", other.name), ("mm", depth))
        both = (card.name, other.name)
        team = team_of(deck, card.name)
        if depth > settings.overlap_mm:
            said = Message("watch.cards_overlap", gaps)
            calls.append(
                Call("cards_overlap", said, "warning", both, team, {"depth_mm": round(depth, 1)})
            )
        else:
            said = Message("watch.cards_touch", gaps)
            calls.append(
                Call("cards_touch", said, "warning", both, team, {"gap_mm": round(gap, 2)})
            )
    return calls


def _outline(pose: FloatArray, deck: Deck) -> FloatArray:
    outline: FloatArray = card_outlines(pose[None], (deck.width_mm, deck.height_mm))[0]
    return outline


def _depth(common: BaseGeometry) -> float:
    """Return the smaller extent of what two cards have in common, mm."""
    if common.area <= 0:
        return 0.0
    box = np.array(common.minimum_rotated_rectangle.boundary.coords)
    return float(np.linalg.norm(np.diff(box[:3], axis=0), axis=1).min())
