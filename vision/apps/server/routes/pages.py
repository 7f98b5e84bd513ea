"""The page, its files and its icons; the QR code; whether the server is alive and ready."""

import logging
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import JSONResponse, Response

from vision.apps.server.metrics import page_of
from vision.apps.server.page_files import MEDIA, STATIC, index_page, packed_file, packed_reply
from vision.apps.server.problems import Problem
from vision.apps.server.replies.games import ReadyReply
from vision.apps.server.routes.parts import House, Router, code_reply
from vision.apps.server.services import Services

__all__ = ["router"]

_log = logging.getLogger(__name__)
router = Router(refuses=())
_Round = Annotated[str | None, Query(alias="round", pattern="^[0-9a-f]{20}$")]


def _page(name: str, request: Request) -> Response:
    return packed_reply(packed_file(STATIC / name), request.headers, MEDIA[Path(name).suffix])


@router.get("/", include_in_schema=False)
@router.get("/s/{token}", include_in_schema=False)
@router.get("/j/{token}", include_in_schema=False)
@router.get("/d/{token}", include_in_schema=False)
def home(request: Request) -> Response:
    """Return the page; it looks itself what it was asked for."""
    return packed_reply(index_page(), request.headers, "text/html")


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> Response:
    """Return the description of the API for people."""
    return _page("docs.html", request)


@router.get("/manifest.webmanifest", include_in_schema=False)
def manifest(request: Request) -> Response:
    """Return what a phone needs to install the page."""
    return _page("manifest.webmanifest", request)


@router.get("/favicon.ico", include_in_schema=False)
def icon(request: Request) -> Response:
    """Return the icon."""
    return _page("icon.svg", request)


@router.get("/qr.svg", include_in_schema=False)
def code(house: House, request: Request, round_id: _Round = None) -> Response:
    """Return the address for phones as QR code; with ``round``, that of it for a television."""
    address = house.addresses[0] if house.addresses else str(request.base_url)
    return code_reply(address if round_id is None else f"{address}#/round/{round_id}/tv")


@router.get("/healthz", "Alive", tags=["server"])
async def alive() -> dict[str, str]:
    """Answer."""
    return {"status": "alive"}


@router.get("/readyz", "Ready: database, disk, readers", ReadyReply, tags=["server"])
def ready(house: House) -> Response:
    """Return 200 if all are, else 503."""
    checks = {"database": True, "disk": True, "readers": house.runner.is_alive}
    try:
        house.storage.records.check()
    except Exception:  # noqa: BLE001 - whatever a database raises, it is not ready
        _log.exception("the database does not answer")
        checks["database"] = False
    checks["disk"] = _has_room(house)
    good = all(checks.values())
    body = {"status": "ready" if good else "not ready", "checks": checks}
    return JSONResponse(body, 200 if good else 503)


def _has_room(house: Services) -> bool:
    """Tell whether the largest photo would be taken, and a file can be written."""
    objects = house.storage.objects
    if objects.space().free < house.settings.body_bytes:  # whatever floors an operator set
        return False
    probe = objects.scratch()
    try:
        house.intake.check_space()
        probe.write_bytes(bytes(4096))
    except (OSError, Problem):
        return False
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
    return True


@router.get("/metrics", "What Prometheus reads; off by default", tags=["server"])
def metrics(house: House) -> Response:
    """Return counts of this server and the state of the queue."""
    try:
        page = page_of(house.metrics, house.storage.records, house.live, house.pool.slots)
    except LookupError as error:
        raise Problem(404, "not_found", str(error.args[0])) from error
    return Response(page, media_type="text/plain; version=0.0.4")
