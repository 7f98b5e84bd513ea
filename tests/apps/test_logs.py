"""What is logged: a line an event, and the request it is about, wherever it is worked on."""

import io
import json
import logging
import re
import sys

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apps import web_readers
from tests.apps.web_help import Server, client_of, picture, send
from tests.patience import PATIENCE_S
from vision.apps.logs import (
    JsonLines,
    PlainLines,
    about_request,
    current_request,
    request_named,
    set_up_logs,
)

_SCRIPT = """
import importlib, sys
from tests.apps import web_readers
from vision.apps.server.app import create_app
from vision.apps.cli.main import run
if __name__ == "__main__":
    serving = importlib.import_module("vision.apps.server.serve")
    serving.create_app = lambda **given: create_app(web_readers.logs, **given)
    sys.argv[1:1] = ["serve"]
    run()
"""


def record(message: str, **extra: object) -> logging.LogRecord:
    made = logging.makeLogRecord({"name": "vision.x", "levelname": "INFO", "msg": message, **extra})
    made.args = ()
    return made


@given(st.text(), st.dictionaries(st.sampled_from(["scan", "stage", "ms"]), st.text()))
def test_an_event_is_one_line_of_json_whatever_it_says(message, extra):
    line = JsonLines().format(record(message, **extra))
    assert "\n" not in line
    told = json.loads(line)
    assert (told["event"], told["level"]) == (message, "info")
    assert {key: told[key] for key in extra} == extra
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", told["time"])
    assert "request" not in told


def test_what_is_logged_within_a_request_carries_it():
    assert current_request() == ""
    with about_request("abc"):
        with about_request("inner"):
            assert json.loads(JsonLines().format(record("x")))["request"] == "inner"
        assert PlainLines().format(record("x")) == "info: x [request abc]"
    assert PlainLines().format(record("x")) == "info: x"
    try:
        raise KeyError("here")
    except KeyError:
        failed = record("it failed", exc_info=sys.exc_info())
    assert "KeyError" in json.loads(JsonLines().format(failed))["error"]
    assert PlainLines().format(failed).splitlines()[-1] == "KeyError: 'here'"


@pytest.mark.parametrize("given_", ["", None, "a b", "x" * 65, "new\nline", '{"a": 1}'])
def test_an_id_that_could_do_harm_in_a_log_is_replaced(given_):
    name = request_named(given_)
    assert name != given_
    assert re.fullmatch("[0-9a-f]{16}", name)
    assert name != request_named(given_)


def test_text_tells_what_went_wrong_and_json_all():
    log = logging.getLogger("vision")
    before = log.handlers, log.propagate, log.level
    try:
        for kind, expected in (("text", 1), ("json", 2)):
            out = io.StringIO()
            set_up_logs({"SIGHTLINE_LOG": kind}, out)
            log.info("fine")
            log.warning("not fine")
            assert len(out.getvalue().splitlines()) == expected
        with pytest.raises(ValueError, match="expected one of text, json"):
            set_up_logs({"SIGHTLINE_LOG": "xml"})
    finally:
        log.handlers, log.propagate = before[:2]
        log.setLevel(before[2])


def test_a_request_keeps_its_id_in_its_reply_its_errors_and_its_photo(tmp_path):
    with client_of(tmp_path, web_readers.canned) as client:
        named = client.get("/healthz", headers={"X-Request-ID": "of-a-proxy.1"})
        assert named.headers["x-request-id"] == "of-a-proxy.1"
        unnamed = {client.get("/healthz").headers["x-request-id"] for _ in range(3)}
        assert len(unnamed) == 3
        missing = client.get("/api/v1/scans/" + "0" * 20, headers={"X-Request-ID": "lost"})
        assert (missing.status_code, missing.json()["request"]) == (404, "lost")
        refused = client.get("/", headers={"Host": "evil.example", "X-Request-ID": "bad"})
        assert (refused.status_code, refused.json()["request"]) == (421, "bad")


def test_a_reader_and_both_ends_of_a_photo_log_its_request(tmp_path):
    """The server that takes a photo, and the process that reads it: one id, and all lines JSON."""
    server = Server(tmp_path, script=_SCRIPT, SIGHTLINE_LOG="json", SIGHTLINE_WORKERS="1")
    server.start(PATIENCE_S)
    try:
        name = {"X-Request-ID": "one-photo"}
        with httpx2.Client(base_url=server.url, headers=name, timeout=PATIENCE_S) as client:
            reply = send(client, picture(seed=1), wait=PATIENCE_S)
        assert reply.json()["state"] == "done", reply.text
    finally:
        server.stop()
    lines = [json.loads(line) for line in (tmp_path / "server.log").read_text().splitlines()]
    about = [line for line in lines if line.get("request") == "one-photo"]
    told = {line["event"]: line for line in about}
    assert told.keys() >= {"answered", "read", "a reader is done", "said by a reader"}
    assert told["read"]["scan"] == reply.json()["id"]
    assert told["answered"]["route"] == "/api/v1/scans"
    reader, here = told["said by a reader"]["process"], told["read"]["process"]
    assert reader == told["a reader is done"]["process"] != here
