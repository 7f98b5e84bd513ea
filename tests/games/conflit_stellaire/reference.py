"""A second resolver for damage, shields and boarding, written from the page by other means.

It plays point by point: a blow is a heap of single points, a shield a column of empty places, and
a lost boarding is found by trying every number of groups to lose. It knows two flagships only, one
that attacks and one that defends; each shot is (class, source, points, kills crew).
"""

from dataclasses import dataclass, field
from itertools import accumulate

KINETIC = {"particles", "rocks", "ram"}
ORDER = ["laser", "neutrons", "disintegrator", "particles", "rocks", "missiles", "ships"]


@dataclass
class Wall:
    """A shield or a net: so many places, so many of them filled."""

    id: str
    faces: str
    places: int
    filled: int = 0
    is_down: bool = False

    def take_one(self) -> bool:
        if self.filled < self.places:
            self.filled += 1
            return True
        return False


@dataclass
class Group:
    id: str
    value: int
    robot: bool = False
    suited: bool = False


@dataclass
class Defender:
    hull: int
    shields: list[Wall] = field(default_factory=list)
    nets: list[Wall] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)


def strike(ship: Defender, kind: str, source: str, points: int, crew: bool, rules: object) -> int:
    """Let a blow fall; return the points that come through."""
    heap = points
    for wall in ship.shields:
        if wall.is_down or wall.faces not in (source, "all") or not heap:
            continue
        room = wall.places - wall.filled
        if kind in KINETIC:
            while heap and wall.take_one():
                heap -= 1
            if heap:
                wall.is_down = True
                if rules.overflow == "ship":
                    break
            elif rules.overflow == "ship":
                break
        else:
            if heap > room:
                wall.is_down = True
            else:
                wall.filled += heap
            heap = 0
    if kind not in KINETIC or rules.nets == "all":
        for net in ship.nets:
            while heap and net.take_one():
                heap -= 1
    through = heap
    if crew:
        kill(ship, heap)
    else:
        while heap and ship.hull:
            heap -= 1
            ship.hull -= 1
            if not ship.hull:
                ship.nets = []
                ship.groups = [g for g in ship.groups if g.robot or g.suited]
    return through


def kill(ship: Defender, points: int) -> None:
    while True:
        men = [group for group in ship.groups if not group.robot]
        weakest = min(men, key=lambda g: (worth(g), g.id), default=None)
        if weakest is None or worth(weakest) > points:
            return
        points -= worth(weakest)
        ship.groups.remove(weakest)


def worth(group: Group) -> int:
    return group.value + (1 if group.suited and not group.robot else 0)


def fight(
    ours: list[Group], theirs: list[Group], losses: str
) -> tuple[bool, list[str], tuple[int, int]]:
    """Board: return who wins (the attacker?), who is left, and the forces."""
    forces = sum(map(worth, ours)), sum(map(worth, theirs))
    won = forces[0] > forces[1]
    winners = sorted(ours if won else theirs, key=lambda g: (worth(g), g.id))
    weight = min(forces)
    lost = list(accumulate((worth(g) for g in winners), initial=0))
    tries = range(max(len(winners), 1))  # how many to lose: the strongest always stays
    if losses == "at-least":
        enough = [n for n in tries if lost[n] >= weight]
        count = enough[0] if enough else tries[-1]
    else:
        count = max(n for n in tries if lost[n] <= weight)
    return won, [g.id for g in winners[count:]], forces
