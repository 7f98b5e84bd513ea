"""The command ``sightline career``: who serves, since when, and what the rounds left to them."""

from collections.abc import Iterator, Sequence
from typing import Any

from vision.apps.cli.forms import CareerOrder
from vision.apps.cli.keeping import history_of, keeper, read_file, write_file
from vision.apps.cli.options import language_for
from vision.apps.cli.results import words_of, write_json
from vision.apps.cli.talk import STDOUT, console, refuse
from vision.files.careers import CareerFile, NameEntry, PointsEntry, careers_to_json, new_careers
from vision.games.registry import find_game, game_names
from vision.judging.career import Career, Figure, History, Line, is_idle
from vision.judging.game import Game
from vision.texts import Texts

__all__ = ["run"]

_MOST_POINTS = 100_000  # as in files


def run(order: CareerOrder) -> None:
    """Show the careers that a file keeps, and correct them by hand."""
    was = read_file(order.file)[1] if order.file.exists() else _begun(order)
    game = find_game(was.game)
    keeper(game)
    careers = _changed(was, order, game)
    history = history_of(careers, game)
    if careers is not was or not order.file.exists():
        write_file(order.file, careers)
    words = words_of(game, language_for(order.lang))
    if order.json is not None:
        players = careers_to_json(history, words)
        said = {"game": game.name, "seats": careers.seats, "players": players}
        write_json(order.json, said)
    if order.json != STDOUT:
        screen = console()
        for line in _lines(careers, history, game, words):
            screen.print(line, soft_wrap=True)


def _begun(order: CareerOrder) -> CareerFile:
    """Return a new file, of the game that was named or the only one that keeps careers."""
    if not order.player:
        refuse(f"no such file: {order.file}; to create it, add players: --player SIDE=NAME")
    keeping = [name for name in game_names() if find_game(name).keeps_careers]
    if order.game is None and len(keeping) != 1:
        refuse(f"--game: choose the game of the careers: {', '.join(keeping)}")
    return new_careers(order.game or keeping[0])


# --- corrections -----------------------------------------------------------------------------


def _changed(careers: CareerFile, order: CareerOrder, game: Game) -> CareerFile:
    """Return a file with what was typed brought to it, in the order of the options."""
    changed = careers
    if order.undo:
        if not careers.entries:
            refuse("--undo: nothing was entered yet")
        changed = _with(changed, changed.entries[:-1])
    for number in order.leave_out or ():
        entry = changed.rounds().get(number)
        if entry is None:
            refuse(f"--leave-out: no round {number} is in the file")
        changed = _with(changed, [one for one in changed.entries if one != entry])
    for side, player in _pairs("--player", order.player):
        changed = _seated(changed, side, player, game)
    for player, said in _pairs("--points", order.points):
        _check_known("--points", player, changed)
        if not said.isdecimal() or int(said) > _MOST_POINTS:
            refuse(f"--points: expected a whole number for {player}, got {said!r}")
        changed = _with(changed, [*changed.entries, PointsEntry(player=player, points=int(said))])
    for player, name in _pairs("--name", order.name):
        changed = _renamed(changed, player, name, game)
    return changed


def _with(careers: CareerFile, entries: Sequence[Any]) -> CareerFile:
    return careers.model_copy(update={"entries": list(entries)})


def _pairs(option: str, given: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    for text in given or ():
        left, equals, right = (part.strip() for part in text.partition("="))
        if not left or not equals or len(right) > 100:
            refuse(f"{option}: expected a word, = and another; got {text!r}")
        yield left, right


def _check_known(option: str, player: str, careers: CareerFile) -> None:
    played = {name for entry in careers.rounds().values() for name in entry.sides.values()}
    known = sorted(played | set(careers.seats.values()))
    if player not in known:
        refuse(f"{option}: no player is called {player!r}; known: {', '.join(known) or 'none'}")


def _renamed(careers: CareerFile, player: str, name: str, game: Game) -> CareerFile:
    """Call the one who serves, or the one of a number, by a name."""
    who, dot, number = player.rpartition(".")
    numbered = bool(dot) and number.isdecimal()
    who = who if numbered else player
    _check_known("--name", who, careers)
    career = history_of(careers, game).careers.get(who)
    count = 1 if career is None else len(career.figures)
    figure = int(number) if numbered else count
    if not name or not 1 <= figure <= count:
        refuse(f"--name: expected a name for one of the {count} of {who}, got {player}={name}")
    entry = NameEntry(player=who, figure=figure, name=name)
    return _with(careers, [*careers.entries, entry])


def _seated(careers: CareerFile, side: str, player: str, game: Game) -> CareerFile:
    known = [one.id for one in game.sides]
    if side not in known:
        refuse(f"--player: no side {side!r}; known: {', '.join(known)}")
    seats = {s: p for s, p in careers.seats.items() if s != side and p != player}
    if player:
        seats[side] = player
    return careers.model_copy(update={"seats": dict(sorted(seats.items()))})


# --- what shows ------------------------------------------------------------------------------


def _lines(careers: CareerFile, history: History, game: Game, words: Texts) -> Iterator[str]:
    """Yield the careers in words: player by player, figure by figure."""
    players = list(dict.fromkeys([*careers.seats.values(), *history.careers]))
    if not players:
        yield words.say("career.nobody")
    sources = {str(number): entry.source for number, entry in careers.rounds().items()}
    for player in players:
        sides = tuple(side for side, who in careers.seats.items() if who == player)
        yield words.say("career.side", player=player, sides=sides) if sides else player
        career = history.careers.get(player, Career())
        for figure in career.figures:
            yield f"  {_figure(figure, career, game, words)}"
            yield from (f"    {line}" for line in _services(figure, sources, words))


def _figure(figure: Figure, career: Career, game: Game, words: Texts) -> str:
    name = figure.name or words.say("career.unnamed")
    if figure.ended is not None:
        return words.say("career.ended", name=name, why=figure.ended)
    rank = keeper(game).rank(career.points)
    return words.say("career.serves", name=name, rank=rank, n=career.points)


def _services(figure: Figure, sources: dict[str, str], words: Texts) -> Iterator[str]:
    """Yield what happened to a figure; rounds that left things as they were are counted."""
    idle = sum(is_idle(line) for line in figure.lines)
    if idle:
        yield words.say("career.idle", n=idle)
    for line in figure.lines:
        if not is_idle(line):
            yield _line(line, sources, words)


def _line(line: Line, sources: dict[str, str], words: Texts) -> str:
    service = line.service
    if service is None or line.round is None:
        return words.say("career.by_hand", n=line.points)
    where = words.say("career.round", round=line.round, source=sources[line.round])
    gaps = {"where": where, "before": service.before, "gained": service.gained}
    if service.ended is not None:
        said = words.say("career.left_ended", **gaps, why=service.ended)
    else:
        said = words.say("career.left", **gaps, after=service.after, rank=service.rank)
    if not service.is_settled:
        said = words.say("career.open", line=said)
    return said if service.is_sure else words.say("career.unsure", line=said)
