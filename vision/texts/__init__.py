"""The words of the program, in English and French: one catalogue, ``en.toml`` and ``fr.toml``.

A game has words of its own in a folder of its own; they join the catalogue, and come before the
words here where both have a key.

A text has gaps as in ``str.format``; what comes after the colon says how a gap is filled:

============  =================================================================================
``name``      a card, as the language calls it: ``name.KIND`` of the catalogue, where the id's
              words without its number are the kind, else the id's own words (``red moth``)
``title``     the same as a proper name (``Red Moth``)
``id``        a card's id in English, its name elsewhere
``names``     several cards with "and" between the last two; ``ids`` likewise
``team``      a team; ``teams`` several; ``Team`` and ``Teams`` with capitals
``mm``        a length: one decimal, two below a tenth
``chance``    a probability in per cent, never 0 or 100
``0``, ``2``  a number with that many decimals; ``%`` a share in whole per cent
a section     the text of that section of the catalogue which the value names
============  =================================================================================

A gap may also be filled by another message, or by several: with "and" between the last two, or with
the text between all of them whose key comes after the colon.

A text with plural forms is a table of ``one`` and ``other``, chosen by the value ``n``: in
English one is 1, in French 0 and 1.
"""

import string
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal, Protocol

from vision.values.ledger import SURE
from vision.values.messages import Issue, Message

__all__ = [
    "LANGUAGES",
    "IssueMaker",
    "Texts",
    "issues_of",
    "language_of",
    "make_issue",
    "texts",
    "where_px",
]

LANGUAGES = ("en", "fr")


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that a user's environment asks for, English if it is not known.

    >>> language_of({"LANG": "fr_CA.UTF-8"})
    'fr'
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(name, "")
        if value:
            code = value.replace("-", "_").partition(".")[0].partition("_")[0].lower()
            return code if code in LANGUAGES else "en"
    return "en"


class Texts(string.Formatter):
    """The catalogue in one language."""

    def __init__(self, language: str, folders: Sequence[Traversable] = ()) -> None:
        if language not in LANGUAGES:
            msg = f"language: expected one of {', '.join(LANGUAGES)}, got {language!r}"
            raise ValueError(msg)
        self.language = language
        self.catalogue: dict[str, Any] = {}
        for folder in (resources.files(__package__), *folders):
            source = folder.joinpath(f"{language}.toml")
            self.catalogue |= _flat(tomllib.loads(source.read_text(encoding="utf-8")))

    def say(self, key: str, /, **values: Any) -> str:
        """Fill a text of the catalogue."""
        text = self.catalogue[key]
        if isinstance(text, dict):
            number = abs(values["n"])
            text = text["one" if number == 1 or (self.language == "fr" and number < 2) else "other"]
        return self.vformat(text, (), values)

    def tell(self, message: Message | str) -> str:
        """Say a message; what is no message is said as it is."""
        if isinstance(message, str):
            return message
        return self.say(message.key, **dict(message.values))

    def has(self, key: str) -> bool:
        """Tell whether the catalogue has a text."""
        return key in self.catalogue

    def issue(self, issue: Issue) -> str:
        """Say an issue in this language, in English if there is nothing else.

        A file of another version may hold issues that this catalogue has no words for.
        """
        if issue.said is None or not self._can_say(issue.said):
            return issue.message
        return self.tell(issue.said)

    def _can_say(self, said: object) -> bool:
        """Tell whether the catalogue has words for a message, and for those in it."""
        if not isinstance(said, Message):
            return True
        return self.has(said.key) and all(self._can_say(value) for _, value in said.values)

    def issue_by_hand(self, issue: Issue) -> str:
        """Say an issue where its place is shown and things are put right by hand.

        Where the words of an issue name an option, ``KEY_by_hand`` of the catalogue does not; the
        place in pixels is left out.
        """
        said = issue.said
        if said is None:
            return self.issue(issue)
        if self.has(f"{said.key}_by_hand"):
            said = replace(said, key=f"{said.key}_by_hand")
        told = self.issue(replace(issue, said=said))
        if issue.at_px is None:
            return told
        where = self.say("issue.where", **where_px(*issue.at_px))
        return told.replace(f",{where}", "").replace(where, "")

    def name(self, card: str) -> str:
        """Call a card by its name."""
        if (named := self._by_kind(card)) is not None:
            return named
        if "-" not in card:
            return card
        return card.replace("-", " ", 1) if self.language == "en" else self.title(card)

    def title(self, card: str) -> str:
        """Call a card by its name, with capitals if that is its own."""
        if (named := self._by_kind(card)) is not None:
            return named.replace("-", " ")
        return card.replace("-", " ").title()

    def _by_kind(self, card: str) -> str | None:
        """Call a card by its kind and number; None if the catalogue does not name the kind."""
        words = card.split("-")
        key = f"name.{'-'.join(word for word in words if not word.isdigit())}"
        number = next((word for word in words if word.isdigit()), "")
        return self.say(key, number=number).strip(" -") if self.has(key) else None

    def team(self, team: str) -> str:
        """Call a team by its name; teams that the catalogue does not know have their own."""
        return self.say(f"team.{team}") if self.has(f"team.{team}") else team

    def join(self, parts: Iterable[str]) -> str:
        """Write several things with "and" between the last two."""
        names = list(parts)
        if len(names) < 2:
            return "".join(names)
        return f"{', '.join(names[:-1])} {self.say('word.and')} {names[-1]}"

    def number(self, value: float, decimals: int) -> str:
        """Write a number with the decimal sign of the language."""
        return f"{value:.{decimals}f}".replace(".", self.say("sign.decimal"))

    def chance(self, value: float) -> str:
        """Write a probability; nothing is ever quite sure."""
        if value >= SURE:
            return self.say("chance.most")
        if value <= 1 - SURE:
            return self.say("chance.least")
        return self.say("chance.plain", number=f"{100 * value:.0f}")

    def format_field(self, value: Any, spec: str) -> str:
        """Fill one gap."""
        if isinstance(value, Message):
            return self.tell(value)
        if isinstance(value, tuple) and (not spec or "." in spec):
            parts = [self.tell(part) for part in value]
            return self.say(spec).join(parts) if spec else self.join(parts)
        match spec:
            case "name":
                return self.name(value)
            case "title":
                return self.title(value)
            case "id":
                return value if self.language == "en" else self.name(value)
            case "names":
                return self.join(self.name(card) for card in value)
            case "ids":
                return self.join(
                    card if self.language == "en" else self.name(card) for card in value
                )
            case "team" | "Team":
                return _capital(self.team(value), spec)
            case "teams" | "Teams":
                return self.join(_capital(self.team(team), spec) for team in value)
            case "mm":
                return self.number(value, 2 if abs(value) < 0.1 else 1)
            case "chance":
                return self.chance(value)
            case "%":
                return self.say("chance.plain", number=f"{100 * value:.0f}")
            case "0" | "1" | "2" | "3":
                return self.number(value, int(spec))
        if self.has(f"{spec}.{value}"):
            return self.say(f"{spec}.{value}")
        return str(super().format_field(value, spec))


def _capital(word: str, spec: str) -> str:
    return word[:1].upper() + word[1:] if spec[0].isupper() else word


def _flat(table: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and not set(value) <= {"one", "other"}:
            found |= _flat(value, f"{path}{key}.")
        else:
            found[path + key] = value
    return found


def texts(language: str = "en", *folders: Traversable) -> Texts:
    """Return the catalogue in a language, with the words of games from their folders."""
    return _texts(language, folders)


@cache
def _texts(language: str, folders: Any) -> Texts:
    return Texts(language, folders)


class IssueMaker(Protocol):
    """Makes an issue from a text of a catalogue; its own message is in English."""

    def __call__(
        self,
        code: str,
        key: str,
        cards: Sequence[str] = (),
        severity: Literal["note", "doubt"] = "doubt",
        /,
        **values: Any,
    ) -> Issue:
        """Make it: a stable code, the text's key, the pieces concerned, what fills the gaps."""
        ...


def issues_of(*folders: Traversable) -> IssueMaker:
    """Return what makes issues from the program's own texts and those of a game's folder.

    The gaps ``x`` and ``y`` of an issue are a place in the photo, px; see :func:`where_px`.
    """

    def make(
        code: str,
        key: str,
        cards: Sequence[str] = (),
        severity: Literal["note", "doubt"] = "doubt",
        /,
        **values: Any,
    ) -> Issue:
        said = Message(key, tuple(values.items()))
        told = texts("en", *folders).tell(said)
        return Issue(code, told, tuple(cards), severity, said, _place_of(values))

    return make


def where_px(x: float, y: float) -> dict[str, str]:
    """Return the gaps ``x`` and ``y`` of an issue: a place in the photo, px."""
    return {"x": f"{x:.0f}", "y": f"{y:.0f}"}


def _place_of(values: Mapping[str, Any]) -> tuple[float, float] | None:
    return (float(values["x"]), float(values["y"])) if {"x", "y"} <= set(values) else None


make_issue = issues_of()
