"""A scan with its corrections: the log of edits folded, the round played again.

Where those who play it have careers, it is played with what they have by then.
"""

import io
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias, cast

import numpy as np

from vision.apps.corrected import brought, changed, issues_of, unanswered
from vision.apps.decks import find_known
from vision.apps.known import Known
from vision.apps.server.problems import NO_ROUND, Problem, or_404
from vision.apps.server.rounds.careers import Careers, check_careers
from vision.apps.server.rounds.log import fold
from vision.apps.server.settings import Settings
from vision.apps.server.storage import CareerRound, Kept, Scan, Sitting, Storage, needed_by
from vision.errors import ScanError
from vision.files.headlines import headline_to_json
from vision.files.layouts import camera_from_json
from vision.judging.career import Service, serve
from vision.judging.game import Game
from vision.texts import texts
from vision.values.arrays import FloatArray
from vision.values.layout import Camera
from vision.values.ledger import Ledger
from vision.values.messages import Issue, message

__all__ = ["PlayedRounds", "Round", "as_listed", "ruled", "tell", "veiled"]

Json = dict[str, Any]
_Names: TypeAlias = tuple[str, str | None]  # of the deck, and of the game
_Reading: TypeAlias = tuple[str, int]  # the id of a scan, and how often it was read
_Points: TypeAlias = tuple[tuple[str, int], ...]  # by side, of careers


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """A scan as it stands; ``table`` and ``outcome`` are the game's own, which it alone opens."""

    scan_id: str
    document: Json  #: sightline/scan@1 as it was read
    camera: Camera
    known: Known
    game: Game
    table: Any
    outcome: Any
    ledger: Ledger
    written: Json  #: sightline/table@1, with all corrections
    seen: tuple[Issue, ...]  #: doubts of the reading that no correction has answered
    size_wh: tuple[int, int]
    view: str  #: key of the picture that the page shows
    revision: int = 0
    undoable: int = 0
    redoable: int = 0

    @property
    def issues(self) -> tuple[Issue, ...]:
        """All doubts and notes as the odds weigh them, those that they play first."""
        return self.ledger.weigh((*self.seen, *self.ledger.doubts))


class PlayedRounds:
    """Scans with their corrections, from what is stored."""

    def __init__(self, storage: Storage, settings: Settings) -> None:
        self.records, self.objects, self.settings = storage.records, storage.objects, settings
        self._game_of = lru_cache(maxsize=256)(self._find_game)  # it looks through all packages
        self.careers = Careers(storage.records, self._game_of, self._served)
        self._build = lru_cache(maxsize=48)(self._build_fresh)
        self._sum = lru_cache(maxsize=1000)(self._sum_fresh)
        self._serve = lru_cache(maxsize=5000)(self._serve_fresh)

    def get(self, scan: Scan) -> Round:
        """Return a round as it stands now."""
        if scan.view is None:
            raise Problem(409, "not_ready", "this photo has not been read yet")
        return self._build(*self._asked(scan))

    def as_read(self, scan: Scan) -> Round:
        """Return a round as its photo was read, without any correction."""
        return self._build((scan.id, scan.readings), (scan.deck, scan.game), 0, ())

    def game_of(self, scan: Scan) -> Game:
        """Return the game of a scan."""
        return self._game_of(scan.deck, scan.game)

    def carries_on(self, scan: Scan) -> bool:
        """Tell whether the score of a round goes on in the next."""
        return self.game_of(scan).overrides(Game.carried)

    def summary(self, scan: Scan) -> Json:
        """Return what a list tells of a round that is read: verdict, score, cards.

        ``open`` while nobody may be shown as the winner; ``ends`` if the game ends with this round
        as it was read; ``unordered`` where it is played by orders and nobody has given one.
        """
        return self._sum(*self._asked(scan))

    def mark(self, scan: Scan) -> str:
        """Return a word that is another one whenever a round stands otherwise."""
        return repr((self._asked(scan), scan.state, scan.name, scan.view))

    def _asked(self, scan: Scan) -> tuple[_Reading, _Names, int, _Points]:
        """Return all that a round as it stands follows from."""
        revision = self.records.edits.revision(scan.id)
        reading = (scan.id, scan.readings)
        return reading, (scan.deck, scan.game), revision, self.careers.points(scan)

    def _sum_fresh(self, reading: _Reading, of: _Names, revision: int, points: _Points) -> Json:
        document = json.loads(self._kept(reading[0]).document)
        by_orders = self._game_of(*of).takes_orders
        if revision or points or by_orders or not _is_summed_up(document):
            round_ = self._build(reading, of, revision, points)
            over = headline_to_json(round_.ledger, round_.issues, round_.game.texts)
            ends, unordered = bool(round_.ledger.winners), round_.ledger.unordered
            scores, written = round_.ledger.final.scores, round_.written
        else:
            over, written = document["headline"], document["table"]
            ends, unordered = bool(over["winners"]), False
            scores = (document["resolution"] or {}).get("scores", {})
        totals = {side: parts["total"] for side, parts in scores.items()}
        told = {"ends": ends, "unordered": unordered, "cards": _count(document, written)}
        return {"scores": totals, **as_listed(over), **told}

    def log(self, scan_id: str, upto: int | None = None) -> list[tuple[str, Json]]:
        """Return the log of a scan."""
        entries = self.records.edits.log(scan_id, upto)
        return [(kind, json.loads(body)) for kind, body in entries]

    def _kept(self, scan_id: str) -> Kept:
        return or_404(self.records.scans.read(scan_id), NO_ROUND)

    def _find_game(self, deck: str | None, game: str | None) -> Game:
        return find_known(deck, game, self.settings.decks).game

    def _served(self, asked: CareerRound, points: Mapping[str, int]) -> Mapping[str, Service]:
        of = (asked.deck, asked.game)
        reading = (asked.scan, asked.readings)
        return self._serve(reading, of, asked.revision, tuple(sorted(points.items())))

    def _serve_fresh(
        self, reading: _Reading, of: _Names, revision: int, points: _Points
    ) -> Mapping[str, Service]:
        """Return what a round leaves to those who played it, played with what they had."""
        scan_id, _ = reading
        game = self._game_of(*of)
        check_careers(game)
        written = json.loads(self._kept(scan_id).document)["table"]
        table = game.restore(written, self._joint(scan_id))
        table, _ = changed(game, table, fold(self.log(scan_id, revision))[0])
        enlisted = game.enlist(table, dict(points))
        return game.services(enlisted, game.resolve(enlisted))

    def _joint(self, scan_id: str) -> FloatArray:
        with needed_by(scan_id):
            joint = self.objects.read(self._kept(scan_id).joint)
        return cast("FloatArray", np.load(io.BytesIO(joint), allow_pickle=False))

    def _build_fresh(self, reading: _Reading, of: _Names, revision: int, points: _Points) -> Round:
        scan_id, _ = reading
        if points:
            return _played_by(self._build(reading, of, revision, ()), dict(points))
        if revision:
            return _corrected(self._build(reading, of, 0, ()), self.log(scan_id, revision))
        kept = self._kept(scan_id)
        document = json.loads(kept.document)
        known = find_known(*of, self.settings.decks)
        game = known.game
        table = game.restore(document["table"], self._joint(scan_id))
        outcome = game.resolve(table)
        ledger = tell(game, table, outcome)
        written = game.write(table)
        return Round(
            scan_id=scan_id,
            document=document,
            camera=camera_from_json(document["camera"]),
            known=known,
            game=game,
            table=table,
            outcome=outcome,
            ledger=ledger,
            written=written,
            seen=issues_of(document, ledger, texts("en", game.texts)),
            size_wh=(document["photo"]["width_px"], document["photo"]["height_px"]),
            view=kept.view,
        )

    def add(self, scan: Scan, kind: str, body: Json, base: int | None) -> Round:
        """Add an entry to the log, if it fits; return the round after it.

        Raises
        ------
        Problem
            409 if ``base`` is not the newest revision, or there is nothing to undo or redo.
        TableFormatError
            If the change does not fit the table.
        """
        now = self.get(scan)
        if base is not None and base != now.revision:
            raise Problem(
                409,
                "conflict",
                f"this round is at revision {now.revision}, the change was made on {base}; "
                "load it again and repeat the change",
            )
        most = self.settings.edits_per_scan
        if now.revision >= most:
            raise Problem(409, "too_many", f"at most {most} changes are kept")
        if (kind == "undo" and not now.undoable) or (kind == "redo" and not now.redoable):
            raise Problem(409, "conflict", f"there is nothing to {kind}")
        if kind not in ("undo", "redo"):
            after = brought(now.game, now.table, body)
            now.game.resolve(after)  # what cannot be resolved is not kept
        if not self.records.edits.add(scan.id, now.revision, kind, json.dumps(body)):
            raise Problem(409, "conflict", "someone else changed this round just now")
        return self.get(scan)


def _is_summed_up(document: Json) -> bool:
    """Tell whether a scan as it was read says by itself all that a list tells of it.

    Who wins a round that is open is not in it, nor the verdict in one of an older version.
    """
    scores = (document["resolution"] or {"scores": {}}).get("scores")
    over = document.get("headline") or {}
    has_verdict = not over.get("open", True) and {"winners", "unordered"} <= over.keys()
    has_scores = scores is not None and all("total" in parts for parts in scores.values())
    return has_verdict and has_scores


def as_listed(over: Json) -> Json:
    """Return what a list tells of a verdict."""
    return {"headline": over, **{key: over[key] for key in ("open", "winners", "doubts")}}


def _count(document: Json, table: Json) -> int:
    """Count what lies on a table: its cards, or the pieces that were seen."""
    there: list[Json] = table["cards"] if "cards" in table else document["pieces"]
    return len(there)


def _corrected(read: Round, log: Sequence[tuple[str, Json]]) -> Round:
    """Return a round as it stands after its log, from how it was read."""
    done, undone = fold(log)
    table, lost = changed(read.game, read.table, done)
    outcome = read.game.resolve(table)
    after = _with_table(read, table, outcome, tell(read.game, table, outcome))
    return replace(
        after,
        seen=(*lost, *unanswered(read.seen, done, read.written, after.written, after.ledger)),
        revision=len(log),
        undoable=len(done),
        redoable=len(undone),
    )


def _with_changes(round_: Round, changes: Sequence[Json]) -> Round:
    """Return a round with changes brought to its table, and played."""
    game, table = round_.game, round_.table
    for change in changes:
        table = game.edit(table, change)
    outcome = game.resolve(table)
    return _with_table(round_, table, outcome, tell(game, table, outcome))


def _played_by(round_: Round, points: Mapping[str, int]) -> Round:
    """Return a round as it is played by those who have so many points."""
    game = round_.game
    return _with_table(round_, *serve(game, round_.table, points, partial(tell, game)))


def _with_table(round_: Round, table: Any, outcome: Any, ledger: Ledger) -> Round:
    """Return a round on another table."""
    written = round_.game.write(table)
    return replace(round_, table=table, outcome=outcome, ledger=ledger, written=written)


def tell(game: Game, table: Any, outcome: Any, party: str | None = None) -> Ledger:
    """Tell a round as a party sees it; None: as everybody does."""
    return game.tell(game.as_seen_by(table, party), outcome)


# --- shown while some still order in secret ------------------------------------------------------


def veiled(round_: Round, sitting: Sitting | None, party: str | None = None) -> Round:
    """Return a round without the orders on it, and unplayed, while a sitting round it is on.

    ``party`` is who looks at it, None everybody. What was read from sheets, or given in the open
    before, is told again once all is revealed: who still orders may look at the table's screen.
    Without them everybody would pass: what would come of that is no result.
    """
    if party is not None:
        round_ = replace(round_, ledger=tell(round_.game, round_.table, round_.outcome, party))
    if sitting is None or sitting.state not in ("gathering", "open"):
        return round_
    standing = round_.game.orders(round_.table)
    given = {party: None for party, order in standing.items() if order}
    if not given:
        return round_
    bare = _with_changes(round_, [{"kind": "orders", "orders": given}])
    ledger = tell(bare.game, bare.table, bare.outcome, party)
    begin = (replace(step, events=(), tally=ledger.opening) for step in ledger.steps[:1])
    unplayed = replace(
        ledger,
        steps=tuple(begin),
        winners=(),
        outcome=message("headline.ordering"),
        reason=None,
        odds=None,
        summary=(),
        unordered=True,
    )
    return replace(bare, ledger=unplayed)


# --- what rulings would make of it ---------------------------------------------------------------


def ruled(round_: Round, event_id: str) -> Json:
    """Return what would come of each choice of an event, in their order.

    Raises
    ------
    Problem
        404 if the round has no such event.
    """
    for step in round_.ledger.steps:
        for event in step.events:
            if event.id == event_id:
                return {"choices": [_after(round_, change) for _, change in event.choices]}
    raise Problem(404, "not_found", f"this round has no event {event_id!r}")


def _after(round_: Round, change: Mapping[str, object]) -> Json:
    """Play a round as it would be after a change; no scores where it does not fit."""
    with suppress(ScanError, ValueError):
        after = _with_changes(round_, [dict(change)])
        over = headline_to_json(after.ledger, after.issues, after.game.texts)
        scores = {side: parts["total"] for side, parts in after.ledger.final.scores.items()}
        return {"change": dict(change), "scores": scores, "headline": over}
    return {"change": dict(change), "scores": None, "headline": None}
