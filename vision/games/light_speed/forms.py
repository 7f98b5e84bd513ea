"""Light Speed's values -> JSON: tables and resolutions as plain dicts, lists and numbers.

Values are in millimetres and radians, files in millimetres and degrees.
"""

import math
from dataclasses import asdict, fields
from typing import Any

from vision.files.layouts import card_to_json, issue_to_json
from vision.games.light_speed.claims import claim_to_json
from vision.games.light_speed.values import (
    CloseFeature,
    Condition,
    Hit,
    Named,
    Odds,
    Resolution,
    RuleOptions,
    ScoreChance,
    Shot,
    Step,
    TableReading,
    TableState,
)
from vision.games.light_speed.words import words
from vision.texts import Texts

__all__ = ["resolution_to_json", "table_to_json"]

Json = dict[str, Any]


def table_to_json(table: TableState) -> Json:
    """Return a table as ``sightline/table@1``: plain lists, dicts and numbers.

    What may be left out (covariance, confidence 1, no objects, our own rules at their defaults)
    is left out.
    """
    out: Json = {
        "schema": "sightline/table@1",
        "game": table.game,
        "deck": table.deck,
        "rules": _rules_to_json(table.rules),
        "cards": [card_to_json(card) for card in table.cards],
    }
    if table.objects:
        out["objects"] = [
            {"id": thing.id, "kind": thing.kind, "outline_mm": thing.outline_mm.tolist()}
            for thing in table.objects
        ]
    if table.rulings:
        out["rulings"] = [
            {"ship": r.ship, "laser": r.laser, "target": r.target, "shielded": r.shielded}
            for r in table.rulings
        ]
    if table.claims:
        out["claims"] = [claim_to_json(claim) for claim in table.claims]
    if table.unseen:
        out["unseen"] = [{**asdict(one), "at_px": list(one.at_px)} for one in table.unseen]
    if table.missing:
        out["missing"] = list(table.missing)
    return out


def _rules_to_json(rules: RuleOptions) -> Json:
    out: Json = {
        "piracy": rules.piracy,
        "rocks": rules.rocks,
        "asteroids": rules.asteroids,
        "kill_credit": rules.kill_credit,
    }
    if rules.teams is not None:
        out["teams"] = list(rules.teams)
    plain = RuleOptions()
    for one in fields(rules):
        value = getattr(rules, one.name)
        if one.name not in out and value != getattr(plain, one.name):
            out[one.name] = value
    return out


def resolution_to_json(resolution: Resolution, *, language: str = "en") -> Json:
    """Return a resolution as ``sightline/resolution@1``, its sentences in a language.

    A margin is null where no shift of the beam changes what it hits.
    """
    t = words(language)
    return {
        "schema": "sightline/resolution@1",
        "steps": [_step_to_json(step, t) for step in resolution.steps],
        "scores": {
            team: {
                "kills": score.kills,
                "rocks": score.rocks,
                "own": score.own,
                "total": score.total,
            }
            for team, score in resolution.scores.items()
        },
        "winners": list(resolution.winners),
        "issues": [issue_to_json(issue, t) for issue in resolution.issues],
        "carried": dict(resolution.carried),
        "pools": dict(resolution.pools),
        "contested_from": resolution.contested_from,
        "odds": None if resolution.odds is None else _odds_to_json(resolution.odds),
    }


def _odds_to_json(odds: Odds) -> Json:
    def end(item: ScoreChance | TableReading) -> Json:
        return {
            "totals": dict(item.totals),
            "winners": list(item.winners),
            "probability": item.probability,
        }

    return {
        "samples": odds.samples,
        "winner_probability": odds.winner_probability,
        "score_probability": odds.score_probability,
        "winners": [
            {"winners": list(winners), "probability": chance} for winners, chance in odds.winners
        ],
        "scores": [end(score) for score in odds.scores],
        "readings": [
            {
                "conditions": [_condition_to_json(asked) for asked in reading.conditions],
                **end(reading),
            }
            for reading in odds.readings
        ],
        **({"unknown": odds.unknown} if odds.unknown else {}),
    }


def _condition_to_json(asked: Condition | Named) -> Json:
    if isinstance(asked, Named):
        return {"card": asked.card, "pieces": list(asked.pieces)}
    hits = [_hit_to_json(hit) for hit in asked.hits]
    return {"ship": asked.ship, "laser": asked.laser, "hits": hits}


def _step_to_json(step: Step, t: Texts) -> Json:
    def plain(event: Any) -> Json:
        return {name: getattr(event, name) for name in event.__slots__ if name != "why"}

    return {
        "speed": step.speed,
        "shots": [_shot_to_json(shot) for shot in step.shots],
        "mined": [plain(event) for event in step.mined],
        "vaporised": [plain(event) for event in step.vaporised],
        "damage": [plain(event) for event in step.damage],
        "destroyed": [
            plain(event) | ({} if event.why is None else {"reason": t.tell(event.why)})
            for event in step.destroyed
        ],
        "gone": list(step.gone),
    }


def _shot_to_json(shot: Shot) -> Json:
    return {
        "ship": shot.ship,
        "laser": shot.laser,
        "power": shot.power,
        "path_mm": [list(point) for point in shot.path_mm],
        "hit": _hit_to_json(shot.hit),
        "margin_mm": shot.margin_mm if math.isfinite(shot.margin_mm) else None,
        "sigma_mm": shot.sigma_mm,
        "flip_probability": shot.flip_probability,
        "margin_card": shot.margin_card,
        "margin_outcome": _hit_to_json(shot.margin_outcome),
        "feature": _feature_to_json(shot.feature),
        "ruled": shot.ruled,
    }


def _feature_to_json(feature: CloseFeature | None) -> Json | None:
    if feature is None:
        return None
    return {
        "card": feature.card,
        "kind": feature.kind,
        "distance_mm": feature.distance_mm,
        "sigma_mm": feature.sigma_mm,
        "point_mm": list(feature.point_mm),
    }


def _hit_to_json(hit: Hit | None) -> Json | None:
    if hit is None:
        return None
    return {"card": hit.card, "edge": hit.edge, "shielded": hit.shielded}
