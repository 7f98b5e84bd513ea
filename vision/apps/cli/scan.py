"""The command ``sightline scan``: photos in; score, account, picture and JSON out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.resources.abc import Traversable
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

import typer

from vision.apps.cli.coaching import (
    check_coach,
    coached,
    hottest,
    print_coach,
    with_coach,
    write_maps,
)
from vision.apps.cli.follow import read_before, write_next
from vision.apps.cli.forms import ScanOrder
from vision.apps.cli.judge import Wishes
from vision.apps.cli.keeping import read_keeping
from vision.apps.cli.options import (
    Language,
    check_folder,
    check_outputs,
    knows_rules,
    language_for,
    read_rules,
    wishing,
)
from vision.apps.cli.results import (
    draw,
    hint,
    print_scan,
    print_what_if,
    write_closeups,
    write_json,
    write_picture,
)
from vision.apps.cli.talk import STDOUT, printable, refuse, reporting, working
from vision.apps.finding import DrawnGames, find_out, is_plain
from vision.apps.known import Known, named_table
from vision.apps.reading import draw_round
from vision.errors import ReportFormatError, TableNotFoundError
from vision.files.documents import decode
from vision.files.reports import Report, is_report, unpack_report
from vision.files.scans import scan_to_json
from vision.files.whole import read_bytes
from vision.imaging.photo import Photo
from vision.judging.game import Game
from vision.judging.options import options_from_json
from vision.judging.play import replay
from vision.pipeline import scan
from vision.texts import texts
from vision.values.arrays import ImageBGR
from vision.values.heat import HeatMap
from vision.values.messages import Message
from vision.values.scan import Scan

__all__ = ["ScanFunction", "run"]

ScanFunction: TypeAlias = Callable[[Sequence[bytes], Known, Any], tuple[Scan, Sequence[Photo]]]


def _scan_photos(
    photos: "Sequence[bytes]", known: Known, options: Any
) -> tuple[Scan, Sequence[Photo]]:
    """Read the photos of a table."""
    return scan(photos, known.game, known.detector(), options=options)


def run(order: ScanOrder, scan_function: ScanFunction | None) -> None:
    """Read a photo, resolve the round, print score and account."""
    first = order.photos[0]
    check_outputs(first, order.out, order.json)
    check_folder("--closeups", order.closeups)
    check_coach(order.coach, order.coach_for, order.coach_maps)
    with reporting(first):
        _scan(order, first, scan_function or _scan_photos)


def _scan(order: ScanOrder, first: Path, scan_function: ScanFunction) -> None:
    before, turn = read_before(order.after), read_turn(order.turn)
    tables = _tables(order, None if before is None else before.game)
    wishes = Wishes.typed(order)
    if isinstance(tables, list) and len(tables) == 1:
        _check(order, tables[0], wishes)
    _check_count(order, tables)
    encoded = [read_bytes(photo) for photo in order.photos]
    typed = {"--deck": order.deck, "--game": order.game, "--rule": order.rule}
    report = reported(encoded, typed)
    if report is None and order.again:
        refuse("--again: there is no report to read again")
    keeping = read_keeping(order.career, order.round, order.photos, encoded)
    with working(f"reading {first.name}"):
        base = None if before is None else before.options
        if report is not None:
            known, seen, upright = open_report(report, scan_function if order.again else None)
        else:
            known, seen, upright = _read(encoded, tables, order, scan_function, base)
    with wishing():
        if before is not None:
            seen = before.bring_to(seen, known.game)
        seen = wishes.bring_to(seen, known.game)
    if turn is not None and order.turn is not None:
        seen = with_turn(seen, wishes.judge(known.game), turn, order.turn)
    if keeping is not None:
        seen = keeping.bring_to(seen, wishes.judge(known.game))
    _give(order, first, known, seen, upright)
    if keeping is not None:
        keeping.enter(known.game, seen.table, language_for(order.lang))


def _tables(order: ScanOrder, game: str | None) -> list[Known] | DrawnGames:
    """Return what may lie there: what is named, else the games that fit what was typed."""
    if order.deck is not None or order.game or game:
        return [named_table(order.deck, order.game or game)]
    if not (order.rule or order.order or order.plan) and order.turn is None:
        return DrawnGames()
    return [known for known in DrawnGames() if _may_be(known.game, order)] or DrawnGames()


def _may_be(game: Game, order: ScanOrder) -> bool:
    """Tell whether a game knows the rules and takes the orders or the turn that were typed."""
    is_ordered = game.takes_orders or not (order.order or order.plan)
    is_ordered &= game.overrides(Game.take_turn) or order.turn is None
    return is_ordered and knows_rules(order.rule, game.options)


def _check_count(order: ScanOrder, tables: Iterable[Known]) -> None:
    """Refuse more photos than a table of any of the games is spread over."""
    if not any(len(order.photos) <= known.game.most_photos for known in tables):
        games = [known.game for known in tables]
        most = max(game.most_photos for game in games)
        told = "one photo" if most == 1 else f"at most {most} photos"
        whose = f"a table of {games[0].name}" if len(games) == 1 else "a table"
        refuse(f"{whose} is on {told}; got {len(order.photos)}, scan each by itself")


def _check(order: ScanOrder, known: Known, wishes: Any) -> None:
    """Refuse what this game cannot do, before any photo is read."""
    game = known.game
    read_rules(order.rule, game.options)
    if order.turn is not None:
        check_takes_turn(game)
    if game.name == "none" and (wishes.are_any() or order.what_if or order.closeups is not None):
        refuse(f"the deck {known.name!r} has no lasers: there are no shots to rule on or show")


def _read(
    encoded: Sequence[bytes],
    tables: Iterable[Known],
    order: ScanOrder,
    scan_function: ScanFunction,
    base: Any,
) -> tuple[Known, Scan, Sequence[Photo]]:
    """Read the photos as a table of the one game; of several, find out which of them it is.

    ``base`` are the options that hold where none are typed.
    """

    def read(known: Known, photo: int | None = None) -> tuple[Scan, Sequence[Photo]]:
        options = read_rules(order.rule, known.game.options, base)
        try:
            return scan_function(
                encoded if photo is None else encoded[photo : photo + 1], known, options
            )
        except TableNotFoundError as error:
            raise _in_words(error, language_for(order.lang), known.game.texts) from error

    try:
        known, (seen, upright) = find_out(tables, len(encoded), read, lambda one: is_plain(one[0]))
    except TableNotFoundError as error:
        raise _in_words(error, language_for(order.lang)) from error
    is_open = order.game is None and order.deck is None and order.after is None
    if is_open and order.json != STDOUT:  # JSON names the game itself
        typer.echo(f"game: {known.game.name}", err=True)
    return known, seen, upright


def _in_words(
    error: TableNotFoundError, language: str, *folders: Traversable
) -> TableNotFoundError:
    """Return an error in a language, where its sentence is there in several.

    ``folders`` hold the words of the game that it comes from.
    """
    if not isinstance(error.said, Message):
        return error
    told = texts(language, *folders).tell(error.said)
    return TableNotFoundError(told, is_near=error.is_near)


def _give(
    order: ScanOrder, first: Path, known: Known, seen: Scan, upright: Sequence[Photo]
) -> None:
    """Write and print what was asked for."""
    speech = language_for(order.lang)
    tips = coached(order.coach, known.game, seen.table, order.coach_for, order.coach_maps)
    drawing_ms = 0.0
    if order.out is not None:
        with working("drawing the picture"):
            start = perf_counter()
            write_picture(order.out, _drawn(known, seen, upright, speech, hottest(tips)))
            drawing_ms = (perf_counter() - start) * 1000
    if order.json is not None:
        timed = replace(seen, timings_ms={**seen.timings_ms, "annotate": drawing_ms})
        language = _file_language(order.lang)
        document = scan_to_json(timed, known.game, language=language)
        write_json(order.json, with_coach(document, tips, known.game, language))
    is_open = order.next is not None and seen.verdict.is_open
    write_next(order.next, known, seen.table, seen.outcome, speech, is_open=is_open)
    if upright:
        photo = upright[0]
        if order.closeups is not None:
            write_closeups(order.closeups, seen, photo, known.game, speech)
        shown = (photo.image, seen.layout.camera, seen.ledger)
        write_maps(order.coach_maps, tips, shown, known.game, speech)
    elif order.closeups is not None or order.coach_maps is not None:
        refuse("there is no photo in this report to draw on")
    if order.json != STDOUT:
        print_scan(seen, known.game, speech)
        print_what_if(order.what_if, known.game, seen.table, speech)
        print_coach(tips if order.coach else None, known.game, speech)
        hint(order.out, first, speech)


def _drawn(
    known: Known, seen: Scan, upright: Sequence[Photo], speech: str, heat: HeatMap | None
) -> ImageBGR:
    """Return the round drawn on its photo; where a report has none, from above."""
    if not upright:
        drawn: ImageBGR = draw(seen.ledger, known, speech, heat)
        return drawn
    photo, *others = upright
    more = [one.image for one in others]
    return draw_round(seen, known.game, photo.image, speech, more=more, heat=heat)


def _file_language(lang: Language | None) -> str:
    """Return the language of a file: that asked for, else English wherever it was written."""
    return lang.value if lang else "en"


# --- turns that were written down ----------------------------------------------------------------
# Games that are played by declarations (``take_turn`` of :class:`vision.judging.game.Game`) read
# it.


def read_turn(path: Path | None) -> str | None:
    """Read the file of a turn."""
    if path is None:
        return None
    with reporting(path):
        return decode(read_bytes(path))


def with_turn(seen: Scan, game: Game, turn: str, path: Path) -> Scan:
    """Return a scan with the turn brought to it and played; mistakes are the file's."""
    check_takes_turn(game)
    with reporting(path):
        return replay(seen, game, game.take_turn(seen.table, turn))


def check_takes_turn(game: Game) -> None:
    """Refuse a game that is not played by turns that are written down."""
    if not game.overrides(Game.take_turn):
        refuse(f"--turn: {game.name} does not take written turns")


# --- reports -------------------------------------------------------------------------------------


def reported(encoded: Sequence[bytes], typed: dict[str, Any]) -> Report | None:
    """Return the report that was given in place of photos; None if photos were.

    ``typed`` are the options that say how photos are read: a report has its own.
    """
    if not any(is_report(one) for one in encoded):
        return None
    if len(encoded) > 1:
        refuse("a report is opened by itself, without other files")
    wrong = [option for option, value in typed.items() if value]
    if wrong:
        refuse(f"{wrong[0]}: a report says itself what was read, and how")
    return unpack_report(encoded[0])


def open_report(
    report: Report,
    read_again: ScanFunction | None,
) -> tuple[Known, Scan, Sequence[Photo]]:
    """Return the round of a report as it was there, or as it is read here.

    Says on standard error of which version it is, what its sender says, and whether the round
    comes out otherwise here.
    """
    from vision.apps.decks import find_known
    from vision.apps.reopened import compare, correct, reopen

    known = find_known(report.deck or None, report.game or None)
    typer.echo(f"report: {known.game.name}, Sightline {printable(report.version)}", err=True)
    if report.note:
        typer.echo(f"says: {printable(report.note)}", err=True)
    if read_again is None:
        seen, photos = reopen(report, known)
    else:
        if not report.photos:
            msg = "there is no photo in this report; leave --again out to see what was read"
            raise ReportFormatError(msg)
        options: Any = options_from_json(known.game.options, report.rules)
        read, upright = read_again(report.photos, known, options)
        seen, photos = correct(read, report, known), tuple(upright)
    then = compare(report, seen, known)
    if then is not None:
        typer.echo(f"it came out otherwise there: {printable(then)}", err=True)
    return known, seen, photos
