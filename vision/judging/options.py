"""Options of a game -> what a form offers of them, in words.

A game's options are a frozen dataclass; the kind of a choice follows from the annotation of its
field. The words are ``option.NAME`` and ``choice.NAME.VALUE`` of the catalogue.
"""

from dataclasses import MISSING, dataclass, fields
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

__all__ = ["Option", "options_of"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game.

    ``choices`` are the values of a ``choice``, or the numbers that are offered of a ``number``
    (others may be given too), None among them where the game has a number of its own.
    """

    name: str
    kind: Literal["flag", "choice", "number"]
    default: object
    choices: tuple[object, ...] = ()


def options_of(options: type) -> tuple[Option, ...]:
    """Return the options that a form can offer, in their order.

    Parameters
    ----------
    options : type
        A dataclass with a default for each field. A field that is no flag, number or literal is
        left out; ``metadata["offered"]`` of a number says which are offered.
    """
    hints = get_type_hints(options)
    found = []
    for field in fields(options):
        kind, choices = _kind(hints[field.name], field.metadata.get("offered", ()))
        if kind is not None and field.default is not MISSING:
            found.append(Option(field.name, kind, field.default, choices))
    return tuple(found)


def _kind(
    hint: Any, offered: tuple[int, ...]
) -> tuple[Literal["flag", "choice", "number"] | None, tuple[object, ...]]:
    if hint is bool:
        return "flag", ()
    if get_origin(hint) is Literal:
        return "choice", get_args(hint)
    parts = set(get_args(hint)) or {hint}
    if int in parts and parts <= {int, NoneType}:
        return "number", ((None,) if NoneType in parts else ()) + tuple(offered)
    return None, ()
