"""A second resolver of Asteroyds, capture, written from the rules page by other means.

Cells are points of the plane, whole numbers in cube coordinates (x + y + z = 0); a beam is found by
asking each thing whether it lies on the line; a turn is a list of sets of plain records, and the
state a few plain dictionaries. Only for tests: slow and blunt.
"""

#: unit steps of headings 0, 60 ... 300 in cube coordinates (x right, z down, y the rest)
STEPS = [(0, 1, -1), (1, 0, -1), (1, -1, 0), (0, -1, 1), (-1, 0, 1), (-1, 1, 0)]


def point(name, radius):
    """Return the cube coordinates of a name: file by letter, counted from the file's bottom."""
    x = "abcdefghijklmno".index(name[0]) - radius
    lowest = radius if x <= 0 else radius - x  # z of the bottom cell of the file
    z = lowest - (int(name[1:]) - 1)
    return (x, -x - z, z)


def name_of(p, radius):
    x, _, z = p
    lowest = radius if x <= 0 else radius - x
    return f"{'abcdefghijklmno'[x + radius]}{lowest - z + 1}"


def far(p, q=(0, 0, 0)):
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) // 2


def plus(p, heading, times=1):
    step = STEPS[(heading // 60) % 6]
    return tuple(a + times * b for a, b in zip(p, step, strict=True))


class Turn:
    """A turn: ``pieces`` {id: {cell, heading, on, pilot, spent}}, names of cells, degrees."""

    def __init__(self, pieces, programs, dice, scores, rules, radius):
        self.radius = radius
        self.rules = rules
        self.dice = dice
        self.programs = programs
        self.place = {}
        self.heading = {}
        self.load = {}
        self.pilot, self.spent = {}, {}
        for name, piece in pieces.items():
            if piece["cell"] is not None:
                self.place[name] = point(piece["cell"], radius)
            if piece["on"] is not None:
                self.load[name] = piece["on"]
            self.heading[name] = piece["heading"]
            self.pilot[name], self.spent[name] = piece["pilot"], piece["spent"]
        present = [*self.place, *self.load]
        self.teams = [
            t for t in ("red", "white", "blue") if any(n.startswith(t + "-") for n in present)
        ]
        self.scores = {t: scores.get(t, 0) for t in self.teams}
        self.dead_turrets, self.gone = set(), set()
        self.told, self.refused = [], set()

    # who is what
    def named(self, word):
        return sorted(n for n in self.place if word in n)

    def ships(self):
        return sorted(
            n for n in self.place if n[-1].isdigit() and n.count("-") == 1 and self.colour(n)
        )

    @staticmethod
    def colour(name):
        word = name.split("-")[0]
        return word if word in ("red", "white", "blue") else None

    def in_(self, p):
        return sorted(n for n, q in self.place.items() if q == p)

    def die_way(self, piece, colour):
        if self.dice.get(colour) is None:
            return None
        own = self.heading[piece] if self.rules.numbers == "tile" else 0
        return (own + 60 * (self.dice[colour] - 1)) % 360

    def scoring(self, team, p):
        where = self.rules.base
        if where == "platform":
            return p == self.place[f"{team}-platform"]
        return far(p, self.place[f"{team}-home"]) <= (self.rules.zone if where == "zone" else 0)

    # the turn
    def play(self):
        for number in range(1, 7):
            if self.winner():
                break
            self.say = set()
            self.record = {"rocks": [], "off": set(), "events": []}
            if number == 1 or self.rules.rocks_move == "round":
                self.drift()
            self.lasers(number)
            self.steps(number)
            self.told.append(
                (
                    frozenset(self.say),
                    tuple(self.record["rocks"]),
                    tuple(self.record["events"]),
                    dict(self.scores),
                )
            )
        return self

    def winner(self):
        need = self.rules.target or (2 if len(self.teams) == 3 else 3)
        ranking = sorted(self.scores.values())
        top = [t for t in self.teams if self.scores[t] == ranking[-1]]
        return top[0] if len(top) == 1 and ranking[-1] >= need else None

    def drift(self):
        for rock in self.named("rock-"):
            way = self.die_way(rock, "blue")
            if way is None:
                continue
            start = self.place[rock]
            ahead, behind = plus(start, way), plus(start, way, 2)
            met = [n for n in self.in_(ahead) if n.startswith("rock-")]
            if self.open(ahead, set()):
                chain = [(rock, start, ahead)]
            elif len(met) == 1 and self.open(ahead, set(met)) and self.open(behind, set()):
                chain = [(met[0], ahead, behind), (rock, start, ahead)]
            else:
                continue
            for name, before, after in chain:
                self.place[name] = after
                self.record["rocks"].append((name, self.n(before), self.n(after)))

    def open(self, p, minus):
        if far(p) > self.radius or any(self.scoring(t, p) for t in self.teams):
            return False
        return all("home" in n for n in set(self.in_(p)) - minus)

    def n(self, p):
        return name_of(p, self.radius)

    # anticipation
    def special(self, ship, mode, number):
        program = self.programs.get(ship)
        if program is None:
            return False
        lawrence = self.rules.pilots and self.pilot[ship] == "lawrence"
        said = "shield" if lawrence else program["mode"]
        rounds = sorted(set(program["rounds"]))[: 2 if lawrence else 1]
        return said == mode and number in rounds

    def action(self, ship, number):
        program = self.programs.get(ship)
        return program["columns"][number - 1] if program else None

    def lasers(self, number):
        guns = []
        for turret in self.named("-turret-"):
            way = self.die_way(turret, self.colour(turret))
            if way is not None and turret not in self.dead_turrets:
                guns.append((turret, way, False))
        for ship in self.ships():
            if ship in self.gone:
                continue
            sharp = self.special(ship, "fire", number)
            wild = sharp and self.rules.anticipated_fire == "extra"
            if self.action(ship, number) == "fire" or wild:
                guns.append((ship, self.heading[ship], sharp))
        shots = {gun: self.shoot(gun, way, sharp, number) for gun, way, sharp in guns}
        struck = {}
        for gun, (way, cells, stops, hits, past) in shots.items():
            self.say.add(("beam", gun, way, cells, stops, hits, past))
            for hit in hits:
                struck.setdefault(hit, set()).add(gun)
        drops = []
        for name, by in struck.items():
            if "turret" in name:
                if name not in self.dead_turrets:
                    self.record["off"].add(name)
                    self.say.add(("off", name, tuple(sorted(by))))
            elif "rock" in name:
                self.say.add(("destroyed", name))
                del self.place[name]
            else:
                drops += self.banish(name, "laser", by)
        self.dead_turrets |= {n for n in struck if "turret" in n}
        self.record["events"] += sorted(drops)

    def shoot(self, gun, way, sharp, number):
        """Find the first distance at which anything stops the beam."""
        start, side = self.place[gun], self.colour(gun)
        edge = next(k for k in range(1, 99) if far(plus(start, way, k)) > self.radius) - 1
        line = {plus(start, way, k): k for k in range(1, edge + 1)}
        ahead = sorted((line[p], n) for n, p in self.place.items() if p in line)
        walls = [(k, n) for k, n in ahead if n.startswith("pod") or n.endswith("platform")]
        pods = {k for k, n in walls if n.startswith("pod")}
        shelters = {k for k, _ in walls}
        foes, others = [], []
        for k, n in ahead:
            enemy = self.colour(n) not in (None, side)
            if n in self.ships() and enemy and n not in self.gone:
                foes.append((k, n))
            elif n.startswith("rock") or ("turret" in n and enemy):
                others.append((k, n))
        reached = [
            (k, n)
            for k, n in foes
            if k not in shelters or (not self.rules.platform_shelter and k not in pods)
        ]
        dodge = [(k, n) for k, n in reached if not sharp and self.special(n, "shield", number)]
        struck = [x for x in reached if x not in dodge]
        struck += [(k, n) for k, n in others if k not in shelters]
        end = min([k for k, _ in walls + struck], default=edge)
        stops = sorted(n for k, n in walls + struck if k == end)
        hits = sorted(n for k, n in struck if k == end)
        if self.rules.rocks == "solid":
            hits = [n for n in hits if not n.startswith("rock")]
        past = sorted(n for k, n in dodge if k <= end)
        cells = tuple(self.n(plus(start, way, k)) for k in range(1, end + 1))
        return way, cells, tuple(stops), tuple(hits), tuple(past)

    def banish(self, ship, cause, by):
        here = self.place[ship]
        goal = self.place[f"{self.colour(ship)}-platform"]
        self.say.add(("teleport", ship, self.n(here), self.n(goal), cause, tuple(sorted(by))))
        lost = [a for a, carrier in self.load.items() if carrier == ship]
        for a in lost:
            del self.load[a]
            self.place[a] = here
        self.place[ship] = goal
        self.gone.add(ship)
        return [(a, "dropped", (ship,), self.n(here)) for a in lost]

    def wish(self, ship, action):
        """Return the turn in degrees and the list of ways to go, relative; None if refused."""
        plain = {"forward": (0, [0]), "left": (-60, [0]), "right": (60, [0]), "back": (180, [])}
        if action in plain:
            return plain[action]
        if not self.rules.pilots or self.spent[ship]:
            return None
        who, what = self.pilot[ship], action.removeprefix("power").removeprefix("-")
        if what == "":
            return {"hector": (0, [0, 0]), "dolorosa": (180, [0]), "yayenek": (0, [180])}.get(who)
        if who == "mhand" and what in ("120", "240"):
            return int(what), [0]
        if who == "1634" and what != "180":
            return int(what), []
        return None

    def steps(self, number):
        todo, paths, crash, done = {}, {}, {}, {}
        for ship in self.ships():
            action = self.action(ship, number)
            if ship in self.gone or action in (None, "fire"):
                continue
            wish = self.wish(ship, action)
            if wish is None:
                self.refused.add((ship, number))
                continue
            if action.startswith("power"):
                self.spent[ship] = True
            self.heading[ship] = (self.heading[ship] + wish[0]) % 360
            todo[ship] = [(self.heading[ship] + way) % 360 for way in wish[1]]
            paths[ship], done[ship] = [self.n(self.place[ship])], action
        for k in (0, 1):
            arrivals, wrecks = {}, {}
            for ship, ways in todo.items():
                if len(ways) <= k or ship in self.gone:
                    continue
                goal = plus(self.place[ship], ways[k])
                hard, soft = self.obstacles(ship, goal)
                if far(goal) > self.radius or hard:
                    wrecks[ship] = hard
                    crash[ship] = hard[0] if hard else "edge"
                elif not soft:
                    arrivals[ship] = goal
                    paths[ship].append(self.n(goal))
            self.place.update(arrivals)
            self.settle(arrivals, wrecks)
        for ship, action in done.items():
            self.say.add(
                ("move", ship, action, tuple(paths[ship]), self.heading[ship], crash.get(ship))
            )

    def obstacles(self, ship, goal):
        hard, soft = [], []
        for n in self.in_(goal):
            own_pad = self.rules.base == "platform" and n == f"{self.colour(ship)}-platform"
            if n.startswith("pod") and not self.rules.pod_crash:
                soft.append(n)
            elif n.startswith(("pod", "rock")) or "turret" in n or n.endswith("platform"):
                hard += [] if own_pad else [n]
        return hard, soft

    def settle(self, arrivals, wrecks):
        events = self.record["events"]
        broken, drops = {}, []
        for ship, walls in wrecks.items():
            for wall in walls:
                if "turret" in wall and wall not in self.dead_turrets:
                    broken.setdefault(wall, set()).add(ship)
            drops += self.banish(ship, "crash", walls)
        for turret, by in broken.items():
            self.say.add(("off", turret, tuple(sorted(by))))
        self.dead_turrets |= set(broken)
        events += sorted(drops)
        for a in self.named("asteroyd"):
            cell, team = self.place[a], self.colour(a)
            comers = sorted(s for s, goal in arrivals.items() if goal == cell)
            strangers = tuple(s for s in comers if self.colour(s) != team)
            home = self.place[f"{team}-home"]
            if len(strangers) >= 2:
                events.append((a, "contested", strangers, self.n(cell)))
            elif strangers:
                events.append((a, "taken", strangers, self.n(cell)))
                del self.place[a]
                self.load[a] = strangers[0]
            elif comers and cell != home:
                events.append((a, "returned", tuple(comers), self.n(cell)))
                self.place[a] = home
        for a in sorted(self.load):
            ship = self.load[a]
            if self.scoring(self.colour(ship), self.place[ship]):
                events.append((a, "captured", (ship,), self.n(self.place[ship])))
                self.scores[self.colour(ship)] += 1
                cost = self.rules.capture_cost
                self.scores[self.colour(a)] -= (len(self.teams) == 3) if cost is None else cost
                self.place[a] = self.place[f"{self.colour(a)}-home"]
                del self.load[a]

    def final(self):
        """Return where everything is: {id: (cell or None, heading, ship or None, spent)}."""
        return {
            n: (
                self.n(self.place[n]) if n in self.place else None,
                self.heading[n],
                self.load.get(n),
                self.spent[n],
            )
            for n in self.heading
        }
