"""A scan with its corrections: the log of edits folded, the round resolved again.

The log only grows: an undo is an entry too. What stands is found by reading it from the start.
"""

import io
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from sqlalchemy import RowMapping, func, insert, select

from vision.apps.server.routes.problems import Problem
from vision.apps.server.settings import Settings
from vision.apps.server.storage.store import Store, edits, scans
from vision.games.light_speed.corrections import change_from_json, correct, correct_all
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.files import read_table
from vision.games.light_speed.forms import table_to_json
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import Deck, Resolution, RuleOptions, TableState
from vision.values.layout import Camera
from vision.values.messages import Issue

__all__ = ["Round", "Rounds", "fold", "rules_to_json"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """A scan as it stands."""

    scan_id: str
    document: Json  #: sightline/scan@1 as it was read
    camera: Camera
    deck: Deck
    table: TableState
    resolution: Resolution
    issues: tuple[Issue, ...]
    revision: int
    undoable: int
    redoable: int
    photo: str
    view: str
    size_wh: tuple[int, int]


def rules_to_json(rules: RuleOptions) -> Json:
    """Return rules in the form of ``sightline/table@1``."""
    out: Json = table_to_json(TableState((), rules=rules))["rules"]
    return out


def fold(log: Sequence[tuple[str, Any]]) -> tuple[list[Any], list[Any]]:
    """Return the changes that stand and those that can be done again, from the log.

    >>> fold([("move", 1), ("move", 2), ("undo", None)])
    ([1], [2])
    """
    done: list[Any] = []
    undone: list[Any] = []
    for kind, change in log:
        if kind == "undo":
            if done:
                undone.append(done.pop())
        elif kind == "redo":
            if undone:
                done.append(undone.pop())
        else:
            done.append(change)
            undone.clear()
    return done, undone


class Rounds:
    """Scans with their corrections, from the store."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings = store, settings
        self._build = lru_cache(maxsize=48)(self._build_fresh)
        self._sum = lru_cache(maxsize=1000)(self._sum_fresh)

    def get(self, row: RowMapping) -> Round:
        """Return a round as it stands now."""
        if row["scan"] is None:
            raise Problem(409, "not_ready", "this photo has not been read yet")
        return self._build(row["id"], self._revision(row["id"]))

    def _revision(self, scan_id: str) -> int:
        with self.store.read() as connection:
            newest = connection.scalar(select(func.max(edits.c.seq)).where(edits.c.scan == scan_id))
        return int(newest or 0)

    def summary(self, row: RowMapping) -> Json:
        """Return what a list tells of a round that is read: score, winners, cards, doubts."""
        return self._sum(row["id"], self._revision(row["id"]))

    def _sum_fresh(self, scan_id: str, revision: int) -> Json:
        if revision:
            round_ = self._build(scan_id, revision)
            return {
                "scores": {team: score.total for team, score in round_.resolution.scores.items()},
                "winners": list(round_.resolution.winners),
                "cards": len(round_.table.cards),
                "doubts": sum(issue.severity == "doubt" for issue in round_.issues),
            }
        with self.store.read() as connection:  # as it was read: nothing to resolve again
            document = json.loads(
                connection.scalar(select(scans.c.scan).where(scans.c.id == scan_id)) or "{}"
            )
        resolution = document["resolution"]
        return {
            "scores": {team: score["total"] for team, score in resolution["scores"].items()},
            "winners": list(resolution["winners"]),
            "cards": len(document["table"]["cards"]),
            "doubts": sum(i.get("severity", "doubt") == "doubt" for i in document["issues"]),
        }

    def log(self, scan_id: str, upto: int | None = None) -> list[tuple[str, Json]]:
        """Return the log of a scan."""
        query = select(edits.c.kind, edits.c.body).where(edits.c.scan == scan_id)
        if upto is not None:
            query = query.where(edits.c.seq <= upto)
        with self.store.read() as connection:
            rows = connection.execute(query.order_by(edits.c.seq)).all()
        return [(row.kind, json.loads(row.body)) for row in rows]

    def _build_fresh(self, scan_id: str, revision: int) -> Round:
        with self.store.read() as connection:
            row = connection.execute(select(scans).where(scans.c.id == scan_id)).mappings().one()
        document = json.loads(row["scan"])
        done, undone = fold(self.log(scan_id, revision))
        deck = load_deck(row["deck"])
        base = read_table(document["table"])
        joint = np.load(io.BytesIO(self.store.blobs.read(row["joint"])), allow_pickle=False)
        base = replace(base, joint_covariance=joint)
        table = correct_all(base, [change_from_json(c) for c in done], deck)
        resolution = resolve(table, deck)
        return Round(
            scan_id=scan_id,
            document=document,
            camera=_camera(document),
            deck=deck,
            table=table,
            resolution=resolution,
            issues=(*_reading_issues(document, done, table), *resolution.issues),
            revision=revision,
            undoable=len(done),
            redoable=len(undone),
            photo=row["photo"],
            view=row["view"],
            size_wh=(document["photo"]["width_px"], document["photo"]["height_px"]),
        )

    def add(self, row: RowMapping, kind: str, body: Json, base: int | None) -> Round:
        """Add an entry to the log, if it fits; return the round after it.

        Raises
        ------
        Problem
            409 if ``base`` is not the newest revision, or there is nothing to undo or redo.
        TableFormatError
            If the change does not fit the table.
        """
        now = self.get(row)
        if base is not None and base != now.revision:
            raise Problem(
                409,
                "conflict",
                f"this round is at revision {now.revision}, the change was made on {base}; "
                "load it again and repeat the change",
            )
        if now.revision >= self.settings.edits_per_scan:
            raise Problem(
                409, "too_many", f"at most {self.settings.edits_per_scan} changes are kept"
            )
        if (kind == "undo" and not now.undoable) or (kind == "redo" and not now.redoable):
            raise Problem(409, "conflict", f"there is nothing to {kind}")
        if kind not in ("undo", "redo"):
            changed = correct(now.table, change_from_json(body), now.deck)
            resolve(changed, now.deck)  # what cannot be resolved is not kept
        with self.store.write() as connection:
            newest = connection.scalar(
                select(func.max(edits.c.seq)).where(edits.c.scan == now.scan_id)
            )
            if int(newest or 0) != now.revision:
                raise Problem(409, "conflict", "someone else changed this round just now")
            connection.execute(
                insert(edits).values(
                    scan=now.scan_id,
                    seq=now.revision + 1,
                    kind=kind,
                    body=json.dumps(body),
                    created=time.time(),
                )
            )
        return self.get(row)


def _camera(document: Json) -> Camera:
    camera = document["camera"]
    lens = camera["distortion"]
    return Camera(
        np.array(lens["camera_matrix"]),
        np.array([lens["k1"], lens["k2"]]),
        np.array(camera["photo_from_table"]),
    )


def _reading_issues(document: Json, done: list[Json], table: TableState) -> tuple[Issue, ...]:
    """Return the doubts of the reading that no correction has answered."""
    corrected = [change for change in done if change["kind"] not in ("ruling", "withdraw")]
    touched = {change.get("card") or change.get("id") for change in corrected}
    touched |= {change.get("identity") for change in done}
    present = {card.card_id for card in table.cards}
    own = {json.dumps(issue) for issue in document["resolution"]["issues"]}
    return tuple(
        Issue(
            issue["code"],
            issue["message"],
            tuple(issue.get("cards", ())),
            issue.get("severity", "doubt"),
        )
        for issue in document["issues"]
        if json.dumps(issue) not in own
        and not touched & set(issue.get("cards", ()))
        and set(issue.get("cards", ())) <= present
    )
