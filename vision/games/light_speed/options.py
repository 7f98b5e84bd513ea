"""The variants of Light Speed as ``KEY=VALUE`` text, in and out."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any

from vision.errors import TableFormatError
from vision.games.light_speed.values import RuleOptions

__all__ = ["OPTION_HELP", "format_options", "parse_options"]

MAX_ROCKS = 999  # a pool; any more is a slip of the finger

#: What each option does and takes, for a help text.
OPTION_HELP = {
    "piracy": "true or false: a shot that damages a ship also takes rocks from it",
    "rocks": "auto (the rulebook's number) or a number, for each pool",
    "asteroids": "auto (joined if both asteroid cards lie backs up), joined or separate",
    "kill_credit": "auto (the opponent with two teams, else most damage), opponent or most-damage",
    "teams": "auto (those with a card on the table) or names with commas between",
    "face_down": "blocks or ignored: whether a ship lying face down stops beams",
}

_CHOICES = {
    "asteroids": ("auto", "joined", "separate"),
    "kill_credit": ("auto", "opponent", "most-damage"),
    "face_down": ("blocks", "ignored"),
}
_TRUTH = {"true": True, "yes": True, "on": True, "1": True}
_TRUTH |= {"false": False, "no": False, "off": False, "0": False}
_DEFAULT = ("auto", "null", "none")


def parse_options(settings: Iterable[str], base: RuleOptions | None = None) -> RuleOptions:
    """Read ``KEY=VALUE`` settings.

    Parameters
    ----------
    settings : iterable of str
        Such as ``piracy=true`` or ``rocks=16``; a dash in a key counts as an underscore.
    base : RuleOptions, optional
        The options that are not set; the rulebook's by default.

    Raises
    ------
    TableFormatError
        If a key is unknown, set twice, or its value is not one of those it takes.

    Examples
    --------
    >>> parse_options(["piracy=yes", "rocks=16"]).rocks
    16
    """
    changes: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        name = key.strip().lower().replace("-", "_")
        if not equals:
            msg = f'rule "{setting}": expected KEY=VALUE, such as piracy=true'
            raise TableFormatError(msg)
        if name not in OPTION_HELP:
            raise TableFormatError(_unknown(key.strip(), name))
        if name in changes:
            msg = f'rule "{name}": set twice; keep one of them'
            raise TableFormatError(msg)
        changes[name] = _READERS.get(name, _read_choice)(name, value.strip())
    return replace(base or RuleOptions(), **changes)


def format_options(options: RuleOptions) -> tuple[str, ...]:
    """Write the options that differ from the rulebook's as ``KEY=VALUE``, in a fixed order."""
    plain = RuleOptions()
    lines = []
    for field in fields(RuleOptions):
        value = getattr(options, field.name)
        if value == getattr(plain, field.name):
            continue
        text = ",".join(value) if isinstance(value, tuple) else str(value)
        lines.append(f"{field.name}={text.lower() if isinstance(value, bool) else text}")
    return tuple(lines)


def _unknown(key: str, name: str) -> str:
    close = difflib.get_close_matches(name, OPTION_HELP, n=1)
    hint = f'did you mean "{close[0]}"?' if close else f"the rules are {', '.join(OPTION_HELP)}"
    return f'rule "{key}": no rule of this name; {hint}'


def _refuse(name: str, value: str) -> TableFormatError:
    return TableFormatError(f'rule "{name}": expected {OPTION_HELP[name]}; got "{value}"')


def _read_choice(name: str, value: str) -> str:
    choice = value.lower().replace("_", "-")
    if choice not in _CHOICES[name]:
        raise _refuse(name, value)
    return choice


def _read_truth(name: str, value: str) -> bool:
    if value.lower() not in _TRUTH:
        raise _refuse(name, value)
    return _TRUTH[value.lower()]


def _read_rocks(name: str, value: str) -> int | None:
    if value.lower() in _DEFAULT:
        return None
    whole = value.isascii() and value.isdigit() and len(value) <= len(str(MAX_ROCKS))
    if not whole or not 1 <= int(value) <= MAX_ROCKS:
        msg = f'rule "{name}": expected auto or a whole number from 1 to {MAX_ROCKS}; got "{value}"'
        raise TableFormatError(msg)
    return int(value)


def _read_teams(name: str, value: str) -> tuple[str, ...] | None:
    if value.lower() in _DEFAULT:
        return None
    teams = tuple(team.strip().lower() for team in value.split(","))
    if not all(teams) or len(set(teams)) < len(teams):
        raise _refuse(name, value)
    return teams


_READERS: dict[str, Callable[[str, str], Any]] = {
    "piracy": _read_truth,
    "rocks": _read_rocks,
    "teams": _read_teams,
}
