"""What the command line prints: doubts, score, account, decks; with colour where that shows."""

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from vision.games.light_speed.values import Deck, Resolution, Ship
from vision.texts import texts
from vision.values.layout import Placed
from vision.values.messages import Issue

if TYPE_CHECKING:
    from calibration.learned.learn import Learned

__all__ = [
    "deck_line",
    "print_account",
    "print_deck",
    "print_doubts",
    "print_faces",
    "print_learned",
    "print_odds",
    "print_places",
    "print_score",
    "score_sentence",
]

_STYLES = {
    "red": "bold red",
    "green": "bold green",
    "purple": "bold magenta",
    "blue": "bold bright_blue",
}
_WIDTH_MIN = 40
_MOST_NAMED = 12  # in one remark


def _style(team: str) -> str:
    return _STYLES.get(team, "bold")


def _show(console: Console, *parts: str | tuple[str, str]) -> None:
    """Print one line as it is: not cut, not broken, nothing in it taken for markup."""
    console.print(Text.assemble(*parts), soft_wrap=True, highlight=False)


def _wrapped(console: Console, text: str, first: str, rest: str) -> list[str]:
    """Break a text to the width of the terminal, with a hanging indent."""
    width = max(min(console.width, 100), _WIDTH_MIN)
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def print_doubts(console: Console, issues: Sequence[Issue], language: str = "en") -> None:
    """Print every doubt, close calls first, before the score; and the notes after them."""
    t = texts(language)
    doubts = [issue for issue in issues if issue.severity == "doubt"]
    doubts.sort(key=lambda issue: issue.code != "close_call")
    notes = [issue for issue in issues if issue.severity != "doubt"]
    if doubts:
        _show(console, (t.say("report.uncertain", n=len(doubts)), "bold yellow"))
    for sign, style, several in (("?", "yellow", doubts), ("-", "dim", notes)):
        for issue in several:
            for line in _wrapped(console, t.issue(issue), f"  {sign} ", "    "):
                _show(console, (line, style))
    if issues:
        _show(console)


def score_sentence(resolution: Resolution, language: str = "en") -> str:
    """Say who wins."""
    t = texts(language)
    if not resolution.scores:
        return t.say("report.no_card")
    if not resolution.winners:
        return t.say("report.nobody")
    names = [team for team in resolution.scores if team in resolution.winners]
    total = resolution.scores[names[0]].total
    if len(names) == 1:
        return t.say("report.wins", team=names[0], total=total)
    return t.say("report.share", teams=names, total=total)


def print_score(console: Console, resolution: Resolution, language: str = "en") -> None:
    """Print the table of scores, best first, and who wins."""
    t = texts(language)
    _show(console, (score_sentence(resolution, language), "bold"))
    if not resolution.scores:
        return
    scores = sorted(resolution.scores.items(), key=lambda item: -item[1].total)
    head = t.say("report.team")
    wide = max(len(head), *(len(t.team(team)) for team in resolution.scores))
    names = [t.say(f"report.{name}") for name in ("kills", "rocks", "own", "total")]
    widths = [max(7, len(name) + 2) for name in names]
    _show(console)
    heads = "".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    _show(console, (f"  {head:<{wide}}{heads}", "dim"))
    for team, score in scores:
        counted = zip((score.kills, score.rocks, score.own), widths[:3], strict=True)
        numbers = "".join(f"{number:>{width}}" for number, width in counted)
        wins = f"  {t.say('report.win_mark')}" if team in resolution.winners else ""
        _show(
            console,
            "  ",
            (f"{t.team(team):<{wide}}", _style(team)),
            numbers,
            (f"{score.total:>{widths[3]}}", "bold"),
            (wins, "bold yellow"),
        )


def print_odds(console: Console, lines: Sequence[str]) -> None:
    """Print how sure the score is, or what would have changed it: a headline and its lines."""
    if lines:
        _show(console)
        _show(console, (lines[0], "bold"))
    for line in lines[1:]:
        for piece in _wrapped(console, line.strip(), "  ", "    "):
            _show(console, piece)


def print_account(console: Console, lines: Iterable[str], teams: Sequence[str]) -> None:
    """Print the account of the round; lines with an indent are events of a step."""
    _show(console)
    for line in lines:
        indent = len(line) - len(line.lstrip())
        first = " " * indent
        for piece in _wrapped(console, line.strip(), first, first + "  "):
            text = Text(piece, style="bold" if not indent else "")
            for team in teams:
                text.highlight_regex(rf"(?<![\w-]){re.escape(team)}(?![\w-])", _style(team))
            console.print(text, soft_wrap=True, highlight=False)


def print_deck(console: Console, deck: Deck) -> None:
    """Print a deck: its size, its teams, and what each ship has."""
    _show(console, (deck.name, "bold"), f"  cards {deck.width_mm:g} x {deck.height_mm:g} mm")
    _show(console, "  teams      ", *_joined([(team, _style(team)) for team in deck.teams]))
    _show(console, f"  asteroids  {', '.join(deck.asteroids) or 'none'}")
    _show(console)
    wide = max((len(ship.name) for ship in deck.ships), default=4)
    _show(console, (f"  speed  {'ship':<{wide}}  health  lasers and shields", "dim"))
    for ship in deck.ships:
        head = f"  {ship.speed:>5}  {ship.name:<{wide}}  {ship.health:>6}  "
        for line in _wrapped(console, _arms(ship), head, " " * len(head)):
            _show(console, line)


def deck_line(name: str, deck: Deck, cards: int | None) -> str:
    """Say in one line what a deck is; ``cards`` is their number in a deck of pictures."""
    ships = f"{len(deck.ships)} ships, teams {', '.join(deck.teams)}" if deck.ships else ""
    if cards is None:
        return f"{name}  {ships}"
    size = f"{deck.width_mm:g} x {deck.height_mm:g} mm"
    return f"{name}  {cards} cards learned from pictures, {size}, {ships or 'no lasers'}"


def print_faces(
    console: Console, deck: Deck, names: Sequence[Sequence[str]], symmetric: Sequence[bool]
) -> None:
    """Print the cards of a deck of pictures; those with one face on one line."""
    count = sum(len(group) for group in names)
    _show(console, (deck_line(deck.name, deck, count), "bold"))
    for group, half in sorted(zip(names, symmetric, strict=True), key=lambda item: item[0][0]):
        more = "  the same turned by half" if half else ""
        _show(console, f"  {', '.join(group)}", (more, "dim"))


def print_learned(console: Console, learned: "Learned") -> None:
    """Say what was learned, and what was noticed on the way."""
    deck, cards = learned.deck.deck, learned.deck.card_ids
    _show(console, (deck_line(deck.name, deck, len(cards)), "bold"))
    notes = [
        ("no pictures, ignored: ", list(learned.ignored)),
        ("turned clockwise to stand upright: ", list(learned.turned)),
        ("the same picture, told apart by nothing: ", [" = ".join(g) for g in learned.same]),
        ("much alike, a photo may not tell: ", [" and ".join(pair) for pair in learned.alike]),
        ("the same turned by half, which no photo can tell: ", list(learned.symmetric)),
        ("without a picture, never found: ", list(learned.without_picture)),
    ]
    for head, things in notes:
        if not things:
            continue
        more = f" and {len(things) - _MOST_NAMED} more" if len(things) > _MOST_NAMED else ""
        text = head + ", ".join(things[:_MOST_NAMED]) + more
        for line in _wrapped(console, text, "  - ", "    "):
            _show(console, line)
    _show(console, f"  scan a photo of it: sightline scan PHOTO --deck {deck.name}")


def print_places(
    console: Console, cards: Sequence[Placed], deck: str, language: str = "en"
) -> None:
    """Print which card lies where."""
    t = texts(language)
    named = [card for card in cards if not card.piece.startswith("unknown-")]
    _show(console, (t.say("report.places", n=len(named), deck=deck), "bold"))
    wide = max((len(card.piece) for card in cards), default=0)
    for card in cards:
        x, y = (t.number(value, 1) for value in (card.x_mm, card.y_mm))
        turn = t.number(math.degrees(card.theta_rad), 1)
        place = f"{x:>8}, {y:>7} mm  {turn:>7}°"
        _show(console, f"  {card.piece:<{wide}}  {place}")


def _joined(parts: list[tuple[str, str]]) -> list[str | tuple[str, str]]:
    out: list[str | tuple[str, str]] = []
    for part in parts:
        out += [", ", part] if out else [part]
    return out


def _arms(ship: Ship) -> str:
    """Write a ship's lasers and shields: ``2 at 0°, 1 at 135°; shield left -20..20``."""
    lasers = [f"{laser.power} at {math.degrees(laser.heading_rad):.4g}°" for laser in ship.lasers]
    shields = [f"{item.edge} {item.from_mm:g}..{item.to_mm:g}" for item in ship.shields]
    text = ", ".join(lasers) if lasers else "no laser"
    return f"{text}; shield {', '.join(shields)}" if shields else text
