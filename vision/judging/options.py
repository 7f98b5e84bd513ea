"""The variants of a game: ``KEY=VALUE``, JSON and a page's form <-> a frozen dataclass of options.

A game declares its options once::

    @dataclass(frozen=True, slots=True)
    class Options:
        rocks: int | None = option(None, "auto or a number, for each pool", least=1, most=99)
        mode: Literal["short", "long"] = option("long", "short or long: ...")

What a field may be: ``bool``, ``int``, a ``Literal`` of words, a ``tuple[str, ...]`` of names; or
one of these with ``None``, which is written ``auto`` and stands for what the rules have themselves.
The words of a form are ``option.NAME`` and ``choice.NAME.VALUE`` of the game's catalogue.

A form may have ``PRESETS``: names for settings that are known by one, ``{"fifteen-rocks":
{"rocks": 15}}``. A preset's name is written wherever ``KEY=VALUE`` is.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from vision.errors import TableFormatError

__all__ = [
    "NoOptions",
    "Option",
    "changed_options",
    "format_options",
    "help_of",
    "option",
    "options_from_json",
    "options_of",
    "options_to_json",
    "parse_options",
    "presets_of",
]

Options = TypeVar("Options")


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The variants of a game that has none."""


_TRUTH = {"true": True, "yes": True, "on": True, "1": True}
_TRUTH |= {"false": False, "no": False, "off": False, "0": False}
_DEFAULT = ("auto", "null", "none")


def option(
    default: Any,
    says: str,
    *,
    least: int = 0,
    most: int = 999,
    offered: tuple[int, ...] = (),
    is_rare: bool = False,
) -> Any:
    """Declare an option: what it is by default, and what it does and takes, in words.

    ``least`` and ``most`` bound a whole number (any more is a slip of the finger), and
    ``offered`` are the numbers that a form offers. What ``is_rare`` a form keeps folded.
    """
    told = {"says": says, "least": least, "most": most, "offered": offered, "is_rare": is_rare}
    return field(default=default, metadata=told)


@cache
def _kinds(form: Any) -> dict[str, tuple[str, tuple[str, ...], bool]]:
    """Return of each option its kind, the words it takes, and whether it may be None."""
    found = {}
    hints = get_type_hints(form)
    for name in (one.name for one in fields(form)):
        hint = hints[name]
        inner = [kind for kind in _union(hint) if kind is not type(None)]
        kind = inner[0]
        words = get_args(kind) if get_origin(kind) is Literal else ()
        told = "word" if words else "names" if get_origin(kind) is tuple else kind.__name__
        found[name] = (told, words, len(inner) < len(_union(hint)))
    return found


def _union(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def help_of(form: Any) -> dict[str, str]:
    """Return what each option does and takes, for a help text."""
    return {one.name: str(one.metadata.get("says", "")) for one in fields(form)}


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game.

    ``choices`` are the values of a ``choice``, or the numbers that are offered of a ``number``
    (others may be given too), None among them where the game has a number of its own. One that
    ``is_rare`` stands folded in a form: a table seldom asks it.
    """

    name: str
    kind: Literal["flag", "choice", "number"]
    default: object
    choices: tuple[object, ...] = ()
    is_rare: bool = False


def options_of(options: type) -> tuple[Option, ...]:
    """Return the options that a form can offer, in their order: all but those of names."""
    offers = []
    for one in fields(cast("Any", options)):
        kind, words, is_optional = _kinds(cast("Any", options))[one.name]
        is_rare = bool(one.metadata.get("is_rare"))
        if kind == "bool":
            offers.append(Option(one.name, "flag", one.default, is_rare=is_rare))
        elif kind == "word":
            offers.append(Option(one.name, "choice", one.default, words, is_rare))
        elif kind == "int":
            offered = (None,) * is_optional + tuple(one.metadata.get("offered", ()))
            offers.append(Option(one.name, "number", one.default, offered, is_rare))
    return tuple(offers)


# --- KEY=VALUE -------------------------------------------------------------------------------


def parse_options(
    form: type[Options], settings: Iterable[str], base: Options | None = None
) -> Options:
    """Read settings such as ``piracy=true``, or the name of a preset.

    A dash in a key counts as an underscore. ``base`` are those that are not set; the rulebook's by
    default.

    Raises
    ------
    TableFormatError
        If a key is unknown, set twice, or its value is not one of those it takes.
    """
    known = help_of(form)
    changes: dict[str, Any] = {}
    for setting in _spelled_out(form, settings):
        key, equals, value = setting.partition("=")
        name = key.strip().lower().replace("-", "_")
        if not equals:
            names = "".join(f" or {name}" for name in presets_of(form))
            msg = f'rule "{setting}": expected KEY=VALUE, such as {_sample(form)}{names}'
            raise TableFormatError(msg)
        if name not in known:
            raise TableFormatError(_unknown(key.strip(), name, known))
        if name in changes:
            msg = f'rule "{name}": set twice; keep one of them'
            raise TableFormatError(msg)
        changes[name] = _read(form, name, value.strip())
    return replace(form() if base is None else base, **changes)  # type: ignore[type-var]


def presets_of(form: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return the settings of a game's form that have a name of their own."""
    found: Mapping[str, Mapping[str, Any]] = getattr(form, "PRESETS", {})
    return found


def _spelled_out(form: Any, settings: Iterable[str]) -> Iterator[str]:
    """Yield settings with each preset's name replaced by what it stands for."""
    presets = presets_of(form)
    for setting in settings:
        name = "-".join(setting.lower().replace("_", " ").replace("-", " ").split())
        if name in presets:
            yield from (f"{key}={value}" for key, value in presets[name].items())
        else:
            yield setting


def format_options(options: Any) -> tuple[str, ...]:
    """Write the options that differ from the rulebook's as ``KEY=VALUE``, in a fixed order."""
    plain = type(options)()
    lines = []
    for one in fields(options):
        value = getattr(options, one.name)
        if value == getattr(plain, one.name):
            continue
        text = "auto" if value is None else str(_plain(value))
        if isinstance(value, tuple):
            text = ",".join(value)
        lines.append(f"{one.name}={text.lower() if isinstance(value, bool) else text}")
    return tuple(lines)


def _sample(form: Any) -> str:
    for name, (kind, words, _) in _kinds(form).items():
        return f"{name}={words[0] if words else 'true' if kind == 'bool' else '3'}"
    return "none: this game has no rules to choose"


def _unknown(key: str, name: str, known: Mapping[str, str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f'did you mean "{close[0]}"?' if close else f"the rules are {', '.join(known)}"
    return f'rule "{key}": no rule of this name; {hint if known else "this game has none"}'


def _read(form: Any, name: str, text: str) -> Any:
    """Read the value of one option, or refuse it by what it takes."""
    kind, words, is_optional = _kinds(form)[name]
    one = next(one for one in fields(form) if one.name == name)
    if is_optional and text.lower() in _DEFAULT:
        return None
    if kind == "bool" and text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    if kind == "word" and (choice := text.lower().replace("_", "-")) in words:
        return choice
    if kind == "names":
        names = tuple(name.strip().lower() for name in text.split(","))
        if all(names) and len(set(names)) == len(names):
            return names
    if kind == "int":
        least, most = one.metadata["least"], one.metadata["most"]
        whole = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        if whole and least <= int(text) <= most:
            return int(text)
    raise _refused(form, name, f'"{text}"', in_numbers=kind == "int")


def _refused(form: Any, name: str, got: str, *, in_numbers: bool) -> TableFormatError:
    """Return the error that says what an option takes, in words or by its bounds."""
    expected = help_of(form)[name]
    if in_numbers:
        bounds = next(one.metadata for one in fields(form) if one.name == name)
        auto = "auto or " if _kinds(form)[name][2] else ""
        expected = f"{auto}a whole number from {bounds['least']} to {bounds['most']}"
    return TableFormatError(f'rule "{name}": expected {expected}; got {got}')


# --- JSON ------------------------------------------------------------------------------------


def options_from_json(form: type[Options], given: Mapping[str, Any]) -> Options:
    """Read options from JSON; those that are left out are the rulebook's.

    Raises
    ------
    TableFormatError
        If one is unknown, or not of its kind.
    """
    bounds = {one.name: one.metadata for one in fields(cast("Any", form))}
    changes: dict[str, Any] = {}
    for name, value in given.items():
        if name not in bounds:
            raise TableFormatError(_unknown(name, name, help_of(form)))
        kind, words, is_optional = _kinds(cast("Any", form))[name]
        if is_optional and value in (None, "auto"):
            changes[name] = None
            continue
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        fits = {
            "bool": isinstance(value, bool),
            "int": is_whole and bounds[name]["least"] <= value <= bounds[name]["most"],
            "word": isinstance(value, str) and value in words,
            "names": isinstance(value, list | tuple) and all(isinstance(v, str) for v in value),
        }
        if not fits[kind]:
            raise _refused(form, name, repr(value), in_numbers=kind == "int" and is_whole)
        changes[name] = tuple(value) if kind == "names" else value
    return form(**changes)


def changed_options(options: Options, change: Mapping[str, Any]) -> Options | None:
    """Return options after a change of kind ``rules``; None if the change is of another kind.

    ``set`` are settings as typed, brought to those that stand; ``rules`` are all, from a form.

    Raises
    ------
    TableFormatError
        If an option is unknown, or a value is not one of those it takes.
    """
    match dict(change):
        case {"kind": "rules", "set": list(settings)}:
            return parse_options(type(options), map(str, settings), options)
        case {"kind": "rules", "rules": dict(rules)}:
            return options_from_json(type(options), rules)
    return None


def options_to_json(options: Any) -> dict[str, Any]:
    """Return options as plain JSON."""
    return {one.name: _plain(getattr(options, one.name)) for one in fields(options)}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
