"""Light Speed's values -> JSON: tables and resolutions as plain dicts, lists and numbers.

Values are in millimetres and radians, files in millimetres and degrees.
"""

from dataclasses import asdict, fields
from typing import Any

from vision.files.codec import to_document
from vision.files.layouts import card_to_json
from vision.games.light_speed.claims import claim_to_json
from vision.games.light_speed.values import Resolution, RuleOptions, TableState
from vision.games.light_speed.words import words

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
    return to_document("resolution", resolution, words(language))
