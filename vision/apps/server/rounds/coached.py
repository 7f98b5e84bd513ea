"""A round -> what would have been better, once it is over; an evening -> the best of its rounds."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from vision.apps.server.problems import Problem
from vision.apps.server.rounds.played import Round
from vision.apps.server.rounds.told import PhotoPlaces, in_each
from vision.errors import ScanError
from vision.judging.coach import Advice, Coaching, best_of
from vision.texts import texts
from vision.values.arrays import Points
from vision.values.heat import HeatMap

__all__ = ["coached", "coached_evening", "mapped"]

Json = dict[str, Any]
_ROUNDS_KEPT = 24  # rounds whose coach is asked again at once: an evening has fewer


def coached(round_: Round) -> Json:
    """Return the advice for each side, its sentences in every language.

    Raises
    ------
    Problem
        404 if the game has no coach, 409 while a side has still to order: it would be told what
        to answer.
    """
    found = _coaching(round_)
    return {
        "advice": [_advice(one, round_) for one in found.advice],
        "maps": [
            {"piece": one.piece, "side": one.side, "most": one.most, "title": _title(one, round_)}
            for one in found.maps
        ],
    }


def mapped(round_: Round, piece: str) -> Json:
    """Return what the places of the table would have been worth to a piece, in px of the photo.

    Raises
    ------
    Problem
        As of :func:`coached`; 404 too if there is no map of such a piece.
    """
    for heat in _coaching(round_).maps:
        if heat.piece == piece:
            places = PhotoPlaces(round_.camera, round_.size_wh)
            cells = (
                {"outline_px": outline, "worth": int(worth)}
                for outline, worth in _cells(heat, places)
            )
            return {
                "piece": piece,
                "side": heat.side,
                "most": heat.most,
                "title": _title(heat, round_),
                "cells": list(cells),
                "best_px": places.points(heat.best_mm) if len(heat.best_mm) else [],
            }
    raise Problem(404, "not_found", f"there is no map of {piece}")


def coached_evening(rounds: Sequence[tuple[str, int | None, Round]]) -> Json:
    """Return what would have helped each side most in an evening: three things at most.

    ``rounds`` are those of the evening with their ids and numbers. One whose game has no coach, or
    that cannot be told yet, is left out.
    """
    told = []
    for scan_id, number, round_ in rounds:
        try:
            told.append((scan_id, number, round_, _coaching(round_).advice))
        except (Problem, ScanError):
            continue
    best = best_of([advice for *_, advice in told])
    return {
        "advice": [
            {**_advice(one, told[k][2]), "round": {"id": told[k][0], "number": told[k][1]}}
            for k, one in best
        ]
    }


def _coaching(round_: Round) -> Coaching:
    game = round_.game
    if not game.has_coach:
        raise Problem(404, "not_found", f"{game.name} has no coach")
    given = game.orders(round_.table)
    missing = [party for party in game.parties(round_.table) if party.id not in given]
    if missing:
        words = texts("en", game.texts)
        names = ", ".join(words.tell(party.name) for party in missing)
        detail = f"the coach answers when all orders are in; still missing: {names}"
        raise Problem(409, "orders_missing", detail)
    return _played(round_)


@lru_cache(maxsize=_ROUNDS_KEPT)
def _played(round_: Round) -> Coaching:
    """Return what would have been better; a round is kept by its identity, as it stands."""
    return round_.game.coaching(round_.table)


def _advice(advice: Advice, round_: Round) -> Json:
    places = PhotoPlaces(round_.camera, round_.size_wh)
    outline = np.array(advice.outline_mm).reshape(-1, 2)
    return {
        "side": advice.side,
        "kind": advice.kind,
        "order": advice.order,
        "worth": advice.worth,
        "piece": advice.piece,
        "outline_px": places.points(outline) if len(outline) else [],
        "said": in_each(advice.said, round_.game),
    }


def _title(heat: HeatMap, round_: Round) -> Json:
    piece = next(one for one in round_.ledger.pieces if one.id == heat.piece)
    return in_each(piece.title, round_.game)


def _cells(heat: HeatMap, places: PhotoPlaces) -> Iterator[tuple[list[list[float]], float]]:
    """Yield the outline in the photo and the worth of each place that is worth something."""
    half = heat.cell_mm / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    for place, worth in zip(heat.places_mm, heat.worth.tolist(), strict=True):
        if worth > 0:
            outline: Points = place + half
            shown = places.points(outline)
            if shown:
                yield shown, worth
