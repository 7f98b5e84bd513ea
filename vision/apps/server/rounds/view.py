"""Round -> what the page shows: the ledger in every language, in the pixels of the photo."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from vision.apps.decks import KnownDeck
from vision.apps.server.rounds.offers import offer
from vision.apps.server.rounds.orders import orders_of
from vision.apps.server.rounds.placed import placed
from vision.apps.server.rounds.rounds import Round
from vision.apps.server.rounds.told import tell_in_photo
from vision.files.headlines import headline_to_json
from vision.judging.game import Game
from vision.judging.said import is_of_place
from vision.texts import LANGUAGES, texts
from vision.values.brief import brief
from vision.values.messages import Issue
from vision.values.verdict import as_judged

__all__ = ["round_view"]

Json = dict[str, Any]


def round_view(round_: Round, more: Sequence[Issue] = ()) -> Json:
    """Return a round for the page (plain JSON), with more doubts than it has itself.

    ``ledger`` has one for each language, its places in the pixels of the photo.
    """
    width, height = round_.size_wh
    game = round_.game
    cards = round_.game.pieces.of_kind("card")
    issues = (*round_.issues, *more)
    told = as_judged(round_.ledger, issues)
    return {
        "id": round_.scan_id,
        "game": round_.game.name,
        "deck": round_.known.name,
        "offer": _offer_as_it_was(round_),
        "revision": round_.revision,
        "can_undo": round_.undoable > 0,
        "can_redo": round_.redoable > 0,
        "photo": {"width_px": width, "height_px": height, "of": round_.view[:12]},
        "camera": round_.document["camera"],
        "ledger": tell_in_photo(told, round_.camera, round_.size_wh, round_.game.texts),
        "issues": [_issue(issue, round_.game) for issue in brief(issues)],
        "headline": headline_to_json(round_.ledger, issues, game.texts),
        "timings_ms": round_.document["timings_ms"],
        "card_mm": list(cards[0].size_mm) if cards else None,
        "has_coach": game.has_coach,
        "goes_on": game.next_table(round_.table, round_.outcome) is not None,
        "orders": orders_of(round_).view() if game.takes_orders else None,
        "by_sheet": game.overrides(Game.sheet),
        **placed(round_),
    }


def _offer_as_it_was(round_: Round) -> Json | None:
    """Return what the page must know of a deck that may have changed since; else nothing."""
    known = round_.known
    return offer(known) if isinstance(known, KnownDeck) and known.digest else None


def _issue(issue: Issue, game: Game) -> Json:
    words = {lang: texts(lang, game.texts).issue_by_hand(issue) for lang in LANGUAGES}
    return {
        "code": issue.code,
        "message": issue.message,
        "cards": list(issue.cards),
        "severity": issue.severity,
        "words": words if issue.said else None,
        "at_px": issue.at_px,
        "places": [asdict(place) for place in issue.places],
        "nothing": game.hears_of_places and is_of_place(issue),
    }
