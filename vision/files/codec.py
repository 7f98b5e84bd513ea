"""Values <-> JSON by their own annotations: the frozen dataclasses of a game are its files' forms.

A field is written under its own name, or the one that :func:`key` gives it; ``LEFT_OUT``,
``IF_ANY``, ``IF_SAID`` and :func:`unless` leave it out, always or where it says nothing.
``IN_WORDS`` and ``SAID`` write an issue and a message in the language of the texts; ``IN_DEGREES``
is an angle, :func:`as_form` a value that files hold in another form. ``NOT_IN_FILES`` is neither
written nor read. :func:`vision.files.documents.read_document` reads by the same annotations, which
give the JSON schema too.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NoReturn, cast

from pydantic import (
    AfterValidator,
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    PlainSerializer,
    SerializationInfo,
)
from pydantic_core import CoreSchema, PydanticKnownError, PydanticOmit, core_schema

from vision.files.documents import adapter_of
from vision.files.layouts import issue_to_json
from vision.judging.options import options_from_json, options_to_json
from vision.texts import Texts
from vision.values.messages import Issue, Message

__all__ = [
    "FINITE",
    "IF_ANY",
    "IF_SAID",
    "IN_DEGREES",
    "IN_WORDS",
    "LEFT_OUT",
    "NOT_IN_FILES",
    "RULES",
    "SAID",
    "as_form",
    "in_words",
    "json_schema",
    "key",
    "to_document",
    "unless",
]

Json = dict[str, Any]


def key(name: str) -> Any:
    """Return what gives a field another name in files."""
    return Field(alias=name)


def unless(usual: Any) -> Any:
    """Return what leaves a field out of a file while it is as usual."""
    return Field(exclude_if=lambda value: value == usual)


def as_form(form: Any, read: Callable[..., Any], write: Callable[..., Any]) -> GetPydanticSchema:
    """Return what reads and writes a value in another form, as which it stands in files."""

    def schema(_source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        writer = core_schema.plain_serializer_function_ser_schema(write)
        return core_schema.no_info_after_validator_function(
            read, handler.generate_schema(form), serialization=writer
        )

    return GetPydanticSchema(schema)


def _auto(options: Any) -> Json:
    return {k: "auto" if v is None else v for k, v in options_to_json(options).items()}


def _rules(options: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    return core_schema.no_info_after_validator_function(
        partial(options_from_json, options),
        handler.generate_schema(dict[str, Any]),
        serialization=core_schema.plain_serializer_function_ser_schema(_auto),
    )


_UNKNOWN: Literal["extra_forbidden"] = "extra_forbidden"


def _refuse(_value: Any) -> NoReturn:
    raise PydanticKnownError(_UNKNOWN)


def _not_in_files(_source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
    return core_schema.no_info_after_validator_function(_refuse, core_schema.any_schema())


def _omit(_schema: CoreSchema, _handler: Any) -> NoReturn:
    raise PydanticOmit


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
#: the options of a game, as :mod:`vision.judging.options` has them
RULES = GetPydanticSchema(_rules)
NOT_IN_FILES = (Field(exclude=True), GetPydanticSchema(_not_in_files, _omit))
IF_SAID: Any = Field(exclude_if=lambda value: value is None)
IN_DEGREES = (AfterValidator(math.radians), PlainSerializer(math.degrees))
FINITE = PlainSerializer(_finite)  # a number without end is null


def to_document(
    kind: str, value: Any, texts: Texts | None = None, *, first: Sequence[str] = (), **head: Any
) -> Json:
    """Return a value as a document ``sightline/KIND@1``.

    What ``head`` says stands at its beginning, then the fields that are named as ``first``.
    """
    told = adapter_of(cast("Any", type(value))).dump_python(
        value, mode="json", by_alias=True, context=texts
    )
    begun = {name: told[name] for name in first}
    return {"schema": f"sightline/{kind}@1", **head, **begun, **told}


def json_schema(
    kind: str, form: Any, mode: Literal["serialization", "validation"] = "serialization"
) -> Json:
    """Return the JSON schema (draft 2020-12) of a kind of file: ``scan``, ``table``, ..."""
    schema = adapter_of(form).json_schema(mode=mode)
    name = f"sightline/{kind}@1"
    schema["properties"] = {"schema": {"const": name}, **schema["properties"]}
    schema["required"] = [*dict.fromkeys(("schema", *schema.get("required", ())))]
    for part in (schema, *schema.get("$defs", {}).values()):
        if "properties" in part:
            part.setdefault("additionalProperties", False)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name, **schema}
