"""Replies held against the description of the API: they say what it does, and no more."""

import re
from copy import deepcopy
from functools import cache
from typing import Any

from fastapi.testclient import TestClient
from jsonschema_rs import Validator, validator_for

__all__ = ["DescribedClient", "forms", "unlike"]

_JSON = "application/json"
_Form = tuple[str, str, dict[str, Any]]  # path and verb, status, content


class DescribedClient(TestClient):
    """A client that refuses replies in JSON which are not as described."""

    def __init__(self, app: Any, **more: Any) -> None:
        super().__init__(app, **more)
        if not _told:  # once: all apps are described alike
            _learn(app.openapi())

    def request(self, method: str, url: Any, **more: Any) -> Any:  # type: ignore[override]
        """Return the reply, if it is of the form that is described, with no field besides."""
        reply = super().request(method, url, **more)
        kind = reply.headers.get("content-type", "").partition(";")[0]
        if kind == _JSON and reply.is_success and not reply.request.url.path.startswith("/static"):
            path = reply.request.url.path
            found = _validator(method.upper(), path, str(reply.status_code))
            if found is not None:
                wrong = [f"{e.instance_path}: {e.message}" for e in found.iter_errors(reply.json())]
                assert not wrong, (method, path, wrong)
        return reply


_told: dict[str, Any] = {}  # the description, the same of each app


def _learn(told: dict[str, Any]) -> None:
    strict = deepcopy(told)
    for schema in strict["components"]["schemas"].values():
        if "properties" in schema and schema["title"] not in _OPEN:
            schema["additionalProperties"] = False
    _told.update(strict)


#: Files of the contract: the rest of their fields is each game's own.
_OPEN = ("TableReply", "ResolutionReply", "ScoreReply", "IssueOfGame")


@cache
def _validator(verb: str, path: str, status: str) -> Validator | None:
    """Return what checks a reply; nothing where it is no part of the API."""
    for place, its_status, content in forms(_told):
        its_verb, template = place.split()
        pattern = re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(template))
        if (its_verb.upper(), its_status) == (verb, status) and re.fullmatch(pattern, path):
            return _validator_of(content["schema"].get("$ref", ""))
    return None


@cache
def _validator_of(reference: str) -> Validator | None:
    return (
        validator_for({"components": _told["components"], "$ref": reference}) if reference else None
    )


def forms(told: dict[str, Any]) -> list[_Form]:
    """Return every reply in JSON: verb and path, status, content."""
    return [
        (f"{verb} {path}", status, reply["content"][_JSON])
        for path, ways in told["paths"].items()
        for verb, way in ways.items()
        for status, reply in way["responses"].items()
        if _JSON in reply.get("content", {})
    ]


def unlike(told: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    """Return in what a value is not as a schema of the description says."""
    whole = {"components": told["components"], **schema}
    return [f"{e.instance_path}: {e.message}" for e in validator_for(whole).iter_errors(value)]
