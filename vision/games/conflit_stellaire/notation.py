"""A table and its turn as text, and back; French is read too.

::

    game conflit-stellaire
    rule overflow=ship                   # an option that differs from the default
    seat A hull 20
    seat B hull 7 size 20 or hull 6 0.3  # a doubt: what else it may be, and how likely
    A a-e1 energy-cell
    B b1 deflector engaged up A on b2 or ready 0.2
    distance A B 5
    turn A                               # whose turn it is
    A fire a1 at B spend 2               # declarations, then ripostes
    A ram A with a3 at B
    B shield b1 against A
    officer A cumul 13                   # a campaign: officers, dice of ransoms
    die B 4
"""

import re
from typing import Any

from vision.errors import TableFormatError
from vision.files.documents import hint_at
from vision.games.conflit_stellaire.deck import NAME, deck
from vision.games.conflit_stellaire.files import read_table, table_to_json
from vision.games.conflit_stellaire.values import SEATS, Options, Table
from vision.games.conflit_stellaire.verbs import DECLARATIONS, RIPOSTES, deed_from_json
from vision.judging.notation import (
    at_line,
    chance_words,
    lines_of,
    plain,
    plain_number,
    read_number,
)
from vision.judging.options import format_options, options_to_json, parse_options

__all__ = [
    "NOTATION",
    "format_deed",
    "format_table",
    "parse_deed",
    "parse_table",
    "parse_turn",
]

Json = dict[str, Any]
NOTATION = (__doc__ or "").partition("::")[2]  #: an example, as ``game show`` prints it

_FRENCH_VERBS = {
    "tire": "fire",
    "lance": "launch",
    "approche": "approach",
    "recule": "retreat",
    "eperonne": "ram",
    "aborde": "board",
    "leve": "raise",
    "utilise": "use",
    "saute": "jump",
    "transfere": "transfer",
    "abandonne": "abandon",
    "fuit": "escape",
    "se-rend": "surrender",
    "bouclier": "shield",
    "brouille": "jam",
    "intercepte": "intercept",
    "suit": "follow",
}
_VERBS = {**{verb: verb for verb in (*DECLARATIONS, *RIPOSTES)}, **_FRENCH_VERBS}
_LINES = {
    "siege": "seat",
    "tour": "turn",
    "jeu": "game",
    "regle": "rule",
    "officier": "officer",
    "de": "die",
}
_FLAGS = {  # word -> what it says
    "engaged": ("engaged", True),
    "engagee": ("engaged", True),
    "ready": ("engaged", False),
    "prete": ("engaged", False),
    "new": ("new", True),
    "neuve": ("new", True),
    "old": ("new", False),
    "ancienne": ("new", False),
    "face-down": ("face_down", True),
    "cachee": ("face_down", True),
    "face-up": ("face_down", False),
    "visible": ("face_down", False),
    "down": ("up", None),
    "baissee": ("up", None),
    "loose": ("on", None),
    "libre": ("on", None),
    "lost": ("ship", "lost"),
    "perdu": ("ship", "lost"),
}
_WORDS = {  # word -> the field that the next word fills
    "up": "up",
    "levee": "up",
    "on": "on",
    "sur": "on",
    "hull": "hull",
    "coque": "hull",
    "size": "size",
    "taille": "size",
    "commander": "commander",
    "commandant": "commander",
    "ship": "ship",
    "vaisseau": "ship",
    "fate": "fate",
    "sort": "fate",
    "broken-by": "broken_by",
    "brise-par": "broken_by",
    "card": "card",
    "carte": "card",
    "seat": "seat",
    "siege": "seat",
    "uds": "uds",
}
_NUMBERS = ("hull", "size", "uds")
_FIRST = {"approach": "cards", "retreat": "cards", "ram": "ship", "board": "ship"}
_FIRST |= {"escape": "ship", "abandon": "to", "surrender": "to"}
_JOINTS = {"at": "target", "a": "target", "to": "to", "with": "cards", "avec": "cards"}
_JOINTS |= {"against": "against", "contre": "against", "spend": "spend", "depense": "spend"}
_JOINTS |= {"die": "die", "de": "die"}
_OF_A_TURN = "turn A, A fire a1 at B, B shield b1 against A, officer A cumul 13, die B 4"
_OF_A_TABLE = f"seat A hull 20, B b1 deflector, distance A B 5, {_OF_A_TURN}"
_ARROWS = ("→", "->")


def _plain(word: str) -> str:
    """Return a word in lower case, without accents; a seat stays as it is."""
    return word if word in SEATS else plain(word).replace("_", "-")


def parse_table(text: str) -> Table:
    """Read a table with its turn."""
    out: Json = {"schema": "sightline/table@1", "game": NAME, "active": ""}
    out |= {"seats": [], "cards": [], "distances": []}
    settings: list[str] = []
    deeds: list[tuple[int, list[str]]] = []
    for number, line in lines_of(text):
        with at_line(number):
            words = line.split()
            if words[0] in SEATS and len(words) > 1 and _plain(words[1]) in _VERBS:
                deeds.append((number, words))
            elif words[0] in SEATS:
                out["cards"].append(_card(words))
            else:
                _line(out, settings, words)
    if not out["active"]:
        msg = "nothing says whose turn it is; needed a line like: turn A"
        raise TableFormatError(msg)
    out |= _deeds(deeds, out["active"])
    out["rules"] = options_to_json(parse_options(Options, settings))
    return read_table(out)


def parse_turn(text: str) -> Json:
    """Read a turn alone, ``turn A`` with its deeds, officers and dice, into the form of JSON."""
    out: Json = {"active": ""}
    settings: list[str] = []
    deeds: list[tuple[int, list[str]]] = []
    for number, line in lines_of(text):
        with at_line(number):
            words = line.split()
            if words[0] in SEATS:
                deeds.append((number, words))
            else:
                _line(out, settings, words, _OF_A_TURN)
    if settings:
        msg = f"rule {settings[0]} belongs to the table; give it as --rule {settings[0]}"
        raise TableFormatError(msg)
    if not out["active"]:
        msg = "nothing says whose turn it is; needed a line like: turn A"
        raise TableFormatError(msg)
    return out | _deeds(deeds, out["active"])


def _line(out: Json, settings: list[str], words: list[str], lines: str = _OF_A_TABLE) -> None:
    """Read a line that begins with a word; ``lines`` are examples of what there may be."""
    first = _plain(words[0])
    match (_LINES.get(first, first), *words[1:]):
        case ("game" | "deck", name) if name == NAME:
            return
        case ("rule", setting):
            settings.append(setting)
        case ("turn", seat) if seat in SEATS and out["active"]:
            msg = f"whose turn it is is said twice: {out['active']}, then {seat}"
            raise TableFormatError(msg)
        case ("turn", seat) if seat in SEATS:
            out["active"] = seat
        case ("seat", name, *rest) if "seats" in out and name in SEATS:
            out["seats"].append({"id": name, **_with_readings(rest)})
        case ("distance", first_seat, second, *rest) if "distances" in out:
            pair = [first_seat, second]
            out["distances"].append({"between": pair, **_with_readings(rest, "uds")})
        case ("officer", seat, "cumul", points):
            officers = out.setdefault("campaign", {}).setdefault("officers", {})
            officers[seat] = {"cumul": _whole("cumul", points)}
        case ("die", seat, pips):
            out.setdefault("campaign", {}).setdefault("dice", {})[seat] = _whole("the die", pips)
        case _:
            msg = f'"{" ".join(words)}": expected a line like: {lines}'
            raise TableFormatError(msg)


def _card(words: list[str]) -> Json:
    if len(words) < 3:
        msg = f'"{" ".join(words)}": expected a seat, an id and a face, such as: B b1 deflector'
        raise TableFormatError(msg)
    if words[2] not in deck().faces and words[1] not in deck().faces:
        hint = hint_at(words[1], tuple(_VERBS))
        hint = hint if hint.startswith("did") else hint_at(words[2], tuple(deck().faces))
        msg = f'"{words[1]}" is no verb and "{words[2]}" no face; {hint}'
        raise TableFormatError(msg)
    return {"id": words[1], "card": words[2], "seat": words[0], **_with_readings(words[3:])}


def _with_readings(words: list[str], default: str = "") -> Json:
    """Read fields, and after each ``or`` what else they may be."""
    parts: list[list[str]] = [[]]
    for word in words:
        if _plain(word) in ("or", "ou"):
            parts.append([])
        else:
            parts[-1].append(word)
    fields, *others = [_fields(part, default) for part in parts]
    return {**fields, "readings": others} if others else fields


def _fields(words: list[str], default: str) -> Json:
    """Read fields: flags, words with a value, a place, a chance at the end."""
    found: Json = {}
    left = list(words)
    while left:
        word = left.pop(0)
        bare = _plain(word)
        if bare in _FLAGS:
            name, value = _FLAGS[bare]
            found[name] = value
        elif bare in _WORDS and left:
            name = _WORDS[bare]
            found[name] = _whole(name, left.pop(0)) if name in _NUMBERS else left.pop(0)
        elif default and default not in found and word.isdigit():
            found[default] = int(word)
        elif word.startswith("@") and left and left[0].endswith("deg"):
            x, _, y = word[1:].partition(",")
            found |= {"x_mm": read_number("x", x), "y_mm": read_number("y", y)}
            found["theta_deg"] = read_number("the angle", left.pop(0).removesuffix("deg"))
        elif not left and re.fullmatch(r"[01]|[01]?\.\d+", word):
            found["probability"] = float(word)
        else:
            hint = hint_at(bare, (*_FLAGS, *_WORDS))
            msg = f'"{word}": expected a word like engaged, up A, on b2, hull 3; {hint}'
            raise TableFormatError(msg)
    return found


def _deeds(lines: list[tuple[int, list[str]]], active: str) -> Json:
    """Read declarations, and the ripostes of the others."""
    out: Json = {"declarations": [], "ripostes": []}
    for number, words in lines:
        with at_line(number):
            is_riposte = words[0] != active
            deed = parse_deed(words, is_riposte=is_riposte)
            deed_from_json(deed, deed["do"], active, is_riposte=is_riposte)
            out["ripostes" if is_riposte else "declarations"].append(deed)
    return out


def parse_deed(words: list[str], *, is_riposte: bool) -> Json:
    """Read the words of a deed, its seat first, into the form of JSON."""
    verb = _VERBS.get(_plain(words[1])) if len(words) > 1 else None
    if verb is None:
        known = ", ".join(RIPOSTES if is_riposte else DECLARATIONS)
        hint = hint_at(" ".join(words[1:2]), tuple(_VERBS))
        hint = hint if hint.startswith("did") else f"expected a seat, then one of {known}"
        msg = f'"{" ".join(words)}": {hint}'
        raise TableFormatError(msg)
    out: Json = {"do": verb, **({"seat": words[0]} if is_riposte else {})}
    at = _FIRST.get(verb, "card")
    for word in words[2:]:
        joint = _JOINTS.get(_plain(word))
        if word in _ARROWS:
            joint = "against" if verb in ("raise", "shield") else "target"
        if joint is not None:
            needs_to = joint == "target" and verb in ("transfer", "abandon", "surrender")
            at = "to" if needs_to else joint
        elif at == "cards":
            out.setdefault("cards", []).append(word)
        elif at in out:
            msg = f'"{word}": {verb} has its {at} already, {out[at]}'
            raise TableFormatError(msg)
        else:
            out[at] = _whole(at, word) if at in ("spend", "die") else word
    return out


def _whole(what: str, word: str) -> int:
    if word.isascii() and word.isdigit() and len(word) < 7:
        return int(word)
    msg = f'expected a whole number for {what}, got "{word}"'
    raise TableFormatError(msg)


# --- writing -------------------------------------------------------------------------------------


def format_table(table: Table) -> str:
    """Write a table as text; :func:`parse_table` gives the same back."""
    said = table_to_json(table)
    lines = [f"game {NAME}"]
    lines += [f"rule {setting}" for setting in format_options(table.options)]
    for seat in said["seats"]:
        lines.append(f"seat {seat.pop('id')} {_say(seat)}")
    for card in said["cards"]:
        first = f"{card.pop('seat')} {card.pop('id')} {card.pop('card')}"
        lines.append(f"{first} {_say(card)}".rstrip())
    for distance in said["distances"]:
        pair = " ".join(distance.pop("between"))
        lines.append(f"distance {pair} {_say(distance).removeprefix('uds ')}")
    lines.append(f"turn {table.active}")
    for deed in said["declarations"]:
        lines.append(format_deed({"seat": table.active, **deed}))
    lines += [format_deed(deed) for deed in said["ripostes"]]
    campaign = said.get("campaign", {})
    for seat, officer in campaign.get("officers", {}).items():
        lines.append(f"officer {seat} cumul {officer['cumul']}")
    lines += [f"die {seat} {pips}" for seat, pips in campaign.get("dice", {}).items()]
    return "\n".join(lines) + "\n"


def _say(fields: Json) -> str:
    """Write fields, and what else they may be after ``or``."""
    readings = fields.pop("readings", [])
    said = []
    if "x_mm" in fields:
        x, y, turn = (plain_number(fields.pop(k)) for k in ("x_mm", "y_mm", "theta_deg"))
        said.append(f"@{x},{y} {turn}deg")
    chance = fields.pop("probability", None)
    words = {name: word for word, name in reversed(_WORDS.items())}
    for name, value in fields.items():
        flag = next((w for w, told in _FLAGS.items() if told == (name, value)), None)
        said.append(flag if flag is not None else f"{words[name]} {value}")
    if chance is not None:
        said.append(chance_words(chance))
    return " or ".join([" ".join(said), *(_say(dict(reading)) for reading in readings)])


def format_deed(deed: Json) -> str:
    """Write a deed in the form of JSON, its seat first."""
    verb = deed["do"]
    first = _FIRST.get(verb, "card")
    said = [deed["seat"], verb]
    at_first = deed.get(first, [])
    said += at_first if isinstance(at_first, list) else [at_first]
    joints = {"cards": "with", "target": "at", "to": "to", "against": "against"}
    for name in ("cards", "target", "to", "against", "die", "spend"):
        if name in deed and name != first:
            value = deed[name]
            several = value if isinstance(value, list) else [value]
            said += [joints.get(name, name), *map(str, several)]
    return " ".join(said)
