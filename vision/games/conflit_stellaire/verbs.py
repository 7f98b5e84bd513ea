"""The verbs of declarations and ripostes: which fields each takes, and which it needs."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from vision.errors import TableFormatError
from vision.files.documents import hint_at, shown
from vision.games.conflit_stellaire.values import Deed

__all__ = ["DECLARATIONS", "RIPOSTES", "deed_from_json", "deeds_from_json"]

#: verb -> fields it needs, fields it may have besides
DECLARATIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "fire": (("card", "target"), ("spend",)),
    "launch": (("card", "target"), ("spend",)),
    "approach": (("cards", "target"), ("spend",)),
    "retreat": (("cards", "target"), ("spend",)),
    "ram": (("ship", "target"), ("cards", "spend")),
    "board": (("ship", "target"), ("spend",)),
    "raise": (("card",), ("against", "spend")),
    "use": (("card",), ("spend",)),
    "jump": (("card",), ("spend",)),
    "transfer": (("card", "to"), ()),
    "abandon": (("to",), ()),
    "escape": (("ship",), ("spend",)),
    "surrender": ((), ("to",)),
    "initiative": (("card", "die"), ()),
}
RIPOSTES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "shield": (("card",), ("against", "spend")),
    "jam": (("card",), ("spend",)),
    "intercept": (("card", "target"), ("spend",)),
    "approach": (("cards", "target"), ("spend",)),
    "retreat": (("cards", "target"), ("spend",)),
    "follow": (("card",), ("spend",)),
    "use": (("card",), ("spend",)),
    "surrender": ((), ("to",)),
    "initiative": (("card", "die"), ()),
}
_NUMBERS = {"die": (1, 8), "spend": (0, 999)}


def deeds_from_json(
    values: Sequence[Any], place: Literal["declarations", "ripostes"], active: str
) -> tuple[Deed, ...]:
    """Read the declarations of a turn, or its ripostes; a mistake is named by its place."""
    return tuple(
        deed_from_json(value, f"{place}[{k}]", active, is_riposte=place == "ripostes")
        for k, value in enumerate(values)
    )


def deed_from_json(value: Any, place: str, active: str, *, is_riposte: bool) -> Deed:
    """Read a declaration or a riposte."""
    verbs = RIPOSTES if is_riposte else DECLARATIONS
    do = value.get("do") if isinstance(value, Mapping) else None
    if not isinstance(do, str) or do not in verbs:
        what = "riposte" if is_riposte else "declaration"
        hint = hint_at(str(do), tuple(verbs))
        hint = hint if hint.startswith("did") else f"there are {', '.join(verbs)}"
        msg = f"{place}.do: {shown(do)} is no {what} ({active} has the turn); {hint}"
        raise TableFormatError(msg)
    needed, optional = verbs[do]
    known = ("do", *(("seat",) if is_riposte else ()), *needed, *optional)
    for name in value:
        if name not in known:
            msg = f"{place}.{name}: {do} has no such field; {hint_at(str(name), known)}"
            raise TableFormatError(msg)
    wanted = (*needed, *(("seat",) if is_riposte else ()))
    missing = [name for name in wanted if value.get(name) is None]
    if missing:
        msg = f"{place}.{missing[0]}: is missing; {do} needs {' and '.join(wanted)}"
        raise TableFormatError(msg)
    fields: dict[str, Any] = {}
    for name, given in value.items():
        if name in ("do", "seat") or given is None:
            continue
        fields[name] = _field(name, given, place)
    seat = value["seat"] if is_riposte else active
    return Deed(do, _field("seat", seat, place), **fields)


def _field(name: str, given: Any, place: str) -> Any:
    if name in _NUMBERS:
        least, most = _NUMBERS[name]
        is_whole = isinstance(given, int) and not isinstance(given, bool)
        if is_whole and least <= given <= most:
            return given
        expected = f"a whole number from {least} to {most}"
    elif name == "cards":
        if isinstance(given, list) and all(isinstance(card, str) for card in given):
            return tuple(given)
        expected = "a list of ids"
    else:
        if isinstance(given, str):
            return given
        expected = "an id in quotes"
    msg = f"{place}.{name}: expected {expected}, got {shown(given)}"
    raise TableFormatError(msg)
