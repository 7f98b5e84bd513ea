"""A table as text, and back.

::

    game asteroyds-capture             # first; French is read too: jeu, plateau, disposition ...
    board 5                            # the radius, 3 to 7
    layout 2v2                         # also 1v1, 3v3, 3v2, 2v2v2: lays what is not said
    dice red 3 white 5
    score red 1
    rule base=home                     # an option that differs from the default
    red 1 @d4 60 pilot hector spent    # a ship, its heading; its power is spent
    red turret 1 @h2 0; rock 1 @g4     # a line or a semicolon each
    white asteroyd on red 1
    pod 3 @-                           # off the table
    plan red 1 F L - X P120 shield 3   # F forward, L left, R right, U back, X fire, P power;
    plan white 1 A G fire 2            # French: A, G, D, U, T, P; anticipation 3: without a mode
"""

import re
from typing import Any

from vision.errors import TableFormatError
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.programs import ACTIONS
from vision.games.asteroyds_capture.setup import Said, check_table, placed, way_of_degrees
from vision.games.asteroyds_capture.values import RADIUS, TEAMS, Options, Piece, Program, Table
from vision.judging.notation import at_line, lines_of, plain
from vision.judging.options import format_options, parse_options

__all__ = ["format_program", "format_table", "parse_program", "parse_table"]

_NAME = "asteroyds-capture"
_WORDS = {
    "jeu": "game",
    "plateau": "board",
    "disposition": "layout",
    "des": "dice",
    "regle": "rule",
    "pilote": "pilot",
    "utilise": "spent",
    "sur": "on",
    "bouclier": "shield",
    "tir": "fire",
    "rouge": "red",
    "blanc": "white",
    "blanche": "white",
    "bleu": "blue",
    "bleue": "blue",
    "tourelle": "turret",
    "plateforme": "platform",
    "plate-forme": "platform",
    "depart": "home",
    "roche": "rock",
}
_KINDS = ("asteroyd", "home", "platform", "turret", "pod", "rock")
_LETTERS = {
    "f": "forward",
    "a": "forward",
    "l": "left",
    "g": "left",
    "r": "right",
    "d": "right",
    "u": "back",
    "x": "fire",
    "t": "fire",
    "p": "power",
    "-": None,
}
_ENGLISH = {"forward": "F", "left": "L", "right": "R", "back": "U", "fire": "X", None: "-"}


def _words(text: str) -> list[str]:
    return [_WORDS.get(word, word) for word in plain(text).split()]


class _Reader:
    """What the lines read so far have said."""

    def __init__(self) -> None:
        self.settings: list[str] = []
        self.said: list[Said] = []
        self.programs: dict[str, Program] = {}
        self.once: dict[str, str] = {}
        self.counts: dict[str, dict[str, int]] = {"dice": {}, "score": {}}

    def read(self, line: str) -> None:
        """Read one line."""
        words = _words(line)
        match words:
            case ["game" | "board" | "layout" as word, value]:
                if word in self.once:
                    msg = f"{word} is said twice"
                    raise TableFormatError(msg)
                self.once[word] = value
                if word == "game" and value != _NAME:
                    msg = f"the game is {value}; needed: game {_NAME}"
                    raise TableFormatError(msg)
            case ["rule", *rest] if rest:
                self.settings.append("".join(rest))
            case ["dice" | "score" as word, *rest] if rest:
                self._count(word, rest)
            case ["plan", *rest] if rest:
                name, left = _piece_of(rest)
                if name in self.programs:
                    msg = f"there are two plans for {name}"
                    raise TableFormatError(msg)
                self.programs[name] = parse_program(" ".join(left))
            case _:
                self.said.append(_said(line, words))

    def _count(self, word: str, rest: list[str]) -> None:
        pairs = list(zip(rest[::2], rest[1::2], strict=False))
        for team, number in pairs:
            if team in TEAMS and team not in self.counts[word] and _is_whole(number):
                self.counts[word][team] = int(number)
            else:
                pairs = []
        if 2 * len(pairs) != len(rest):
            msg = (
                f"{word} {' '.join(rest)}: needed teams with a number each, every team once, "
                f"as in: {word} red 3 white 5"
            )
            raise TableFormatError(msg)


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,3}", text) is not None


def parse_table(text: str) -> Table:
    """Read a position with its dice and programmes."""
    reader = _Reader()
    for number, line in lines_of(text):
        with at_line(number):
            for part in line.split(";"):
                if part.strip():
                    reader.read(part.strip())
    board = reader.once.get("board", str(RADIUS))
    if not _is_whole(board):
        msg = f"board {board}: needed its radius, 3 to 7"
        raise TableFormatError(msg)
    layout = reader.once.get("layout")
    table = Table(
        pieces=placed(reader.said, layout, int(board)),
        programs=reader.programs,
        dice=reader.counts["dice"],
        scores=reader.counts["score"],
        options=parse_options(Options, reader.settings),
        radius=int(board),
        layout=layout,
    )
    check_table(table)
    return table


def _piece_of(words: list[str]) -> tuple[str, list[str]]:
    """Read the name of a piece at the start of some words; return the words that follow."""
    split = [part for word in words[:1] for part in word.split("-")] + words[1:]
    split = [_WORDS.get(part, part) for part in split]
    team = kind = number = ""
    used = 0
    for word in split:
        if word in TEAMS and not team:
            team = word
        elif word in _KINDS and not kind:
            kind = word
        elif word.isdigit() and not number and kind not in ("asteroyd", "home", "platform"):
            number = word
        else:
            break
        used += 1
    name = "-".join(part for part in (team, kind, number) if part)
    if not kind_of(name):
        msg = f"{' '.join(words)!r}: needed a piece, as in: red 1, red turret 1, white asteroyd"
        raise TableFormatError(msg)
    return name, split[used:]


def _said(line: str, words: list[str]) -> Said:
    """Read a piece: ``red 1 @d4 60 pilot hector spent``, ``white asteroyd on red 1``."""
    name, rest = _piece_of(words)
    said: dict[str, Any] = {"piece": name}
    while rest:
        word = rest.pop(0)
        if word.startswith("@") and "cell" not in said:
            said["cell"] = None if word == "@-" else word[1:]
            if rest and _is_whole(rest[0]):
                said["heading_deg"] = 60 * way_of_degrees(int(rest.pop(0)))
        elif word == "on" and "on" not in said and rest:
            said["on"], rest = _piece_of(rest)
        elif word == "pilot" and "pilot" not in said and rest:
            said["pilot"] = rest.pop(0)
        elif word == "spent" and "power_spent" not in said:
            said["power_spent"] = True
        else:
            msg = (
                f"{line!r} is not understood at {word!r}; needed a line like: "
                "red 1 @d4 60 pilot hector, pod 3 @-, white asteroyd on red 1, plan red 1 F X"
            )
            raise TableFormatError(msg)
    return Said(**said)


def parse_program(text: str) -> Program:
    """Read a programme: ``F L - X P120 shield 3``, in English or French letters."""
    columns: list[str | None] = []
    mode = None
    words = _words(text)
    while words and words[0] not in ("shield", "fire", "anticipation"):
        columns.append(_action(words.pop(0)))
    if words:
        mode = words.pop(0)
    if any(not word.isdigit() for word in words):
        msg = f"{text!r}: needed rounds 1 to 6 after the mode, as in: shield 3"
        raise TableFormatError(msg)
    rounds = tuple(int(word) for word in words)
    return Program(tuple(columns), None if mode == "anticipation" else mode, rounds)


def _action(word: str) -> str | None:
    if word in _LETTERS:
        return _LETTERS[word]
    turn = re.fullmatch(r"p(?:ower)?-?(\d+)", word)
    action = f"power-{turn[1]}" if turn else word
    if action not in ACTIONS:
        msg = (
            f"{word!r} is no action; needed F L R U X P (French A G D U T P), - for none, or the "
            "pilot's turn with it: P60, P120, P240, P300"
        )
        raise TableFormatError(msg)
    return action


def format_program(program: Program) -> str:
    """Write a programme; :func:`parse_program` reads the same."""
    words = [
        _ENGLISH.get(a) or (a or "").replace("power", "P").replace("-", "") for a in program.columns
    ]
    while words and words[-1] == "-":
        words.pop()
    if program.mode is not None or program.rounds:
        words += [program.mode or "anticipation", *map(str, program.rounds)]
    return " ".join(words)


def format_table(table: Table) -> str:
    """Write a table as text; :func:`parse_table` reads the same, but for alternatives."""
    lines = [f"game {_NAME}"]
    if table.radius != RADIUS:
        lines.append(f"board {table.radius}")
    if table.layout is not None:
        lines.append(f"layout {table.layout}")
    for word, counts in (("dice", table.dice), ("score", table.scores)):
        if counts:
            lines.append(" ".join([word, *(f"{team} {n}" for team, n in counts.items())]))
    lines += [f"rule {setting}" for setting in format_options(table.options)]
    lines += [_piece_line(piece) for piece in table.pieces]
    for ship, program in table.programs.items():
        lines.append(f"plan {ship.replace('-', ' ')} {format_program(program)}".rstrip())
    return "\n".join(lines) + "\n"


def _piece_line(piece: Piece) -> str:
    words = [piece.id.replace("-", " ")]
    if piece.on is not None:
        words.append(f"on {piece.on.replace('-', ' ')}")
    else:
        words.append(f"@{piece.cell or '-'}")
        if kind_of(piece.id) in ("ship", "turret", "rock"):
            words.append(str(60 * piece.way))
    if piece.pilot is not None:
        words.append(f"pilot {piece.pilot}")
    if piece.power_spent:
        words.append("spent")
    return " ".join(words)
