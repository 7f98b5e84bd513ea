"""What the page shows of a round of Light Speed besides its ledger: cards, shots, steps, sums."""

import math
from typing import Any

import numpy as np

from vision.apps.server.rounds.rounds import Round
from vision.apps.server.rounds.told import PhotoPlaces
from vision.games.light_speed.roster import Roster, call_roll, is_face_down, is_unreadable
from vision.games.light_speed.values import Shot
from vision.geometry import card_corners, table_from_card
from vision.showing.beams import trace_path

__all__ = ["details", "timeline"]

Json = dict[str, Any]
_NO_FATE: Json = {"damage": 0, "dies_at": None, "taken_by": None}
_RULED = ("target", "shielded")
_NOTHING: Json = {
    "teams": [],
    "objects": [],
    "rules": {},
    "rulings": [],
    "shots": [],
    "steps": [],
    "timeline": [],
    "scores": {},
    "winners": [],
    "pools": {},
}


def details(round_: Round, places: PhotoPlaces) -> Json:
    """Return what the panels of Light Speed show besides the ledger; nothing of other games."""
    if round_.game.name != "light-speed":
        cards = [_plain_card(card, places, round_) for card in round_.written["cards"]]
        return {**_NOTHING, "cards": cards}
    roster = call_roll(round_.table, round_.known.deck)
    return {
        "teams": list(roster.teams),
        "cards": _cards(round_, places, roster),
        "objects": [
            {
                "id": thing.id,
                "outline_px": places.points(thing.outline_mm),
                "outline_mm": thing.outline_mm.tolist(),
            }
            for thing in round_.table.objects
        ],
        "rules": round_.written["rules"],
        "rulings": round_.written.get("rulings", []),
        "shots": _shots(round_, places),
        "steps": _steps(round_),
        "timeline": timeline(round_),
        "scores": timeline(round_)[-1]["scores"],
        "winners": list(round_.outcome.winners),
        "pools": dict(round_.outcome.pools),
    }


def _cards(round_: Round, places: PhotoPlaces, roster: Roster) -> list[Json]:
    seen = {card["card"]: card for card in round_.document["cards"]}
    poses = {(c["x_mm"], c["y_mm"], c["theta_deg"]): c for c in round_.document["table"]["cards"]}
    fates = _fates(round_)
    cards = []
    for plain in round_.written["cards"]:
        name = plain["card"]
        as_read = poses.get((plain["x_mm"], plain["y_mm"], plain["theta_deg"]))
        reading = seen.get(as_read["card"]) if as_read else None
        team, ship = roster.ships.get(name, (None, None))
        cards.append(
            {
                **_plain_card(plain, places, round_),
                "team": team,
                "ship": ship.name if ship else None,
                "speed": ship.speed if ship else None,
                "health": ship.health if ship else None,
                "kind": _kind(name, roster),
                "by_hand": as_read is None or as_read["card"] != name,
                "score": reading["score"] if reading else None,
                "choices": _choices(reading, name, round_),
                **fates.get(name, _NO_FATE),
                "rocks": round_.outcome.carried.get(name, 0),
            }
        )
    return cards


def _plain_card(card: Json, places: PhotoPlaces, round_: Round) -> Json:
    """Return where a card lies, and how it shows."""
    deck, name = round_.known.deck, card["card"]
    corners = card_corners(deck.width_mm, deck.height_mm)
    pose = card["x_mm"], card["y_mm"], math.radians(card["theta_deg"])
    doubts = (issue for issue in round_.issues if issue.severity == "doubt")
    return {
        "id": name,
        "team": None,
        "ship": None,
        "speed": None,
        "health": None,
        "kind": "unknown" if is_unreadable(name) else "card",
        "x_mm": card["x_mm"],
        "y_mm": card["y_mm"],
        "theta_deg": card["theta_deg"],
        "outline_px": places.outline(table_from_card(corners, *pose)),
        "by_hand": False,
        "doubtful": any(name in issue.cards for issue in doubts),
        "score": None,
        "choices": [],
        **_NO_FATE,
        "rocks": 0,
    }


def _kind(card_id: str, roster: Roster) -> str:
    if card_id in roster.ships:
        return "ship"
    if is_face_down(card_id):
        return "back"
    return "unknown" if is_unreadable(card_id) else "asteroid"


def _choices(reading: Json | None, card_id: str, round_: Round) -> list[str]:
    """Return what a card may be instead, the likeliest first: what was read, then the runner-up."""
    likely = []
    if reading:
        likely.append(reading["card"])
        if reading["runner_up"]:
            likely.append(reading["runner_up"]["card"])
    known = set(round_.known.card_ids)
    return [c for c in dict.fromkeys(likely) if c != card_id and c in known]


def _shots(round_: Round, places: PhotoPlaces) -> list[Json]:
    ledger = round_.ledger
    told = {event.id: event for step in ledger.steps for event in step.events}
    views = []
    for step in round_.outcome.steps:
        for shot in step.shots:
            event = told[f"{shot.ship}-laser-{shot.laser + 1}"]
            options = [{key: change[key] for key in _RULED} for _, change in event.choices]
            more = {"contested": ledger.is_contested(event), "options": options}
            views.append({**_shot_view(round_, places, shot, step.speed), **more})
    return views


def _shot_view(round_: Round, places: PhotoPlaces, shot: Shot, speed: int) -> Json:
    trace = trace_path(round_.camera, np.array(shot.path_mm), round_.size_wh)
    hit, other = shot.hit, shot.margin_outcome
    return {
        "ship": shot.ship,
        "laser": shot.laser,
        "power": shot.power,
        "speed": speed,
        "path_px": places.path([list(point) for point in shot.path_mm]),
        "reaches": trace is not None and trace.ends,
        "hit": None if hit is None else _hit(hit.card, hit.edge, hit.shielded),
        "margin_mm": round(shot.margin_mm, 3) if math.isfinite(shot.margin_mm) else None,
        "sigma_mm": round(shot.sigma_mm, 3),
        "flip": round(shot.flip_probability, 4),
        "ruled": shot.ruled,
        "margin_card": shot.margin_card,
        "margin_outcome": None if other is None else _hit(other.card, other.edge, other.shielded),
    }


def _hit(card: str, edge: str | None, shielded: bool) -> Json:
    return {"card": card, "edge": edge, "shielded": shielded}


def _fates(round_: Round) -> dict[str, Json]:
    fates: dict[str, Json] = {}

    def fate(card: str) -> Json:
        return fates.setdefault(card, {"damage": 0, "dies_at": None, "taken_by": None})

    for step in round_.outcome.steps:
        for hurt in step.damage:
            fate(hurt.card)["damage"] += hurt.points
        for dead in step.destroyed:
            fate(dead.card).update(dies_at=step.speed, taken_by=dead.taken_by)
        for gone in step.gone:
            fate(gone)["dies_at"] = step.speed
    return fates


def _steps(round_: Round) -> list[Json]:
    def plain(event: Any) -> Json:
        return {name: getattr(event, name) for name in event.__slots__}

    steps, first = [], 0
    for step in round_.outcome.steps:
        steps.append(
            {
                "speed": step.speed,
                "shots": list(range(first, first + len(step.shots))),
                "mined": [plain(event) for event in step.mined],
                "vaporised": [plain(event) for event in step.vaporised],
                "damage": [plain(event) for event in step.damage],
                "destroyed": [plain(event) for event in step.destroyed],
                "gone": list(step.gone),
            }
        )
        first += len(step.shots)
    return steps


def timeline(round_: Round) -> list[Json]:
    """Return score, rocks and damage before the first step and after each, as they would count."""
    ledger, pools = round_.ledger, set(round_.outcome.pools)
    found = []
    for tally in (ledger.opening, *(step.tally for step in ledger.steps)):
        held = {name: state.held for name, state in tally.pieces.items()}
        found.append(
            {
                "scores": {side: dict(score) for side, score in tally.scores.items()},
                "carried": {name: n for name, n in held.items() if n and name not in pools},
                "pools": {name: n for name, n in held.items() if name in pools},
                "damage": {name: s.harm for name, s in tally.pieces.items() if s.harm},
            }
        )
    return found
