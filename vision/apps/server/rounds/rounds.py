"""Scans and evenings by their ids: found or refused, their state and documents as JSON."""

import secrets
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any

from calibration.learned.shelf import split_reference
from vision.apps.decks import KnownDeck
from vision.apps.pools.values import Pool
from vision.apps.server.problems import NO_EVENING, NO_LINK, NO_PHOTO, NO_ROUND, Problem, or_404
from vision.apps.server.rounds.following import is_set_up_again, set_up_issues
from vision.apps.server.rounds.offers import offer
from vision.apps.server.rounds.orders import orders_of
from vision.apps.server.rounds.pictures import Pictures
from vision.apps.server.rounds.placed import placed
from vision.apps.server.rounds.played import PlayedRounds, Round, as_listed, veiled
from vision.apps.server.rounds.told import in_each, tell_in_photo
from vision.apps.server.rounds.typed import TypedRounds
from vision.apps.server.storage import Evening, Scan, Share
from vision.apps.server.times import DAY_S, dated, holds_as_long
from vision.errors import ScanError
from vision.files.headlines import headline_to_json, resolution_to_json
from vision.files.layouts import issue_to_json
from vision.judging.game import Game
from vision.judging.said import is_of_place
from vision.showing.scene import name_by_place
from vision.texts import LANGUAGES, texts
from vision.values.brief import brief
from vision.values.messages import Issue
from vision.values.verdict import as_judged

__all__ = ["Rounds"]

Json = dict[str, Any]
_MARK_SIGNS = 12  # of the key of a picture: an address with it lasts
#: What is told of a round that is not read: of one that is, the same fields.
_OF_READ = ("headline", "open", "doubts", "scores", "ends", "unordered", "cards")
_UNREAD: Json = dict.fromkeys(_OF_READ) | {"winners": []}
_MOST_LINKS = 100  # of one round: more are a mistake


class Rounds:
    """Scans and evenings by their ids, for whoever asks.

    ``played`` has the rounds as they stand, ``pictures`` draws them, ``typed`` makes rounds without
    a photo.
    """

    def __init__(self, played: PlayedRounds, pool: Pool) -> None:
        self.records, self.played = played.records, played
        self.pictures, self.typed = Pictures(played, pool), TypedRounds(played)
        self._sharing = Lock()

    def scan(self, scan_id: str) -> Scan:
        """Return a scan.

        Raises
        ------
        Problem
            404 if there is none.
        """
        return or_404(self.records.scans.find(scan_id), NO_ROUND)

    def get(self, scan_id: str) -> Round:
        """Return a round as it stands now."""
        return self.played.get(self.scan(scan_id))

    def shared(self, token: str) -> Scan:
        """Return the scan that a link leads to.

        Raises
        ------
        Problem
            404 if the link has ended, or its scan was deleted.
        """
        share = self.records.shares.find(token)
        if share is None or share.revoked or share.expires < time.time():
            raise Problem(404, "not_found", NO_LINK)
        return self.scan(share.scan)

    def evening(self, evening_id: str) -> Evening:
        """Return an evening.

        Raises
        ------
        Problem
            404 if there is none.
        """
        return or_404(self.records.evenings.find(evening_id), NO_EVENING)

    def status(self, scan: Scan) -> Json:
        """Return the state of a scan."""
        deck, digest = split_reference(scan.deck)
        return {
            "id": scan.id,
            "name": scan.name,
            "evening": scan.evening,
            **dated(created=scan.created),
            "state": scan.state,
            "stage": scan.stage,
            "ahead": self.records.scans.ahead(scan) if scan.state == "waiting" else 0,
            "attempts": scan.attempts,
            "deck": deck,
            "deck_digest": digest or None,
            "game": scan.game,
            "error": _error(scan),
            "links": {"self": f"/api/v1/scans/{scan.id}", "page": f"/#/round/{scan.id}"},
        }

    def summary(self, scan: Scan) -> Json:
        """Return the state of a scan, and what came of it once it is read: null before.

        One that cannot be played any more, as its deck is gone, says why; it hides no other.
        """
        told = {**self.status(scan), **_UNREAD}
        if scan.state != "done":
            return told
        try:
            return told | self._played(scan)
        except ScanError as error:
            return told | {"error": {"code": error.code, "detail": str(error)}}

    def _played(self, scan: Scan) -> Json:
        """Return what a list tells of a round, as the round itself is shown."""
        told = self.played.summary(scan)
        if is_set_up_again(self.played, scan):
            round_ = self.played.get(scan)
            more = set_up_issues(self.played, scan, round_)
            issues, words = (*round_.issues, *more), round_.game.texts
            return told | as_listed(headline_to_json(round_.ledger, issues, words))
        return told

    def listed(self, scans: Sequence[Scan], most: int) -> list[Json]:
        """Return what lists tell of some scans; ``number`` is that in the evening, if it counts.

        ``most`` is how many rounds of an evening are looked at.
        """
        numbers = {
            scan.id: number
            for evening in {scan.evening for scan in scans if scan.evening}
            for scan, _, number in self.numbered(evening, most)
        }
        return [{**self.summary(one), "number": numbers.get(one.id)} for one in scans]

    def change(self, scan_id: str, name: str | None, evening: str | None) -> Scan:
        """Change the name or the evening of a scan, if given; an empty evening takes it out.

        Raises
        ------
        Problem
            404 if there is no such scan or evening.
        """
        scans, scan = self.records.scans, self.scan(scan_id)
        if evening is not None and not scans.move(scan.id, evening or None):
            raise Problem(404, "not_found", NO_EVENING)
        if name is not None:
            scans.rename(scan.id, name)
        return self.scan(scan_id)

    def count(self, scan_id: str, *, is_counted: bool) -> None:
        """Say whether a round counts whose photo came before in the same evening.

        Raises
        ------
        Problem
            404 if there is no such scan.
        """
        self.records.scans.count(self.scan(scan_id).id, is_counted=is_counted)

    def photographed(self, scan_id: str) -> Scan:
        """Return a scan to which photos may be added.

        Raises
        ------
        Problem
            404 if there is none, 409 if it was typed.
        """
        scan = self.scan(scan_id)
        if not self.played.careers.is_photo(scan.id):
            detail = "this round was typed or continued without a photo, so no photo can be added"
            raise Problem(409, "no_photo", detail)
        return scan

    def remove_photo(self, scan_id: str, number: int) -> None:
        """Take a further photo of a scan away.

        Raises
        ------
        Problem
            404 if there is none, 409 if it is the one that is drawn on, or the scan is being read.
        """
        more = self.records.photos.list(self.photographed(scan_id).id)
        if number == 0:
            raise Problem(409, "not_now", "this is the main photo; it cannot be removed")
        if number > len(more):
            raise Problem(404, "not_found", NO_PHOTO)
        if not self.records.photos.remove(scan_id, more[number - 1].view):
            raise Problem(409, "not_ready", "this table is being read just now")

    def share(self, scan_id: str, days: float) -> Share:
        """Make a link to a scan, or return one that was made for as long and holds nearly so.

        Raises
        ------
        Problem
            404 if there is no such scan, 409 if it has very many links.
        """
        with self._sharing:  # of two presses the second finds the link of the first
            now, scan = time.time(), self.scan(scan_id)
            for made in self.records.shares.list(scan.id, now):
                if holds_as_long(made.created, made.expires, now, days):
                    return made
            share = Share(secrets.token_urlsafe(18), scan.id, now, now + days * DAY_S)
            if not self.records.shares.add(share, _MOST_LINKS):
                detail = f"a round has at most {_MOST_LINKS} links; end some of them"
                raise Problem(409, "too_many", detail)
        return share

    def view(self, scan: Scan, round_: Round | None = None) -> Json:
        """Return all that the page shows of a round; no orders while some are given in secret."""
        sitting = self.records.sittings.newest(scan=scan.id)
        shown = veiled(round_ or self.played.get(scan), sitting)
        return {
            **round_view(shown, set_up_issues(self.played, scan, shown)),
            "name": scan.name,
            "evening": scan.evening,
            **dated(created=scan.created),
            "photos": self._photos(scan, shown),
        }

    def _photos(self, scan: Scan, round_: Round) -> Json | None:
        """Return the photos of a round of which there may be several, and which are wanted."""
        if round_.game.most_photos == 1 or not self.played.careers.is_photo(scan.id):
            return None
        more = self.records.photos.list(scan.id)
        doubts = [issue for issue in round_.issues if issue.severity == "doubt"]
        wanted = round_.game.wanted(round_.table, doubts)
        return {
            "most": round_.game.most_photos,
            "of": [key[:_MARK_SIGNS] for key in (scan.view, *(one.view for one in more)) if key],
            "wanted": [in_each(said, round_.game) for said in wanted],
            "state": scan.state,
            "error": _error(scan),
        }

    def looked_at(self, scan: Scan, round_: Round | None = None) -> Json:
        """Return what the page shows of a round to those who may look, but not change it."""
        told = {**self.view(scan, round_), "evening": None, "photos": None}
        return {**told, "can_undo": False, "can_redo": False}

    def correct(self, scan_id: str, kind: str, change: Json, revision: int | None) -> Json:
        """Add a correction, an undo or a redo; return the round after it as the page shows it."""
        scan = self.scan(scan_id)
        return self.view(scan, self.played.add(scan, kind, change, revision))

    def document(self, scan: Scan, name: str) -> Json:
        """Return a file of the contract, with all corrections in it: scan, table, resolution."""
        round_ = self.played.get(scan)
        if name == "table":
            return round_.written
        more = set_up_issues(self.played, scan, round_)
        if name == "scan":
            return _scan_document(round_, more)
        written = _resolution(round_, (*round_.issues, *more))
        if written is None:
            detail = f"the deck {round_.known.name!r} has no lasers: nothing to resolve"
            raise Problem(404, "not_found", detail)
        return written

    def add_up(self, evening: Evening, most: int) -> Json:
        """Return the rounds of an evening in order, with the sum of each side after each.

        A score that goes on from round to round counts once, as it stood last before each win. A
        photo that came before does not count again until someone says so: ``same_as`` is the round
        that it came with first. ``number`` counts the rounds that count; the others have none.
        Rounds that are open are in no sum: ``open`` names them; nor are those that wait for orders,
        ``unordered``. ``games`` are the sums of each
        game by itself.
        """
        games: dict[str, GameSums] = {}
        rounds, totals = [], dict[str, int]()
        for scan, same_as, number in self.numbered(evening.id, most):
            summary: Json = {**self.summary(scan), "same_as": same_as, "number": number}
            if same_as is None and scan.state == "done":
                name = scan.game or self.played.get(scan).game.name
                if name not in games:
                    games[name] = GameSums(name, self.played.carries_on(scan))
                games[name].add(summary)
                totals = merged(one.totals for one in games.values())
            rounds.append({**summary, "totals": totals})
        return {
            "rounds": rounds,
            "totals": totals,
            "wins": merged(one.wins for one in games.values()),
            "open": [scan for one in games.values() for scan in one.open],
            "unordered": [scan for one in games.values() for scan in one.unordered],
            "games": [one.told() for one in games.values()],
            "careers": self.played.careers.at(evening.id),
        }

    def numbered(self, evening_id: str, most: int) -> Iterator[tuple[Scan, str | None, int | None]]:
        """Yield the rounds of an evening in order, each with its ``same_as`` and its ``number``."""
        first: dict[str, str] = {}  # photo -> the scan that it came with
        number = 0
        for scan in reversed(self.records.scans.list(most, evening=evening_id)):
            if scan.photo in first and not self._counts_again(scan):
                yield scan, first[scan.photo], None
            elif scan.state == "failed":
                yield scan, None, None
            else:
                first.setdefault(scan.photo, scan.id)
                number += 1
                yield scan, None, number

    def _counts_again(self, scan: Scan) -> bool:
        """Tell whether a round counts although its picture came before in the same evening."""
        is_read = scan.state == "done"
        is_drawn = is_read and not self.played.careers.is_photo(scan.id)
        return scan.counted or is_drawn or self.played.carries_on(scan)


def _error(scan: Scan) -> Json | None:
    """Return why a scan, or the photos that were added to it, could not be read."""
    return {"code": scan.error_code, "detail": scan.error} if scan.error_code else None


def _scan_document(round_: Round, more: Sequence[Issue] = ()) -> Json:
    """Return ``sightline/scan@1`` as corrected, with more doubts than the round has itself."""
    words, issues = texts("en", round_.game.texts), (*round_.issues, *more)
    return {
        **round_.document,
        "issues": [issue_to_json(issue, words) for issue in issues],
        "headline": headline_to_json(round_.ledger, issues, round_.game.texts),
        "table": round_.written,
        "resolution": _resolution(round_, issues),
    }


def _resolution(round_: Round, issues: Sequence[Issue]) -> Json | None:
    return resolution_to_json(round_.outcome, round_.ledger, issues, round_.game)


# --- sums of an evening --------------------------------------------------------------------------


@dataclass(slots=True)
class GameSums:
    """The sums of the rounds of one game; those that are open or wait for orders are in none.

    A score that goes on from round to round counts once, as it stood last before each end:
    ``before`` are the points of each side when it began. ``open`` are the ids of open rounds,
    ``unordered`` of those that are played by orders and have none: a position is no result.
    """

    game: str
    goes_on: bool  #: whether the score of a round goes on in the next
    totals: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    wins: Counter[str] = field(default_factory=Counter)
    open: list[str] = field(default_factory=list)
    unordered: list[str] = field(default_factory=list)

    def add(self, summary: Json) -> None:
        """Add a round, as a list tells it; one that is not read adds nothing."""
        if summary["scores"] is None:
            return
        if summary["unordered"]:
            self.unordered.append(summary["id"])
        elif summary["open"]:
            self.open.append(summary["id"])
        else:
            for side, points in summary["scores"].items():
                self.totals[side] = self.before.get(side, 0) + points
            self.wins.update(summary["winners"])
        if summary["ends"] or not self.goes_on:
            self.before = dict(self.totals)

    def told(self) -> Json:
        """Return the sums, and which rounds are in none of them (plain JSON)."""
        sums = {"totals": dict(self.totals), "wins": dict(self.wins)}
        left = {"open": list(self.open), "unordered": list(self.unordered)}
        return {"game": self.game, **sums, **left}


def merged(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Return several counts as one."""
    total: dict[str, int] = {}
    for one in counts:
        for side, points in one.items():
            total[side] = total.get(side, 0) + points
    return total


# --- what the page shows of a round --------------------------------------------------------------


def round_view(round_: Round, more: Sequence[Issue] = ()) -> Json:
    """Return a round for the page (plain JSON), with more doubts than it has itself.

    ``ledger`` has one for each language, its places in the pixels of the photo.
    """
    width, height = round_.size_wh
    game = round_.game
    cards = round_.game.pieces.of_kind("card")
    issues = (*round_.issues, *more)
    told = as_judged(round_.ledger, issues)
    return {
        "id": round_.scan_id,
        "game": round_.game.name,
        "deck": round_.known.name,
        "offer": _offer_as_it_was(round_),
        "revision": round_.revision,
        "can_undo": round_.undoable > 0,
        "can_redo": round_.redoable > 0,
        "photo": {"width_px": width, "height_px": height, "of": round_.view[:12]},
        "camera": round_.document["camera"],
        "ledger": tell_in_photo(told, round_.camera, round_.size_wh, round_.game.texts),
        "issues": [
            _issue(issue, round_.game)
            for issue in name_by_place(brief(issues), round_.ledger, round_.camera)
        ],
        "headline": headline_to_json(round_.ledger, issues, game.texts),
        "timings_ms": round_.document["timings_ms"],
        "card_mm": list(cards[0].size_mm) if cards else None,
        "has_coach": game.has_coach,
        "goes_on": game.next_table(round_.table, round_.outcome) is not None,
        "orders": orders_of(round_).view() if game.takes_orders else None,
        "by_sheet": game.overrides(Game.sheet),
        **placed(round_),
    }


def _offer_as_it_was(round_: Round) -> Json | None:
    """Return what the page must know of a deck that may have changed since; else nothing."""
    known = round_.known
    return offer(known) if isinstance(known, KnownDeck) and known.digest else None


def _issue(issue: Issue, game: Game) -> Json:
    words = {lang: texts(lang, game.texts).issue_by_hand(issue) for lang in LANGUAGES}
    return {
        "code": issue.code,
        "message": issue.message,
        "cards": list(issue.cards),
        "severity": issue.severity,
        "words": words if issue.said else None,
        "at_px": issue.at_px,
        "places": [asdict(place) for place in issue.places],
        "nothing": game.hears_of_places and is_of_place(issue),
    }
