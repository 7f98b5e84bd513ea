"""Round -> who orders on it, what may be tapped next, what an order says, on the photo in words."""

import hashlib
import hmac
import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vision.apps.server.problems import Problem, or_404
from vision.apps.server.rounds.played import PlayedRounds, Round, veiled
from vision.apps.server.rounds.told import PhotoPlaces, in_each
from vision.apps.server.storage import Scan, Seat, Sitting, new_id, new_token
from vision.errors import ScanError, TableFormatError
from vision.files.ledger import mark_to_json
from vision.judging.game import Game
from vision.judging.orders import Choice, Column, OrderRead, Party
from vision.texts import LANGUAGES, Texts, texts
from vision.values.ledger import Mark
from vision.values.messages import Message

__all__ = ["Orders", "SecretOrders", "orders_of"]
_log = logging.getLogger(__name__)
_TRIES = 20  # the scan may be corrected, an order changed, while all are being revealed
_REFUSED = {
    "early": (409, "orders_early", "the clock has not started; the table starts it"),
    "late": (409, "orders_late", "time is up; no more orders are taken"),
    "not yet": (409, "orders_early", "others order first; then you see what you may know of it"),
    "stands": (409, "orders_stand", "your order is final; others answer it now"),
    "no seat": (404, "no_seat", "this seat has a new code; scan the one shown at the table"),
}


Json = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """The orders of a round whose game takes them.

    ``table`` is that of the round, with the orders of turns before where there are any.
    """

    round: Round
    table: Any

    @property
    def game(self) -> Game:
        """The game."""
        return self.round.game

    def parties(self) -> tuple[Party, ...]:
        """Return who may order."""
        return tuple(self.game.parties(self.round.table))

    def turns(self) -> dict[str, int]:
        """Return in which turn each party orders, the first 0."""
        turns = self.game.turns(self.round.table)
        return {party: turn for turn, parties in enumerate(turns) for party in parties}

    def after(self, given: Mapping[str, Any], party: str) -> "Orders":
        """Return the orders as they are once those of the turns before a party's are given.

        Raises
        ------
        TableFormatError
            If one of these is none.
        """
        turns = self.turns()
        before = {one: order for one, order in given.items() if _is_earlier(turns, one, party)}
        if not before:
            return self
        change = {"kind": "orders", "orders": before}
        try:
            return replace(self, table=self.game.edit(self.round.table, change))
        except (LookupError, TypeError, ValueError) as error:
            msg = "the orders given before this one are not orders of this game"
            raise TableFormatError(msg) from error

    def heard(self, party: str, language: str) -> list[str]:
        """Return what a party is told of the orders of the turns before its own."""
        words = self._words(language)
        return [words.tell(said) for said in self.game.heard(self.table, party)]

    def read(self, party: str, given: Any) -> OrderRead:
        """Read an order.

        Raises
        ------
        TableFormatError
            If the game refuses it, in its words; also if it is nothing that a game expects.
        """
        try:
            return self.game.order(self.table, party, given)
        except (LookupError, TypeError, ValueError) as error:
            msg = "this is not an order of this game; choose one by taps"
            raise TableFormatError(msg) from error

    def told(self, party: str, given: Any, language: str) -> Json:
        """Return an order as it was read, for the page."""
        read = self.read(party, given)
        words = self._words(language)
        return {
            "order": read.text,
            "said": words.tell(read.said),
            "warning": _told(read.warning, words),
            "marks": self._marks(read.marks, words),
            "lines": [
                {
                    "said": words.tell(line.said),
                    "warning": _told(line.warning, words),
                    "without": line.without,
                }
                for line in read.lines
            ],
            "goes_on": read.goes_on,
        }

    def choices(self, party: str, so_far: str, language: str) -> list[Json]:
        """Return what may be tapped next, for the page."""
        words = self._words(language)
        try:
            found = self.game.choices(self.table, party, so_far)
        except (LookupError, TypeError, ValueError) as error:
            msg = f"{so_far!r} is not the start of an order; start again"
            raise TableFormatError(msg) from error
        return [self._choice(choice, words) for choice in found]

    def sheet(self, party: str, given: Any, language: str) -> list[Json] | None:
        """Return the sheet of a party, filled in as given; None where the game has no sheets.

        Raises
        ------
        TableFormatError
            If what is given is no order.
        """
        try:
            columns = self.game.sheet(self.table, party, given)
        except (LookupError, TypeError, ValueError) as error:
            msg = "this is not an order of this game; fill in the sheet again"
            raise TableFormatError(msg) from error
        words = self._words(language)
        return [_column(column, words) for column in columns] or None

    def standing(self) -> dict[str, str | None]:
        """Return the orders that stand, None of who passes."""
        return dict(self.game.orders(self.round.table))

    def view(self) -> list[Json]:
        """Return who orders, and the orders that stand, in every language."""
        standing, turns = self.standing(), self.turns()
        return [
            {
                **_party_json(party, self.round),
                "turn": turns.get(party.id, 0),
                "order": standing.get(party.id),
                "said": {
                    language: self.told(party.id, standing[party.id], language)["said"]
                    for language in LANGUAGES
                    if standing.get(party.id) is not None
                },
            }
            for party in self.parties()
        ]

    def _words(self, language: str) -> Texts:
        return texts(language, self.round.game.texts)

    def _choice(self, choice: Choice, words: Texts) -> Json:
        places = PhotoPlaces(self.round.camera, self.round.size_wh)
        at = None if choice.at_mm is None else list(choice.at_mm)
        return {
            "text": choice.text,
            "said": words.tell(choice.said),
            "piece": choice.piece,
            "at_px": places.point(at),
            "marks": self._marks(choice.marks, words),
            "whole": choice.is_whole,
            "goes_on": choice.goes_on,
            "warning": _told(choice.warning, words),
        }

    def _marks(self, marks: tuple[Mark, ...], words: Texts) -> list[Json]:
        places = PhotoPlaces(self.round.camera, self.round.size_wh)
        told = [mark_to_json(mark, words) for mark in marks]
        for mark in told:
            places.put_mark(mark)
        return told


def _column(column: Column, words: Texts) -> Json:
    return {
        "id": column.id,
        "name": words.tell(column.name),
        "picks": [
            {"value": pick.value, "sign": pick.sign, "said": words.tell(pick.said)}
            for pick in column.picks
        ],
        "chosen": list(column.chosen),
        "most": column.most,
    }


def orders_of(round_: Round) -> Orders:
    """Return the orders of a round.

    Raises
    ------
    Problem
        409 if its game takes none.
    """
    if not round_.game.takes_orders:
        raise Problem(409, "no_orders", f"{round_.game.name} is played without orders")
    return Orders(round_, round_.table)


def _party_json(party: Party, round_: Round) -> Json:
    """Return who a party is, in every language."""
    return {"id": party.id, "name": in_each(party.name, round_.game), "side": party.side}


def _is_earlier(turns: Mapping[str, int], one: str, party: str) -> bool:
    return turns.get(one, 0) < turns.get(party, 0)


def _told(message: Message | None, words: Texts) -> str | None:
    return None if message is None else words.tell(message)


# --- secret orders -------------------------------------------------------------------------------
# What a seat orders is told to the phone that gave it, to nobody else, until the sitting is over:
# no reply depends on it, not even by its length. Who has ordered shows, and who has not.


class SecretOrders:
    """The sittings of rounds; ``clock`` gives seconds since 1970."""

    def __init__(self, played: PlayedRounds, clock: Callable[[], float] = time.time) -> None:
        self.records, self.played, self.clock = played.records, played, clock

    # --- the table ---------------------------------------------------------------------------

    def begin(self, scan: Scan, seconds: float, former: str | None) -> Json:
        """Seat the parties of a round, anew or those of a sitting that is over.

        Raises
        ------
        Problem
            409 if nobody orders there, or the former sitting goes on elsewhere.
        """
        turns = self._turns(scan)
        if not turns:
            raise Problem(409, "no_orders", "nobody is left to give an order")
        was = None if former is None else self.records.sittings.find(former)
        kept = {} if was is None else {seat.party: seat for seat in was.seats}
        seats = tuple(
            Seat(party, kept[party].token, kept[party].phones, turn=turn)
            if party in kept
            else Seat(party, new_token(), turn=turn)
            for party, turn in turns.items()
        )
        if was is not None:
            if not self.records.sittings.move(was.id, scan.id, seconds, seats):
                raise Problem(409, "not_now", "those players are still in another round")
            return self.of_table(self.sitting(was.id))
        begun = Sitting(new_id(), scan.id, "gathering", seconds, self.clock(), seats)
        self.records.sittings.add(begun)
        return self.of_table(begun)

    def sitting(self, sitting_id: str) -> Sitting:
        """Return a sitting.

        Raises
        ------
        Problem
            404 if there is none.
        """
        return or_404(self.records.sittings.find(sitting_id), "there are no such players")

    def at(self, scan: Scan) -> Json:
        """Return the sitting round a scan, and one that is over whose players may come over."""
        here = self.records.sittings.newest(scan=scan.id)
        last = self.records.sittings.newest()
        is_free = last is not None and last.scan != scan.id and self._fits(last, scan)
        return {
            "sitting": None if here is None else self.of_table(here),
            "former": last.id if last is not None and is_free else None,
        }

    def start(self, sitting_id: str) -> Json:
        """Start the clock, whoever is there."""
        self.sitting(sitting_id)
        if not self.records.sittings.start(sitting_id, self.clock()):
            raise Problem(409, "not_now", "the clock is already running, or this is over")
        return self.of_table(self.sitting(sitting_id))

    def renew(self, sitting_id: str, party: str) -> Json:
        """Give a seat another token, for another phone; the old one opens nothing any more."""
        self.seat(sitting_id, party)
        self.records.sittings.renew(sitting_id, party, new_token())
        return self.of_table(self.sitting(sitting_id))

    def call_off(self, sitting_id: str) -> None:
        """End a sitting without its orders."""
        self.sitting(sitting_id)
        if not self.records.sittings.call_off(sitting_id):
            raise Problem(409, "not_now", "this is over already")

    def seat(self, sitting_id: str, party: str) -> Seat:
        """Return the seat of a party."""
        return or_404(self.sitting(sitting_id).seat(party), "there is no such player")

    # --- a seat ------------------------------------------------------------------------------

    def by_token(self, token: str) -> tuple[Sitting, Seat]:
        """Return the seat that a token opens.

        Raises
        ------
        Problem
            404 if it opens none, or not any more.
        """
        found = self.records.sittings.by_token(token)
        if found is None:
            raise Problem(*_REFUSED["no seat"])
        return found

    def join(self, token: str) -> Json:
        """Take a seat; return it with the ``phone`` key that shows one's own order again."""
        if not self.records.sittings.join(token, self.clock()):
            raise Problem(*_REFUSED["no seat"])
        return {"phone": secrets.token_urlsafe(18), **self.of_seat(token, "", "en")}

    def scan(self, token: str) -> Scan:
        """Return the scan that a seat is at."""
        sitting, _ = self.by_token(token)
        return or_404(self.records.scans.find(sitting.scan), "this round was deleted")

    def seen(self, token: str) -> Round:
        """Return the round as a seat sees it: without the orders that lie open, until all do.

        What others have ordered on paper is in the photo that was read, and would be told.
        """
        sitting, seat = self.by_token(token)
        return veiled(self.played.get(self.scan(token)), sitting, seat.party)

    def orders(self, token: str) -> tuple[Orders, str]:
        """Return the orders of the round that a seat is at, and whose seat it is.

        They hold those of the turns before once the turn of the seat is on.
        """
        sitting, seat = self.by_token(token)
        round_ = self.played.get(self.scan(token))
        orders = orders_of(round_)
        if sitting.state != "open" or seat.turn > sitting.turn:
            return orders, seat.party
        return orders.after(_readable(orders, sitting), seat.party), seat.party

    def give(self, token: str, given: Any, phone: str, language: str) -> Json:
        """Keep an order in place of an earlier one; reveal all if it was the last.

        Raises
        ------
        Problem
            409 before the clock starts and when it has run out.
        TableFormatError
            If the game refuses it.
        """
        sitting, _ = self.by_token(token)
        if sitting.state != "open":
            raise Problem(*_REFUSED["early" if sitting.state == "gathering" else "late"])
        orders, party = self.orders(token)
        order = json.dumps(orders.read(party, given).text)
        done = self.records.sittings.give(token, order, _hash(phone), self.clock())
        if done != "in":
            raise Problem(*_REFUSED[done])
        reply = self.of_seat(token, phone, language)
        self.reveal(sitting.id)
        return reply

    # --- what shows --------------------------------------------------------------------------

    def public(self, sitting: Sitting) -> Json:
        """Return what everyone may know of a sitting."""
        round_ = self._round(sitting)
        named = {} if round_ is None else {p.id: p for p in orders_of(round_).parties()}
        left = None if sitting.ends is None else max(sitting.ends - self.clock(), 0.0)
        return {
            "id": sitting.id,
            "scan": sitting.scan,
            "state": sitting.state,
            "seconds": sitting.seconds,
            "turn": [s.party for s in sitting.seats if s.turn == sitting.turn],
            "left_s": None if left is None or sitting.state != "open" else round(left, 2),
            "parties": [
                {
                    **_named(named.get(seat.party), seat.party, round_),
                    "phones": seat.phones,
                    "in": seat.order is not None,
                }
                for seat in sitting.seats
            ],
        }

    def of_table(self, sitting: Sitting) -> Json:
        """Return what the table may know: the addresses of the seats, too."""
        told = self.public(sitting)
        for party, seat in zip(told["parties"], sitting.seats, strict=True):
            party["join"] = f"/j/{seat.token}"
        return told

    def of_seat(self, token: str, phone: str, language: str) -> Json:
        """Return what a seat may know: its own order only where this phone gave it.

        ``mine`` is ``none``, ``here`` or ``elsewhere``: another phone gave it, or an earlier one.
        """
        sitting, seat = self.by_token(token)
        is_mine = bool(phone) and hmac.compare_digest(seat.by, _hash(phone))
        mine = "none" if seat.order is None else "here" if is_mine else "elsewhere"
        order = None
        if mine == "here" and seat.order is not None:
            orders, party = self.orders(token)
            order = orders.told(party, json.loads(seat.order), language)
        told = {**self.public(sitting), "party": seat.party, "mine": mine, "order": order}
        return {**told, "heard": self._heard(sitting, seat, language)}

    def _heard(self, sitting: Sitting, seat: Seat, language: str) -> list[str]:
        """Return what a seat is told of orders before its own, once its turn is on."""
        if sitting.state != "open" or not 0 < seat.turn <= sitting.turn:
            return []
        orders, party = self.orders(seat.token)
        return orders.heard(party, language)

    # --- the end -----------------------------------------------------------------------------

    def reveal_due(self) -> bool:
        """Reveal all whose time is over or whose orders are in; tell whether there were any."""
        revealed = False
        for sitting_id in self.records.sittings.due(self.clock()):
            try:
                revealed |= self.reveal(sitting_id)
            except Exception as error:  # noqa: BLE001 - one must not hold up the others
                _log.error("sitting %s is not revealed: %s", sitting_id, type(error).__name__)
        return revealed

    def look_again(self, scan_id: str) -> None:
        """Reveal what was waited for, once another photo of a round shows it."""
        sitting = self.records.sittings.newest(scan=scan_id)
        if sitting is not None:
            self.reveal(sitting.id)

    def reveal(self, sitting_id: str) -> bool:
        """Reveal the orders of a sitting and play them, if it is time; tell whether it was."""
        for _ in range(_TRIES):
            seen = self.records.sittings.find(sitting_id)
            if seen is None or seen.state != "open" or not self._is_due(seen):
                return False
            round_ = self._round(seen)
            if round_ is None:
                self.records.sittings.call_off(sitting_id)
                return True
            if seen.turn < seen.last_turn:  # out of time, and others are to answer
                if self.records.sittings.pass_turn(seen, self.clock()):
                    return True
                continue
            body = {"kind": "orders", "orders": self._given(round_, seen)}
            try:
                round_.game.resolve(round_.game.edit(round_.table, body))
            except (ScanError, ValueError):  # each was read; together they cannot be played
                _log.error("the orders of sitting %s cannot be played together", sitting_id)
                self.records.sittings.call_off(sitting_id)
                return True
            if self.records.sittings.reveal(seen, round_.revision, "orders", json.dumps(body)):
                return True
        return False

    def _given(self, round_: Round, sitting: Sitting) -> dict[str, Any]:
        """Return the orders of a sitting as they are played.

        Who gave none at his phone keeps what the photo shows of his; so does a seat that nobody
        took.
        """
        shown = self._shown(sitting)
        empty = {seat.party for seat in sitting.seats if seat.order is None}
        kept = {party for party in empty if shown.get(party)}
        kept |= {seat.party for seat in sitting.seats if seat.party in empty and not seat.phones}
        read = _readable(orders_of(round_), sitting)
        return {party: order for party, order in read.items() if party not in kept}

    def _is_due(self, sitting: Sitting) -> bool:
        """Tell whether the time is over, or nobody is left who may order.

        A seat that nobody took waits for nobody once the photo shows its order.
        """
        is_out_of_time = sitting.ends is not None and self.clock() >= sitting.ends
        if sitting.is_all_in or is_out_of_time:
            return True
        open_ = [seat for seat in sitting.seats if seat.order is None]
        if sitting.turn < sitting.last_turn or any(seat.phones for seat in open_):
            return False
        shown = self._shown(sitting)
        return all(shown.get(seat.party) for seat in open_)

    def _shown(self, sitting: Sitting) -> Mapping[str, str | None]:
        """Return the orders that the photos of a sitting's round show."""
        scan = self.records.scans.find(sitting.scan)
        if scan is None or scan.view is None:
            return {}
        return orders_of(self.played.as_read(scan)).standing()

    def _round(self, sitting: Sitting) -> Round | None:
        scan = self.records.scans.find(sitting.scan)
        return None if scan is None else self.played.get(scan)

    def _fits(self, sitting: Sitting, scan: Scan) -> bool:
        """Tell whether players of another round are those of this one, or more."""
        if scan.view is None:
            return False
        was, round_ = self._round(sitting), self.played.get(scan)
        if was is None or was.game.name != round_.game.name:
            return False
        there = set(self._turns(scan))
        return bool(there) and there <= {seat.party for seat in sitting.seats}

    def _turns(self, scan: Scan) -> dict[str, int]:
        """Return in which turn who orders: all, but for those whose order the photo shows."""
        now = orders_of(self.played.get(scan))
        shown, standing = orders_of(self.played.as_read(scan)).standing(), now.standing()
        turns = now.turns()
        left = {
            party: turn
            for party, turn in turns.items()
            if not (shown.get(party) and standing.get(party))
        }
        return left or turns


def _readable(orders: Orders, sitting: Sitting) -> dict[str, Any]:
    """Return the orders of a sitting; none for who gave none, or one that no longer can be.

    Who has no seat keeps the order that stands.
    """
    read: dict[str, Any] = {}
    for party in orders.turns():
        seat = sitting.seat(party)
        if seat is None:
            continue
        given = None if seat.order is None else json.loads(seat.order)
        try:
            read[party] = orders.after(read, party).read(party, given).text
        except ScanError:  # the table was corrected since
            read[party] = None
    return read


def _named(party: Any, name: str, round_: Round | None) -> Json:
    if party is None or round_ is None:
        return {"id": name, "name": {}, "side": None}
    return _party_json(party, round_)


def _hash(phone: str) -> str:
    return hashlib.sha256(phone.encode("utf-8", "replace")).hexdigest() if phone else ""
