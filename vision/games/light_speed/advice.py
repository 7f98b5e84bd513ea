"""Hints -> advice: the sentences of the coach, and where the cards would have lain."""

import numpy as np

from vision.games.light_speed.bodies import turned_axes
from vision.games.light_speed.coach import Hint, find_all
from vision.games.light_speed.tell_odds import score_parts
from vision.games.light_speed.values import Deck, TableState
from vision.games.light_speed.whatif import way_of
from vision.geometry import card_corners
from vision.judging.coach import Advice, Coaching
from vision.values.messages import Message, message

__all__ = ["coach_round"]


def coach_round(table: TableState, deck: Deck) -> Coaching:
    """Say for each team what would have been better, and map what each ship's places were worth.

    At most three things for a team, the best first; every one was played.
    """
    hints, maps = find_all(table, deck)
    advice = (
        Advice(
            hint.team,
            hint.kind,
            _said(hint),
            worth=hint.worth,
            piece=hint.ship,
            outline_mm=_outline(hint, table, deck),
        )
        for hint in hints
    )
    return Coaching(tuple(advice), maps)


def _outline(hint: Hint, table: TableState, deck: Deck) -> tuple[tuple[float, float], ...]:
    """Return the corners of a ship where a hint would have it, mm; nothing where it stays."""
    if hint.laser is not None:
        return ()
    card = next(card for card in table.cards if card.card_id == hint.ship)
    turn = np.array([card.theta_rad + hint.turn_rad])
    corners = card_corners(deck.width_mm, deck.height_mm) @ turned_axes(turn)[0]
    corners += [card.x_mm + hint.dx_mm, card.y_mm + hint.dy_mm]
    return tuple((float(x), float(y)) for x, y in corners)


def _said(hint: Hint) -> Message:
    values = {"card": hint.ship, "n": hint.worth, "score": score_parts(hint.totals)}
    if hint.kind == "own_fire":
        assert hint.laser is not None
        return message("hint.own_fire", laser=hint.laser + 1, target=hint.target, **values)
    change = way_of(hint.dx_mm, hint.dy_mm, hint.turn_rad, "hint")
    return message("hint.place" if hint.kind == "place" else "hint.move", change=change, **values)
