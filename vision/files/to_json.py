"""JSON out: tables, resolutions and scans as plain dicts, lists and numbers.

Values are in millimetres and radians, files in millimetres and degrees.
"""

import math
from typing import Any

import numpy as np

from vision.games.light_speed.values import (
    NO_GAME,
    CloseFeature,
    Hit,
    Odds,
    Resolution,
    RuleOptions,
    ScoreChance,
    Shot,
    Step,
    TableReading,
    TableState,
)
from vision.geometry import wrap_angle
from vision.texts import Texts, texts
from vision.values.layout import Camera, PlacedCard, PrintOffset, Reading
from vision.values.messages import Issue
from vision.values.scan import Scan

__all__ = ["resolution_to_json", "scan_to_json", "table_to_json"]

Json = dict[str, Any]

_TO_DEG = np.array([1.0, 1.0, math.degrees(1.0)])


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
        "cards": [_card_to_json(card) for card in table.cards],
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
    if rules.face_down != RuleOptions().face_down:
        out["face_down"] = rules.face_down
    return out


def _card_to_json(card: PlacedCard) -> Json:
    out: Json = {
        "card": card.card_id,
        "x_mm": float(card.x_mm),
        "y_mm": float(card.y_mm),
        "theta_deg": _degrees(card.theta_rad),
    }
    if card.covariance is not None:
        out["covariance"] = (card.covariance * np.outer(_TO_DEG, _TO_DEG)).tolist()
    if card.confidence != 1.0:
        out["confidence"] = float(card.confidence)
    if card.printed is not None:
        out["print"] = _print_to_json(card.printed)
    return out


def _print_to_json(printed: PrintOffset) -> Json:
    out: Json = {
        "x_mm": float(printed.x_mm),
        "y_mm": float(printed.y_mm),
        "turn_deg": _degrees(printed.turn_rad),
    }
    if printed.covariance is not None:
        out["covariance"] = (printed.covariance * np.outer(_TO_DEG, _TO_DEG)).tolist()
    return out


def _degrees(theta_rad: float) -> float:
    """Write an angle in (-180, 180] with the fewest decimals that read back the same, if any."""
    theta = wrap_angle(theta_rad)
    exact = math.degrees(theta)
    for decimals in (0, 3, 6, 9, 12):
        short = round(exact, decimals)
        if math.radians(short) == theta:
            return short + 0.0
    near = (exact, math.nextafter(exact, 360.0), math.nextafter(exact, -360.0))
    return next((d for d in near if math.radians(d) == theta), exact)


def resolution_to_json(resolution: Resolution, *, language: str = "en") -> Json:
    """Return a resolution as ``sightline/resolution@1``, its sentences in a language.

    A margin is null where no shift of the beam changes what it hits.
    """
    t = texts(language)
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
        "issues": [_issue_to_json(issue, t) for issue in resolution.issues],
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
                "conditions": [
                    {
                        "ship": asked.ship,
                        "laser": asked.laser,
                        "hits": [_hit_to_json(hit) for hit in asked.hits],
                    }
                    for asked in reading.conditions
                ],
                **end(reading),
            }
            for reading in odds.readings
        ],
    }


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


def _issue_to_json(issue: Issue, t: Texts) -> Json:
    return {
        "code": issue.code,
        "cards": list(issue.cards),
        "message": t.issue(issue),
        "severity": issue.severity,
    }


def scan_to_json(scan: Scan, *, language: str = "en") -> Json:
    """Return a scan as ``sightline/scan@1``, the table and the resolution in it.

    The resolution is null where the deck has no lasers.
    """
    t = texts(language)
    resolved = scan.table.game != NO_GAME
    seen = zip(scan.placement.cards, scan.readings, scan.corners_px, strict=True)
    return {
        "schema": "sightline/scan@1",
        "photo": {"width_px": scan.width_px, "height_px": scan.height_px},
        "camera": _camera_to_json(scan.camera),
        "cards": [
            {
                **_card_to_json(card),
                "corners_px": np.asarray(corners).tolist(),
                **_reading_to_json(card, reading),
            }
            for card, reading, corners in seen
        ],
        "issues": [_issue_to_json(issue, t) for issue in scan.issues],
        "timings_ms": {stage: float(ms) for stage, ms in scan.timings_ms.items()},
        "table": table_to_json(scan.table),
        "resolution": resolution_to_json(scan.resolution, language=language) if resolved else None,
    }


def _camera_to_json(camera: Camera) -> Json:
    k1, k2 = camera.distortion.tolist()
    return {
        "photo_from_table": camera.photo_from_table.tolist(),
        "distortion": {
            "model": "radial",
            "k1": k1,
            "k2": k2,
            "camera_matrix": camera.camera_matrix.tolist(),
        },
    }


def _reading_to_json(card: PlacedCard, reading: Reading) -> Json:
    """Return the score of the card accepted, and the best other card."""
    chosen = reading.accepted
    others = [c for c in reading.candidates if chosen is None or c.card_id != chosen.card_id]
    best = max(others, key=lambda c: c.score, default=None)
    return {
        "score": float(chosen.score) if chosen is not None else 0.0,
        "runner_up": None if best is None else {"card": best.card_id, "score": float(best.score)},
    }
