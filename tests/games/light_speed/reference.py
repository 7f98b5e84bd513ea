"""A second judge of Light Speed, slow and plain, written from the rules and not from the code.

Everything is a polygon given by its corners; a beam is met with every side of every polygon, one
at a time, in plain Python. Only values are shared with the program: tables, decks, options.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from vision.games.light_speed.values import Deck, Ship, TableState

NEAR = 1e-9  # mm: rounding only
AT_CORNER = 1e-8  # mm
SIDES = ("top", "right", "bottom", "left")

Point = tuple[float, float]


@dataclass
class Thing:
    name: str
    corners: list[Point]
    pose: tuple[float, float, float] | None = None  # None: an object
    team: str | None = None
    ship: Ship | None = None


@dataclass
class Round:
    """What the reference says of a round."""

    shots: list[tuple[str, int, str | None, str | None, bool]] = field(default_factory=list)
    mined: list[tuple[int, str, str, int]] = field(default_factory=list)
    vaporised: list[tuple[int, str, int]] = field(default_factory=list)
    damage: list[tuple[int, str, str, int]] = field(default_factory=list)
    destroyed: list[tuple[int, str, str | None, int, int]] = field(default_factory=list)
    gone: list[tuple[int, str]] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    winners: set[str] = field(default_factory=set)


# --- geometry ------------------------------------------------------------------------------------


def turn(point: Point, theta: float) -> Point:
    """Turn clockwise as seen, y down."""
    x, y = point
    return x * math.cos(theta) - y * math.sin(theta), x * math.sin(theta) + y * math.cos(theta)


def rectangle(deck: Deck, x: float, y: float, theta: float) -> list[Point]:
    w, h = deck.width_mm / 2, deck.height_mm / 2
    corners = [turn(c, theta) for c in ((-w, -h), (w, -h), (w, h), (-w, h))]
    return [(x + dx, y + dy) for dx, dy in corners]


def sides(corners: list[Point]) -> list[tuple[Point, Point]]:
    return list(zip(corners, corners[1:] + corners[:1], strict=True))


def distance_to_side(p: Point, side: tuple[Point, Point]) -> float:
    (ax, ay), (bx, by) = side
    length2 = (bx - ax) ** 2 + (by - ay) ** 2
    t = ((p[0] - ax) * (bx - ax) + (p[1] - ay) * (by - ay)) / length2
    t = min(1.0, max(0.0, t))
    return math.hypot(ax + t * (bx - ax) - p[0], ay + t * (by - ay) - p[1])


def is_inside(p: Point, corners: list[Point]) -> bool:
    """Tell whether a point is strictly inside (not on the border), by counting crossings."""
    if any(distance_to_side(p, side) <= NEAR for side in sides(corners)):
        return False
    odd = False
    for (ax, ay), (bx, by) in sides(corners):
        if (ay > p[1]) != (by > p[1]) and p[0] < ax + (p[1] - ay) / (by - ay) * (bx - ax):
            odd = not odd
    return odd


def meet_side(start: Point, d: Point, side: tuple[Point, Point]) -> list[float]:
    """Return where along the ray it meets a side: nothing, a point, or both ends of a stretch."""
    (ax, ay), (bx, by) = side
    length = math.hypot(bx - ax, by - ay)
    ex, ey = (bx - ax) / length, (by - ay) / length
    wx, wy = ax - start[0], ay - start[1]
    cross = d[0] * ey - d[1] * ex
    if abs(cross) < 1e-12:
        if abs(wx * d[1] - wy * d[0]) > NEAR:
            return []
        ends = [wx * d[0] + wy * d[1], (bx - start[0]) * d[0] + (by - start[1]) * d[1]]
        if max(ends) < -NEAR:
            return []
        return [max(0.0, min(ends))]
    t = (wx * ey - wy * ex) / cross
    u = (wx * d[1] - wy * d[0]) / cross
    if not (-NEAR <= u <= length + NEAR) or t < -NEAR:
        return []
    return [max(0.0, t)]


def own_way_out(muzzle: Point, d: Point, shift: float, corners: list[Point]) -> Point:
    """Return where a beam, shifted to its right, starts."""
    right = (-d[1], d[0])

    def along(p: Point) -> float:
        return (p[0] - muzzle[0]) * d[0] + (p[1] - muzzle[1]) * d[1]

    def across(p: Point) -> float:
        return (p[0] - muzzle[0]) * right[0] + (p[1] - muzzle[1]) * right[1]

    spans = [across(c) for c in corners]
    held = min(max(shift, min(spans)), max(spans))
    crossings = []
    for a, b in sides(corners):
        va, vb = across(a), across(b)
        if min(va, vb) - 1e-9 <= held <= max(va, vb) + 1e-9:
            if abs(va - vb) < 1e-9:
                crossings += [along(a), along(b)]
            else:
                t = min(1.0, max(0.0, (held - va) / (vb - va)))
                crossings.append(along(a) + t * (along(b) - along(a)))
    way = max(crossings)
    return (
        muzzle[0] + shift * right[0] + way * d[0],
        muzzle[1] + shift * right[1] + way * d[1],
    )


def first_met(
    start: Point, d: Point, things: list[Thing]
) -> tuple[Thing | None, str | None, bool, list[str]]:
    """Return the thing met, the edge, whether a shield holds, and others at that distance."""
    met: list[tuple[float, str, Thing]] = []
    for thing in things:
        if is_inside(start, thing.corners):
            met.append((0.0, thing.name, thing))
            continue
        ways = [t for side in sides(thing.corners) for t in meet_side(start, d, side)]
        if ways:
            met.append((min(ways), thing.name, thing))
    if not met:
        return None, None, False, []
    nearest = min(way for way, _, _ in met)
    equal = sorted(
        ((name, thing, way) for way, name, thing in met if way <= nearest + NEAR),
        key=lambda item: item[0],
    )
    _, thing, way = equal[0]
    others = [other for other, _, _ in equal[1:]]
    if thing.pose is None or is_inside(start, thing.corners):
        return thing, None, False, others
    point = (start[0] + way * d[0], start[1] + way * d[1])
    away = [distance_to_side(point, side) for side in sides(thing.corners)]
    touched = [i for i in range(4) if away[i] <= AT_CORNER] or [away.index(min(away))]
    x, y, theta = thing.pose
    cx, cy = turn((point[0] - x, point[1] - y), -theta)
    ex, ey = turn(d, -theta)  # the beam comes in by the top if it runs down the card, and so on
    touched.sort(key=lambda i: -round((ey, -ex, -ey, ex)[i], 9))
    for i in touched:
        along = cx if SIDES[i] in ("top", "bottom") else cy
        for shield in thing.ship.shields if thing.ship else ():
            slack = 1e-7  # an end of a stretch belongs to it
            if shield.edge == SIDES[i] and (
                shield.from_mm - slack <= along <= shield.to_mm + slack
            ):
                return thing, SIDES[i], True, others
    return thing, SIDES[touched[0]], False, others


# --- the rules -----------------------------------------------------------------------------------


def share(left: int, lasers: list[tuple[str, int]]) -> tuple[Counter[str], int]:
    """Share the rocks of one source among lasers (ship, power); return gains and vaporised."""
    gains: Counter[str] = Counter()
    if sum(power for _, power in lasers) <= left:
        for ship, power in lasers:
            gains[ship] += power
        return gains, 0
    for least in (1, 2, 3):
        asking = [ship for ship, power in lasers if power >= least]
        if left < len(asking):
            return gains, left
        for ship in asking:
            gains[ship] += 1
            left -= 1
    return gains, left


def things_of(table: TableState, deck: Deck) -> list[Thing]:
    things = []
    for card in table.cards:
        if card.card_id.startswith("ship-back") and table.rules.face_down == "ignored":
            continue
        pose = (card.x_mm, card.y_mm, card.theta_rad)
        thing = Thing(card.card_id, rectangle(deck, *pose), pose)
        for team in deck.teams:
            for ship in deck.ships:
                if f"{team}-{ship.name}" == card.card_id:
                    thing.team, thing.ship = team, ship
        things.append(thing)
    things += [Thing(o.id, [(x, y) for x, y in o.outline_mm.tolist()]) for o in table.objects]
    return sorted(things, key=lambda thing: thing.name)


def pools_of(
    table: TableState, deck: Deck, things: list[Thing], teams: list[str]
) -> tuple[dict[str, str], dict[str, int]]:
    """Return the pool of each asteroid, and the rocks of each pool."""
    cards = [t.name for t in things if t.pose and t.name.startswith("asteroid-")]
    backs = {f"{a}-back" for a in deck.asteroids}
    pool: dict[str, str] = {name: name for name in cards}
    if table.rules.asteroids == "joined" and cards:
        pool = dict.fromkeys(cards, min(cards))
    elif table.rules.asteroids == "auto" and len(backs) > 1 and backs <= set(cards):
        pool |= dict.fromkeys(backs, min(backs))
    for thing in things:
        if thing.pose is None:
            pool[thing.name] = thing.name
    sources = set(pool.values())
    rocks = 12 if len(sources) < 2 else (6 if len(teams) <= 2 else 8 if len(teams) == 3 else 10)
    if table.rules.rocks is not None:
        rocks = table.rules.rocks
    return pool, dict.fromkeys(sources, rocks)


def taker(owner: str, by_team: Counter[str], teams: list[str], credit: str) -> str | None:
    if credit == "opponent" or (credit == "auto" and len(teams) == 2):
        return next((t for t in teams if t != owner), None)
    most = max(by_team.values())
    best = [t for t in by_team if by_team[t] == most]
    if owner in best:
        return owner
    return best[0] if len(best) == 1 else None


def judge(table: TableState, deck: Deck) -> Round:
    """Play the round on a table."""
    things = things_of(table, deck)
    teams = [t for t in deck.teams if any(thing.team == t for thing in things)]
    if table.rules.teams is not None:
        teams = [t for t in deck.teams if t in table.rules.teams]
    pool, rocks = pools_of(table, deck, things, teams)
    carried = {t.name: 0 for t in things if t.ship}
    marks: dict[str, Counter[str]] = defaultdict(Counter)
    score = dict.fromkeys(teams, 0)
    out = Round()
    speeds = sorted({t.ship.speed for t in things if t.ship})
    for speed in speeds:
        gunners = [t for t in things if t.ship and t.ship.speed == speed]
        mining: dict[str, list[tuple[str, int]]] = defaultdict(list)
        robbing: dict[str, list[tuple[str, int]]] = defaultdict(list)
        hurt: Counter[tuple[str, str]] = Counter()
        for gunner in gunners:
            x, y, theta = gunner.pose
            for number, laser in enumerate(gunner.ship.lasers):
                mx, my = turn(laser.muzzle_mm, theta)
                d = turn(turn((0.0, -1.0), laser.heading_rad), theta)
                start = own_way_out((x + mx, y + my), d, 0.0, gunner.corners)
                rest = [t for t in things if t is not gunner]
                target, edge, shielded, _ = first_met(start, d, rest)
                name = target.name if target else None
                out.shots.append((gunner.name, number, name, edge, shielded))
                if target is None or shielded:
                    continue
                if target.name in pool:
                    mining[pool[target.name]].append((gunner.name, laser.power))
                if target.ship:
                    hurt[target.name, gunner.team] += laser.power
                    if table.rules.piracy and carried[target.name] > 0:
                        robbing[target.name].append((gunner.name, laser.power))
        gains: Counter[tuple[str, str]] = Counter()
        for held, asked in ((rocks, mining), (carried, robbing)):
            for source, lasers in asked.items():
                got, lost = share(held[source], lasers)
                for ship, n in got.items():
                    gains[ship, source] += n
                if lost:
                    out.vaporised.append((speed, source, lost))
                held[source] -= sum(got.values()) + lost
        for (ship, source), n in gains.items():
            if n:
                out.mined.append((speed, ship, source, n))
            carried[ship] += n
        for (card, team), points in hurt.items():
            out.damage.append((speed, card, team, points))
            marks[card][team] += points
        for thing in [t for t in things if t.ship]:
            if sum(marks[thing.name].values()) < thing.ship.health:
                continue
            to = taker(thing.team, marks[thing.name], teams, table.rules.kill_credit)
            lost = carried.pop(thing.name)
            out.destroyed.append((speed, thing.name, to, thing.ship.health, lost))
            if to == thing.team:
                score[to] -= thing.ship.health
            elif to is not None:
                score[to] += thing.ship.health
            things.remove(thing)
        for thing in [t for t in things if t.name in pool and rocks[pool[t.name]] == 0]:
            out.gone.append((speed, thing.name))
            things.remove(thing)
    for thing in things:
        if thing.ship:
            score[thing.team] += carried[thing.name]
    out.totals = score
    out.winners = {t for t in score if score[t] == max(score.values())}
    for entries in (out.mined, out.vaporised, out.damage, out.destroyed, out.gone):
        entries.sort(key=lambda e: tuple(str(x) if x is None else x for x in e[:2]))
    return out
