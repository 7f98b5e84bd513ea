"""The live games of a server: begun, found, tidied, ended."""

import asyncio
from collections import deque

import anyio.to_thread

from vision.apps.decks import find_known, lasting_name
from vision.apps.server.live.game import LiveGame
from vision.apps.server.live.verdicts import LiveOrder
from vision.apps.server.problems import Problem
from vision.apps.server.reading.wishes import Wishes, understood
from vision.apps.server.settings import Settings
from vision.apps.server.storage import Storage
from vision.apps.watching import check_followed, laid_by_side

__all__ = ["LiveGames"]

_KEEP_HOUSE_S = 5.0


class LiveGames:
    """All live games; created with the server and ended with it."""

    def __init__(self, storage: Storage, settings: Settings) -> None:
        self.storage, self.settings = storage, settings
        self.games: dict[str, LiveGame] = {}
        self._gone: deque[LiveGame] = deque(maxlen=8)  # whose viewers may not know it yet
        self._keeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin with the operator's camera, if there is one."""
        self._keeper = asyncio.create_task(self._keep_house())
        if self.settings.camera:
            wishes = Wishes(None, self.settings.camera_rules)
            order = self.order(wishes, 5.0, stop_on_count=True)
            self._begin(order, self.settings.camera)

    def hush(self) -> None:
        """End all games; those who follow them are told."""
        for game in self.games.values():
            game.end()

    async def stop(self) -> None:
        """End all, and see their processes end."""
        if self._keeper is not None:
            self._keeper.cancel()
        self.hush()
        for game in self.games.values():
            await anyio.to_thread.run_sync(game.process.join, 8.0)

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

    def begin(self, order: LiveOrder) -> LiveGame:
        """Begin a game that is fed by whoever gets its key.

        Raises
        ------
        Problem
            429 if there are as many as may be.
        """
        for game in list(self.games.values()):
            if game.state == "failed" and not game.source:
                self.end(game)
        running = [game for game in self.games.values() if not game.source]
        if len(running) >= self.settings.live_games:
            detail = (
                f"{len(running)} live games run here already, as many as may be "
                "(SIGHTLINE_LIVE_GAMES); end one of them"
            )
            raise Problem(429, "live_full", detail, headers={"Retry-After": "60"})
        return self._begin(order, "")

    def _begin(self, order: LiveOrder, source: str) -> LiveGame:
        known = find_known(order.deck, order.game, self.settings.decks)
        check_followed(known)
        of = laid_by_side(known)
        game = LiveGame(order, self.settings, self.storage, of=of, source=source)
        self.games[game.id] = game
        game.process.start()
        return game

    def get(self, game_id: str) -> LiveGame:
        """Return a game.

        Raises
        ------
        Problem
            404 if there is none.
        """
        game = self.games.get(game_id)
        if game is None:
            detail = "there is no such live game; it may have ended"
            raise Problem(404, "not_found", detail)
        return game

    def end(self, game: LiveGame) -> None:
        """End a game and forget it, soon."""
        game.end()
        if self.games.pop(game.id, None) is not None:
            self._gone.append(game)

    def get_shown(self, game_id: str) -> LiveGame:
        """Return a game, also one that has just ended: its viewers ask once more.

        Raises
        ------
        Problem
            404 if there is none.
        """
        gone = next((game for game in self._gone if game.id == game_id), None)
        return gone or self.get(game_id)

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(_KEEP_HOUSE_S)
            for game in list(self.games.values()):
                if game.tidy():
                    self.end(game)
