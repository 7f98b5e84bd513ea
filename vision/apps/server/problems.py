"""Errors as RFC 9457 problem details, with the codes that the command line knows."""

import errno
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from vision.apps.logs import current_request
from vision.errors import (
    CalibrationError,
    DeckError,
    DegenerateGeometryError,
    IllegalOrderError,
    ImageDecodeError,
    ImageSizeError,
    MissingFilesError,
    OtherTableError,
    ReportFormatError,
    ScanError,
    SourceError,
    TableFormatError,
    TableNotFoundError,
)

__all__ = [
    "HTTP_STATUS",
    "NO_EVENING",
    "NO_LINK",
    "NO_PHOTO",
    "NO_ROUND",
    "Problem",
    "install",
    "or_404",
]

T = TypeVar("T")

#: The status of a reply, for every way in which there is no result.
HTTP_STATUS: dict[type[ScanError], int] = {
    ImageDecodeError: 415,
    ImageSizeError: 422,
    TableFormatError: 422,
    IllegalOrderError: 422,
    ReportFormatError: 422,
    DeckError: 404,
    SourceError: 422,
    MissingFilesError: 503,
    CalibrationError: 422,
    TableNotFoundError: 422,
    OtherTableError: 422,
    DegenerateGeometryError: 422,
}

TITLES = {
    "image_decode": "The file cannot be read as a photo",
    "image_size": "The photo has the wrong size",
    "table_format": "A mistake in the table or the change",
    "illegal_order": "An order that the rules do not allow",
    "report_format": "The report of a round cannot be opened",
    "deck": "No such deck",
    "deck_file": "Not possible with this deck",
    "source": "The camera or film gives no pictures",
    "files_missing": "Files of a round are missing",
    "calibration": "No camera profile can be made",
    "table_not_found": "No table of cards in the photo",
    "other_table": "The photos do not show the same table",
    "degenerate_geometry": "The table's geometry has no solution",
    "request_invalid": "The request does not have the expected form",
    "body_too_large": "The upload is too large",
    "body_too_slow": "The upload was too slow",
    "body_cut_off": "The upload was interrupted",
    "not_found": "Not found",
    "method_not_allowed": "Not possible here",
    "unauthorised": "The token is missing",
    "wrong_host": "Not served under this name",
    "wrong_origin": "Asked from another site",
    "rate_limited": "Too many uploads",
    "queue_full": "Too many photos are waiting",
    "too_many_photos": "More photos than one table has",
    "no_photo": "Not a round of a photo",
    "disk_full": "The disk is nearly full",
    "idempotency_conflict": "This key was used for another photo",
    "not_now": "Not possible now",
    "not_ready": "Not ready",
    "orders_missing": "Not all have ordered",
    "conflict": "Changed in the meantime",
    "worker_failed": "The photo could not be read",
    "timed_out": "Reading the photo took too long",
    "out_of_memory": "The photo needs too much memory",
    "too_many": "Too many",
    "live_full": "Too many live games",
    "live_not_yours": "Not your live game",
    "live_elsewhere": "Another server follows this table",
    "live_ended": "This live game has ended",
    "live_operator": "This camera belongs to the server",
    "no_orders": "Nobody orders here",
    "no_seat": "Not this player's address any more",
    "orders_early": "The clock has not started",
    "orders_late": "The time is over",
    "nothing_follows": "The game is over",
    "nothing_to_stop": "No round is being played",
    "gone": "No longer there",
    "format_unavailable": "Not made here",
    "internal": "Something went wrong here",
}


#: What a system says of a disk, or of a share of one, on which nothing has room any more.
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Problem(HTTPException):
    """A reply that is no result: status, code, and a sentence for a person."""

    def __init__(
        self, status: int, code: str, detail: str, *, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(status, detail, headers)
        self.code = code

    def reply(self, **more: Any) -> Response:
        """Return it as a problem document, with further fields."""
        told = {
            "type": f"urn:sightline:problem:{self.code}",
            "title": TITLES.get(self.code, self.code),
            "status": self.status_code,
            "detail": self.detail,
            "code": self.code,
            **({"request": current_request()} if current_request() else {}),
            **more,
        }
        headers = {"Cache-Control": "no-store", **(self.headers or {})}
        return JSONResponse(told, self.status_code, headers, media_type="application/problem+json")


NO_ROUND = "there is no such round; it may have been deleted"
NO_EVENING = "there is no such evening"
NO_PHOTO = "there is no such photo of this round"
NO_LINK = "this link has expired or never existed"


def or_404(found: T | None, detail: str) -> T:
    """Return what was looked for; where it is None, raise a Problem 404 that says so."""
    if found is None:
        raise Problem(404, "not_found", detail)
    return found


def status_of(error: ScanError) -> int:
    """Return the HTTP status of an error of the tree."""
    return next(HTTP_STATUS[kind] for kind in type(error).__mro__ if kind in HTTP_STATUS)


def install(app: FastAPI) -> None:
    """Make every error of an app a problem document."""

    @app.exception_handler(Problem)
    async def on_problem(_: Request, error: Problem) -> Response:
        return error.reply()

    @app.exception_handler(ScanError)
    async def on_scan_error(_: Request, error: ScanError) -> Response:
        return Problem(status_of(error), error.code, str(error)).reply()

    @app.exception_handler(OSError)
    async def on_os_error(_: Request, error: OSError) -> Response:
        if error.errno not in _FULL:
            raise error
        detail = "the disk is full; delete old rounds, then empty the trash"
        return Problem(507, "disk_full", detail).reply()

    @app.exception_handler(RequestValidationError)
    async def on_invalid(_: Request, error: RequestValidationError) -> Response:
        if any(item["loc"][0] == "path" for item in error.errors()):  # no id has that form
            return Problem(404, "not_found", "there is nothing at this address").reply()
        found = [
            {"place": ".".join(str(part) for part in item["loc"]), "message": item["msg"]}
            for item in error.errors()[:20]
        ]
        first = f"{found[0]['place']}: {found[0]['message']}" if found else "not understood"
        return Problem(422, "request_invalid", first).reply(errors=found)

    @app.exception_handler(HTTPException)
    async def on_http(_: Request, error: HTTPException) -> Response:
        codes = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}
        code = codes.get(error.status_code, "request_invalid")
        headers = dict(error.headers or {})
        return Problem(error.status_code, code, str(error.detail), headers=headers).reply()
