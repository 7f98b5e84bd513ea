"""The OpenAPI description of a server: what FastAPI tells of the routes, and who may ask."""

from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.encoders import jsonable_encoder
from fastapi.openapi.utils import get_openapi

from vision.apps.server.routes.models import ProblemModel

__all__ = ["PROBLEM_FORM", "describe"]

#: Ways to say who asks; each machine but the server's own needs the first.
_SCHEMES = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of the server, from its QR code; not needed on its own machine.",
    },
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sightline",
        "description": "The same token, as a browser keeps it; over https in `sightline-https`.",
    },
    "liveKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Live-Key",
        "description": "Of who began a live game: feeds and stops it.",
    },
    "phone": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Phone",
        "description": "Of the phone that joined a seat: gives its order and sees it.",
    },
}
_JSON = "application/json"
_FORMS = "#/components/schemas/"
PROBLEM_FORM = _FORMS + ProblemModel.__name__  #: what a refusal of any route refers to
_BY_HEADER = {"x-live-key": "liveKey", "x-phone": "phone"}
#: Their addresses are their tokens, or there is nothing to keep.
_OPEN = (
    "/api/v1/shared/",
    "/api/v1/seats/",
    "/api/v1/shared-decks/",
    "/s/",
    "/j/",
    "/d/",
    "/healthz",
)
_KEPT: dict[str, Any] = {}


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the description of an app, made once and kept: all have the same routes."""
    if not _KEPT:
        told = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        told.setdefault("components", {})["securitySchemes"] = _SCHEMES
        _add_problem_form(told["components"])
        _bring_nulls_back(told["components"]["schemas"].values())
        for path, ways in told["paths"].items():
            for way in ways.values():
                way["security"] = _security(path, way)
                for reply in way["responses"].values():
                    _tell_content(reply)
                    _give_example(reply, told["components"]["schemas"])
        _KEPT.update(told)
    return _KEPT


def _add_problem_form(components: dict[str, Any]) -> None:
    """Add the form of a problem document, to which the routes refer."""
    form = ProblemModel.model_json_schema(ref_template=_FORMS + "{model}", mode="serialization")
    form = jsonable_encoder(form, exclude_none=True)  # as the framework tells the others
    schemas = components["schemas"] | form.pop("$defs", {}) | {ProblemModel.__name__: form}
    components["schemas"] = dict(sorted(schemas.items()))


def _tell_content(reply: dict[str, Any]) -> None:
    """Say of a reply's content what it is: problems by their own type, pictures and files as bytes.

    The framework puts every schema under JSON, whatever type is said beside it.
    """
    content: dict[str, dict[str, Any]] = reply.get("content", {})
    if len(content) > 1 and not content.get(_JSON, {}).get("schema"):
        content.pop(_JSON, None)
    for kind, told in content.items():
        if not told.get("schema"):
            is_text = kind.startswith("text/") or kind.endswith("xml")
            as_bytes = {"type": "string"} | ({} if is_text else {"format": "binary"})
            told["schema"] = {"type": "object"} if kind == _JSON else as_bytes


def _bring_nulls_back(schemas: Iterable[dict[str, Any]]) -> None:
    """Give examples of whole replies the nulls that they had: the framework drops them."""
    for schema in schemas:
        if "properties" in schema and "examples" in schema:
            nulls = dict.fromkeys(schema.get("required", ()))
            schema["examples"] = [nulls | example for example in schema["examples"]]


def _give_example(reply: dict[str, Any], schemas: Mapping[str, Any]) -> None:
    """Give a reply in JSON an example, made of those of its fields."""
    told = reply.get("content", {}).get(_JSON)
    if told is None:
        return
    if "$ref" in told["schema"]:  # what the framework says of it besides is less
        told["schema"] = {"$ref": told["schema"]["$ref"]}
    told.setdefault("example", _example(told["schema"], schemas))


def _example(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Any:
    """Return a value that a schema allows: its first example, else the plainest."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    for word in ("examples", "enum", "anyOf"):
        if word in schema:
            first = schema[word][0]
            return _example(first, schemas) if word == "anyOf" else first
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return {name: _example(field, schemas) for name, field in fields.items()}
    if kind == "array":
        count = max(schema.get("minItems", 1), 1)
        return [_example(schema.get("items", {}), schemas) for _ in range(count)]
    return {"string": "a", "integer": 1, "number": 1.0, "boolean": False}.get(kind or "")


def _security(path: str, way: dict[str, Any]) -> list[dict[str, list[str]]]:
    """Tell how one may say who asks: any of these; nothing but the address for what is open."""
    asked = {parameter["name"].lower() for parameter in way.get("parameters", ())}
    keys: dict[str, list[str]] = {
        _BY_HEADER[name]: [] for name in sorted(asked & _BY_HEADER.keys())
    }
    if path.startswith(_OPEN):
        return [keys] if keys else [{}]
    return [{"token": [], **keys}, {"cookie": [], **keys}]
