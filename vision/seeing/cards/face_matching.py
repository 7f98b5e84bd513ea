"""Template matching of outlines and placed cards against all faces of a framed deck.

Every outline is compared with every face, upright and half turned. Faces of one motif in two
colours correlate well, and counters may cover all but the frame, so the hues and the tint of the
printed frame are compared as well; their misfit is subtracted from the correlation.
"""

from dataclasses import replace

import numpy as np

from vision.geometry import card_corners, map_each, solve_homographies
from vision.imaging.view import View
from vision.seeing.recognition.framed_faces import (
    CONTRAST_FLOOR,
    FaceIndex,
    compare,
    compare_hues,
    correlate_hues,
    describe,
    sample_colours,
    tint_of,
)
from vision.seeing.recognition.occlusion import HUE_MOST, compare_uncovered, inlier_mask
from vision.seeing.values import LARGE_LEAD, LEAST_LEAD, PLAIN_SCORE, READ_SCORE, FaceMatch
from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "border_shares",
    "bordered_quads",
    "clearer_scores",
    "foreign_chances",
    "match_cards",
    "match_quads",
    "pair_frames",
    "score_cards",
]


#: The first meanings of a quadrilateral: the card's edge, either side as top.
_EDGE_INTERPRETATIONS = 2
_TINT_WEIGHT = 0.15  # taken from the correlation for a tint that is off by 1
_HUE_WEIGHT = 0.7  # taken for hues that correlate by 1 less than the best
_TINT_MOST = 0.6  # frames of two teams are 0.4 to 1.4 apart
_OFF_FOREIGN = 0.65  # of the tint, and half of the hues' lack of correlation: as often of
# no card as of the deck's, if one card in forty is of none: fitted on 611 cards of 60 photos,
# sample, hard and ray-traced ones that no number was fitted on before, each also with a deck
# that lacks its face, with
_OFF_SLOPE = 20.0  # of the log odds by it
_WHOLE_ODDS = 4.6  # log odds less for a face of which the deck lacks no twin, if it has
# all cards of its game: one card in 4,000 is of none. Not fitted: no such card was seen
_TINT_FADE: tuple[float, float] = (0.5, 1.15)  # blur with the dark panel pales a thin frame
_FRAME_OFF = 0.03  # of the shortest side: a printed frame is inset by 0.06 of it
_MOST_QUADS = 400  # that are compared: a table of 60 cards shows each at most 4 times
_RIM_RATIO = 1.4  # of the border's least channel to the frame's; printed: above 3
_RIM_STEP = 8.0  # tones, on top: in the dark a ratio is noise
_PRINTED_DARK = 0.2  # lightness of a face, white = 1


def match_quads(
    pyramid: View,
    quads_px: FloatArray,
    index: FaceIndex,
    is_edge: BoolArray | None = None,
) -> tuple[FloatArray, list[FaceMatch]]:
    """Match each quadrilateral against all faces, as the card's edge and as its printed frame.

    Parameters
    ----------
    pyramid : tuple of (H, W, 3) uint8
        The photo, and halves of it.
    quads_px : (N, 4, 2) float64
        Clockwise corners in the photo, first one arbitrary, convex.
    index : FaceIndex
        The faces.
    is_edge : (N,) bool, optional
        Which are known to be a card's edge, as from :func:`pair_frames`.

    Returns
    -------
    corners_px : (N, 4, 2) float64
        TL, TR, BR, BL of the card's edge, so that the best face is upright.
    matches : list of FaceMatch
        One for each quadrilateral, of its best meaning, its corners as they are returned.
    """
    if not len(quads_px):
        return np.zeros((0, 4, 2)), []
    homographies = _interpretation_homographies(quads_px, index)
    n, r = homographies.shape[:2]
    asked = np.ones((n, r), bool)
    if is_edge is not None:
        asked[is_edge, _EDGE_INTERPRETATIONS:] = False
    scores = np.full((n, r, 2, len(index.card_ids)), -1.0)
    found = score_cards(pyramid, map_each(homographies[asked], index.places_mm), index)
    scores[asked] = found.transpose(0, 2, 1)
    card = card_corners(*index.size_mm)
    best = scores.max(axis=(2, 3)).argmax(axis=1)
    corners = map_each(homographies[np.arange(n), best], card)
    matches = []
    for i, (upright, turned) in enumerate(scores[np.arange(n), best]):
        half = bool(turned.max() > upright.max())
        corners[i] = np.roll(corners[i], 2 * half, axis=0)
        matches.append(
            FaceMatch(np.stack([turned, upright] if half else [upright, turned], axis=1))
        )
    return corners, matches


def pair_frames(quads_px: FloatArray, index: FaceIndex) -> tuple[FloatArray, BoolArray]:
    """Drop the quadrilaterals that are the printed frame inside another.

    Returns
    -------
    quads_px : (K, 4, 2) float64
        The others, in their order.
    is_edge : (K,) bool
        Which of them have a frame inside, and so are a card's edge.
    """
    n = len(quads_px)
    as_edge = _interpretation_homographies(quads_px, index)[:, :_EDGE_INTERPRETATIONS]
    expected = np.stack(
        [map_each(as_edge[:, k], card_corners(*index.rectangles_mm[1])) for k in range(2)], axis=1
    )
    turned = np.stack([np.roll(quads_px, k, axis=1) for k in range(4)], axis=1)
    side = np.linalg.norm(quads_px - np.roll(quads_px, 1, axis=1), axis=2).min(axis=1)
    most = _FRAME_OFF * side
    middles = quads_px.mean(axis=1)  # if all corners are near, so are the middles
    beside = np.abs(expected.mean(axis=2)[:, None] - middles[None, :, None]).max(axis=3)
    one, other = np.nonzero(beside.min(axis=2) < most[:, None])
    # (P, 2, 1, 4, 2) against (P, 1, 4, 4, 2)
    apart = expected[one][:, :, None] - turned[other][:, None]
    near = np.abs(apart).max(axis=(3, 4)).min(axis=(1, 2)) < most[one]
    has_frame, is_inside = np.zeros((2, n), bool)
    has_frame[one[near]], is_inside[other[near]] = True, True
    is_frame = is_inside & ~has_frame
    return quads_px[~is_frame], has_frame[~is_frame]


def bordered_quads(
    pyramid: View, quads_px: FloatArray, index: FaceIndex, most: int = _MOST_QUADS
) -> BoolArray:
    """Return which quadrilaterals (N, 4, 2) to compare: of too many, those with most border.

    Checked cloth has thousands. A card that is dropped here can still be found once the plane is
    known.
    """
    if len(quads_px) <= most:
        return np.ones(len(quads_px), bool)
    meanings = _interpretation_homographies(quads_px, index)
    rims_px = map_each(meanings.reshape(-1, 3, 3), index.rim_mm)
    shares = border_shares(pyramid, rims_px, index).reshape(len(quads_px), -1).max(axis=1)
    kept = np.zeros(len(quads_px), bool)
    kept[np.argsort(-shares, kind="stable")[:most]] = True
    return kept


def _interpretation_homographies(quads_px: FloatArray, index: FaceIndex) -> FloatArray:
    """Return the homographies (N, R, 3, 3) from the card frame for each interpretation.

    A quadrilateral is the card's edge or its printed frame, with either side as the top.
    """
    meanings = [
        solve_homographies(card_corners(*size_mm), np.roll(quads_px, -quarter, axis=1))
        for size_mm in index.rectangles_mm
        for quarter in (0, 1)
    ]
    return np.stack(meanings, axis=1)


def match_cards(
    pyramid: View,
    cards_px: FloatArray,
    index: FaceIndex,
) -> list[FaceMatch]:
    """Match cards at known places against all faces, occluded parts left out.

    Parameters
    ----------
    pyramid : tuple of (H, W, 3) uint8
        The photo, and halves of it.
    cards_px : (N, G + B, 2) float64
        Where ``index.places_mm`` of each card (supposed upright) show in the photo.
    index : FaceIndex
        The faces.
    """
    if not len(cards_px):
        return []
    matches, upright, like = _match_uncovered(pyramid, cards_px, index)
    named = np.array([match.best for match in matches])
    cast = _colour_casts(upright, named, index)
    foreign = foreign_chances(upright, named, index, like, cast=cast)
    each = zip(matches, foreign.tolist(), strict=True)
    return [replace(match, foreign=chance) for match, chance in each]


def _match_uncovered(
    pyramid: View,
    cards_px: FloatArray,
    index: FaceIndex,
) -> tuple[list[FaceMatch], FloatArray, BoolArray]:
    """Return the matches of N cards, their upright features, and where these are like the face."""
    colours = sample_colours(pyramid, cards_px, index)
    features = describe(colours, index)
    whites = np.median(colours[:, len(index.grid_mm) :], axis=(1, 2))
    matches = [FaceMatch(scores) for scores in _scores(features, index)]
    for i, (seen, match) in enumerate(zip(features, matches, strict=True)):
        if match.score < PLAIN_SCORE:
            part = compare_uncovered(seen, match.scores, index)
            matches[i] = FaceMatch(clearer_scores(match.scores, part))
    turned = np.array([match.is_half_turned(match.best) for match in matches])
    upright = np.where(turned[:, None, None], features[:, ::-1], features)
    named = np.array([match.best for match in matches])
    faces = index.features[named]
    like = inlier_mask(upright, faces, index.shape_hw)
    dark = faces[..., 0] < _PRINTED_DARK
    veils = [
        float(np.median(one[d])) if d.any() else 0.0
        for one, d in zip(upright[..., 0], dark, strict=True)
    ]
    shares = like.mean(axis=1)
    told = [
        FaceMatch(match.scores, float(share), haze, float(white))
        for match, share, haze, white in zip(matches, shares, veils, whites, strict=True)
    ]
    return told, upright, like


def foreign_chances(
    upright: FloatArray,
    named: IntArray,
    index: FaceIndex,
    like: BoolArray,
    visible_mask: BoolArray | None = None,
    cast: FloatArray | None = None,
) -> FloatArray:
    """Return how likely cards (N,) are of no deck, by their colours against the faces they show.

    The ships of two teams have one shape: a card whose face the deck lacks agrees with its twin in
    everything but the tint of its frame and the hues of its print. A frame too pale for a tint, in
    glare or under a hand, speaks for no team and against none. What lies on a card has hues of its
    own: they count over the card, or where it is like its face, the better of both.

    Parameters
    ----------
    upright : (N, G, 3) float64
        Features of the cards, upright as these faces.
    named : (N,) int
        The faces.
    index : FaceIndex
        The deck's faces.
    like : (N, G) bool
        Where the cards agree with the faces.
    visible_mask : (N, G) bool, optional
        Where nothing that is known lies on the cards.
    cast : (N, 2) float64, optional
        What the light on the table adds to the tints of their frames.
    """
    if not len(named):
        return np.zeros(0)
    if visible_mask is None:
        visible_mask = np.ones(upright.shape[:2], np.bool_)
    bare = np.where(visible_mask[..., None], upright, [1.0, 0.0, 0.0])  # as the border: no frame
    # a cast may be that of one team's cards: it speaks for a card only, and never against one
    casts = [np.zeros((len(named), 2)), *([] if cast is None else [cast])]
    off = np.min([_frame_misfit(bare, named, index, one) for one in casts], axis=0)
    masks = np.stack([visible_mask, like], axis=1)
    best = correlate_hues(upright[:, None], masks, index.features[named][:, None]).max(axis=1)
    usual = index.usual_colour / np.sqrt(len(index.grid_mm))  # a deck without colours has no hues
    off = off + min(1.0, usual / CONTRAST_FLOOR) * (1 - best) / 2
    odds = _OFF_SLOPE * (off - _OFF_FOREIGN) - _WHOLE_ODDS * index.is_whole[named]
    return np.asarray(1 / (1 + np.exp(-odds)), np.float64)


def clearer_scores(scores: FloatArray, uncovered: FloatArray) -> FloatArray:
    """Return the clearer of two sets of scores (K, 2); where they disagree, no face leads.

    ``scores`` are of whole cards, ``uncovered`` of their visible parts.
    """
    whole, part = FaceMatch(scores), FaceMatch(uncovered)
    if part.score < READ_SCORE:
        return scores
    if whole.score < READ_SCORE:
        agree = whole.best == part.best or part.lead > LARGE_LEAD
        return uncovered if agree else _without_lead(scores, uncovered)
    if whole.best != part.best and min(whole.lead, part.lead) > LEAST_LEAD:
        return _without_lead(scores, uncovered)
    return uncovered if part.lead > whole.lead else scores


def _without_lead(scores: FloatArray, uncovered: FloatArray) -> FloatArray:
    """Return the lower of each score (K, 2), with no lead between the two best faces."""
    lower = np.minimum(scores, uncovered)
    named = [FaceMatch(scores).best, FaceMatch(uncovered).best]
    tops = lower[named].max(axis=1)
    lower[named] += (tops.max() - tops)[:, None]
    return lower


def score_cards(pyramid: View, cards_px: FloatArray, index: FaceIndex) -> FloatArray:
    """Return the scores (N, K, 2) of :func:`match_cards` without the visible share."""
    if not len(cards_px):
        return np.zeros((0, len(index.card_ids), 2))
    return _scores(describe(sample_colours(pyramid, cards_px, index), index), index)


def _scores(features: FloatArray, index: FaceIndex) -> FloatArray:
    """Return correlations (N, K, 2) less the misfit of the tint."""
    off = _TINT_WEIGHT * np.nan_to_num(_tint_misfit(features, index))[:, None]
    hues = compare_hues(features, index)
    best = hues.max(axis=(1, 2), keepdims=True, initial=-1)
    short = np.minimum(best - hues, HUE_MOST)
    off = off + _HUE_WEIGHT * index.colourful * short
    scores = compare(features, index) - off
    return np.asarray(np.maximum(scores, -1).transpose(0, 2, 1), np.float64)


def border_shares(pyramid: View, rims_px: FloatArray, index: FaceIndex) -> FloatArray:
    """Return the share of the outline along which a white border is brighter than the frame.

    A cheap test of proposals before their faces are compared.

    Parameters
    ----------
    pyramid : tuple of (H, W, 3) uint8
        The photo, and halves of it.
    rims_px : (N, 3 + 2B, 2) float64
        Where ``index.rim_mm`` of each card show in the photo.
    index : FaceIndex
        The faces.

    Returns
    -------
    (N,) float64
        0 to 1.
    """
    if not len(rims_px):
        return np.zeros(0)
    b = len(index.border_mm)
    light = sample_colours(pyramid, rims_px, index, corners=(0, 1, 2)).min(axis=2)
    frame, border = light[:, 3 : 3 + b], light[:, 3 + b :]
    stands_out = border > _RIM_RATIO * frame + _RIM_STEP
    return np.asarray(stands_out.mean(axis=1), np.float64)


def _frame_misfit(
    features: FloatArray, named: IntArray, index: FaceIndex, cast: FloatArray
) -> FloatArray:
    """Return the tint misfit (N,) of frames with those of their faces, less a cast (N, 2).

    Frames too pale for a tint have half of the most: they speak neither for a team nor against one.
    """
    off = _tint_misfit(features, index, cast)[np.arange(len(named)), named]
    return np.where(np.isnan(off), _TINT_MOST / 2, off)


def _colour_casts(upright: FloatArray, named: IntArray, index: FaceIndex) -> FloatArray:
    """Return what the light on the table adds to the tints of cards (N, 2): as on the others.

    Lamps that shine on cards tint what they veil, all in much the same way. At most half of what
    lies between two teams is light.
    """
    casts = np.zeros((len(named), 2))
    tint = tint_of(upright[:, index.frame_places])
    own = index.tints[named]
    size = np.maximum((own**2).sum(axis=1), 1e-6)
    fade = np.clip((tint * own).sum(axis=1) / size, *_TINT_FADE)
    rest = tint - fade[:, None] * own
    told = np.isfinite(rest).all(axis=1)
    for i in range(len(named)):
        others = rest[told & (np.arange(len(named)) != i)]
        if len(others) >= 3:
            cast = np.median(others, axis=0)
            most = _TINT_MOST / 2
            casts[i] = cast * min(1.0, most / max(float(np.linalg.norm(cast)), 1e-9))
    return casts


def _tint_misfit(
    features: FloatArray, index: FaceIndex, cast: FloatArray | None = None
) -> FloatArray:
    """Return the tint misfit (N, K) between frames of cards and of faces; nan where occluded."""
    tint = tint_of(features[:, index.frame_places])
    tint = tint if cast is None else tint - cast
    size = np.maximum((index.tints**2).sum(axis=1), 1e-6)
    fade = np.clip(tint @ index.tints.T / size, *_TINT_FADE)
    off = np.linalg.norm(tint[:, None] - fade[..., None] * index.tints, axis=2)
    return np.asarray(np.minimum(off, _TINT_MOST), np.float64)
