"""A round -> what would have been better, once it is over."""

from typing import Any

from vision.apps.server.problems import Problem
from vision.apps.server.rounds.rounds import Round
from vision.judging.coach import CanCoach
from vision.judging.orders import TakesOrders
from vision.texts import LANGUAGES, texts

__all__ = ["coached"]

Json = dict[str, Any]


def coached(round_: Round) -> Json:
    """Return the advice for each side, its sentences in every language.

    Raises
    ------
    Problem
        404 if the game has no coach, 409 while a side has still to order: it would be told what
        to answer.
    """
    game = round_.game
    if not isinstance(game, CanCoach):
        raise Problem(404, "not_found", f"{game.name} has no coach")
    words = {language: texts(language, game.texts) for language in LANGUAGES}
    if isinstance(game, TakesOrders):
        given = game.orders(round_.table)
        missing = [party for party in game.parties(round_.table) if party.id not in given]
        if missing:
            names = ", ".join(words["en"].tell(party.name) for party in missing)
            detail = f"the coach answers when all orders are in; still missing: {names}"
            raise Problem(409, "orders_missing", detail)
    return {
        "advice": [
            {
                "side": advice.side,
                "kind": advice.kind,
                "order": advice.order,
                "said": {one: words[one].tell(advice.said) for one in LANGUAGES},
            }
            for advice in game.coach(round_.table)
        ]
    }
