"""A dataclass in a dataclass, their fields side by side in files: a card, and where it lies."""

from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, NotRequired, get_args, get_type_hints

from pydantic import GetCoreSchemaHandler, GetPydanticSchema
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from vision.files.codec import NOT_IN_FILES, key

__all__ = ["flattened"]

Json = dict[str, Any]


def flattened(name: str, of: type) -> GetPydanticSchema:
    """Return what has the fields of a dataclass stand beside those of the one that holds it.

    Parameters
    ----------
    name : str
        The field that holds it, None where a file has none of its fields.
    of : type
        The dataclass; those of its fields that have no default go together.
    """
    inner = _hints(of)
    needed = {one.name for one in fields(of) if not _has_default(one)}
    said = [_name_in_files(field, inner[field]) for field in inner if field in needed]

    def schema(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        outer = _hints(source)
        usual = {one.name for one in fields(source) if _has_default(one)}
        optional = {field: NotRequired[_or_null(field, hint)] for field, hint in inner.items()}
        spliced: Json = {}
        for field, hint in outer.items():
            own = {field: NotRequired[hint] if field in usual else hint}
            spliced |= optional if field == name else own
        form = handler.generate_schema(TypedDict(source.__name__, spliced))  # type: ignore[operator]

        def read(found: Json) -> Any:
            own = {k: v for k in inner if (v := found.pop(k, None)) is not None}
            if own and not needed <= own.keys():
                msg = f"{', '.join(said[:-1])} and {said[-1]} go together"
                raise ValueError(msg)
            return source(**found, **({name: of(**own)} if own else {}))

        def write(value: Any) -> Json:
            held = getattr(value, name)
            told: Json = {}
            for field in outer:
                if field != name:
                    told[field] = getattr(value, field)
                elif held is not None:
                    told |= {k: v for k in inner if (v := getattr(held, k)) is not None}
            return told

        writer = core_schema.plain_serializer_function_ser_schema(write, return_schema=form)
        return core_schema.no_info_after_validator_function(read, form, serialization=writer)

    return GetPydanticSchema(schema)


def _hints(form: Any) -> Json:
    """Return how those fields of a dataclass that stand in files do, by name."""
    hints = get_type_hints(form, include_extras=True)
    kept_out = NOT_IN_FILES[0]
    return {k: hint for k, hint in hints.items() if kept_out not in _said_of(hint)}


def _said_of(hint: Any) -> tuple[Any, ...]:
    return getattr(hint, "__metadata__", ())


def _or_null(field: str, hint: Any) -> Any:
    """Return the form of a field that may be null; its name in files is that of the whole."""
    said = [one for one in _said_of(hint) if getattr(one, "alias", None) is None]
    bare = Annotated[(get_args(hint)[0], *said)] if said else hint
    return Annotated[bare | None, key(_name_in_files(field, hint))]


def _has_default(one: Field[Any]) -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING


def _name_in_files(field: str, hint: Any) -> str:
    keys = (one.alias for one in _said_of(hint) if isinstance(one, FieldInfo) and one.alias)
    return next(keys, field)
