"""Tracks: which cards of several photos are the same card of the table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.seeing.estimation.overlaps import BESIDE_SHARE, card_outlines, max_overlap
from vision.seeing.multiview.frame_registration import RegisteredView
from vision.values.arrays import FloatArray
from vision.values.layout import Layout, poses_of

__all__ = ["MovedTrack", "Track", "build_tracks", "sure_poses"]


@dataclass(frozen=True, slots=True)
class Track:
    """A card of the table: pairs of a photo and the card's index in it."""

    cards: tuple[tuple[int, int], ...]

    def of(self, photo: int) -> int | None:
        """Return the index of this card in a photo; None if the photo does not show it."""
        return dict(self.cards).get(photo)


@dataclass(frozen=True, slots=True)
class MovedTrack:
    """A card that lies elsewhere in a photo: track, photo, index there, displacement.

    ``away`` is x mm, y mm, theta rad; None if it lies far off. ``card`` is None if the photo shows
    the bare table instead.
    """

    track: int
    photo: int
    card: int | None
    away: tuple[float, ...] | None = None


def sure_poses(layout: Layout) -> dict[str, FloatArray]:
    """Return the poses of cards that a photo names without doubt, and only once."""
    names = [p.piece for p in layout.placed]
    poses = poses_of(layout.placed)
    return {
        p.piece: poses[i]
        for i, p in enumerate(layout.placed)
        if not p.may_be and p.identity is not None and names.count(p.piece) == 1
    }


def build_tracks(
    photos: Sequence[RegisteredView], size_mm: tuple[float, float]
) -> tuple[list[Track], list[MovedTrack]]:
    """Match the cards of several photos to one another.

    Parameters
    ----------
    photos : sequence of RegisteredView
        What each shows.
    size_mm : (float, float)
        Width and height of a card.

    Returns
    -------
    tracks : list of Track
        Cards that lie in one place are one, whatever each photo calls them.
    strayed : list of MovedTrack
        Cards that lie elsewhere in a later photo: known by their sure names, and not among the
        tracks.
    """
    tracks: list[dict[int, int]] = []
    outlines = np.zeros((0, 4, 2))
    strayed: list[MovedTrack] = []
    by_name: dict[str, int] = {}
    for photo, taken in enumerate(photos):
        layout = taken.layout
        mine = card_outlines(taken.motion.move(poses_of(layout.placed)), size_mm)
        sure = sure_poses(layout)
        pairs = _pairs(mine, outlines)
        new = []
        for card, placed in enumerate(layout.placed):
            known = by_name.get(placed.piece) if placed.piece in sure else None
            if card in pairs:
                tracks[pairs[card]][photo] = card
            elif known is not None and known not in pairs.values():
                strayed.append(MovedTrack(known, photo, card))
            else:
                new.append(card)
        for card in new:
            tracks.append({photo: card})
            outlines = np.concatenate([outlines, mine[card][None]])
        for track, cards in enumerate(tracks):
            card = cards.get(photo, -1)
            if card >= 0 and layout.placed[card].piece in sure:
                by_name.setdefault(layout.placed[card].piece, track)
    return [Track(tuple(cards.items())) for cards in tracks], strayed


def _pairs(mine: FloatArray, known: FloatArray) -> dict[int, int]:
    """Pair outlines (N, 4, 2) with those of tracks (K, 4, 2), nearest first, one to one."""
    if not len(known):
        return {}
    away = np.linalg.norm(mine.mean(axis=1)[:, None] - known.mean(axis=1)[None], axis=2)
    pairs: dict[int, int] = {}
    for k in np.argsort(away, axis=None, kind="stable").tolist():
        card, track = divmod(k, len(known))
        if card in pairs or track in pairs.values():
            continue
        if max_overlap(mine[card], known[track][None]) >= BESIDE_SHARE:
            pairs[card] = track
    return pairs
