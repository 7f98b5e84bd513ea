"""A second resolver of Laser and Shield, written from the rules page by other means.

Squares are complex numbers about the board's centre (so that opposite is minus), ways are unit
steps, a phase is a list of plain records in the words of the page. Only for tests: slow and blunt.
"""

from itertools import count

STEPS = [-1j, 1 - 1j, 1, 1 + 1j, 1j, -1 + 1j, -1, -1 - 1j]
NAMES = ["n", "ne", "e", "se", "s", "sw", "w", "nw"]
COLUMNS = {"a": (-2.5, (2, 3)), "f": (2.5, (2, 3))} | {
    c: (k - 1.5, (1, 2, 3, 4)) for k, c in enumerate("bcde")
}
#: columns a and f have the rows of their middle squares
PLACE = {
    f"{c}{i if c in 'bcde' else i - 1}": complex(x, i - 2.5)
    for c, (x, rows) in COLUMNS.items()
    for i in rows
}
SQUARE = {place: name for name, place in PLACE.items()}
RED = {PLACE["d2"], PLACE["c3"]}
COVERS = {"side": {45, 90, 135}, "front": {0, 45, 90}, "narrow": {45, 90}}


def angle(heading, other):
    """Return by how many degrees one must turn clockwise from a heading to another, -180 to 135."""
    return (45 * (NAMES.index(other) - NAMES.index(heading)) + 180) % 360 - 180


def run_phase(pawns, orders, options):
    """Play; ``pawns`` {id: (square, heading)}, ``orders`` {team: (verb, ...)} legal ones.

    Returns the records of each time as a set, who lives where, and who has won.
    """
    doors = [PLACE[d] for d in options.doors.split("-")]
    where = {p: PLACE[s] for p, (s, _) in pawns.items()}
    looks = {p: NAMES.index(h) for p, (_, h) in pawns.items()}
    beams, walks, turns = [], {}, {}
    for team, order in orders.items():
        if order is None:
            continue
        me = next(p for p in where if p.startswith(team) and where[p] == PLACE[order[1]])
        if order[0] == "fire":
            beams.append([me, PLACE[order[1]], PLACE[order[2]] - PLACE[order[1]], 1])
        elif order[0] == "turn":
            turns[me] = (1, order[2])
        else:
            walks[me] = [PLACE[s] for s in order[2]]  # the squares aimed at, without landings
            if order[3]:
                turns[me] = (len(order[2]) + 1, order[3])
    told, dead, won = [], set(), None
    sides = {p.split("-")[0] for p in where}
    spent = set()
    for time in count(1):
        said = set()
        occupied = set(where.values())
        first = [b for b in beams if time == 1 and b[1] + b[2] in occupied]
        rest = [b for b in beams if b not in first]
        coming = []
        coming += moment(first, where, looks, walks, doors, options, said, spent)
        march(time, where, walks, doors, said)
        for p, (when, side) in turns.items():
            if when == time and p in where:
                looks[p] = (looks[p] + (1 if side == "right" else -1)) % 8
                said.add(("turned", p, NAMES[looks[p]]))
        coming += moment(rest, where, looks, walks, doors, options, said, spent)
        beams = coming
        told.append(said)
        dead = set(pawns) - set(where)
        alive = {p.split("-")[0] for p in where}
        if alive != sides:
            break
        more = any(p in where and walks[p] for p in walks)
        more |= any(p in where and when > time for p, (when, _) in turns.items())
        if not beams and not more:
            break
    alive = {p.split("-")[0] for p in where}
    won = set() if alive == {"orange", "blue"} else alive or {"orange", "blue"}
    while told and not told[-1]:
        told.pop()
    standing = {p: (SQUARE[where[p]], NAMES[looks[p]]) for p in where}
    return told, standing, dead, won, spent


def moment(beams, where, looks, walks, doors, options, said, spent):
    """Run lines all at once; kill, throw; return the lines that follow."""
    coming, met = [], {}
    holders = {place: p for p, place in where.items()}
    for shooter, start, step, line in beams:
        team = shooter.split("-")[0]
        squares, here = [start], start
        end = "off"
        while here + step in SQUARE:
            here = here + step
            squares.append(here)
            if here in doors:
                end = "door"
                break
            if here in holders:
                target = holders[here]
                side = NAMES[(STEPS.index(step) + 4) % 8]
                covered = angle(NAMES[looks[target]], side) in COVERS[options.shield]
                end = "shield" if covered else "killed"
                met.setdefault(target, []).append((team, step, covered))
                break
        said.add(("beam", shooter, line, tuple(SQUARE[s] for s in squares), end))
        turn = STEPS.index(step)
        if end == "door":
            after = [shooter, doors[1 - doors.index(here)], step, line + 1]
        elif end == "shield":
            k = turn + 4 + 1 if options.deflection == "bounce" else turn - 1
            after = [shooter, here, STEPS[k % 8], line + 1]
        else:
            continue
        if line == 24:
            spent.add(team)
        else:
            coming.append(after)
    goals = {}
    for target, hits in met.items():
        if not all(covered for _, _, covered in hits):
            said.add(("killed", target, SQUARE[where.pop(target)]))
            continue
        walks.pop(target, None)
        if options.push == "away":
            steps = {step for _, step, _ in hits}
        else:
            steps = {STEPS[(looks[target] + 4) % 8]}
        goals[target] = steps.pop() if len(steps) == 1 else None
    go("pushed", goals, where, doors, said)
    return coming


def march(time, where, walks, doors, said):
    """Make the next step of each walk."""
    goals = {p: walk[0] - where[p] for p, walk in walks.items() if p in where and walk}
    went = go("moved", goals, where, doors, said)
    for p in goals:
        walks[p] = walks[p][1:] if p in went else []


def go(word, goals, where, doors, said):
    """Move pawns by steps together; return who went."""
    ends = {}
    for p, step in goals.items():
        if step is None:
            said.add((word, p, None, "cancelled"))
        elif where[p] + step not in SQUARE:
            said.add((word, p, None, "edge"))
        else:
            aim = where[p] + step
            ends[p] = -where[p] if aim in doors else aim
    fate = {}
    for p, end in ends.items():
        if [*ends.values()].count(end) > 1:
            fate[p] = "contested"
        elif any(ends[q] == where[p] and where[q] == end for q in ends if q != p):
            fate[p] = "exchange"
    while True:
        staying = {place for q, place in where.items() if q not in ends or q in fate}
        stuck = [p for p in ends if p not in fate and ends[p] in staying]
        if not stuck:
            break
        fate.update(dict.fromkeys(stuck, "occupied"))
    for p, end in ends.items():
        said.add((word, p, SQUARE[end], fate.get(p)))
    went = set(ends) - set(fate)
    where.update({p: ends[p] for p in went})
    return went
