"""A second resolver must agree on damage, shields, nets, crews, rams and boardings."""

import random
from dataclasses import replace

from tests.games.conflit_stellaire.random_turns import random_options
from tests.games.conflit_stellaire.reference import ORDER, Defender, Group, Wall, fight, strike
from tests.games.conflit_stellaire.test_laws import FACES, TURNS
from vision.games.conflit_stellaire.check import check_table
from vision.games.conflit_stellaire.resolve import play
from vision.games.conflit_stellaire.values import (
    Card,
    Deed,
    Distance,
    Options,
    Outcome,
    Seat,
    Table,
)

GUNS = [f for f in FACES.values() if f.kind in ORDER[:5]]
MISSILES = [f for f in FACES.values() if f.kind == "missile"]
SHIELDS = [f for f in FACES.values() if f.kind == "shield"]
NETS = [f for f in FACES.values() if f.kind == "net"]
TROOPS = [f for f in FACES.values() if f.kind == "troop"]


class Scene:
    """A duel in which every deed is valid: A attacks at distance 1, B defends."""

    def __init__(self, seed: int, with_barge: bool) -> None:
        rng = self.rng = random.Random(seed)
        self.options = replace(random_options(rng), missiles_ships="apart")  # so barges come last
        self.hull = rng.randint(1, 20)
        self.cards = [Card(f"{s}-e{k}", "energy-cell", s.upper()) for s in "ab" for k in range(20)]
        self.declarations: list[Deed] = []
        self.ripostes: list[Deed] = []
        self.shots: list[tuple[int, int, str, str, int, bool]] = []
        self.ship = Defender(self.hull)
        self.attackers: list[Group] = []
        for k in range(rng.randint(1, 6)):
            self._gun(k)
        if with_barge:
            self._barge()
        for k in range(rng.randint(0, 4)):
            self._shield(k)
        for k in range(rng.randint(0, 2)):
            net = rng.choice(NETS)
            self.cards.append(Card(f"b-n{k}", net.id, "B"))
            self.ship.nets.append(Wall(f"b-n{k}", "", net.capacity))
        for k in range(rng.randint(0, 3)):
            self.ship.groups.append(self._group(f"b-g{k}", "B", None))

    def _gun(self, k: int) -> None:
        face = self.rng.choice(GUNS + MISSILES)
        name = f"a{k}"
        self.cards.append(Card(name, face.id, "A"))
        is_gun = face.kind != "missile"
        self.declarations.append(Deed("fire" if is_gun else "launch", "A", card=name, target="B"))
        kind = face.kind if is_gun else "missiles"
        speed = 0 if is_gun else -face.speed
        source = "A" if is_gun else name
        shot = (ORDER.index(kind), speed, name, source, face.capacity, "crew" in face.keywords)
        self.shots.append(shot)

    def _shield(self, k: int) -> None:
        face = self.rng.choice(SHIELDS)
        name = f"b-s{k}"
        missiles = [name for _, speed, name, *_ in self.shots if speed]
        barge = ["barge"] if self.attackers and self.rng.random() < 0.2 else []
        faces = self.rng.choice(["A", "A", *missiles, *barge])
        if self.rng.random() < 0.3:
            up = "A"
            self.cards.append(Card(name, face.id, "B", engaged=True, up=up))
            wall = Wall(name, "all" if "total" in face.keywords else up, face.capacity)
            before = [s for s in self.ship.shields if s.id in self.up]
            self.up.append(name)
            self.ship.shields.insert(len(before), wall)
            return
        self.cards.append(Card(name, face.id, "B"))
        self.ripostes.append(Deed("shield", "B", card=name, against=faces))
        faced = "all" if "total" in face.keywords else faces
        self.ship.shields.append(Wall(name, faced, face.capacity))

    def _group(self, name: str, seat: str, on: str | None) -> Group:
        face = self.rng.choice(TROOPS)
        suited = self.rng.random() < 0.4
        self.cards.append(Card(name, face.id, seat, on=on))
        if suited:
            self.cards.append(Card(f"{name}-suit", "spacesuit", seat, on=name))
        return Group(name, face.capacity, "robot" in face.keywords, suited)

    def _barge(self) -> None:
        self.cards.append(Card("barge", "assault-barge", "A"))
        for k in range(self.rng.randint(1, 3)):
            self.attackers.append(self._group(f"a-g{k}", "A", "barge"))
        self.declarations.append(Deed("board", "A", ship="barge", target="B"))

    @property
    def up(self) -> list[str]:
        if not hasattr(self, "_up"):
            self._up: list[str] = []
        return self._up

    def table(self) -> Table:
        return check_table(
            Table(
                (Seat("A", 20), Seat("B", self.hull)),
                tuple(self.cards),
                (Distance(("A", "B"), 1),),
                "A",
                tuple(self.declarations),
                tuple(self.ripostes),
                options=self.options,
            )
        )

    def strike_all(self) -> dict[str, int]:
        """Let every shot fall in its order; return what comes through of each."""
        through = {}
        ranked = sorted(enumerate(self.shots), key=lambda item: (*item[1][:2], item[0]))
        for _, (kind, _, name, source, points, crew) in ranked:
            through[name] = strike(self.ship, ORDER[kind], source, points, crew, self.options)
        return through


def alive(scene: Scene, outcome: Outcome) -> set[str]:
    groups = {c.id for c in scene.cards if c.seat == "B" and FACES[c.face].kind == "troop"}
    return groups - set(outcome.gone)


def test_damage_shields_and_nets() -> None:
    for seed in range(TURNS):
        scene = Scene(seed, with_barge=False)
        outcome = play(scene.table())
        assert not [note for note in outcome.issues if note.code != "order"], seed
        through = scene.strike_all()
        assert {e.card: e.through for e in outcome.ledger} == through, seed
        assert outcome.ships["B"].hull == scene.ship.hull, seed
        popped = {name for name, why in outcome.gone.items() if why == "popped"}
        assert popped == {wall.id for wall in scene.ship.shields if wall.is_down}, seed
        assert alive(scene, outcome) == {group.id for group in scene.ship.groups}, seed


def test_boarding() -> None:
    captured = 0
    for seed in range(TURNS):
        scene = Scene(seed, with_barge=True)
        outcome = play(scene.table())
        assert not [note for note in outcome.issues if note.code != "order"], seed
        scene.strike_all()
        entry = next(e for e in outcome.ledger if e.do == "board")
        facing = [w for w in scene.ship.shields if not w.is_down and w.faces in ("barge", "all")]
        if facing:
            back = facing[0].places - facing[0].filled
            assert (entry.result, entry.recoil) == ("blocked", back), seed
            assert entry.recoil_lost == min(back, FACES["assault-barge"].capacity), seed
            continue
        ours = scene.attackers
        if not scene.ship.hull:
            ours = [group for group in ours if group.robot or group.suited]
        won, left, forces = fight(ours, scene.ship.groups, scene.options.boarding_losses)
        captured += won
        assert (entry.result == "captured", entry.forces) == (won, forces), seed
        crews = {g.id for g in scene.attackers} - set(outcome.gone), alive(scene, outcome)
        assert crews == ((set(left), set()) if won else (set(), set(left))), seed
    assert captured > TURNS // 10


def test_rams_by_auxiliaries() -> None:
    """A fighter or bomber rams: size times speed, shields first, as much back for the rammer."""
    for seed in range(TURNS // 2):
        rng = random.Random(seed)
        face = FACES[rng.choice(["fighter", "bomber", "assault-barge", "shuttle"])]
        shields = [rng.choice(SHIELDS) for _ in range(rng.randint(0, 3))]
        options = Options(overflow=rng.choice(["next", "ship"]))
        cards = [Card(f"{s}-e{k}", "energy-cell", s.upper()) for s in "ab" for k in range(10)]
        cards += [Card("a1", face.id, "A")]
        cards += [Card(f"b{k}", shield.id, "B") for k, shield in enumerate(shields)]
        ripostes = tuple(
            Deed("shield", "B", card=f"b{k}", against="a1") for k in range(len(shields))
        )
        deeds = (Deed("ram", "A", ship="a1", target="B"),)
        seats = (Seat("A", 20), Seat("B", 18, size=20))
        near = (Distance(("A", "B"), 1),)
        outcome = play(Table(seats, tuple(cards), near, "A", deeds, ripostes, options=options))
        entry = outcome.ledger[0]
        hull, blow, back = face.capacity, face.capacity * face.speed, 0
        for shield in shields:
            if blow == 0:
                break
            back += shield.capacity
            hull -= shield.capacity
            if hull <= 0:
                blow = 0
                break
            blow = max(blow - shield.capacity, 0)
            if options.overflow == "ship":
                break
        if blow:
            back += 20 * face.speed
            hull = 0
        assert outcome.ships["B"].hull == max(18 - blow, 0), seed
        assert outcome.ships["a1"].hull == max(hull, 0), seed
        assert (entry.recoil, entry.result) == (back, "collided" if blow else "blocked"), seed
