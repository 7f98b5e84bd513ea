"""Declarations and ripostes -> what is paid, and what of it is to be resolved."""

from collections.abc import Sequence

from vision.games.conflit_stellaire.battle import Attack, Battle
from vision.games.conflit_stellaire.costs import doer, pay, unspent, uses
from vision.games.conflit_stellaire.values import DIRECT, Announced, Deed, Note
from vision.games.conflit_stellaire.voids import reach, surrenders_to, void_of

__all__ = ["CLASSES", "announce", "class_rank", "declare"]

CLASSES = (*DIRECT, "missiles", "ships")


def declare(battle: Battle, deeds: Sequence[Deed], *, is_riposte: bool) -> None:
    """Take deeds in their order: each is void, or paid at once and kept."""
    latest, is_told = -1, is_riposte
    for index, deed in enumerate(deeds):
        code = void_of(battle, deed, is_riposte=is_riposte)
        before = len(battle.attacks)
        if code is None:
            pay(battle, deed)
            _keep(battle, deed, index, is_riposte=is_riposte)
        elif is_riposte:
            battle.notes.append(Note(code, riposte=index))
        else:
            battle.notes.append(Note(code, declaration=index))
        if len(battle.attacks) > before:
            rank = class_rank(battle, battle.attacks[-1].kind)
            if rank < latest and not is_told:
                battle.notes.append(Note("order", declaration=index))
                is_told = True
            latest = max(latest, rank)


def class_rank(battle: Battle, kind: str) -> int:
    """Return the place of a class; missiles and ships share one if they are played together."""
    together = battle.table.options.missiles_ships == "together"
    return CLASSES.index("missiles" if together and kind == "ships" else kind)


def _keep(battle: Battle, deed: Deed, index: int, *, is_riposte: bool) -> None:
    """Keep what a valid deed does."""
    if deed.do not in ("transfer", "abandon", "surrender"):
        battle.used |= set(uses(deed))
    commander = battle.commanders[deed.seat]
    card = deed.card or ""
    match deed.do:
        case "fire" | "launch" | "ram" | "board":
            _attack(battle, deed, index)
        case "approach" | "retreat":
            commander.has_moved = True
            _move(battle, deed, deed.target or "", is_riposte=is_riposte)
        case "raise":
            battle.raised[card] = _faced(battle, deed)
        case "shield":
            battle.shields.append((card, _faced(battle, deed)))
            battle.raised[card] = _kept_up(battle, deed)
        case "use":
            if "repair" in battle.faces[card].keywords:
                battle.repairs.append((card, battle.ship_of(card)))
        case "jam":
            battle.jamming[card] = battle.faces[card].capacity
        case "intercept":
            battle.intercepts.append((card, deed.target or ""))
        case "jump":
            commander.hyperdrive, battle.jumper = card, deed.seat
        case "follow":
            commander.hyperdrive = card
            battle.followers.append(deed.seat)
        case "escape":
            doer(battle, deed).has_acted = True
        case "abandon":
            commander.aboard = deed.to or ""
        case "surrender":
            commander.surrenders_to = surrenders_to(battle, deed)
        case "initiative":
            battle.initiative.append((card, (deed.die or 0) <= battle.value(card)))
        case "transfer":
            _transfer(battle, deed)


def _attack(battle: Battle, deed: Deed, index: int) -> None:
    ship = doer(battle, deed)
    target = deed.target or ""
    if deed.do == "fire":
        kind, far = battle.faces[deed.card or ""].kind, reach(battle, deed)
        battle.attacks.append(Attack(deed, index, kind, ship.id, target, reach=far))
        return
    if deed.do == "launch":
        card, far = deed.card or "", reach(battle, deed)
        speed = battle.faces[card].speed
        battle.attacks.append(Attack(deed, index, "missiles", card, target, speed, far))
        battle.remove(card, "launched")
        return
    speed = ship.speed
    if ship.is_flagship:
        battle.commanders[deed.seat].has_moved = True
        speed = _move(battle, deed, battle.ships[target].seat, is_riposte=False)
    ship.has_acted = True
    battle.attacks.append(Attack(deed, index, "ships", ship.id, target, speed))


def _move(battle: Battle, deed: Deed, seat: str, *, is_riposte: bool) -> int:
    """Move by engines on the scale to a seat, a ram too; return the speed."""
    speed = sum(battle.faces[card].capacity for card in deed.cards)
    signed = -speed if deed.do == "retreat" else speed
    pair = frozenset((deed.seat, seat))
    battle.closing[pair] = battle.closing.get(pair, 0) + signed
    if is_riposte:
        battle.ripostes_closing[deed.seat] = signed
        battle.dodging.add(deed.seat)
    return speed


def _faced(battle: Battle, deed: Deed) -> str:
    return "all" if "total" in battle.faces[deed.card or ""].keywords else deed.against or ""


def _kept_up(battle: Battle, deed: Deed) -> str:
    """Return what a shield faces in the turns to come: after a missile its launcher's flagship."""
    faced = _faced(battle, deed)
    return battle.table.active if faced in battle.gone else faced


def _transfer(battle: Battle, deed: Deed) -> None:
    card, to = deed.card or "", deed.to or ""
    points = unspent(battle, card)
    battle.ships[battle.ship_of(card)].pool -= points
    battle.covered_by[card] = to
    battle.ships[battle.ship_of(card)].pool += points


def announce(battle: Battle) -> dict[str, Announced]:
    """Return what the targets of missiles are told: echoes, guidances they have jammers for."""
    told: dict[str, Announced] = {}
    for seat in battle.commanders:
        faces = [
            battle.faces[attack.source]
            for attack in battle.attacks
            if attack.kind == "missiles" and battle.ships[attack.target].seat == seat
        ]
        jammed = {
            guidance
            for name, card in battle.cards.items()
            if card.seat == seat and battle.faces[name].kind == "jammer"
            for guidance in battle.faces[name].guidance
        }
        guidances = {guidance for face in faces for guidance in face.guidance}
        if faces:
            told[seat] = Announced(
                tuple(face.echoes for face in faces), tuple(sorted(guidances & jammed))
            )
    return told
