"""Clients that others' generators make of the description: typed, and they work.

``.ci/services`` installs the generators into ``.clients``; where they are not, only CI minds.
"""

import json
import os
import re
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest

from tests.apps.web_help import ROOT, Server, client_of, picture, served

KIT = ROOT / ".clients"
PYTHON, GENERATE = KIT / "bin" / "python", KIT / "bin" / "openapi-python-client"
TYPESCRIPT, TSC = (KIT / "node_modules" / ".bin" / name for name in ("openapi-typescript", "tsc"))
#: The generator knows no pictures and archives; as bytes it takes them all.
CONFIG = """
post_hooks: []
content_type_overrides:
  image/jpeg: application/octet-stream
  image/png: application/octet-stream
  image/webp: application/octet-stream
  image/gif: application/octet-stream
  video/mp4: application/octet-stream
  application/zip: application/octet-stream
  application/toml: application/octet-stream
  image/svg+xml: text/html
  text/event-stream: text/html
  application/problem+json: application/json
"""
UPLOAD = """
import sys
from datetime import datetime
from io import BytesIO
from pathlib import Path
from sightline_client import Client
from sightline_client.api.scans import get_scan, list_scans, send_photo
from sightline_client.models import RoundReply, RoundsReply, ScanReply, SendPhotoFilesBody
from sightline_client.models import SentReply
from sightline_client.types import File

client = Client(base_url=sys.argv[1], timeout=120)
photo = File(payload=BytesIO(Path(sys.argv[2]).read_bytes()), file_name="t.jpg")
sent = send_photo.sync(client=client, body=SendPhotoFilesBody(photo=[photo]), wait=100.0)
assert isinstance(sent, SentReply), sent
assert isinstance(sent.created_at, datetime)
assert sent.headline is not None and sent.headline.words.to_dict()["en"]
assert isinstance(sent.scan, ScanReply) and sent.scan.cards[0].card
one = get_scan.sync(sent.id, client=client)
every = list_scans.sync(client=client)
assert isinstance(one, RoundReply) and isinstance(every, RoundsReply)
assert one.id in [round_.id for round_ in every.scans] and every.links.next_ is None
print(one.state, one.scores.to_dict())
"""
TYPES = """
import createClient from "openapi-fetch";
import type { paths } from "./api";

declare const process: { argv: string[] };
const [, , url, photo] = process.argv;
const client = createClient<paths>({ baseUrl: url });
const form = new FormData();
form.append("photo", new Blob([Uint8Array.from(atob(photo), (c) => c.charCodeAt(0))]), "t.jpg");
const { data: sent, error } = await client.POST("/api/v1/scans", {
  params: { query: { wait: 100 } },
  body: { photo: ["t.jpg"] },
  bodySerializer: () => form,
});
if (!sent) throw new Error(JSON.stringify(error));
const state: "waiting" | "reading" | "done" | "failed" = sent.state;
const at: string = sent.created_at;
const card: string | undefined = sent.scan?.cards?.[0].card;
const scan_id: string = sent.id;
const params = { path: { scan_id } };
const { data: one } = await client.GET("/api/v1/scans/{scan_id}", { params });
const red: number | undefined = one?.scores?.["red"];
const { data: all } = await client.GET("/api/v1/scans");
const next: string | null | undefined = all?.links.next;
// @ts-expect-error a field that no round has
export const none = () => one?.colour.length;
console.log(state, card !== undefined && at !== "" && red !== undefined, next);
"""
#: How TypeScript is made a module that runs as it is.
STRICT = "--strict --skipLibCheck --target es2022 --module es2022 --moduleResolution bundler"


def need(*tools: Path) -> None:
    """Skip where a generator is not installed; CI installs them all."""
    missing = [tool.name for tool in tools if not tool.exists()]
    if missing:
        assert not os.environ.get("CI"), f".ci/services installs {', '.join(missing)}"
        pytest.skip(f"not installed by .ci/services: {', '.join(missing)}")


def run(*command: object, cwd: Path) -> str:
    said = [str(part) for part in command]
    done = subprocess.run(said, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (said[0], done.stdout[-3000:] + done.stderr[-3000:])
    return done.stdout


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"), script=served("canned"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def description(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("description")
    with client_of(folder) as client:
        told = client.get("/api/v1/openapi.json").json()
    (folder / "openapi.json").write_text(json.dumps(told), encoding="utf-8")
    return folder / "openapi.json"


def test_a_python_client_is_typed_and_uploads_a_photo(description, server, tmp_path):
    need(PYTHON, GENERATE)
    (tmp_path / "config.yml").write_text(CONFIG, encoding="utf-8")
    out = ("--output-path", "sightline_client", "--meta", "none", "--config", "config.yml")
    said = run(GENERATE, "generate", "--path", description, *out, cwd=tmp_path)
    assert "Unable to" not in said
    ways = [
        way
        for ways in json.loads(description.read_text("utf-8"))["paths"].values()
        for way in ways.values()
    ]
    calls = {path.stem: path for path in (tmp_path / "sightline_client" / "api").rglob("*.py")}
    assert set(calls) >= {way["operationId"] for way in ways}
    silent = {way["operationId"] for way in ways if "204" in way["responses"]}
    untyped = {
        name for name, path in calls.items() if re.search(r"-> Any\b", path.read_text("utf-8"))
    }
    assert untyped <= silent | {"metrics"}, untyped - silent  # nothing comes, or no JSON
    (tmp_path / "upload.py").write_text(UPLOAD, encoding="utf-8")
    (tmp_path / "t.jpg").write_bytes(picture())
    told = run(PYTHON, "upload.py", server.url, "t.jpg", cwd=tmp_path)
    assert told.startswith("done {'red': ")


def test_a_typescript_client_is_typed_and_uploads_a_photo(description, server, tmp_path):
    need(TYPESCRIPT, TSC)
    (tmp_path / "node_modules").symlink_to(KIT / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (tmp_path / "use.ts").write_text(TYPES, encoding="utf-8")
    run(TYPESCRIPT, description, "-o", tmp_path / "api.ts", cwd=KIT)
    run(TSC, *STRICT.split(), "use.ts", cwd=tmp_path)
    photo = b64encode(picture(seed=1)).decode()
    assert run("node", "use.js", server.url, photo, cwd=tmp_path) == "done true null\n"
