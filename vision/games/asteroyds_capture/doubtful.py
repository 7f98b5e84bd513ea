"""Readings that are not sure -> a doubt each that says what else it may be; a sheet has one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vision.games.asteroyds_capture.values import OtherValues
from vision.games.asteroyds_capture.words import die_name, doubt, piece_name
from vision.judging.said import PlacePx
from vision.values.messages import Issue, Message, message

__all__ = ["SURE", "doubtful", "issue_of"]

SURE = 0.99  # a reading that is less likely is told as a doubt
_CODES = {
    "cell": "cell_doubtful",
    "on": "carried_doubtful",
    "heading_deg": "heading_doubtful",
    "die": "die_doubtful",
    "pilot": "pilot_doubtful",
}
_OF_SHEET = "program_doubtful"  # all else of a sheet is told in one doubt


def doubtful(alternatives: Sequence[OtherValues], seen: Mapping[str, PlacePx]) -> Iterator[Issue]:
    """Yield what of a table is not sure, in the order in which it is first spoken of.

    ``seen`` is where the photo shows what no screen draws: dice.
    """
    open_ = [one for one in alternatives if one.options[0][1] < SURE]
    told: set[str] = set()
    for one in open_:
        if one.what in _CODES:
            issue = _of_one(one)
            yield replace(issue, at_px=seen.get(issue.cards[0]))
        elif one.of not in told:
            told.add(one.of)
            parts = tuple(
                _part(other) for other in open_ if other.of == one.of and other.what not in _CODES
            )
            yield doubt(_OF_SHEET, (one.of,), piece=piece_name(one.of), parts=parts)


def issue_of(one: OtherValues) -> tuple[str, str]:
    """Return the code and the piece of the doubt that tells of a reading."""
    return _CODES.get(one.what, _OF_SHEET), f"{one.of}-die" if one.what == "die" else one.of


def _of_one(one: OtherValues) -> Issue:
    name = die_name(one.of) if one.what == "die" else piece_name(one.of)
    code, piece = issue_of(one)
    return doubt(code, (piece,), piece=name, readings=_readings(one))


def _part(one: OtherValues) -> Message:
    """Return which part of a sheet may be what."""
    return message(f"asteroyds.in_{one.what}", n=one.column, readings=_readings(one))


def _readings(one: OtherValues) -> tuple[Message, ...]:
    """Return what may be there, each with its chance, the likeliest first."""
    return tuple(
        message("asteroyds.reading", value=_value(one.what, value), chance=chance)
        for value, chance in one.options
    )


def _value(what: str, value: Any) -> Message | str:
    if what == "rounds":
        return ", ".join(str(number) for number in value) or message("asteroyds.nothing")
    if value is None:
        return message("asteroyds.nothing")
    if what == "column":
        return message(f"asteroyds.action.{value}")
    if what == "mode":
        return message(f"asteroyds.mode.{value}")
    if what == "pilot":
        return str(value).title()
    if what == "on":
        return piece_name(value)
    return f"{60 * value}°" if what == "heading_deg" else str(value)
