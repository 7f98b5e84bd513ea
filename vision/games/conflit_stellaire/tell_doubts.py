"""Table and outcome -> doubts and notes, in words."""

from collections.abc import Iterator

from vision.games.conflit_stellaire.readings import Spot, readings_of
from vision.games.conflit_stellaire.settle import CLOSES, name_of
from vision.games.conflit_stellaire.values import Note, OtherTurn, Outcome, Reading, Table
from vision.games.conflit_stellaire.words import card_name, doubt, named
from vision.judging.odds import not_known
from vision.judging.said import closed_by
from vision.values.ledger import Weighed
from vision.values.messages import Issue, Message, message

__all__ = ["doubts_of", "say_reading", "weighed_of"]

_PLAYED = ("piece_doubtful", "outcome_doubtful", "askew", "owner")  #: doubts that are readings


def doubts_of(table: Table, outcome: Outcome) -> Iterator[Issue]:
    """Yield what is not sure, each thing once, and notes on what was void."""
    yield from table.doubts
    told = {name for one in table.doubts if one.severity == "doubt" for name in one.cards}
    told |= {name_of(one.of) for one in outcome.alternatives}
    likeliest: dict[Spot, Reading] = {}
    for spot, reading in readings_of(table):
        likeliest[spot] = max(
            likeliest.get(spot, reading), reading, key=lambda one: one.probability or 0.0
        )
    for spot, reading in sorted(likeliest.items(), key=str):
        name = name_of(spot)
        if name in told:
            continue
        what, said = _thing(table, spot[1]), say_reading(table, reading)
        key = f"conflit.doubt.{spot[0]}"
        yield doubt("piece_doubtful", key, (name,), what=what, reading=said)
    for one in outcome.alternatives:
        yield _alternative(table, outcome, one)
    yield from not_known(outcome.unknown)
    for note in outcome.issues:
        yield _note(table, note)


def weighed_of(table: Table, outcome: Outcome) -> Iterator[Weighed]:
    """Yield how likely each doubt changes the turn; no reading is weighed before one is declared.

    What seeing doubts of faces is a reading, and told of its card, if it matters. How seats are
    called matters to officers alone, declared or not: who declares names cards as the photo shows
    them.
    """
    is_declared = bool(table.declarations or table.ripostes)
    matters = {one.of for one in outcome.alternatives if "face" in one.reading.fields}
    for card in table.cards:
        if any("face" in one.fields for one in card.readings):
            spot = ("cards", card.id)
            chance = outcome.matter[spot] if spot in matters else 0.0
            at_px = table.seen.get(card.id)  # not known of a table from a file
            yield Weighed(() if at_px else (card.face,), ("doubtful_card",), chance, at_px)
    yield from closed_by(table.said, CLOSES, table.seen)
    for name in (card for one in table.doubts if one.code == "unread" for card in one.cards):
        if name in table.seen:  # the round tells of that card, and asks what it is
            yield Weighed((), ("unreadable_card",), 0.0, table.seen[name], is_said=True)
    if is_declared:
        for of, chance in outcome.matter.items():
            yield Weighed((name_of(of),), _PLAYED, chance)
    yield Weighed((), ("seats_named",), float(table.campaign is not None))


def _thing(table: Table, name: str | tuple[str, str]) -> Message | str:
    return named(table, name) if isinstance(name, str) else " - ".join(name)


def _alternative(table: Table, outcome: Outcome, one: OtherTurn) -> Issue:
    """Say what a reading would change: hulls and fates."""
    _, name = one.of
    parts: list[Message] = []
    for ship, state in one.ships.items():
        played = outcome.ships.get(ship)
        if played == state:
            continue
        was_lost = played is None or played.state != "in_play" or not played.hull
        key = "survive" if was_lost and state.state == "in_play" and state.hull else "be"
        state_said = message(f"conflit.is.{state.state}")
        changed = message(
            f"conflit.would_{key}", ship=named(table, ship), hull=state.hull, state=state_said
        )
        parts.append(changed)
    if one.winners != outcome.winners:
        key = "conflit.would_win" if one.winners else "conflit.would_go_on"
        parts.append(message(key, seats=one.winners))
    return doubt(
        "outcome_doubtful",
        "conflit.doubt.alternative",
        (name,) if isinstance(name, str) else ("-".join(name),),
        what=_thing(table, name),
        reading=say_reading(table, one.reading),
        parts=message("conflit.parts", parts=tuple(parts)),
    )


def say_reading(table: Table, reading: Reading) -> Message:
    """Say a reading: each field that it changes."""
    parts = []
    for name, value in reading.fields.items():
        if value is None or isinstance(value, bool):
            parts.append(message(f"conflit.read.{name}_{'yes' if value else 'no'}"))
        elif name == "face":
            parts.append(message("conflit.read.face", value=card_name(value)))
        else:
            said = value if isinstance(value, int) else named(table, value)
            said = message("conflit.all") if value == "all" else said
            said = message(f"conflit.is.{value}") if name == "fate" else said
            parts.append(message(f"conflit.read.{name}", value=said))
    return message("conflit.parts", parts=tuple(parts))


def _note(table: Table, note: Note) -> Issue:
    """Say why a deed is void, or what else is to be known."""
    if note.seat is not None:
        return doubt(note.code, f"conflit.void.{note.code}", (), seat=note.seat)
    index = note.declaration if note.declaration is not None else note.riposte or 0
    deeds = table.declarations if note.declaration is not None else table.ripostes
    deed = deeds[index]
    key = "conflit.note_declaration" if note.declaration is not None else "conflit.note_riposte"
    pieces = tuple(name for name in (deed.card, deed.ship) if name is not None)
    what = tuple(named(table, name) for name in (*pieces, *deed.cards))
    return doubt(
        note.code,
        key,
        pieces,
        "note",
        number=index + 1,
        seat=deed.seat,
        verb=message(f"conflit.do.{deed.do}"),
        what=message("conflit.note_what", what=what) if what else "",
        why=message(f"conflit.void.{note.code}"),
    )
