"""The command ``sightline watch``: follow a round while it is played."""

import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from json import dumps
from pathlib import Path
from time import monotonic
from typing import Any

import typer

from vision.apps.cli.follow import read_planned
from vision.apps.cli.forms import WatchOrder
from vision.apps.cli.options import (
    check_folder,
    check_outputs,
    language_for,
    read_rules,
)
from vision.apps.cli.results import print_round, words_of, write_picture
from vision.apps.cli.talk import console, refuse, reporting
from vision.apps.known import named_table
from vision.apps.reading import draw_round
from vision.apps.watching import AnySession, check_followed, watch_over
from vision.errors import DeckError, SourceError
from vision.files.scans import scan_to_json
from vision.judging.game import Game
from vision.watch import Event, event_to_json
from vision.watch.capture import Camera, CameraSettings
from vision.watch.lens import Profile
from vision.watch.recording import Recorder
from vision.watch.sources import (
    FilmFault,
    LostPicture,
    Picture,
    Seen,
    folder_pictures,
    kind_of_source,
    video_pictures,
)

__all__ = ["run"]

_TRIES = 3  # of a camera that gives nothing at all
_LOG_LINES = 12
_REFRESH_S = 0.1  # of the view: eyes need no more


def run(order: WatchOrder) -> None:
    """Follow a round over the table while it is played: each card, then the verdict."""
    wanted = _size(order.size)
    if order.out is not None:
        check_outputs(Path(order.source), order.out, None)
    with reporting(Path(order.source)):
        kind = kind_of_source(order.source)
        session, game = _session(order)
        screen = Screen(session, game, language_for(order.lang), order.json, order.out)
        recorder = _recorder(order.record, order.source, game)
        with ExitStack() as stack:
            pictures, now = _pictures(stack, order.source, kind, wanted)
            stack.enter_context(screen)
            try:
                _follow(session, screen, pictures, now, recorder, order.rounds)
            except KeyboardInterrupt:
                screen.show(session.finish())
        if not session.snapshot().cards and session.verdict is None and not screen.verdicts:
            seen = session.snapshot().pictures
            msg = (
                f"found no {_sought(game)} in {seen} pictures; needed a camera that looks "
                "down on the table and does not move: check picture and deck"
            )
            raise SourceError(msg)


def _session(order: WatchOrder) -> tuple[AnySession, Game]:
    """Make the watch over what lies there."""
    lies = named_table(order.deck, order.game)
    try:
        check_followed(lies)
    except DeckError as error:
        refuse(str(error))
    session = watch_over(
        lies,
        read_rules(order.rule, lies.game.options),
        silence_s=order.silence or None,
        stop_on_count=order.count,
        profile=_profile(order.profile),
        planned=read_planned(order.orders, lies.game),
    )
    return session, lies.game


def _sought(game: Game) -> str:
    """Say what a watch looks for first."""
    has_board = bool(game.pieces.of_kind("board"))
    return "piece on a board of this game" if has_board else "card of this deck"


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        refuse(f"--size: expected width x height, such as 1920x1080; got {text!r}")
    return int(width), int(height)


def _profile(name: str | None) -> Profile | None:
    """Return a camera's calibration by its name."""
    if name is None:
        return None
    from calibration.camera.profiles import load_profile
    from vision.apps.cli.calibrate import camera_folder, priors_for

    profile = load_profile(camera_folder(), name)
    return Profile(name, lambda size_wh: priors_for(profile, size_wh))


def _recorder(folder: Path | None, source: str, game: Game) -> Recorder | None:
    if folder is None:
        return None
    check_folder("--record", folder)
    return Recorder(folder, words_of(game, "en"), source)


def _pictures(
    stack: ExitStack, source: str, kind: str, size: tuple[int, int] | None
) -> tuple["Iterator[Seen | None]", "Callable[[], float] | None"]:
    """Open a source: its pictures, and for a live one its clock."""
    if kind == "video":
        return video_pictures(Path(source)), None
    if kind == "folder":
        return folder_pictures(Path(source)), None
    width, height = size or (1920, 1080)
    camera = stack.enter_context(Camera(source, CameraSettings(width=width, height=height)))
    return _live(camera, source), lambda: camera.now_s


def _live(camera: Camera, source: str) -> Iterator[Picture | None]:
    """Yield the newest picture again and again; None while there is none."""
    while True:
        picture = camera.read()
        if picture is None and not camera.pictures and camera.restarts >= _TRIES:
            what = "the camera" if source.isdecimal() else "the stream"
            msg = (
                f"{what} gives no picture after {_TRIES} tries{camera.coded}; needed one that "
                "works in other programs: check that it is plugged in, that no other program "
                "uses it, and that the number or address is right"
            )
            raise SourceError(msg)
        yield picture


def _follow(
    session: AnySession,
    screen: "Screen",
    pictures: Iterator[Seen | None],
    now: "Callable[[], float] | None",
    recorder: Recorder | None,
    rounds: int,
) -> None:
    """Give the session its pictures, show and keep what happens, until the source ends."""
    keys = _Keys() if now is not None else None
    last: Picture | None = None
    for picture in pictures:
        if isinstance(picture, LostPicture | FilmFault):
            events, picture = session.miss(picture), None
        elif picture is not None:
            events = session.look(picture.image, picture.time_s)
            last = picture
        else:
            events = session.tick(now() if now is not None else 0.0)
        wish = keys.wish() if keys is not None else None
        if wish is not None:
            events += session.stop("key") if wish == "" else ()
            events += session.new_round() if wish == "n" else ()
        if recorder is not None and (events or picture is not None):
            image = picture.image if picture is not None else None
            recorder.keep(events, image, session.snapshot().time_s)
        screen.show(events, now() if now is not None else None)
        if wish == "q" or (rounds and screen.verdicts >= rounds):
            break
    events = session.finish()
    if recorder is not None and last is not None:
        recorder.keep(events, last.image, last.time_s, last=True)
    screen.show(events)


class _Keys:
    """Lines typed by whoever watches: nothing (Enter), n or q."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        if sys.stdin is not None and sys.stdin.isatty():
            threading.Thread(target=self._listen, daemon=True, name="sightline-keys").start()

    def _listen(self) -> None:
        for line in sys.stdin:
            self._lines.put(line.strip().lower())

    def wish(self) -> str | None:
        """Return what was typed since, if anything."""
        try:
            return self._lines.get_nowait()
        except queue.Empty:
            return None


# --- what is shown of it -------------------------------------------------------------------------


class Screen:
    """What is printed: a view that stays in place, plain lines, or JSON; and each verdict."""

    def __init__(
        self, session: AnySession, game: Game, language: str, as_json: bool, out: Path | None
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

    def show(self, events: Sequence[Event], now_s: float | None = None) -> None:
        """Show what happened, and the present state where it stays in view."""
        for event in events:
            if self._as_json:
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

    def _line(self, event: Event) -> str:
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
