"""What a doubted card may be -> choices, one tap each, that settle it."""

from collections.abc import Mapping
from typing import Any

from vision.games.light_speed.roster import is_unreadable
from vision.games.light_speed.values import TableState
from vision.games.light_speed.variants import RULEBOOK, ClaimKind
from vision.judging.hands import Setting
from vision.values.layout import Alternative, PlacedCard
from vision.values.messages import Message, message

__all__ = ["settings"]

_TAPPED: tuple[ClaimKind, ...] = ("leaning", "late", "stuck", "slid", "overhang")
_MOST = 5  # offered of a card, the likeliest: any other is chosen where cards are corrected


def settings(table: TableState) -> tuple[Setting, ...]:
    """Return what each doubted card may be, and what only the table can say of each ship.

    The second where the table's options make it matter, or where it was said.
    """
    readings = tuple(_reading(card) for card in table.cards if card.may_be)
    said = tuple(
        _claim(kind, card.card_id, table)
        for card in table.cards
        for kind in _TAPPED
        if getattr(table.rules, kind) != getattr(RULEBOOK, kind)
        or any((one.kind, one.of) == (kind, card.card_id) for one in table.claims)
    )
    return readings + said


def _claim(kind: ClaimKind, card: str, table: TableState) -> Setting:
    change = {"kind": "set", "piece": card}
    choices = (
        (message("claim.yes"), {**change, kind: True}),
        (message("claim.no"), {**change, kind: False}),
    )
    made = [one.is_so for one in table.claims if (one.kind, one.of) == (kind, card)]
    chosen = -1 if not made else 0 if made[0] else 1
    name = message("claim.of", card=card, kind=message(f"claim.{kind}"))
    is_doubtful = kind == "leaning" and chosen < 0  # asked of cards that overlap
    return Setting(f"{kind}-{card}", name, choices, chosen, is_doubtful, card)


def _reading(card: PlacedCard) -> Setting:
    own = Alternative(card.card_id, max(0.0, 1 - sum(one.chance for one in card.may_be)))
    likely = sorted((own, *card.may_be), key=lambda one: -one.chance)[:_MOST]
    choices = tuple(
        (
            message("reading.likely", said=_said(one.piece), chance=one.chance),
            _change(card.card_id, one.piece),
        )
        for one in likely
    )
    chosen = likely.index(own) if own in likely else -1
    name = message("reading.of", card=card.card_id)
    of = card.card_id
    return Setting(f"read-{of}", name, choices, chosen, is_doubtful=True, of=of)


def _said(piece: str | None) -> Message:
    if piece is None:
        return message("odds.is_nothing")
    if is_unreadable(piece):
        return message("odds.is_foreign")
    return message("reading.card", card=piece)


def _change(card: str, piece: str | None) -> Mapping[str, Any]:
    if piece is None:
        return {"kind": "remove", "id": card}
    return {"kind": "identify", "card": card, "identity": piece}
