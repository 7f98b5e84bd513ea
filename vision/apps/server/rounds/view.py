"""What the page is shown of a round: all in the pixels of the photo, in the order of play."""

import math
from typing import Any

import numpy as np

from vision.apps.server.rounds.rounds import Round
from vision.apps.server.rounds.told import tell_in_photo
from vision.errors import DegenerateGeometryError
from vision.games.light_speed.deck import card_ids
from vision.games.light_speed.doubts import CLOSE_CALL
from vision.games.light_speed.forms import table_to_json
from vision.games.light_speed.roster import Roster, call_roll, is_face_down, is_unreadable
from vision.games.light_speed.tell import tell
from vision.games.light_speed.values import Score, Shot, Step
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.showing.beams import trace_path
from vision.texts import LANGUAGES, texts
from vision.values.arrays import Points

__all__ = ["round_view", "timeline"]

Json = dict[str, Any]
_EDGE_SAMPLES = 4  # of each edge of a card: a lens bends it
_PATH_POINTS = 24


def round_view(round_: Round) -> Json:
    """Return a round for the page (plain JSON)."""
    roster = call_roll(round_.table, round_.deck)
    ledger = tell(round_.table, round_.deck, round_.resolution)
    seen = {card["card"]: card for card in round_.document["cards"]}
    poses = {(c["x_mm"], c["y_mm"], c["theta_deg"]): c for c in round_.document["table"]["cards"]}
    table = table_to_json(round_.table)
    fates = _fates(round_)
    doubtful = {
        card for issue in round_.issues if issue.severity == "doubt" for card in issue.cards
    }
    cards = []
    for card, plain in zip(round_.table.cards, table["cards"], strict=True):
        as_read = poses.get((plain["x_mm"], plain["y_mm"], plain["theta_deg"]))
        reading = seen.get(as_read["card"]) if as_read else None
        outline = _card_outline(round_, card.x_mm, card.y_mm, card.theta_rad)
        team, ship = roster.ships.get(card.card_id, (None, None))
        cards.append(
            {
                "id": card.card_id,
                "team": team,
                "ship": ship.name if ship else None,
                "speed": ship.speed if ship else None,
                "health": ship.health if ship else None,
                "kind": _kind(card.card_id, roster),
                "x_mm": plain["x_mm"],
                "y_mm": plain["y_mm"],
                "theta_deg": plain["theta_deg"],
                "outline_px": outline,
                "by_hand": as_read is None or as_read["card"] != card.card_id,
                "doubtful": card.card_id in doubtful,
                "score": reading["score"] if reading else None,
                "choices": _choices(reading, card.card_id, round_),
                **fates.get(card.card_id, {"damage": 0, "dies_at": None, "taken_by": None}),
                "rocks": round_.resolution.carried.get(card.card_id, 0),
            }
        )
    shots = [
        _shot_view(round_, shot, step.speed)
        for step in round_.resolution.steps
        for shot in step.shots
    ]
    return {
        "id": round_.scan_id,
        "revision": round_.revision,
        "can_undo": round_.undoable > 0,
        "can_redo": round_.redoable > 0,
        "photo": {"width_px": round_.size_wh[0], "height_px": round_.size_wh[1]},
        "camera": round_.document["camera"],
        "card_mm": [round_.deck.width_mm, round_.deck.height_mm],
        "teams": list(roster.teams),
        "all_cards": list(card_ids(round_.deck)),
        "cards": cards,
        "objects": [
            {
                "id": thing.id,
                "outline_px": _points(round_, thing.outline_mm),
                "outline_mm": thing.outline_mm.tolist(),
            }
            for thing in round_.table.objects
        ],
        "game": ledger.game,
        "deck": round_.deck.name,
        "rules": table["rules"],
        "rulings": [
            {"ship": r.ship, "laser": r.laser, "target": r.target, "shielded": r.shielded}
            for r in round_.table.rulings
        ],
        "shots": shots,
        "steps": _steps(round_),
        "timeline": timeline(round_),
        "scores": _scores(dict(round_.resolution.scores)),
        "winners": list(round_.resolution.winners),
        "pools": dict(round_.resolution.pools),
        "issues": [
            {
                "code": issue.code,
                "message": issue.message,
                "cards": list(issue.cards),
                "severity": issue.severity,
                "words": {lang: texts(lang).issue(issue) for lang in LANGUAGES}
                if issue.said
                else None,
            }
            for issue in round_.issues
        ],
        "timings_ms": round_.document["timings_ms"],
        "ledger": tell_in_photo(ledger, round_.camera, round_.size_wh),
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
    known = set(card_ids(round_.deck))
    return [c for c in dict.fromkeys(likely) if c != card_id and c in known]


def _card_outline(round_: Round, x_mm: float, y_mm: float, theta_rad: float) -> list[list[float]]:
    corners = card_corners(round_.deck.width_mm, round_.deck.height_mm)
    t = np.arange(_EDGE_SAMPLES)[:, None] / _EDGE_SAMPLES
    edge = np.vstack([corners[k] + t * (corners[(k + 1) % 4] - corners[k]) for k in range(4)])
    return _points(round_, table_from_card(edge, x_mm, y_mm, theta_rad))


def _points(round_: Round, points_mm: Points) -> list[list[float]]:
    """Return table points in the photo, rounded; nothing for what lies on the horizon."""
    try:
        points = photo_from_table(round_.camera, points_mm)
    except DegenerateGeometryError:
        return []
    if not np.isfinite(points).all() or np.abs(points).max(initial=0) > 1e7:
        return []
    return [[round(x, 1), round(y, 1)] for x, y in points.tolist()]


def _shot_view(round_: Round, shot: Shot, speed: int) -> Json:
    trace = trace_path(round_.camera, np.array(shot.path_mm), round_.size_wh)
    path: list[list[float]] = []
    reaches = False
    if trace is not None:
        keep = np.unique(np.linspace(0, len(trace.points_px) - 1, _PATH_POINTS).round()).astype(int)
        path = [[round(x, 1), round(y, 1)] for x, y in trace.points_px[keep].tolist()]
        reaches = trace.ends
    hit, other = shot.hit, shot.margin_outcome
    return {
        "ship": shot.ship,
        "laser": shot.laser,
        "power": shot.power,
        "speed": speed,
        "path_px": path,
        "reaches": reaches,
        "hit": None if hit is None else _hit(hit.card, hit.edge, hit.shielded),
        "margin_mm": round(shot.margin_mm, 3) if math.isfinite(shot.margin_mm) else None,
        "sigma_mm": round(shot.sigma_mm, 3),
        "flip": round(shot.flip_probability, 4),
        "contested": not shot.ruled and shot.flip_probability >= CLOSE_CALL,
        "ruled": shot.ruled,
        "options": _options(round_, shot),
        "margin_card": shot.margin_card,
        "margin_outcome": None if other is None else _hit(other.card, other.edge, other.shielded),
    }


def _options(round_: Round, shot: Shot) -> list[Json]:
    """Return what a shot may be ruled to do: what it does, what it nearly does, shields, space."""
    shields = {
        f"{team}-{ship.name}": bool(ship.shields)
        for team in round_.deck.teams
        for ship in round_.deck.ships
    }
    targets = [hit.card for hit in (shot.hit, shot.margin_outcome) if hit is not None]
    if shot.margin_card is not None and shot.margin_card != shot.ship:
        targets.append(shot.margin_card)
    out: list[Json] = []
    for target in dict.fromkeys(targets):
        out.append({"target": target, "shielded": False})
        if shields.get(target):
            out.append({"target": target, "shielded": True})
    return [*out, {"target": None, "shielded": False}]


def _hit(card: str, edge: str | None, shielded: bool) -> Json:
    return {"card": card, "edge": edge, "shielded": shielded}


def _fates(round_: Round) -> dict[str, Json]:
    fates: dict[str, Json] = {}

    def fate(card: str) -> Json:
        return fates.setdefault(card, {"damage": 0, "dies_at": None, "taken_by": None})

    for step in round_.resolution.steps:
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
    for step in round_.resolution.steps:
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


def _scores(scores: dict[str, Score]) -> Json:
    return {
        team: {"kills": s.kills, "rocks": s.rocks, "own": s.own, "total": s.total}
        for team, s in scores.items()
    }


def timeline(round_: Round) -> list[Json]:
    """Return score, rocks and damage before the first step and after each, as they would count."""
    return [{**moment, "scores": _scores(moment["scores"])} for moment in moments(round_)]


def moments(round_: Round) -> list[Json]:
    """Return the same with scores as values."""
    roster = call_roll(round_.table, round_.deck)
    carried = dict.fromkeys(roster.ships, 0)
    pools = {pool.source: pool.rocks for pool in roster.pools}
    damage: dict[str, int] = {}
    points = {team: [0, 0] for team in roster.teams}  # kills, own

    def now() -> Json:
        rocks = dict.fromkeys(roster.teams, 0)
        for ship, count in carried.items():
            rocks[roster.ships[ship][0]] += count
        return {
            "scores": {
                team: Score(points[team][0], rocks[team], points[team][1]) for team in roster.teams
            },
            "carried": {ship: count for ship, count in carried.items() if count},
            "pools": dict(pools),
            "damage": dict(damage),
        }

    out = [now()]
    for step in round_.resolution.steps:
        _settle(step, roster, carried, pools, damage, points)
        out.append(now())
    return out


def _settle(
    step: Step,
    roster: Roster,
    carried: dict[str, int],
    pools: dict[str, int],
    damage: dict[str, int],
    points: dict[str, list[int]],
) -> None:
    """Book one step."""
    for move in step.mined:
        carried[move.ship] = carried.get(move.ship, 0) + move.rocks
        purse = pools if move.source in pools else carried
        purse[move.source] = purse.get(move.source, 0) - move.rocks
    for loss in step.vaporised:
        purse = pools if loss.source in pools else carried
        purse[loss.source] = purse.get(loss.source, 0) - loss.rocks
    for hurt in step.damage:
        damage[hurt.card] = damage.get(hurt.card, 0) + hurt.points
    for dead in step.destroyed:
        carried.pop(dead.card, None)
        if dead.taken_by is None:
            continue
        if dead.taken_by == roster.ships[dead.card][0]:
            points[dead.taken_by][1] -= dead.points
        else:
            points[dead.taken_by][0] += dead.points
