"""The HTTP API, ``/api/v1``: photos in, rounds out, corrections, pictures, evenings, links."""

import hashlib
import json
import math
import secrets
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

import anyio
import anyio.to_thread
from fastapi import APIRouter, Body, Header, Path, Query, Request
from sqlalchemy import Connection, RowMapping, delete, func, insert, select, update
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from vision import __version__
from vision.apps.server.reading.intake import Intake, Order
from vision.apps.server.reading.runner import Runner
from vision.apps.server.reading.worker import DrawTask
from vision.apps.server.rounds.rounds import Round, Rounds, rules_to_json
from vision.apps.server.rounds.view import round_view
from vision.apps.server.routes.models import (
    EditBody,
    EveningBody,
    ProblemModel,
    RevisionBody,
    ScanPatch,
    ShareBody,
    clean_text,
)
from vision.apps.server.routes.problems import Problem
from vision.apps.server.settings import Settings
from vision.apps.server.storage.store import Store, evenings, jobs, new_id, scans, shares
from vision.games.light_speed.deck import deck_to_json, list_decks, load_deck
from vision.games.light_speed.files import read_table
from vision.games.light_speed.forms import resolution_to_json, table_to_json
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.schemas import DeckModel, ResolutionModel
from vision.games.light_speed.tell import tell
from vision.games.light_speed.values import RuleOptions
from vision.imaging.photo import readable_formats
from vision.judging.options import parse_options
from vision.showing.film import can_film
from vision.showing.vector import draw_svg

__all__ = ["Services", "create_router", "create_shared_router"]

Json = dict[str, Any]
ScanId = Annotated[str, Path(pattern="^[0-9a-f]{20}$", description="The id of a round.")]
EveningId = Annotated[str, Path(pattern="^[0-9a-f]{20}$")]
ShareToken = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{16,40}$")]

_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "webp": "image/webp",
    "svg": "image/svg+xml",
    "gif": "image/gif",
    "mp4": "video/mp4",
}
Kind = Annotated[
    str, Path(pattern=r"^(png|jpg|webp|svg|replay\.(webp|gif|mp4))$", examples=["png"])
]
_PROBLEM: dict[int | str, dict[str, Any]] = {
    status: {
        "model": ProblemModel,
        "description": words,
        "content": {"application/problem+json": {}},
    }
    for status, words in (
        (400, "Cut off"),
        (401, "No token"),
        (404, "Not there"),
        (409, "Changed in the meantime, or not possible now"),
        (422, "Not understood, or without a result"),
    )
}
_SANDBOX = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:; sandbox"
}


_UPLOAD: dict[int | str, dict[str, Any]] = {200: {"description": "Read already, as GET"}}
_UPLOAD |= {
    code: {
        "model": ProblemModel,
        "description": "Not taken",
        "content": {"application/problem+json": {}},
    }
    for code in (408, 410, 413, 415, 429, 503, 507)
}


_ANY_REVISION, _A_MONTH = RevisionBody(), ShareBody()


class Services:
    """What the routes work with."""

    def __init__(self, store: Store, settings: Settings, runner: Runner) -> None:
        self.store, self.settings, self.runner = store, settings, runner
        self.rounds = Rounds(store, settings)
        self.intake = Intake(store, settings, runner)
        self.addresses: list[str] = []  # what to show as QR code
        self.token = ""

    def scan(self, scan_id: str) -> RowMapping:
        """Return the row of a scan with that of its job, or 404."""
        with self.store.read() as connection:
            return self._scan(connection, scan_id)

    def _scan(self, connection: Connection, scan_id: str) -> RowMapping:
        query = (
            select(scans, *(c for c in jobs.c if c.name != "scan"))
            .join(jobs, jobs.c.scan == scans.c.id)
            .where(scans.c.id == scan_id, scans.c.deleted.is_(None))
        )
        row = connection.execute(query).mappings().one_or_none()
        if row is None:
            raise Problem(404, "not_found", "there is no such round; it may have been deleted")
        return row

    def status(self, row: RowMapping) -> Json:
        """Return the state of a scan, for the API."""
        ahead = 0
        if row["state"] == "waiting":
            with self.store.read() as connection:
                before = select(func.count()).where(
                    jobs.c.state.in_(("waiting", "reading")), jobs.c.queued < row["queued"]
                )
                ahead = int(connection.scalar(before) or 0)
        out: Json = {
            "id": row["id"],
            "name": row["name"],
            "evening": row["evening"],
            "created": row["created"],
            "state": row["state"],
            "stage": row["stage"],
            "ahead": ahead,
            "attempts": row["attempts"],
            "deck": row["deck"],
            "error": None,
            "links": {"self": f"/api/v1/scans/{row['id']}", "page": f"/#/round/{row['id']}"},
        }
        if row["error_code"]:
            out["error"] = {"code": row["error_code"], "detail": row["error"]}
        return out

    def shared(self, token: str) -> RowMapping:
        """Return the scan that a link leads to, or 404."""
        with self.store.read() as connection:
            share = connection.execute(select(shares).where(shares.c.token == token)).one_or_none()
            if share is None or share.revoked or share.expires < time.time():
                raise Problem(404, "not_found", "this link has ended or never was one")
            return self._scan(connection, share.scan)

    async def picture(self, row: RowMapping, kind: str) -> Response:
        """Return a picture of a round; made once, then kept.

        Raises
        ------
        Problem
            406 for a film where nothing can write one.
        """
        if kind == "replay.mp4" and not can_film():
            detail = "MP4 needs the extra video (pip install 'sightline[video]'); WebP works here"
            raise Problem(406, "format_unavailable", detail)
        round_ = await anyio.to_thread.run_sync(self.rounds.get, row)
        mark = hashlib.sha256(
            json.dumps([__version__, kind, row["photo"], table_to_json(round_.table)]).encode()
        ).hexdigest()
        cache = self.store.blobs.folder / "drawn"
        place = cache / f"{mark}.{kind}"
        if not place.exists():
            if kind == "svg":
                content = await anyio.to_thread.run_sync(self._svg, round_)
            else:
                content = await self.runner.draw(self._task(round_, row["photo"], kind))
            await anyio.to_thread.run_sync(self._keep, place, content)
        suffix = kind.rpartition(".")[2]
        name = "round-replay" if kind.startswith("replay") else "round"
        return FileResponse(
            place,
            media_type=_TYPES[suffix],
            headers={
                "ETag": f'"{mark}"',
                "Cache-Control": "private, no-cache",
                "Content-Disposition": f'inline; filename="{name}.{suffix}"',
                **_SANDBOX,
            },
        )

    def _keep(self, place: Any, content: bytes) -> None:
        place.parent.mkdir(exist_ok=True)
        temporary = self.store.blobs.new_temporary()
        temporary.write_bytes(content)
        temporary.replace(place)

    def _svg(self, round_: Round) -> bytes:
        ledger = tell(round_.table, round_.deck, round_.resolution)
        photo = self.store.blobs.read(round_.view)
        return draw_svg(photo, round_.size_wh, round_.camera, ledger)

    def _task(self, round_: Round, photo: str, kind: str) -> DrawTask:
        return DrawTask(
            kind=kind,
            photo=self.store.blobs.path(photo),
            width_px=round_.size_wh[0],
            camera=round_.camera,
            ledger=tell(round_.table, round_.deck, round_.resolution),
            issues=round_.issues,
            memory_mb=self.settings.worker_mb,
        )

    async def thumb(self, row: RowMapping) -> Response:
        """Return the photo in small, for lists; made once, then kept."""
        if row["view"] is None:
            raise Problem(409, "not_ready", "this photo has not been read yet")
        place = self.store.blobs.folder / "drawn" / f"{row['view']}.thumb.jpg"
        if not place.exists():
            round_ = await anyio.to_thread.run_sync(self.rounds.get, row)
            content = await self.runner.draw(self._task(round_, row["view"], "thumb.jpg"))
            await anyio.to_thread.run_sync(self._keep, place, content)
        return FileResponse(
            place, media_type="image/jpeg", headers=_lasting(row["view"], "table-small.jpg")
        )

    def photo(self, row: RowMapping) -> Response:
        """Return the upright photo as the page shows it: encoded anew, without metadata."""
        if row["view"] is None:
            raise Problem(409, "not_ready", "this photo has not been read yet")
        return FileResponse(
            self.store.blobs.path(row["view"]),
            media_type="image/jpeg",
            headers=_lasting(row["view"], "table.jpg"),
        )

    def scan_document(self, round_: Round) -> Json:
        """Return ``sightline/scan@1`` with the table and the resolution as corrected."""
        return {
            **round_.document,
            "issues": [
                {
                    "code": i.code,
                    "cards": list(i.cards),
                    "message": i.message,
                    "severity": i.severity,
                }
                for i in round_.issues
            ],
            "table": table_to_json(round_.table),
            "resolution": resolution_to_json(round_.resolution),
        }


def _lasting(mark: str, name: str) -> dict[str, str]:
    """Return the headers of a picture that never changes."""
    return {
        "ETag": f'"{mark}"',
        "Cache-Control": "private, max-age=31536000, immutable",
        "Content-Disposition": f'inline; filename="{name}"',
        **_SANDBOX,
    }


def _document(round_: Round, services: Services, name: str) -> Json:
    if name == "scan":
        return services.scan_document(round_)
    if name == "table":
        return table_to_json(round_.table)
    return resolution_to_json(round_.resolution)


def create_router(services: Services) -> APIRouter:
    """Build the routes around what they work with."""
    router = APIRouter(prefix="/api/v1", responses=_PROBLEM)
    _add_scans(router, services)
    _add_results(router, services)
    _add_edits(router, services)
    _add_shares(router, services)
    _add_evenings(router, services)
    _add_tables(router, services)
    return router


def _add_scans(router: APIRouter, services: Services) -> None:
    store = services.store

    @router.post(
        "/scans",
        status_code=202,
        tags=["scans"],
        summary="Send a photo",
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    "multipart/form-data": {
                        "schema": {
                            "type": "object",
                            "required": ["photo"],
                            "properties": {"photo": {"type": "string", "format": "binary"}},
                        }
                    },
                    "image/jpeg": {"schema": {"type": "string", "format": "binary"}},
                    "image/png": {"schema": {"type": "string", "format": "binary"}},
                    "image/webp": {"schema": {"type": "string", "format": "binary"}},
                },
            }
        },
        responses=_UPLOAD,
    )
    async def send_photo(
        request: Request,
        wait: Annotated[
            float, Query(ge=0, le=600, description="Seconds to wait for the result.")
        ] = 0,
        name: Annotated[str, Query(max_length=200)] = "",
        evening: Annotated[str | None, Query(pattern="^[0-9a-f]{20}$")] = None,
        deck: Annotated[str, Query(max_length=100)] = "light-speed",
        rule: Annotated[
            list[str] | None, Query(max_length=20, description="KEY=VALUE, as on the command line.")
        ] = None,
        idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
    ) -> Response:
        """Take a photo in. 202 with its place; with ``wait`` the finished scan, if in time.

        A retry with the same ``Idempotency-Key`` gives the scan of the first.
        """
        load_deck(deck)
        rules = rules_to_json(parse_options(RuleOptions, rule or []))
        key = clean_text(idempotency_key)[:200] if idempotency_key else None
        order = Order(clean_text(name), evening, deck, rules, key or None)
        scan_id, is_new = await services.intake.take(request, order)
        if is_new:
            services.runner.work.ring()
        row = await anyio.to_thread.run_sync(services.scan, scan_id)
        end = time.monotonic() + min(wait, services.settings.wait_seconds)
        while row["state"] in ("waiting", "reading") and not services.runner.stopping:
            left = end - time.monotonic()
            if left <= 0:
                break
            await services.runner.news.wait(min(left, 2.0))
            row = await anyio.to_thread.run_sync(services.scan, scan_id)
        body = services.status(row)
        headers = {"Location": f"/api/v1/scans/{scan_id}"}
        if row["state"] == "done" and wait:
            round_ = await anyio.to_thread.run_sync(services.rounds.get, row)
            return JSONResponse({**body, "scan": services.scan_document(round_)}, 200, headers)
        status = 200 if row["state"] in ("done", "failed") else 202
        return JSONResponse(body, status, headers)

    @router.get("/scans", tags=["scans"], summary="The rounds, newest first")
    def list_scans(
        evening: Annotated[str | None, Query(pattern="^[0-9a-f]{20}$")] = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 60,
        before: Annotated[float | None, Query(ge=0, le=1e12)] = None,
    ) -> Json:
        """Return the rounds, with the score of those that are read."""
        query = (
            select(scans, *(c for c in jobs.c if c.name != "scan"))
            .join(jobs, jobs.c.scan == scans.c.id)
            .where(scans.c.deleted.is_(None))
        )
        if evening is not None:
            query = query.where(scans.c.evening == evening)
        if before is not None:
            query = query.where(scans.c.created < before)
        with store.read() as connection:
            rows = (
                connection.execute(query.order_by(scans.c.created.desc()).limit(limit))
                .mappings()
                .all()
            )
        return {"scans": [_summary(services, row) for row in rows]}

    @router.get("/scans/{scan_id}", tags=["scans"], summary="The state of a photo")
    def get_scan(scan_id: ScanId) -> Json:
        """Return the state of a photo: waiting, reading, done, failed and why."""
        return services.status(services.scan(scan_id))

    @router.patch("/scans/{scan_id}", tags=["scans"], summary="Name a round, put it in an evening")
    def change_scan(scan_id: ScanId, body: ScanPatch) -> Json:
        services.scan(scan_id)
        values: Json = {}
        if body.name is not None:
            values["name"] = body.name
        with store.write() as connection:
            if body.evening is not None:
                if body.evening:
                    known = select(evenings.c.id).where(evenings.c.id == body.evening)
                    if connection.scalar(known) is None:
                        raise Problem(404, "not_found", "there is no such evening")
                values["evening"] = body.evening or None
            if values:
                connection.execute(update(scans).where(scans.c.id == scan_id).values(**values))
        return services.status(services.scan(scan_id))

    @router.delete("/scans/{scan_id}", tags=["scans"], status_code=204, summary="Delete a round")
    def delete_scan(scan_id: ScanId) -> Response:
        """Delete a round; for some days ``restore`` brings it back. Its links end at once."""
        services.scan(scan_id)
        with store.write() as connection:
            connection.execute(
                update(scans).where(scans.c.id == scan_id).values(deleted=time.time())
            )
            connection.execute(update(shares).where(shares.c.scan == scan_id).values(revoked=True))
        return Response(status_code=204)

    @router.post("/scans/{scan_id}/restore", tags=["scans"], summary="Bring a deleted round back")
    def restore_scan(scan_id: ScanId) -> Json:
        with store.write() as connection:
            connection.execute(update(scans).where(scans.c.id == scan_id).values(deleted=None))
        return services.status(services.scan(scan_id))

    @router.post("/scans/{scan_id}/retry", tags=["scans"], summary="Read a failed photo again")
    async def retry_scan(scan_id: ScanId) -> Json:
        await anyio.to_thread.run_sync(services.scan, scan_id)
        await anyio.to_thread.run_sync(services.runner.ledger.retry, scan_id)
        services.runner.work.ring()
        row = await anyio.to_thread.run_sync(services.scan, scan_id)
        return services.status(row)

    @router.get(
        "/scans/{scan_id}/events",
        tags=["scans"],
        summary="Progress as server-sent events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    )
    async def events(scan_id: ScanId) -> Response:
        """Tell each change of state and stage until the photo is read."""
        first = await anyio.to_thread.run_sync(services.scan, scan_id)
        return StreamingResponse(
            _events(services, first),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )


async def _events(services: Services, row: RowMapping) -> AsyncIterator[str]:
    last = ""
    while True:
        status = await anyio.to_thread.run_sync(services.status, row)
        text = json.dumps(status)
        if text != last:
            last = text
            yield f"event: state\ndata: {text}\n\n"
        else:
            yield ": still there\n\n"
        if row["state"] in ("done", "failed") or services.runner.stopping:
            return
        await services.runner.news.wait(5.0)
        try:
            row = await anyio.to_thread.run_sync(services.scan, row["id"])
        except Problem:
            return


def _summary(services: Services, row: RowMapping) -> Json:
    out = services.status(row)
    if row["state"] == "done":
        out |= services.rounds.summary(row)
    return out


def _add_results(router: APIRouter, services: Services) -> None:
    @router.get("/scans/{scan_id}/round", tags=["results"], summary="Everything the page shows")
    def get_round(scan_id: ScanId) -> Json:
        """Return the round in the pixels of the photo: cards, shots, steps, score over time."""
        row = services.scan(scan_id)
        return {
            **round_view(services.rounds.get(row)),
            "name": row["name"],
            "evening": row["evening"],
            "created": row["created"],
        }

    @router.get(
        "/scans/{scan_id}/{document}.json", tags=["results"], summary="scan, table or resolution"
    )
    def get_document(
        scan_id: ScanId,
        document: Annotated[str, Path(pattern="^(scan|table|resolution)$")],
    ) -> Json:
        """Return a file of the contract, with all corrections in it."""
        return _document(services.rounds.get(services.scan(scan_id)), services, document)

    @router.get(
        "/scans/{scan_id}/photo.jpg",
        tags=["results"],
        summary="The upright photo, without metadata",
        response_class=FileResponse,
    )
    def get_photo(scan_id: ScanId) -> Response:
        return services.photo(services.scan(scan_id))

    @router.get(
        "/scans/{scan_id}/thumb.jpg",
        tags=["results"],
        summary="The photo in small",
        response_class=FileResponse,
    )
    async def get_thumb(scan_id: ScanId) -> Response:
        row = await anyio.to_thread.run_sync(services.scan, scan_id)
        return await services.thumb(row)

    @router.get(
        "/scans/{scan_id}/picture.{kind}",
        tags=["results"],
        summary="The annotated picture, or the replay",
        response_class=FileResponse,
        responses={200: {"content": {media: {} for media in _TYPES.values()}}},
    )
    async def get_picture(scan_id: ScanId, kind: Kind) -> Response:
        """Return png, jpg, webp or svg; ``replay.webp``, ``replay.gif`` and ``replay.mp4`` move.

        MP4 where the extra ``video`` is installed, else 406.
        """
        row = await anyio.to_thread.run_sync(services.scan, scan_id)
        return await services.picture(row, kind)


def _add_edits(router: APIRouter, services: Services) -> None:
    def reply(scan_id: str, round_: Round) -> Json:
        row = services.scan(scan_id)
        return {
            **round_view(round_),
            "name": row["name"],
            "evening": row["evening"],
            "created": row["created"],
        }

    @router.get("/scans/{scan_id}/edits", tags=["corrections"], summary="The log of corrections")
    def list_edits(scan_id: ScanId) -> Json:
        row = services.scan(scan_id)
        log = services.rounds.log(row["id"])
        return {
            "edits": [
                {"seq": k + 1, "kind": kind, "change": body} for k, (kind, body) in enumerate(log)
            ]
        }

    @router.post("/scans/{scan_id}/edits", tags=["corrections"], summary="Correct by hand")
    def add_edit(scan_id: ScanId, body: EditBody) -> Json:
        """Apply a change and resolve the round again; returns the round as it then stands."""
        change = body.change.model_dump(mode="json")
        row = services.scan(scan_id)
        return reply(scan_id, services.rounds.add(row, body.change.kind, change, body.revision))

    @router.post("/scans/{scan_id}/undo", tags=["corrections"], summary="Undo a correction")
    def undo(scan_id: ScanId, body: Annotated[RevisionBody, Body()] = _ANY_REVISION) -> Json:
        return reply(
            scan_id, services.rounds.add(services.scan(scan_id), "undo", {}, body.revision)
        )

    @router.post("/scans/{scan_id}/redo", tags=["corrections"], summary="Do it again")
    def redo(scan_id: ScanId, body: Annotated[RevisionBody, Body()] = _ANY_REVISION) -> Json:
        return reply(
            scan_id, services.rounds.add(services.scan(scan_id), "redo", {}, body.revision)
        )


def _add_shares(router: APIRouter, services: Services) -> None:
    store = services.store

    def plain(row: RowMapping) -> Json:
        return {
            "token": row["token"],
            "url": f"/s/{row['token']}",
            "created": row["created"],
            "expires": row["expires"],
        }

    @router.post(
        "/scans/{scan_id}/shares", status_code=201, tags=["links"], summary="Make a link to a round"
    )
    def make_share(scan_id: ScanId, body: Annotated[ShareBody, Body()] = _A_MONTH) -> Json:
        """Make a link that shows the round to who has it, without the token of the server."""
        services.scan(scan_id)
        now = time.time()
        values = {
            "token": secrets.token_urlsafe(18),
            "scan": scan_id,
            "created": now,
            "expires": now + body.days * 86400,
            "revoked": False,
        }
        with store.write() as connection:
            mine = shares.c.scan == scan_id
            count = connection.scalar(select(func.count()).where(mine, ~shares.c.revoked))
            if int(count or 0) >= 100:
                raise Problem(409, "too_many", "a round has at most 100 links; end some of them")
            connection.execute(insert(shares).values(**values))
            query = select(shares).where(shares.c.token == values["token"])
            return plain(connection.execute(query).mappings().one())

    @router.get("/scans/{scan_id}/shares", tags=["links"], summary="The links to a round")
    def list_shares(scan_id: ScanId) -> Json:
        services.scan(scan_id)
        query = select(shares).where(
            shares.c.scan == scan_id, ~shares.c.revoked, shares.c.expires > time.time()
        )
        with store.read() as connection:
            rows = connection.execute(query.order_by(shares.c.created)).mappings().all()
        return {"shares": [plain(row) for row in rows]}

    @router.delete("/shares/{token}", status_code=204, tags=["links"], summary="End a link")
    def end_share(token: ShareToken) -> Response:
        with store.write() as connection:
            done = connection.execute(
                update(shares).where(shares.c.token == token).values(revoked=True)
            )
            if not done.rowcount:
                raise Problem(404, "not_found", "there is no such link")
        return Response(status_code=204)


def create_shared_router(services: Services) -> APIRouter:
    """Build what a link shows: one round, to be looked at."""
    router = APIRouter(prefix="/api/v1/shared/{token}", tags=["links"], responses=_PROBLEM)

    @router.get("/round", summary="The round that a link leads to")
    def shared_round(token: ShareToken) -> Json:
        row = services.shared(token)
        return {
            **round_view(services.rounds.get(row)),
            "name": row["name"],
            "evening": None,
            "created": row["created"],
            "can_undo": False,
            "can_redo": False,
        }

    @router.get("/photo.jpg", response_class=FileResponse, summary="Its photo")
    def shared_photo(token: ShareToken) -> Response:
        return services.photo(services.shared(token))

    @router.get(
        "/picture.{kind}",
        response_class=FileResponse,
        summary="Its pictures",
        responses={200: {"content": {media: {} for media in _TYPES.values()}}},
    )
    async def shared_picture(token: ShareToken, kind: Kind) -> Response:
        row = await anyio.to_thread.run_sync(services.shared, token)
        return await services.picture(row, kind)

    return router


def _add_evenings(router: APIRouter, services: Services) -> None:
    store = services.store

    def find(evening_id: str) -> RowMapping:
        with store.read() as connection:
            query = select(evenings).where(evenings.c.id == evening_id)
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            raise Problem(404, "not_found", "there is no such evening")
        return row

    def plain(row: RowMapping) -> Json:
        return {
            "id": row["id"],
            "name": row["name"],
            "teams": json.loads(row["teams"]),
            "created": row["created"],
        }

    @router.get("/evenings", tags=["evenings"], summary="The evenings, newest first")
    def list_evenings() -> Json:
        query = select(evenings).order_by(evenings.c.created.desc())
        with store.read() as connection:
            rows = connection.execute(query.limit(services.settings.scans_listed)).mappings().all()
        return {"evenings": [plain(row) for row in rows]}

    @router.post("/evenings", status_code=201, tags=["evenings"], summary="Begin an evening")
    def make_evening(body: EveningBody) -> Json:
        evening_id = new_id()
        with store.write() as connection:
            connection.execute(
                insert(evenings).values(
                    id=evening_id,
                    name=body.name or "",
                    teams=json.dumps(body.teams or {}),
                    created=time.time(),
                )
            )
        return plain(find(evening_id))

    @router.get(
        "/evenings/{evening_id}", tags=["evenings"], summary="An evening and its running table"
    )
    def get_evening(evening_id: EveningId) -> Json:
        """Return the rounds of an evening in order, with the sum of each team after each."""
        row = find(evening_id)
        query = (
            select(scans, *(c for c in jobs.c if c.name != "scan"))
            .join(jobs, jobs.c.scan == scans.c.id)
            .where(scans.c.evening == evening_id, scans.c.deleted.is_(None))
            .order_by(scans.c.created)
        )
        with store.read() as connection:
            rows = connection.execute(query.limit(services.settings.scans_listed)).mappings().all()
        totals: dict[str, int] = {}
        wins: dict[str, int] = {}
        rounds = []
        for item in rows:
            summary = _summary(services, item)
            for team, points in summary.get("scores", {}).items():
                totals[team] = totals.get(team, 0) + points
            for team in summary.get("winners", []):
                wins[team] = wins.get(team, 0) + 1
            rounds.append({**summary, "totals": dict(totals)})
        return {**plain(row), "rounds": rounds, "totals": totals, "wins": wins}

    @router.patch("/evenings/{evening_id}", tags=["evenings"], summary="Name an evening, its teams")
    def change_evening(evening_id: EveningId, body: EveningBody) -> Json:
        row = find(evening_id)
        values: Json = {}
        if body.name is not None:
            values["name"] = body.name
        if body.teams is not None:
            values["teams"] = json.dumps({**json.loads(row["teams"]), **body.teams})
        if values:
            with store.write() as connection:
                connection.execute(
                    update(evenings).where(evenings.c.id == evening_id).values(**values)
                )
        return plain(find(evening_id))

    @router.delete(
        "/evenings/{evening_id}", status_code=204, tags=["evenings"], summary="Delete an evening"
    )
    def delete_evening(evening_id: EveningId) -> Response:
        """Delete an evening; its rounds stay, without an evening."""
        find(evening_id)
        with store.write() as connection:
            connection.execute(
                update(scans).where(scans.c.evening == evening_id).values(evening=None)
            )
            connection.execute(delete(evenings).where(evenings.c.id == evening_id))
        return Response(status_code=204)


def _add_tables(router: APIRouter, services: Services) -> None:
    @router.post(
        "/tables/resolve",
        tags=["tables"],
        summary="Resolve a table, without a photo",
        response_model=ResolutionModel,
        response_model_exclude_unset=True,
    )
    def resolve_table(table: Annotated[Json, Body(examples=[_EXAMPLE])]) -> Response:
        """Take ``sightline/table@1``, return ``sightline/resolution@1``."""
        state = read_table(table)
        if len(state.cards) > 200:
            raise Problem(422, "table_format", "cards: at most 200 are resolved here")
        document = resolution_to_json(resolve(state, load_deck(state.deck)))
        if not _is_finite(document):
            raise Problem(422, "table_format", "the table's numbers are too large to resolve")
        return JSONResponse(document)

    @router.get("/decks", tags=["tables"], summary="The decks")
    def get_decks() -> Json:
        return {"decks": list(list_decks())}

    @router.get(
        "/decks/{name}",
        tags=["tables"],
        summary="Every number of a deck",
        response_model=DeckModel,
    )
    def get_deck(name: Annotated[str, Path(max_length=100)]) -> Response:
        return JSONResponse(deck_to_json(load_deck(name)))

    @router.get("/about", tags=["server"], summary="Version, limits, addresses")
    def about() -> Json:
        """Return what this server is and takes."""
        settings = services.settings
        return {
            "name": "Sightline",
            "version": __version__,
            "formats": [
                f"image/{kind.lower()}"
                for kind in readable_formats()
                if kind in settings.decode_limits.formats
            ],
            "replays": ["webp", "gif", *(["mp4"] if can_film() else [])],
            "limits": {
                "body_mb": settings.body_mb,
                "uploads_per_minute": settings.uploads_per_minute,
                "megapixels": settings.pixels_mp,
            },
            "addresses": services.addresses,
            "asks_token": bool(services.token),
        }


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_finite(v) for v in value.values())
    if isinstance(value, list):
        return all(_is_finite(v) for v in value)
    return not isinstance(value, float) or math.isfinite(value)


_EXAMPLE: Json = {
    "schema": "sightline/table@1",
    "cards": [
        {"card": "red-moth", "x_mm": 0.0, "y_mm": 0.0, "theta_deg": 0.0},
        {"card": "asteroid-1", "x_mm": 0.0, "y_mm": -200.0, "theta_deg": 0.0},
    ],
}
