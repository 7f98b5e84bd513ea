"""Doubts of several photos of one table -> those of all of them together.

A doubt about a name stays where all photos together leave one; one about what a photo hides goes
where another photo shows that place. What stays is told of the photo that it is about.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import photo_from_table, table_from_photo
from vision.seeing.several.places import places_of
from vision.seeing.several.registering import Motion
from vision.seeing.several.spots import Moved, Spot, is_unread
from vision.texts import make_issue, where_px
from vision.values.arrays import FloatArray
from vision.values.layout import Layout, Placed
from vision.values.messages import Issue, Message, message

__all__ = ["tell_doubts"]

#: Doubts about what a card is: told anew, from what all photos say.
_OF_NAMES = ("doubtful_card", "unreadable_card", "duplicate_card")
#: Doubts about how well a photo shows a card: gone if another shows it better.
_OF_CARDS = ("card_cut_off", "card_covered")
#: Doubts about what a photo hides: gone if another shows that place without one.
_OF_PLACES = (
    "card_hidden",
    "place_unread",
    "table_covered",
    "outline_unread",
    "glare",
    "glare_table",
)
_TURNED_MM = 5.0  # who turns a card by half lays it down elsewhere by more than that,
_TURNED_DEG = 10.0  # and not so exactly
_NEAR_MM = 60.0  # of each other are places that two photos hide: a card's width


def tell_doubts(
    layouts: Sequence[Layout],
    motions: Sequence[Motion],
    spots: Sequence[Spot],
    placed: Sequence[Placed],
    moved: Sequence[Moved],
    numbers: Sequence[int],
) -> tuple[Issue, ...]:
    """Return the doubts and notes of all photos together.

    Parameters
    ----------
    layouts, motions
        What each photo shows, and its frame onto the first one's.
    spots, placed
        The table's cards: which they are in the photos, and as they are fused.
    moved : sequence of Moved
        The cards that lie elsewhere in a later photo.
    numbers : sequence of int
        What each photo is called.
    """
    places = {one: places_of(one, spots[one.spot], layouts, motions) for one in moved}
    gone = {placed[one.spot].piece: places[one] for one in moved if one.card is None}
    told = [
        *(
            replace(issue, places=places[one])
            for one, issue in _moved(layouts, placed, moved, numbers)
        ),
        *(replace(issue, places=gone.get(issue.cards[0], ())) for issue in _names(placed)),
    ]
    hidden = [_hidden(layout, motion) for layout, motion in zip(layouts, motions, strict=True)]
    known: set[tuple[str, tuple[str, ...]]] = set()
    for photo, layout in enumerate(layouts):
        for issue in layout.doubts:
            if issue.code in _OF_NAMES or _is_shown(issue, photo, layouts, spots, placed):
                continue
            if issue.code in _OF_PLACES:
                if _is_seen(issue, photo, layouts, motions, hidden):
                    continue
                if _is_told(issue, photo, layouts, motions, hidden):
                    continue
            elif (issue.code, issue.cards) in known:
                continue
            known.add((issue.code, issue.cards))
            told.append(issue if photo == 0 else _of_photo(issue, numbers[photo]))
    return tuple(told)


def _moved(
    layouts: Sequence[Layout],
    placed: Sequence[Placed],
    moved: Sequence[Moved],
    numbers: Sequence[int],
) -> Iterator[tuple[Moved, Issue]]:
    """Say what lies elsewhere in a later photo, each with what it is said of."""
    for one in moved:
        if one.card is None:
            continue
        card = placed[one.spot]
        at = layouts[one.photo].placed[one.card].outline_px.mean(axis=0)
        gaps = {"card": card.piece, "n": numbers[one.photo], **where_px(*at)}
        if one.away is None:
            issue = make_issue("card_moved", "issue.card_elsewhere", (card.piece,), **gaps)
            yield one, _at(issue, card)
            continue
        mm, degrees = float(np.hypot(one.away[0], one.away[1])), float(np.degrees(abs(one.away[2])))
        if mm < _TURNED_MM and degrees > 180 - _TURNED_DEG:  # no hand does so: it was read so
            said = {"cards": card.piece, "n": 1}
            code = "half_turn_open"
            yield one, _at(make_issue(code, f"issue.{code}", (card.piece,), "doubt", **said), card)
            continue
        gaps |= {"mm": mm, "degrees": f"{degrees:.1f}"}
        yield one, _at(make_issue("card_moved", "issue.card_moved", (card.piece,), **gaps), card)


def _names(placed: Sequence[Placed]) -> Iterator[Issue]:
    """Say what is doubted of the names, all photos together."""
    for card in placed:
        where = where_px(*card.outline_px.mean(axis=0))
        gaps: dict[str, Any] = {"card": card.piece, **where}
        if is_unread(card.piece):
            yield make_issue("unreadable_card", "issue.no_face", (card.piece,), **gaps)
            continue
        if not card.may_be:
            continue
        other = max(card.may_be, key=lambda one: one.chance)
        gaps |= {"chance": other.chance}
        code = "doubtful_card"
        if other.piece is None:
            yield _at(make_issue(code, "issue.card_gone", (card.piece,), **gaps), card)
        elif is_unread(other.piece):
            yield make_issue(code, "issue.perhaps_none", (card.piece,), **gaps)
        else:
            gaps |= {"second": other.piece}
            yield make_issue(code, "issue.perhaps_other", (card.piece,), **gaps)


def _at(issue: Issue, card: Placed) -> Issue:
    """Return an issue with its place in the first photo."""
    x, y = card.outline_px.mean(axis=0).tolist()
    return replace(issue, at_px=(float(x), float(y)))


def _is_shown(
    issue: Issue,
    photo: int,
    layouts: Sequence[Layout],
    spots: Sequence[Spot],
    placed: Sequence[Placed],
) -> bool:
    """Tell whether another photo shows well what a photo shows badly."""
    names = {card.piece for card in placed}
    if issue.code not in _OF_CARDS:
        return bool(issue.cards) and not set(issue.cards) <= names
    mine = [
        spot
        for spot in spots
        if (card := spot.of(photo)) is not None and layouts[photo].placed[card].piece in issue.cards
    ]
    return not mine or any(
        not any(
            other.code == issue.code and layouts[at].placed[card].piece in other.cards
            for other in layouts[at].doubts
        )
        for spot in mine
        for at, card in spot.cards
        if at != photo
    )


def _hidden(layout: Layout, motion: Motion) -> FloatArray:
    """Return the places (N, 2) that a photo hides, mm of the common frame."""
    places = [_place(issue, layout, motion) for issue in layout.doubts if issue.code in _OF_PLACES]
    return np.concatenate([np.zeros((0, 2)), *(place for place in places if place is not None)])


def _place(issue: Issue, layout: Layout, motion: Motion) -> FloatArray | None:
    """Return the place (1, 2) that an issue speaks of, mm of the common frame, if it is known."""
    gaps = dict(issue.said.values) if issue.said is not None else {}
    at = issue.at_px or ((gaps["x"], gaps["y"]) if {"x", "y"} <= set(gaps) else None)
    if at is None:
        return None
    try:
        place = table_from_photo(layout.camera, np.array([at], np.float64))
    except (DegenerateGeometryError, ValueError):
        return None
    return motion.forth(place)


def _is_seen(
    issue: Issue,
    photo: int,
    layouts: Sequence[Layout],
    motions: Sequence[Motion],
    hidden: Sequence[FloatArray],
) -> bool:
    """Tell whether another photo shows the place that a photo hides."""
    common = _place(issue, layouts[photo], motions[photo])
    if common is None:
        return False
    for other, (layout, motion) in enumerate(zip(layouts, motions, strict=True)):
        if other == photo or (np.linalg.norm(hidden[other] - common, axis=1) < _NEAR_MM).any():
            continue
        try:
            at_px = photo_from_table(layout.camera, motion.back(common))[0]
        except DegenerateGeometryError:
            continue
        margin = 0.03 * min(layout.size_wh)
        if ((at_px > margin) & (at_px < np.array(layout.size_wh) - margin)).all():
            return True
    return False


def _is_told(
    issue: Issue,
    photo: int,
    layouts: Sequence[Layout],
    motions: Sequence[Motion],
    hidden: Sequence[FloatArray],
) -> bool:
    """Tell whether an earlier photo hides the place too: then it is told once, as of that one."""
    common = _place(issue, layouts[photo], motions[photo])
    if common is None:
        return False
    earlier = np.concatenate([*hidden[:photo], np.zeros((0, 2))])
    return bool((np.linalg.norm(earlier - common, axis=1) < _NEAR_MM).any())


def _of_photo(issue: Issue, number: int) -> Issue:
    """Tell an issue as one of a later photo; its place is not in the one that is drawn."""
    said: Message | str = issue.said or issue.message
    told = message("issue.of_photo", n=number, said=said)
    return replace(issue, message=f"photo {number}: {issue.message}", said=told, at_px=None)
