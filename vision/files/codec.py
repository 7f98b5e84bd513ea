"""Values -> JSON by their own annotations: the frozen dataclasses of a game are its files' forms.

A field is written under its own name, or the one that :func:`key` gives it; ``LEFT_OUT`` and
``IF_ANY`` say that it is not written, or only where it holds something. ``IN_WORDS`` and ``SAID``
write an issue and a message in the language of the texts. The same annotations give the JSON
schema.
"""

import math
from functools import cache
from typing import Any, cast

from pydantic import Field, PlainSerializer, SerializationInfo, TypeAdapter

from vision.files.layouts import issue_to_json
from vision.texts import Texts
from vision.values.messages import Issue, Message

__all__ = [
    "FINITE",
    "IF_ANY",
    "IN_WORDS",
    "LEFT_OUT",
    "SAID",
    "in_words",
    "json_schema",
    "key",
    "to_document",
]

Json = dict[str, Any]


def key(name: str) -> Any:
    """Return what gives a field another name in files."""
    return Field(alias=name)


def _issue(issue: Issue, info: SerializationInfo[Texts]) -> Json:
    return issue_to_json(issue, info.context)


def in_words(*names: str) -> PlainSerializer:
    """Return what writes an issue of pieces, some values of its sentence by their names too."""

    def told(issue: Issue, info: SerializationInfo[Texts]) -> Json:
        values = dict(issue.said.values) if issue.said is not None else {}
        return {
            "code": issue.code,
            **{name: values[name] for name in names if name in values},
            "pieces": list(issue.cards),
            "message": info.context.issue(issue),
            "severity": issue.severity,
        }

    return PlainSerializer(told)


def _said(said: Message | None, info: SerializationInfo[Texts]) -> str:
    return "" if said is None else info.context.tell(said)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


LEFT_OUT: Any = Field(exclude=True)
IF_ANY: Any = Field(exclude_if=lambda value: not value)
IN_WORDS = PlainSerializer(_issue)  # of cards
SAID = PlainSerializer(_said)
FINITE = PlainSerializer(_finite)  # a number without end is null


def to_document(kind: str, value: Any, texts: Texts | None = None, **head: Any) -> Json:
    """Return a value as a document ``sightline/KIND@1``, what ``head`` says at its beginning."""
    told = _codec(cast("Any", type(value))).dump_python(
        value, mode="json", by_alias=True, context=texts
    )
    return {"schema": f"sightline/{kind}@1", **head, **told}


def json_schema(kind: str, form: type) -> Json:
    """Return the JSON schema (draft 2020-12) of a kind of file: ``scan``, ``table``, ..."""
    schema = _codec(cast("Any", form)).json_schema(mode="serialization")
    name = f"sightline/{kind}@1"
    schema["properties"] = {"schema": {"const": name}, **schema["properties"]}
    schema["required"] = [*dict.fromkeys(("schema", *schema.get("required", ())))]
    for part in (schema, *schema.get("$defs", {}).values()):
        if "properties" in part:
            part.setdefault("additionalProperties", False)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name, **schema}


@cache
def _codec(form: type) -> TypeAdapter[Any]:
    return TypeAdapter(form)
