"""A blow on its way to a ship -> what shields and nets take of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from vision.games.conflit_stellaire.battle import Battle
from vision.games.conflit_stellaire.values import Stop

__all__ = [
    "KINETIC",
    "Blow",
    "facing",
    "is_met",
    "left_in",
    "net_blow",
    "shield_all",
    "shield_blow",
]

KINETIC = ("particles", "rocks", "ships")  #: classes of which a popped shield lets the excess on


@dataclass(slots=True)
class Blow:
    """A blow of a class from a source at a ship: what is left of it, and who took the rest."""

    kind: str
    source: str
    target: str
    points: int
    stopped: list[Stop]

    @property
    def is_kinetic(self) -> bool:
        """Tell whether it is matter that comes."""
        return self.kind in KINETIC


def facing(battle: Battle, source: str, target: str) -> Iterator[str]:
    """Yield the shields of a ship that face a source: those up before by id, then ripostes."""
    for shield, faced in battle.shields:
        is_total = "total" in battle.faces[shield].keywords
        faces_it = (is_total or faced == source) and battle.ship_of(shield) == target
        if faces_it and shield not in battle.gone:
            yield shield


def left_in(battle: Battle, name: str) -> int:
    """Return what a shield or a net can still take this turn."""
    return max(battle.faces[name].capacity - battle.absorbed.get(name, 0), 0)


def shield_blow(battle: Battle, blow: Blow, shield: str) -> None:
    """Let a shield take a blow: it holds, or it pops; of a kinetic one the excess goes on."""
    left = left_in(battle, shield)
    if blow.points <= left:
        battle.absorbed[shield] = battle.absorbed.get(shield, 0) + blow.points
        blow.stopped.append(Stop(shield, blow.points, popped=False))
        blow.points = 0
        return
    taken = left if blow.is_kinetic else blow.points
    blow.stopped.append(Stop(shield, taken, popped=True))
    battle.remove(shield, "popped")
    blow.points -= taken


def shield_all(battle: Battle, blow: Blow) -> None:
    """Let the shields that face a blow take it, one after the other."""
    for shield in list(facing(battle, blow.source, blow.target)):
        if not blow.points:
            return
        shield_blow(battle, blow, shield)
        if battle.table.options.overflow == "ship":
            return


def is_met(battle: Battle, blow: Blow) -> bool:
    """Tell whether a shield or a net stands in the way of a blow."""
    shields = facing(battle, blow.source, blow.target)
    return any(True for _ in shields) or bool(_nets_against(battle, blow))


def net_blow(battle: Battle, blow: Blow) -> None:
    """Let the nets of a ship take of a blow, each up to its capacity in a turn."""
    for net in _nets_against(battle, blow):
        taken = min(left_in(battle, net), blow.points)
        if taken:
            battle.absorbed[net] = battle.absorbed.get(net, 0) + taken
            blow.stopped.append(Stop(net, taken, popped=False))
            blow.points -= taken


def _nets_against(battle: Battle, blow: Blow) -> list[str]:
    """Return the nets of a ship that take of a blow, by id."""
    if blow.is_kinetic and battle.table.options.nets == "energy":
        return []
    return list(battle.on_ship(blow.target, "net"))
