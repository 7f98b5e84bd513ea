"""What ``sightline watch`` prints: a view that stays, plain lines, or JSON; and each verdict."""

import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import typer

from vision.apps.cli.results import print_round, words_of, write_picture
from vision.apps.cli.talk import console
from vision.apps.reading import draw_round

if TYPE_CHECKING:
    from vision.apps.watching import AnySession
    from vision.judging.game import Game
    from vision.watch import Event

__all__ = ["Screen"]

_LOG_LINES = 12
_REFRESH_S = 0.1  # of the view: eyes need no more


class Screen:
    """What is printed: a view that stays in place, plain lines, or JSON; and each verdict."""

    def __init__(
        self, session: "AnySession", game: "Game", language: str, as_json: bool, out: Path | None
    ) -> None:
        self.verdicts = 0
        self._session = session
        self._game = game
        self._language = language
        self._texts = words_of(game, language)
        self._as_json = as_json
        self._out = out
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._console = console()
        self._live: Any = None
        self._shown_s = 0.0

    def __enter__(self) -> "Screen":
        if not self._as_json and sys.stdout.isatty():
            self._stay()
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()

    def _stay(self) -> None:
        """Begin the view that stays in place."""
        from rich.live import Live

        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._live.start()

    def _leave(self) -> None:
        """End it; what it logged stays on the screen as plain lines."""
        if self._live is None:
            return
        self._live.stop()
        self._live = None
        for line in self._log:
            typer.echo(line)
        self._log.clear()

    def show(self, events: "Sequence[Event]", now_s: float | None = None) -> None:
        """Show what happened, and the present state where it stays in view."""
        for event in events:
            if self._as_json:
                from json import dumps

                from vision.watch import event_to_json

                told = event_to_json(event, self._texts)
                typer.echo(dumps(told, allow_nan=False))
            elif self._live is None:
                typer.echo(self._line(event))
            else:
                self._log.append(self._line(event))
            if event.code == "verdict":
                self._verdict()
        now = monotonic()
        if self._live is not None and (events or now - self._shown_s >= _REFRESH_S):
            self._live.update(self._view(now_s), refresh=True)
            self._shown_s = now

    def _line(self, event: "Event") -> str:
        sign = {"news": " ", "warning": "!", "doubt": "?"}[event.severity]
        minutes, seconds = divmod(event.time_s, 60)
        return f"{int(minutes):>3}:{seconds:04.1f} {sign} {self._texts.tell(event.said)}"

    def _view(self, now_s: float | None) -> Any:
        """Return the state of the game and the log, as it stands on the screen."""
        from rich.text import Text

        state = self._session.snapshot(now_s)
        t = self._texts
        age = t.say("watch.no_picture")
        if state.age_s is not None:
            age = t.say("watch.age", seconds=state.age_s)
        head = f"{t.say(f'watch.phase.{state.phase}')}   {age}"
        counts = "   ".join(f"{t.team(team)} {n}" for team, n in state.counts.items() if n)
        styles = "bold red" if state.picture in ("stalled", "black") else "bold"
        lines = [Text(head, style=styles), Text(counts), *(Text(line) for line in self._log)]
        if now_s is not None:
            lines.append(Text(t.say("watch.keys"), style="dim"))
        return Text("\n").join(lines)

    def _verdict(self) -> None:
        """Print the score and the account of a round, and write its picture."""
        verdict = self._session.verdict
        assert verdict is not None
        self.verdicts += 1
        scan = verdict.scan
        if self._as_json:
            from json import dumps

            from vision.files.scans import scan_to_json

            told = scan_to_json(scan, self._game, language=self._language)
            typer.echo(dumps(told, allow_nan=False))
        else:
            stays = self._live is not None
            self._leave()
            print_round(scan.ledger, scan.issues, self._game, self._language)
            if stays:
                self._stay()
        if self._out is not None:
            picture = draw_round(scan, self._game, verdict.image, self._language)
            write_picture(_numbered(self._out, self.verdicts), picture)


def _numbered(path: Path, number: int) -> Path:
    """Return the path for a round's picture: the first has the name that was given."""
    return path if number == 1 else path.with_stem(f"{path.stem}-{number}")
