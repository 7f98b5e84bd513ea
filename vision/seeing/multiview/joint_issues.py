"""Doubts of several photos of one table, merged.

A doubt about a name stays if all photos together leave one; a doubt about a hidden place goes if
another photo shows it. What stays refers to its photo. Separate from ``fusion``: it only reports.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import rotation
from vision.seeing.multiview.frame_registration import RegisteredView
from vision.seeing.multiview.tracks import MovedTrack, Track
from vision.texts import make_issue, where_px
from vision.values.arrays import FloatArray, Points
from vision.values.layout import Placed
from vision.values.messages import Issue, Message, Outline, Place, message

__all__ = ["report_joint_issues"]

#: Doubts about what a card is: told anew, from what all photos say.
_OF_NAMES = ("doubtful_card", "unreadable_card", "duplicate_card")
#: Doubts about how well a photo shows a card: gone if another shows it better.
_OF_CARDS = ("card_cut_off", "card_covered")
#: Doubts about a part of a card that showed: gone if another shows more there, or the bare table.
_OF_PARTS = ("card_hidden", "outline_unread")  # the second in rounds of older versions
#: Doubts about what a photo hides: gone if another shows that place without one.
_OF_HIDING = ("table_covered", "glare", "glare_table")
_OF_PLACES = (*_OF_PARTS, *_OF_HIDING)
_TURNED_MM = 5.0  # who turns a card by half lays it down elsewhere by more than that,
_TURNED_DEG = 10.0  # and not so exactly
_MARGIN = 0.03  # of a photo's shorter side: what is nearer to its border may be cut off
_MIDDLE_MM = (36.0, 36.0)  # round a card's middle, and within it however it is turned
_NEAR_MM = 60.0  # of each other are places that two photos hide: a card's width


def report_joint_issues(
    photos: Sequence[RegisteredView],
    tracks: Sequence[Track],
    placed: Sequence[Placed],
    moved: Sequence[MovedTrack],
) -> tuple[Issue, ...]:
    """Return the doubts and notes of all photos together.

    Parameters
    ----------
    photos : sequence of RegisteredView
        What each shows.
    tracks, placed
        The table's cards: which they are in the photos, and as they are fused.
    moved : sequence of MovedTrack
        The cards that lie elsewhere in a later photo.
    """
    places = {one: _moved_places(one, tracks[one.track], photos) for one in moved}
    gone = {placed[one.track].piece: places[one] for one in moved if one.card is None}
    told = [
        *(
            replace(issue, places=places[one])
            for one, issue in _moved_issues(photos, placed, moved)
        ),
        *(replace(issue, places=gone.get(issue.cards[0], ())) for issue in _name_issues(placed)),
    ]
    unseen = _unresolved_places(photos)
    known = {(issue.code, issue.cards) for issue in told}
    for nth, photo in enumerate(photos):
        for k, issue in enumerate(photo.layout.doubts):
            if issue.code in _OF_NAMES or _is_resolved(issue, nth, photos, tracks, placed):
                continue
            if issue.code in _OF_PLACES:
                if (nth, k) not in unseen:
                    continue
            elif (issue.code, issue.cards) in known:
                continue
            known.add((issue.code, issue.cards))
            told.append(issue if nth == 0 else _issue_of_view(issue, photo.number))
    return tuple(told)


def _moved_issues(
    photos: Sequence[RegisteredView], placed: Sequence[Placed], moved: Sequence[MovedTrack]
) -> Iterator[tuple[MovedTrack, Issue]]:
    """Report the cards that lie elsewhere in a later photo."""
    turned: set[int] = set()  # tracks: which photo reads a card the other way up says nothing
    for one in moved:
        if one.card is None:
            continue
        card, photo = placed[one.track], photos[one.photo]
        at = photo.layout.placed[one.card].outline_px.mean(axis=0)
        gaps = {"card": card.piece, "n": photo.number, **where_px(*at)}
        if one.away is None:
            issue = make_issue("card_moved", "issue.card_elsewhere", (card.piece,), **gaps)
            yield one, _at(issue, card)
            continue
        mm, degrees = float(np.hypot(one.away[0], one.away[1])), float(np.degrees(abs(one.away[2])))
        if mm < _TURNED_MM and degrees > 180 - _TURNED_DEG:  # no hand does so: it was read so
            if one.track not in turned:
                turned.add(one.track)
                said = {"cards": card.piece, "n": 1}
                code = "half_turn_open"
                issue = make_issue(code, f"issue.{code}", (card.piece,), "doubt", **said)
                yield one, _at(issue, card)
            continue
        gaps |= {"mm": mm, "degrees": f"{degrees:.1f}"}
        yield one, _at(make_issue("card_moved", "issue.card_moved", (card.piece,), **gaps), card)


def _name_issues(placed: Sequence[Placed]) -> Iterator[Issue]:
    """Report the doubts that remain about names."""
    for card in placed:
        where = where_px(*card.outline_px.mean(axis=0))
        gaps: dict[str, Any] = {"card": card.piece, **where}
        if card.identity is None:
            yield make_issue("unreadable_card", "issue.no_face", (card.piece,), **gaps)
            continue
        if not card.may_be:
            continue
        other = max(card.may_be, key=lambda one: one.chance)
        gaps |= {"chance": other.chance}
        code = "doubtful_card"
        if other.piece is None:
            yield _at(make_issue(code, "issue.card_gone", (card.piece,), **gaps), card)
        elif other.is_foreign:
            yield make_issue(code, "issue.perhaps_none", (card.piece,), **gaps)
        else:
            gaps |= {"second": other.piece}
            yield make_issue(code, "issue.perhaps_other", (card.piece,), **gaps)


def _at(issue: Issue, card: Placed) -> Issue:
    """Return an issue with its position in the first photo."""
    x, y = card.outline_px.mean(axis=0).tolist()
    return replace(issue, at_px=(float(x), float(y)))


def _is_resolved(
    issue: Issue,
    nth: int,
    photos: Sequence[RegisteredView],
    tracks: Sequence[Track],
    placed: Sequence[Placed],
) -> bool:
    """Return whether another photo shows well what a photo shows badly."""
    names = {card.piece for card in placed}
    if issue.code not in _OF_CARDS:
        return bool(issue.cards) and not set(issue.cards) <= names
    mine = [
        track
        for track in tracks
        if (card := track.of(nth)) is not None
        and photos[nth].layout.placed[card].piece in issue.cards
    ]
    return not mine or any(
        not any(
            other.code == issue.code and photos[at].layout.placed[card].piece in other.cards
            for other in photos[at].layout.doubts
        )
        for track in mine
        for at, card in track.cards
        if at != nth
    )


def _unresolved_places(photos: Sequence[RegisteredView]) -> set[tuple[int, int]]:
    """Return the doubts, by photo and index, about places that no other photo shows.

    Of several photos with the same doubt, the first that shows part of a card there reports it.
    """
    kept: set[tuple[int, int]] = set()
    at = np.zeros((0, 2))
    every = [(nth, k, i) for nth, p in enumerate(photos) for k, i in enumerate(p.layout.doubts)]
    for codes, shows in ((_OF_PARTS, _is_explained), (_OF_HIDING, _is_clear)):
        for nth, k, issue in (one for one in every if one[2].code in codes):
            photo, others = photos[nth], [*photos[:nth], *photos[nth + 1 :]]
            place = _place(issue, photo)
            if place is not None:
                if _is_near(place, at) or any(shows(place, photo, other) for other in others):
                    continue
                at = np.concatenate([at, place])
            kept.add((nth, k))
    return kept


def _places(photo: RegisteredView, codes: Sequence[str]) -> FloatArray:
    """Return the places (N, 2) of a photo's doubts, mm of the common frame."""
    places = [_place(issue, photo) for issue in photo.layout.doubts if issue.code in codes]
    return np.concatenate([np.zeros((0, 2)), *(place for place in places if place is not None)])


def _place(issue: Issue, photo: RegisteredView) -> FloatArray | None:
    """Return the place (1, 2) of an issue, mm of the common frame, if known."""
    gaps = dict(issue.said.values) if issue.said is not None else {}
    at = issue.at_px or ((gaps["x"], gaps["y"]) if {"x", "y"} <= set(gaps) else None)
    if at is None:
        return None
    try:
        return photo.to_table(np.array([at], np.float64))
    except (DegenerateGeometryError, ValueError):
        return None


def _is_clear(place: FloatArray, _: RegisteredView, other: RegisteredView) -> bool:
    """Return whether another photo shows a place (1, 2) and does not report it as hidden."""
    return _is_in(place, other) and not _is_near(place, _places(other, _OF_HIDING))


def _is_explained(place: FloatArray, photo: RegisteredView, other: RegisteredView) -> bool:
    """Return whether another photo shows the bare table, or one more card, at a place (1, 2)."""
    if other.is_bare(np.array([*place[0], 0.0]), _MIDDLE_MM):
        return True
    return _cards_at(place, other) > _cards_at(place, photo)


def _cards_at(place: FloatArray, photo: RegisteredView) -> int:
    """Return the number of a photo's cards at a place (1, 2)."""
    try:
        at_px = photo.to_photo(place)[0].tolist()
    except DegenerateGeometryError:
        return 0
    outlines = (card.outline_px.astype(np.float32) for card in photo.layout.placed)
    return sum(cv2.pointPolygonTest(outline, at_px, False) >= 0 for outline in outlines)


def _is_in(place: FloatArray, photo: RegisteredView) -> bool:
    """Return whether a place (1, 2) lies within a photo."""
    size_wh = photo.layout.size_wh
    try:
        at_px = photo.to_photo(place)[0]
    except DegenerateGeometryError:
        return False
    margin = _MARGIN * min(size_wh)
    return bool(((at_px > margin) & (at_px < np.array(size_wh) - margin)).all())


def _is_near(place: FloatArray, others: FloatArray) -> bool:
    """Return whether a place (1, 2) is close to one of others (N, 2)."""
    return bool((np.linalg.norm(others - place, axis=1) < _NEAR_MM).any())


def _issue_of_view(issue: Issue, number: int) -> Issue:
    """Return an issue as one of a later photo, without a position in the picture drawn."""
    said: Message | str = issue.said or issue.message
    told = message("issue.of_photo", n=number, said=said)
    return replace(issue, message=f"photo {number}: {issue.message}", said=told, at_px=None)


def _moved_places(
    one: MovedTrack, track: Track, photos: Sequence[RegisteredView]
) -> tuple[Place, ...]:
    """Return two places of a moved card: in the photo that counts, and in the other one.

    None where one lies on a photo's horizon.
    """
    first, card = track.cards[0]
    before, after = photos[first], photos[one.photo]
    sizes = before.layout.size_wh, after.layout.size_wh
    own_px = before.layout.placed[card].outline_px
    try:
        here = before.to_table(own_px)
        if one.card is None:
            gone = _outline(after.to_photo(here))
            shown = Place(first, sizes[0], _outline(own_px))
            return shown, Place(one.photo, sizes[1], other_px=gone)
        moved_px = after.layout.placed[one.card].outline_px
        there = after.to_table(moved_px)
        if one.away is not None:  # what the whole table is off by is left out
            back = tuple(-value for value in one.away)
            here, there = _shifted(there, back), _shifted(here, one.away)
        as_there, as_here = before.to_photo(there), after.to_photo(here)
    except DegenerateGeometryError:
        return ()
    return (
        Place(first, sizes[0], _outline(own_px), _outline(as_there)),
        Place(one.photo, sizes[1], _outline(moved_px), _outline(as_here)),
    )


def _shifted(outline_mm: Points, away: Sequence[float]) -> Points:
    """Move an outline (4, 2) by x mm and y mm, and rotate it about its centre by theta rad."""
    x, y, theta = away
    middle = outline_mm.mean(axis=0)
    return np.asarray((outline_mm - middle) @ rotation(theta).T + middle + [x, y], np.float64)


def _outline(points_px: Points) -> Outline:
    """Return points (N, 2) of a photo in the form of files."""
    return tuple((round(x, 1), round(y, 1)) for x, y in points_px.tolist())
