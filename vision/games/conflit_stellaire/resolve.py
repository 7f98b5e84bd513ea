"""A table -> its turn played, and what each doubtful reading would change."""

from typing import Any

from vision.games.conflit_stellaire.battle import Battle
from vision.games.conflit_stellaire.contact import board, intercept, ram
from vision.games.conflit_stellaire.declare import CLASSES, announce, class_rank, declare
from vision.games.conflit_stellaire.fire import fire, launch
from vision.games.conflit_stellaire.maintenance import maintain
from vision.games.conflit_stellaire.scores import score
from vision.games.conflit_stellaire.values import (
    Announced,
    Energy,
    Outcome,
    ShipState,
    Table,
)
from vision.games.conflit_stellaire.weighing import with_doubts

__all__ = ["fight", "play", "raised_after", "resolve"]

_ATTACKS = {"fire": fire, "launch": launch, "ram": ram, "board": board}


def resolve(table: Table) -> Outcome:
    """Play the turn of a table, and all that it may be besides."""
    return with_doubts(table, play)


def play(table: Table) -> Outcome:
    """Play the turn of a table as it is read."""
    battle, told = fight(table)
    raised = raised_after(battle)
    scores = score(battle)
    left = _sides_in_play(battle)
    over = len(left) < 2
    return Outcome(
        ledger=tuple(battle.ledger),
        announced=told,
        initiative=tuple(battle.initiative),
        energy={seat: Energy(battle.ready[seat], battle.spent[seat]) for seat in battle.commanders},
        ships={s.id: ShipState(s.hull, s.state, s.by) for s in battle.ships.values()},
        gone=dict(battle.gone),
        raised=raised,
        distances={
            d.between: battle.distance_after(*d.between)
            for d in sorted(table.distances, key=lambda d: d.between)
        },
        jumped=tuple(battle.jumped),
        fates={seat: commander.fate for seat, commander in battle.commanders.items()},
        scores=scores,
        over=over,
        winners=_winners(battle, left) if over else (),
        issues=tuple(battle.notes),
    )


def fight(table: Table) -> tuple[Battle, dict[str, Announced]]:
    """Play declarations, ripostes, attacks, maintenance; return also what the targets are told."""
    battle = Battle.of(table)
    declare(battle, table.declarations, is_riposte=False)
    declare(battle, table.ripostes, is_riposte=True)
    told = announce(battle)
    _attack(battle)
    maintain(battle)
    return battle, told


def _attack(battle: Battle) -> None:
    """Resolve all attacks: by class, missiles and ships by speed, else as declared."""
    together = battle.table.options.missiles_ships == "together"
    ships_rank = class_rank(battle, CLASSES[-1])

    def place(attack: Any) -> tuple[int, int, bool, int]:
        by_speed = -attack.speed if attack.kind in ("missiles", "ships") else 0
        is_later = together and attack.kind == "ships"
        return class_rank(battle, attack.kind), by_speed, is_later, attack.index

    waiting = [pair for pair in battle.intercepts if pair[1] in battle.ships]
    for attack in sorted(battle.attacks, key=place):
        while waiting and class_rank(battle, attack.kind) >= ships_rank:
            battle.ledger.append(intercept(battle, *waiting.pop(0)))
        battle.ledger.append(_ATTACKS[attack.deed.do](battle, attack))


def raised_after(battle: Battle) -> dict[str, str]:
    """Return the shields that stay up: raised now, or before by others than the active."""
    before = {
        name: card.up
        for name, card in battle.cards.items()
        if card.up is not None and card.seat != battle.table.active
    }
    return {
        name: faced
        for name, faced in {**before, **battle.raised}.items()
        if name not in battle.gone and battle.in_play(battle.cards[name].seat)
    }


def _sides_in_play(battle: Battle) -> list[tuple[str, ...]]:
    sides = {battle.side(seat) for seat in battle.commanders if battle.in_play(seat)}
    return sorted(sides)


def _winners(battle: Battle, left: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the last side in play; where none is left, all that were: a draw."""
    return left[0] if left else battle.at_first
