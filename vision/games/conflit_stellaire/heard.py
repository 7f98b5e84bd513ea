"""Declarations -> what those who answer are told of them, as far as the rules tell it.

Of a move its direction, not the engines nor the speed; of fire its nature, the card and the
target; of a missile, to its target alone, the echoes and the guidances for which it has a jammer;
of all the energy that they take. A card that lies face down is not named.
"""

from vision.games.conflit_stellaire.compose import as_known_to, weigh
from vision.games.conflit_stellaire.declare import announce
from vision.games.conflit_stellaire.orders import Order
from vision.games.conflit_stellaire.values import DIRECT, Deed, Table
from vision.games.conflit_stellaire.words import deed_words, named
from vision.values.messages import Message, message

__all__ = ["heard"]


def heard(table: Table, seat: str) -> tuple[Message, ...]:
    """Return what a seat is told of the declarations of a turn; nothing if they are its own."""
    if seat == table.active:
        return ()
    battle, weighed = weigh(table, table.active, Order(table.declarations))
    seen = as_known_to(table, seat)
    owners = {card.id: card.seat for card in table.cards}
    told = announce(battle).get(seat)
    echoes = iter(() if told is None else told.echoes)
    lines: list[Message] = []
    for one in weighed:
        if one.code is not None:
            continue
        deed = one.deed
        kind = battle.faces[deed.card].kind if deed.do == "fire" and deed.card else ""
        said = _said(seen, deed, kind)
        if deed.do == "launch" and owners.get(deed.target or "", deed.target) == seat:
            said = message("conflit.heard.echoes", said=said, n=next(echoes))
        if one.cost:
            said = message("conflit.heard.for", said=said, n=one.cost)
        lines.append(said)
    if told is not None and told.guidance:
        names = tuple(message(f"conflit.guidance.{name}") for name in told.guidance)
        lines.append(message("conflit.heard.guidance", guidance=names))
    return tuple(lines) or (message("conflit.heard.nothing", seat=table.active),)


def _said(seen: Table, deed: Deed, kind: str) -> Message:
    """Say a declaration without what is not told of it."""
    what = [message(f"conflit.class.{kind}")] if kind in DIRECT else list[Message | str]()
    what += [named(seen, name) for name in (deed.card, deed.ship) if name is not None]
    said = message("conflit.what", what=message("conflit.parts", parts=tuple(what)))
    gaps = {**deed_words(seen, deed), "what": said if what else ""}
    return message("conflit.deed", seat=deed.seat, **gaps)
