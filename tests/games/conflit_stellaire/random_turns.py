"""Random tables of Conflit stellaire with random turns: deeds valid and void, two to four seats."""

import random
from dataclasses import replace

from vision.games.conflit_stellaire.check import check_table, neighbours
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.values import (
    SEATS,
    WEAPONS,
    Campaign,
    Card,
    Deed,
    Distance,
    Options,
    Reading,
    Seat,
    Table,
)
from vision.games.conflit_stellaire.verbs import DECLARATIONS, RIPOSTES

CHOICES = {
    "alive": ("ready", "in-play"),
    "nets": ("energy", "all"),
    "direct_range": ("before", "after"),
    "overflow": ("next", "ship"),
    "missiles_ships": ("apart", "together"),
    "boarding_losses": ("at-least", "at-most"),
    "officers": ("mortal", "spared"),
    "hull": ("auto", "fixed", "rank"),
}
_FACES = [face for face in deck().faces.values() if face.kind not in ("energy", "back")]
_USES = {
    "fire": ("laser", "neutrons", "disintegrator", "particles", "rocks"),
    "launch": ("missile", "rocket"),
    "raise": ("shield",),
    "shield": ("shield",),
    "use": ("device",),
    "jump": ("hyperdrive",),
    "follow": ("hyperdrive",),
    "jam": ("jammer",),
    "intercept": ("anti-missile",),
    "initiative": ("troop",),
    "transfer": ("energy", "troop", "suit", "engine", "device"),
    "approach": ("engine",),
    "retreat": ("engine",),
    "ram": ("auxiliary", "engine"),
    "board": ("auxiliary",),
    "escape": ("auxiliary",),
    "abandon": ("auxiliary",),
}


def random_options(rng: random.Random) -> Options:
    return Options(**{name: rng.choice(words) for name, words in CHOICES.items()})


def random_table(rng: random.Random) -> Table:
    """Return a table that may be, with a turn of which most deeds are valid."""
    names = SEATS[: rng.choice([2, 2, 2, 3, 4])]
    cards = [card for seat in names for card in _random_cards(rng, seat, names)]
    cards.append(Card("back", "back", names[0]))
    seats = []
    for name in names:
        ships = [c.id for c in cards if c.seat == name and _kind(c) == "auxiliary"]
        away = rng.choice(ships) if ships and rng.random() < 0.15 else None
        hull = rng.choice([0, 1, 3, 6, 10, 20, 20, 20])
        seats.append(Seat(name, hull, rng.choice([None, None, 20, 26]), away))
    if len(seats) > 2 and rng.random() < 0.1:
        seats[-1] = Seat(names[-1], 0, fate="destroyed")
    pairs = neighbours(names)
    distances = tuple(Distance(pair, rng.randint(1, 7)) for pair in pairs)
    active = rng.choice([seat.id for seat in seats if seat.fate is None])
    deeds: list[Deed] = []
    for _ in range(rng.randint(2, 8)):
        deeds.append(_deed(rng, active, cards, names, deeds))
    others = [name for name in names if name != active]
    ripostes: list[Deed] = []
    for _ in range(rng.randint(0, 7)):
        seat = rng.choice(names if rng.random() < 0.05 else others)
        ripostes.append(_deed(rng, seat, cards, names, ripostes, deeds))
    campaign = None
    if rng.random() < 0.4:
        officers = {name: rng.choice([0, 3, 13, 30, 97]) for name in names}
        campaign = Campaign(officers, {name: rng.randint(1, 8) for name in names[:1]})
    return check_table(
        Table(
            tuple(seats),
            tuple(cards),
            distances,
            active,
            tuple(deeds),
            tuple(ripostes),
            campaign,
            random_options(rng),
        )
    )


def _kind(card: Card) -> str:
    return deck().faces[card.face].kind


def _random_cards(rng: random.Random, seat: str, names: tuple[str, ...]) -> list[Card]:
    """Return a seat's cards; some lie on its auxiliaries and groups."""
    letter = seat.lower()
    cells = rng.choice([0, 1, 3, 6, 10, 14])
    cards = [Card(f"{letter}-e{k}", "energy-cell", seat, rng.random() < 0.1) for k in range(cells)]
    under: list[str] = []
    groups: list[str] = []
    weights = [3 if face.kind in (*WEAPONS, "shield", "jammer") else 1 for face in _FACES]
    faces = rng.choices(_FACES, weights, k=rng.randint(4, 12))
    if rng.random() < 0.3:  # a boarding party
        ship = rng.choice(["assault-barge", "assault-barge", "shuttle"])
        party = [ship, *rng.choices(["crew", "marines", "veterans", "war-droids"], k=2)]
        faces = [*(deck().faces[name] for name in party), *faces]
    for k, face in enumerate(faces):
        name = f"{letter}{k}"
        engaged = rng.random() < 0.12 and face.kind not in ("auxiliary", "troop")
        lies_on = [*under, *groups] if face.kind == "suit" else under
        often = 0.1 if face.kind in WEAPONS else 0.5
        on = rng.choice(lies_on) if lies_on and rng.random() < often else None
        others = [other for other in names if other != seat]
        up = rng.choice(others) if face.kind == "shield" and engaged else None
        if face.kind == "auxiliary":
            on = None
            under.append(name)
        if face.kind == "troop":
            groups.append(name)
        new = face.kind == "auxiliary" and rng.random() < 0.15
        cards.append(Card(name, face.id, seat, engaged, up, on, new))
    return cards


def _deed(
    rng: random.Random,
    seat: str,
    cards: list[Card],
    names: tuple[str, ...],
    before: list[Deed],
    declared: list[Deed] | None = None,
) -> Deed:
    """Return a deed that is likely to be valid; one of ten is any nonsense."""
    verbs = DECLARATIONS if declared is None else RIPOSTES
    own = [card for card in cards if card.seat == seat]
    fitting = [
        verb
        for verb in verbs
        if verb not in _USES or any(_kind(card) in _USES[verb] for card in own)
    ]
    rare = ("surrender", "jump", "abandon")
    fitting = [verb for verb in fitting if verb not in rare or rng.random() < 0.2] or ["surrender"]
    common = ("fire", "launch", "ram", "board", "shield", "jam", "intercept")
    do = rng.choices(fitting, [4 if verb in common else 1 for verb in fitting])[0]
    if rng.random() < 0.05:
        own = [*cards, cards[-1]]
    needed, optional = verbs[do]
    kinds = ("auxiliary",) if "ship" in needed else _USES.get(do, ("auxiliary",))
    right = [card.id for card in own if _kind(card) in kinds] or ["nothing"]
    used = {deed.card for deed in before}
    right = [name for name in right if name not in used or rng.random() < 0.1] or right
    if len(own) > len(cards):
        right = [card.id for card in own]
    ships = [*names, *(card.id for card in cards if _kind(card) == "auxiliary")]
    enemy = [name for name in ships if name != seat and not name.startswith(seat.lower())]
    sources = [
        name for deed in declared or [] for name in (deed.card, deed.ship, deed.seat) if name
    ]
    ours = [seat, *(card.id for card in own if _kind(card) in ("auxiliary", "troop"))]
    at = sources if do == "intercept" and sources else enemy
    if do in ("approach", "retreat"):
        at = [declared[0].seat] if declared else [name for name in names if name != seat]
    engines = [card.id for card in own if _kind(card) == "engine"]
    on_flagship = do == "ram" and engines and (rng.random() < 0.5 or right == ["nothing"])
    made = {
        "card": rng.choice(right) if rng.random() > 0.02 else "nothing",
        "cards": tuple(rng.sample(right, rng.randint(1, min(2, len(right))))),
        "ship": rng.choice(right),
        "target": rng.choice(at if rng.random() < 0.5 else [n for n in at if n in names] or at),
        "against": rng.choice([*sources, *enemy]),
        "to": rng.choice(ours if do != "surrender" else list(names)),
        "die": rng.randint(1, 8),
        "spend": rng.randint(0, 6),
    }
    if on_flagship:
        made |= {"ship": seat, "cards": tuple(engines)}
    taken = [*needed]
    taken += [name for name in optional if name == "against" and rng.random() < 0.9]
    taken += ["spend"] if "spend" in optional and rng.random() < 0.1 else []
    taken += ["cards"] if on_flagship else []
    return Deed(do, seat, **{name: made[name] for name in taken})


def with_doubts(rng: random.Random, table: Table) -> Table:
    """Return a table with a few other readings."""
    cards = list(table.cards)
    for index in rng.sample(range(len(cards)), min(2, len(cards))):
        card = cards[index]
        reading = Reading({"engaged": not card.engaged}, 0.25)
        if card.up is None:
            cards[index] = replace(card, readings=(reading,))
    seats = list(table.seats)
    seats[0] = replace(seats[0], readings=(Reading({"hull": 5}, 0.125),))
    distances = list(table.distances)
    distances[0] = replace(distances[0], readings=(Reading({"uds": 2}),))
    return replace(table, cards=tuple(cards), seats=tuple(seats), distances=tuple(distances))
