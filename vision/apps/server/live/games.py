"""The live games: those that this server follows, begun, taken over, tidied, ended; and others'.

A game belongs to one server at a time, by a lease in the records that is renewed every second. One
whose server is gone is taken over by whoever finds that out first.
"""

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio.to_thread

from vision.apps.decks import find_known, lasting_name
from vision.apps.server.live.carried import ASK_S, LiveBells, fetch
from vision.apps.server.live.clock import steady_clock
from vision.apps.server.live.game import LiveGame
from vision.apps.server.live.process import get_ready
from vision.apps.server.live.standing import Begun, Standing, hash_of, order_of, told_of
from vision.apps.server.live.verdicts import LiveOrder
from vision.apps.server.problems import Problem, or_404
from vision.apps.server.reading.bell import in_thread
from vision.apps.server.reading.owners import is_running, own_name
from vision.apps.server.reading.wishes import Wishes, understood
from vision.apps.server.settings import Settings
from vision.apps.server.storage import Storage, new_id
from vision.apps.server.storage.live import KeptGame
from vision.apps.watching import check_followed, follows_cards, has_beams, laid_by_side
from vision.errors import ScanError

__all__ = ["DistantGame", "LiveGames"]

_log = logging.getLogger(__name__)
#: How long a game belongs to its server without a sign of life: then another server goes on. With
#: the time to find that out and to start, within 5 s.
_LEASE_S = 3.0
#: Between signs of life, and between looks for games whose server is gone. Two may be late.
_RENEW_S = 1.0
#: How much longer it belongs to a server that runs on this machine: where the machine is busy its
#: signs of life are late, and another server would take a table that is still followed.
_RUNNING_S = 30.0
_UNUSED_S = 60.0  # a game taken over to which no picture came for so long makes room for another
_LATE_S = 1.5 * _RENEW_S  # a server that has not told for longer gives no pictures either


class LiveGames:
    """All live games; created with the server and ended with it."""

    def __init__(self, storage: Storage, settings: Settings) -> None:
        self.storage, self.settings, self.records = storage, settings, storage.records.live
        self.owner = own_name()
        self.wall: Callable[[], float] = steady_clock  # of battles
        self.bells = LiveBells()
        self.bells.looks.on_heard = self._note_far_viewer
        self.bells.shows.on_heard = self._note_picture
        self.games: dict[str, LiveGame] = {}
        self._distant: dict[str, DistantGame] = {}
        self._not_ours: set[str] = set()  # what cannot be followed here
        self._gone: deque[LiveGame] = deque(maxlen=8)  # whose viewers may not know it yet
        self._keeper: asyncio.Task[None] | None = None
        self._next_look_s = _RENEW_S
        self._may_take_at = 0.0  # (monotonic)

    async def start(self) -> None:
        """Go on with what an earlier start left, and with the operator's camera."""
        await self._look_after()
        camera = self.settings.camera
        if camera and not any(game.begun.source == camera for game in self.games.values()):
            wishes = Wishes(None, self.settings.camera_rules)
            order = await in_thread(self.order, wishes, 5.0, True)
            await self._begin(order, camera)
        self._keeper = asyncio.create_task(self._keep_house())

    def hush(self) -> None:
        """Let go of all games; those who follow them come back, here or to another server."""
        for game in self.games.values():
            game.leave()

    async def stop(self) -> None:
        """Let go of all, and see their processes end."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        self.hush()
        for game in self.games.values():
            await anyio.to_thread.run_sync(game.process.join, 8.0)
        if self.games:
            await in_thread(self.records.release, self.owner, tuple(self.games))
            self.bells.news.ring()

    def order(self, wishes: Wishes, silence_s: float | None, stop_on_count: bool) -> LiveOrder:
        """Return what is asked of a game, found to be possible.

        Raises
        ------
        DeckError, TableFormatError, Problem
            If there is no such deck, game or evening, or a rule is not understood.
        """
        known, rules = understood(wishes, self.storage, self.settings.decks)
        what = (lasting_name(known, self.settings.decks), known.game.name, rules)
        return LiveOrder(*what, wishes.name, wishes.evening, silence_s, stop_on_count)

    async def begin(self, order: LiveOrder) -> tuple[LiveGame, str]:
        """Begin a game that is fed by whoever gets its key; return both.

        Raises
        ------
        Problem
            429 if there are as many as may be.
        """
        now = time.monotonic()
        for game in list(self.games.values()):
            is_unused = game.is_resumed and now - game.touched > _UNUSED_S
            if not game.begun.source and (game.state == "failed" or is_unused):
                await self.end(game.id)
        running = [game for game in self.games.values() if not game.begun.source]
        if len(running) >= self.settings.live_games:
            detail = (
                f"{len(running)} live games are running, the most allowed here "
                "(SIGHTLINE_LIVE_GAMES); end one of them"
            )
            raise Problem(429, "live_full", detail, headers={"Retry-After": "60"})
        return await self._begin(order, "")

    async def _begin(self, order: LiveOrder, source: str) -> tuple[LiveGame, str]:
        key = secrets.token_urlsafe(18)
        followed = await in_thread(self._followed, order)
        begun = Begun(new_id(), hash_of(key), order, time.time(), source=source, **followed)
        game = self._make(begun)
        self.games[game.id] = game  # before it is kept: the limit holds for many at once
        what = (game.id, begun.key, game.asked(), source, begun.created)
        try:
            await in_thread(
                self.records.begin, KeptGame(*what, game.kept(None), self.owner), _LEASE_S
            )
        except BaseException:
            del self.games[game.id]
            raise
        game.start()
        self.bells.news.ring()
        return game, key

    def _make(self, begun: Begun) -> LiveGame:
        game = LiveGame(begun, self.settings, self.storage, self.owner, self.bells)
        game.wall = self.wall
        return game

    def _begun(self, kept: KeptGame) -> Begun:
        """Return a kept game as it was begun."""
        order = order_of(kept)
        followed = self._followed(order)
        return Begun(kept.id, kept.key, order, kept.created, source=kept.source, **followed)

    def _followed(self, order: LiveOrder) -> dict[str, Any]:
        """Return what of a game follows from its deck."""
        known = find_known(order.deck, order.game, self.settings.decks)
        check_followed(known)
        return {
            "of": laid_by_side(known),
            "has_beams": has_beams(known),
            "has_cards": follows_cards(known),
        }

    # --- found -------------------------------------------------------------------------------

    async def all(self) -> list[Standing]:
        """Return every game there is, of all servers, the newest first.

        One of a deck that is not known here is left out: it does not hide the others.
        """
        found = []
        for kept in await in_thread(self.records.list):
            with suppress(ScanError):
                found.append(await self._stand(kept))
        return sorted(found, key=lambda game: game.begun.created, reverse=True)

    async def find(self, game_id: str) -> Standing:
        """Return how a game stands, whoever follows it.

        Raises
        ------
        Problem
            404 if there is none.
        """
        if game_id in self.games:
            return self.games[game_id]
        kept = await in_thread(self.records.find, game_id)
        return await self._stand(or_404(kept, "there is no such live game; it may have ended"))

    async def find_own(self, game_id: str) -> LiveGame:
        """Return a game that this server follows.

        Raises
        ------
        Problem
            404 if there is none, 503 if another server follows it: this one will if that is gone.
        """
        game = await self.find(game_id)
        if isinstance(game, LiveGame) and game.state != "left":
            return game
        detail = "another server follows this table; try again in a moment"
        raise Problem(503, "live_elsewhere", detail, headers={"Retry-After": "1"})

    async def find_shown(self, game_id: str) -> Standing:
        """Return a game for its pictures, also one that has just ended: viewers ask once more.

        They ask often: one that another server follows is as it was found within the last second.

        Raises
        ------
        Problem
            404 if there is none.
        """
        gone = next((game for game in self._gone if game.id == game_id), None)
        return gone or self._distant.get(game_id) or await self.find(game_id)

    async def follow(self, game: Standing) -> Standing:
        """Return how a game stands that is followed on: by whoever follows the table now."""
        if isinstance(game, LiveGame) and game.state != "left":
            return game
        try:
            return await self.find(game.id)
        except Problem:
            game.state = "ended"
            return game

    async def _stand(self, kept: KeptGame) -> Standing:
        if kept.id in self.games:
            return self.games[kept.id]
        game = self._distant.get(kept.id)
        if game is None:
            begun, most = await in_thread(self._begun, kept), self.settings.live_log
            game = self._distant.setdefault(
                kept.id, DistantGame(begun, self.storage, most, self.bells)
            )
        await game.look(kept)
        return game

    async def end(self, game_id: str) -> None:
        """End a game, whoever follows it, and forget it, soon."""
        await in_thread(self.records.end, game_id)
        self._forget(game_id)
        self.bells.news.ring()

    def _forget(self, game_id: str) -> None:
        self._forget_distant(game_id)
        game = self.games.pop(game_id, None)
        if game is not None:
            game.end()
            self._gone.append(game)

    def _forget_distant(self, game_id: str) -> None:
        game = self._distant.pop(game_id, None)
        if game is not None:
            game.leave()

    # --- heard from other servers --------------------------------------------------------------

    def _note_far_viewer(self, game_id: str) -> None:
        if game_id in self.games:
            self.games[game_id].note_far_viewer()

    def _note_picture(self, game_id: str) -> None:
        if game_id in self._distant:
            self._distant[game_id].note_picture()

    # --- by the clock ------------------------------------------------------------------------

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(self._next_look_s)
            try:
                await self._look_after()
            except Exception:  # noqa: BLE001 - a database that is away comes back
                _log.exception("live games could not be looked after; tried again")
                self._may_take_at = time.monotonic() + _LEASE_S  # who is there renews first

    async def _look_after(self) -> None:
        """Hold what is ours, let go of what is not, take over what nobody holds."""
        if self.games:
            await self._renew()
        kept = await in_thread(self.records.list)
        for name in set(self._distant) - {game.id for game in kept}:
            self._forget_distant(name)
        if kept:
            await in_thread(get_ready)
        others = [game for game in kept if game.id not in self.games]
        left_s = [game.left_s for game in others if game.left_s > 0]
        self._next_look_s = min([_RENEW_S, *left_s])
        if time.monotonic() < self._may_take_at:
            return
        for game in others:
            if self._is_left_alone(game):
                await self._inherit(game)

    def _is_left_alone(self, game: KeptGame) -> bool:
        """Tell whether a game's server is gone: dead, or without a sign of life for too long."""
        runs = None if game.owner == self.owner else is_running(game.owner)
        return runs is False or game.left_s <= (-_RUNNING_S if runs else 0.0)

    async def _renew(self) -> None:
        """Hold what is ours, first of all: what is kept besides may take its time."""
        ages = {game.id: game.age_s() for game in self.games.values()}
        held = await in_thread(self.records.renew, self.owner, _LEASE_S, ages)
        for name in set(ages) - held:
            if await in_thread(self.records.find, name) is None:
                self._forget(name)  # ended by another server
            elif name in self.games:
                _log.warning("live game %s: another server goes on with it", name)
                self.games.pop(name).leave()
        for game in list(self.games.values()):
            if game.tidy():
                await self.end(game.id)
            else:
                await game.flush()

    async def _inherit(self, kept: KeptGame) -> None:
        """Take over a game whose server is gone, or end it if nobody plays any more."""
        if kept.idle_s > self.settings.live_idle_minutes * 60:
            await self.end(kept.id)
            return
        sources = {game.begun.source for game in self.games.values() if game.begun.source}
        is_ours = not kept.source or (
            kept.source == self.settings.camera and kept.source not in sources
        )
        if not is_ours or kept.id in self._not_ours:
            return
        try:
            begun = await in_thread(self._begun, kept)
        except ScanError:
            _log.exception("live game %s cannot be followed here", kept.id)
            self._not_ours.add(kept.id)
            return
        if not await in_thread(self.records.take, kept, self.owner, _LEASE_S):
            return
        game = self._make(begun)
        game.recall(kept.standing, map(told_of, await in_thread(self.records.events, kept.id)))
        game.state = "starting"
        self.games[game.id] = game
        self._forget_distant(game.id)
        _log.info("live game %s: its server is gone, this one goes on", game.id)
        await game.go_on(kept.idle_s)


# --- games that another server follows -----------------------------------------------------------


class DistantGame(Standing):
    """How it stands by what its server last kept; its news are those of all distant games."""

    def __init__(self, begun: Begun, storage: Storage, most: int, bells: LiveBells) -> None:
        super().__init__(begun, most)
        self.storage, self.news, self._looks = storage, bells.news, bells.looks
        self._noted_at = 0.0
        self._is_left = False
        self._fetching: asyncio.Task[None] | None = None
        self._known: tuple[str, bool] | None = None
        self._pen = asyncio.Lock()

    async def look(self, kept: KeptGame) -> None:
        """Take in what is kept of it now; of viewers that ask at once, one after the other."""
        async with self._pen:
            await self._look(kept)

    async def _look(self, kept: KeptGame) -> None:
        is_held = kept.left_s > 0
        known = (kept.standing, is_held)
        told = await in_thread(self.storage.records.live.events, self.id, self.last)
        is_new = bool(told) or known != self._known
        self._known = known
        self.recall(kept.standing, map(told_of, told))
        if not is_held:
            self.state = "starting"  # until a server goes on with it
        if self.watch is not None and kept.age_s is not None:
            late_s = max(0.0, _LEASE_S - kept.left_s - _LATE_S)
            self.watch = {**self.watch, "age_s": kept.age_s + late_s}
            self.watch_at = time.monotonic()
        if is_new:
            self.version += 1

    # --- its picture ---------------------------------------------------------------------------

    def note_viewer(self) -> None:
        """Note that someone looks here: its server is asked for pictures, now and then."""
        now = time.monotonic()
        if now - self._noted_at >= ASK_S:
            self._noted_at = now
            self._looks.ring(self.id)

    def note_picture(self) -> None:
        """Have the picture that its server kept, if someone looks here."""
        is_under_way = self._fetching is not None and not self._fetching.done()
        if not is_under_way and time.monotonic() - self._noted_at < 2 * ASK_S:
            self._fetching = asyncio.create_task(self._fetch())

    async def _fetch(self) -> None:
        shown = await fetch(self.id, self.storage.objects)
        if shown is not None:
            self.picture = shown
            self.shows.ring()

    def leave(self) -> None:
        """Be no more: this server goes on with the game, or it has ended."""
        self._is_left = True
        self.shows.ring()

    @property
    def has_pictures(self) -> bool:
        """Whether another picture may come to here."""
        return super().has_pictures and not self._is_left
