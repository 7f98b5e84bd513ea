"""Round -> what lies on its table as corrections go: poses, likely names, options, rulings."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from vision.apps.server.rounds.played import Round
from vision.apps.server.rounds.told import PhotoPlaces, in_each
from vision.judging.game import Game
from vision.judging.hands import Setting

__all__ = ["placed", "settings_of"]

Json = dict[str, Any]


def placed(round_: Round) -> Json:
    """Return what a hand may change, from the table as its game writes it."""
    written = round_.written
    places, hands = PhotoPlaces(round_.camera, round_.size_wh), _hands(round_)
    return {
        "cards": [] if hands else _cards(round_),
        "objects": [
            {**thing, "outline_px": places.points(np.array(thing["outline_mm"]))}
            for thing in written.get("objects", [])
        ],
        "hands": hands,
        "settings": _settings(round_),
        "rules": written.get("rules", {}),
        "rulings": written.get("rulings", []),
    }


def _hands(round_: Round) -> Json | None:
    """Return the pieces of a board that a hand may move; None where the game takes them not so."""
    game = round_.game
    if not game.overrides(Game.standing):
        return None
    pieces = [
        {
            "id": piece.piece,
            "x_mm": piece.x_mm,
            "y_mm": piece.y_mm,
            "theta_deg": math.degrees(piece.theta_rad),
            "size_mm": list(piece.size_mm),
            "step_mm": piece.step_mm,
            "turn_deg": math.degrees(piece.turn_rad),
            "choices": list(piece.may_be),
            "fixed": piece.is_fixed,
        }
        for piece in game.standing(game.as_seen_by(round_.table, None))
    ]
    return {"pieces": pieces, "spare": list(game.spare(round_.table))}


def settings_of(round_: Round, piece: str) -> list[Json]:
    """Return what else of a piece a tap sets, in every language."""
    game = round_.game
    return _told(round_, game.settings_of(game.as_seen_by(round_.table, None), piece))


def _settings(round_: Round) -> list[Json]:
    """Return what else of a table a tap sets, in every language."""
    game = round_.game
    return _told(round_, game.settings(game.as_seen_by(round_.table, None)))


def _told(round_: Round, settings: Sequence[Setting]) -> list[Json]:
    game = round_.game
    return [
        {
            "id": one.id,
            "name": in_each(one.name, game),
            "choices": [
                {"said": in_each(said, game), "change": change} for said, change in one.choices
            ],
            "chosen": one.chosen,
            "doubtful": one.is_doubtful,
            "of": one.of,
        }
        for one in settings
    ]


def _cards(round_: Round) -> list[Json]:
    """Return where cards lie, and what each may be instead of what it is called."""
    read = {card["card"]: card for card in round_.document.get("cards", [])}
    was = round_.document["table"].get("cards", [])
    spots = {_pose(card): read.get(card["card"]) for card in was}
    cards = []
    for card in round_.written.get("cards", []):
        as_read = spots.get(_pose(card))  # the same place: the same card, whatever its name now
        x_mm, y_mm, theta_deg = _pose(card)
        cards.append(
            {
                "id": card["card"],
                "x_mm": x_mm,
                "y_mm": y_mm,
                "theta_deg": theta_deg,
                "choices": [] if as_read is None else _choices(as_read, card["card"], round_),
            }
        )
    return cards


def _pose(card: Json) -> tuple[float, float, float]:
    return card["x_mm"], card["y_mm"], card["theta_deg"]


def _choices(reading: Json, name: str, round_: Round) -> list[str]:
    """Return what a card may be instead, the likeliest first: what was read, then the runner-up."""
    second = reading["runner_up"]
    likely = [reading["card"], *([second["card"]] if second else [])]
    known = set(round_.known.piece_ids)
    return [card for card in dict.fromkeys(likely) if card != name and card in known]
