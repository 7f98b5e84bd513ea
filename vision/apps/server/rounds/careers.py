"""The log of careers and the rounds as they stand -> what each career has, as the page shows it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from vision.apps.server.problems import Problem, or_404
from vision.apps.server.rounds.log import fold
from vision.apps.server.rounds.told import in_each
from vision.apps.server.storage import CareerLog, CareerRound, KeptCareer, Note, Records, Scan
from vision.apps.server.times import dated
from vision.judging.career import (
    Career,
    Corrected,
    Entry,
    Figure,
    History,
    Line,
    Named,
    Played,
    Service,
    follow,
    is_idle,
)
from vision.judging.game import Game

__all__ = ["Careers", "check_careers"]

Json = dict[str, Any]
_Points = Mapping[str, int]
_Play = Callable[[CareerRound, _Points], Mapping[str, Service]]
_MOST_NOTES = 1000  # said by hand of one career


def check_careers(game: Game) -> None:
    """Refuse a game that keeps no careers.

    Raises
    ------
    Problem
        409 if it does not.
    """
    if not game.keeps_careers:
        raise Problem(409, "no_careers", f"{game.name} keeps no careers")


class Careers:
    """The careers, folded from what is stored.

    Parameters
    ----------
    records : Records
        What is stored.
    game_of : callable
        Takes the names of a deck and a game (or None); returns the game.
    play : callable
        Plays a round with the points of its sides.
    """

    def __init__(
        self, records: Records, game_of: Callable[[str | None, str | None], Game], play: _Play
    ) -> None:
        self.records, self._play = records, play
        self._game_of = game_of
        self._last: dict[str, tuple[CareerLog, History]] = {}  # by game
        self.is_photo = lru_cache(maxsize=1000)(self._is_photo)

    # --- of a round --------------------------------------------------------------------------

    def points(self, scan: Scan) -> tuple[tuple[str, int], ...]:
        """Return the points that the sides of a round have on entering; none without careers."""
        if scan.evening is None or not (games := self.records.careers.games(scan.evening)):
            return ()
        game = self._game_of(scan.deck, scan.game)
        if game.name not in games:
            return ()
        found = self._history(self.records.careers.log(game.name), game, scan.id).found
        return tuple(sorted(found.get(scan.id, {}).items()))

    def _history(self, log: CareerLog, game: Game, at: str | None = None) -> History:
        """Fold a log; a round that was read again counts only where it is asked for."""
        counted, copies = self._once(log, game)
        rounds = {one.scan: one for one in log.rounds}

        def play(entry: Played, points: _Points) -> Mapping[str, Service]:
            return self._play(rounds[entry.round], points)

        if at in copies:
            again = [one for one in log.rounds if one in counted or one.scan == at]
            return follow(_entries(log, again), play, until=at)
        was, history = self._last.get(game.name, (None, History()))
        if was != log:
            history = follow(_entries(log, counted), play)
            self._last[game.name] = (log, history)
        return history

    def _once(self, log: CareerLog, game: Game) -> tuple[list[CareerRound], dict[str, str]]:
        """Return the rounds of the game that count, and of the others which they are a copy of.

        As in the evening: a photo that came before in it does not count again, until someone says
        so.
        """
        names = {(one.deck, one.game) for one in log.rounds}
        of_game = {name for name in names if self._game_of(*name).name == game.name}
        first: dict[tuple[str, str], str] = {}
        counted, copies = [], dict[str, str]()
        for one in [one for one in log.rounds if (one.deck, one.game) in of_game]:
            keys = [(one.evening, one.photo), (one.evening, one.view)]
            before = next((first[key] for key in keys if key in first), None)
            if before is not None and not one.counted and self.is_photo(one.scan):
                copies[one.scan] = before
                continue
            for key in keys:
                first.setdefault(key, one.scan)
            counted.append(one)
        return counted, copies

    def _is_photo(self, scan: str) -> bool:
        """Tell whether a round was photographed: a table that was typed took no time to see.

        Drawn pictures of two rounds may be the same.
        """
        kept = self.records.scans.read(scan)
        return kept is None or bool(json.loads(kept.document).get("timings_ms"))

    # --- what shows --------------------------------------------------------------------------

    def find(self, career_id: str) -> KeptCareer:
        """Return a career.

        Raises
        ------
        Problem
            404 if there is none.
        """
        found = self.records.careers.find(career_id)
        return or_404(found, "there is no such career; it may have been deleted")

    def in_short(self, found: Sequence[KeptCareer]) -> list[Json]:
        """Return careers in short."""
        logs = {game: self.records.careers.log(game) for game in {one.game for one in found}}
        return [self._short(one, logs[one.game]) for one in found]

    def at(self, evening: str) -> list[Json]:
        """Return who sits at an evening: side, game, career in short."""
        told = []
        for game in self.records.careers.games(evening):
            log = self.records.careers.log(game)
            known = {one.id: one for one in log.careers}
            told += [
                {"side": side, **self._short(known[career], log)}
                for side, career in sorted(log.seats.get(evening, {}).items())
            ]
        return told

    def tell(self, career_id: str) -> Json:
        """Return a career whole: its figures, and what each round left to them."""
        kept = self.find(career_id)
        log, game = self.records.careers.log(kept.game), self._game_of(None, kept.game)
        rounds = {one.scan: one for one in log.rounds}
        _, copies = self._once(log, game)
        career = self._career(kept, log)
        done, undone = fold(_said(log.notes, kept.id))
        mine = [
            {"round": old, "name": rounds[old].name, "counts_as": first}
            for old, first in copies.items()
            if kept.id in log.seats.get(rounds[old].evening, {}).values()
        ]
        return {
            **self._short(kept, log),
            "revision": len(_said(log.notes, kept.id)),
            "undoable": len(done),
            "redoable": len(undone),
            "figures": [_figure(figure, rounds, game) for figure in career.figures],
            "copies": mine,
        }

    def _career(self, kept: KeptCareer, log: CareerLog) -> Career:
        game = self._game_of(None, kept.game)
        return self._history(log, game).careers.get(kept.id, Career())

    def _short(self, kept: KeptCareer, log: CareerLog) -> Json:
        career, game = self._career(kept, log), self._game_of(None, kept.game)
        is_open = any(
            line.service is not None and not (line.service.is_settled and line.service.is_sure)
            for figure in career.figures
            for line in figure.lines
        )
        return {
            "id": kept.id,
            "game": kept.game,
            "name": kept.name,
            **dated(created=kept.created),
            "points": career.points,
            "rank": in_each(game.rank(career.points), game),
            "figure": career.figures[-1].name,
            "number": len(career.figures),
            "open": is_open,
        }

    # --- words by hand -----------------------------------------------------------------------

    def note(self, career_id: str, kind: str, body: Json, base: int | None) -> Json:
        """Add to the log of a career what was said by hand, an undo or a redo; return it then.

        Raises
        ------
        Problem
            409 if ``base`` is not the newest revision, or there is nothing to undo or redo.
        """
        told = self.tell(career_id)
        revision = int(told["revision"])
        if base is not None and base != revision:
            detail = f"this career is at revision {revision}; load it again and repeat the change"
            raise Problem(409, "conflict", detail)
        if kind in ("undo", "redo") and not told[f"{kind}able"]:
            raise Problem(409, "conflict", f"there is nothing to {kind}")
        if kind == "name" and not 0 <= body["figure"] < told["number"]:
            raise Problem(409, "conflict", f"there are {told['number']} of this career")
        if revision >= _MOST_NOTES:
            raise Problem(409, "too_many", f"at most {_MOST_NOTES} corrections by hand are kept")
        note = Note(career_id, kind, json.dumps(body), time.time())
        if not self.records.careers.note(revision, note):
            raise Problem(409, "conflict", "someone else changed this career just now")
        return self.tell(career_id)


def _entries(log: CareerLog, rounds: list[CareerRound]) -> list[Entry]:
    """Return the log as it is folded: rounds and what was said by hand, by time."""
    timed: list[tuple[float, Entry]] = [
        (one.created, Played(one.scan, log.seats[one.evening])) for one in rounds
    ]
    for career in log.careers:
        timed += fold(_said(log.notes, career.id))[0]
    return [entry for _, entry in sorted(timed, key=lambda item: item[0])]


def _said(notes: tuple[Note, ...], career: str) -> list[tuple[str, tuple[float, Entry] | None]]:
    """Return the log of one career: kinds, and what was said when."""
    return [(note.kind, _entry(note)) for note in notes if note.career == career]


def _entry(note: Note) -> tuple[float, Entry] | None:
    body = json.loads(note.body)
    match note.kind:
        case "points":
            return note.created, Corrected(note.career, body["points"])
        case "name":
            return note.created, Named(note.career, body["figure"], body["name"])
    return None


def _figure(figure: Figure, rounds: Mapping[str, CareerRound], game: Game) -> Json:
    return {
        "name": figure.name,
        "ended": None if figure.ended is None else in_each(figure.ended, game),
        "idle": sum(is_idle(line) for line in figure.lines),
        "lines": list(_lines(figure, rounds, game)),
    }


def _lines(figure: Figure, rounds: Mapping[str, CareerRound], game: Game) -> Iterator[Json]:
    """Yield what happened to a figure, without the rounds that changed nothing."""
    for line in figure.lines:
        if not is_idle(line):
            yield _line(line, rounds, game)


def _line(line: Line, rounds: Mapping[str, CareerRound], game: Game) -> Json:
    service = line.service
    if service is None or line.round is None:
        return {"round": None, "points": line.points}
    return {
        "round": line.round,
        "name": rounds[line.round].name,
        "created": rounds[line.round].created,
        "points": line.points,
        "before": service.before,
        "gained": service.gained,
        "rank": in_each(service.rank, game),
        "ended": None if service.ended is None else in_each(service.ended, game),
        "settled": service.is_settled,
        "sure": service.is_sure,
    }
