"""What the routes share: ids, the problems that they may answer with, pictures as replies."""

from collections.abc import AsyncIterator, Callable, Sequence
from copy import deepcopy
from functools import partialmethod
from pathlib import Path as FilePath
from typing import Annotated, Any, Protocol, TypeAlias, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from fastapi import APIRouter, Depends, Path, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import BaseRoute

from vision.apps.server.description import PROBLEM_FORM
from vision.apps.server.rounds.pictures import Picture
from vision.apps.server.services import Services
from vision.apps.server.storage import Scan
from vision.showing.qr_code import to_svg

__all__ = [
    "EVENTS",
    "MEDIA",
    "NOTHING",
    "EveningId",
    "House",
    "Json",
    "Kind",
    "PartyId",
    "PhotoNumber",
    "Router",
    "ScanId",
    "SeatToken",
    "ShareToken",
    "attached",
    "code_reply",
    "events_reply",
    "lasting_reply",
    "outside",
    "page_of",
    "picture_reply",
    "round_told",
    "sends",
    "tells",
]

Json = dict[str, Any]
#: What a route answers with, by status, as FastAPI takes it.
Replies: TypeAlias = dict[int | str, Json]
Statuses: TypeAlias = tuple[int, ...]
#: With which most routes may refuse.
_USUAL = (400, 401, 404, 409, 422, 503)
Route = TypeVar("Route", bound=Callable[..., Any])


def _name_of(route: APIRoute) -> str:
    """Return what clients call a route: the function's name, which no other route has."""
    return route.name


class Keep(Protocol):
    """Makes a route of a function, which stays what it is."""

    def __call__(self, route: Route, /) -> Route: ...


class Router:
    """Routes under one address and tag, which clients call by the names of their functions.

    Of each is said what it is for (``summary``), its ``reply`` (a form, or several by status, the
    usual one first), and with which statuses it ``refuses``, besides those with which all of them
    do. ``more`` goes to FastAPI.
    """

    def __init__(self, prefix: str = "", tag: str = "", *, refuses: Statuses = _USUAL) -> None:
        self._made = APIRouter(
            prefix=prefix,
            tags=[tag] if tag else None,
            responses=problems(*refuses),
            generate_unique_id_function=_name_of,
        )

    @property
    def routes(self) -> list[BaseRoute]:
        """All routes, for an app."""
        return self._made.routes

    def _route(
        self,
        way: str,
        path: str,
        summary: str | None = None,
        reply: type[BaseModel] | Replies | None = None,
        *,
        refuses: Statuses = (),
        **more: Any,
    ) -> Keep:
        told = tells(reply) if isinstance(reply, type) else reply or {200: {}}
        return self._made.api_route(
            path,
            methods=[way],
            summary=summary,
            status_code=int(next(iter(told))),
            responses=told | problems(*refuses),
            **more,
        )

    get: partialmethod[Keep] = partialmethod(_route, "GET")
    post: partialmethod[Keep] = partialmethod(_route, "POST")
    put: partialmethod[Keep] = partialmethod(_route, "PUT")
    patch: partialmethod[Keep] = partialmethod(_route, "PATCH")
    delete: partialmethod[Keep] = partialmethod(_route, "DELETE")


ScanId = Annotated[str, Path(pattern="^[0-9a-f]{20}$", description="The id of a round.")]
EveningId = Annotated[str, Path(pattern="^[0-9a-f]{20}$")]
ShareToken = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{16,40}$")]
SeatToken = Annotated[
    str, Path(pattern="^[A-Za-z0-9_-]{16,40}$", description="Of the address that a player joined.")
]
PartyId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,60}$", description="Who orders.")]
PhotoNumber = Annotated[int, Path(ge=0, le=99, description="0: the one that is drawn on.")]
Kind = Annotated[
    str, Path(pattern=r"^(png|jpg|webp|svg|replay\.(webp|gif|mp4))$", examples=["png"])
]

MEDIA = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "webp": "image/webp",
    "svg": "image/svg+xml",
    "gif": "image/gif",
    "mp4": "video/mp4",
}
#: What routes answer with that have nothing to tell.
NOTHING: Replies = {204: {}}
#: What routes answer with that tell events as they come.
EVENTS: Replies = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}
_WORDS = {
    400: "Cut off",
    401: "No token",
    403: "Not yours",
    404: "Not there",
    408: "Too slow",
    409: "Changed in the meantime, or not possible now",
    410: "No longer there",
    413: "Too large",
    415: "No picture",
    422: "Not understood, or without a result",
    429: "Too many",
    503: "Too much to do, or files of the round are missing",
    507: "No room",
}
_SANDBOX = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:; sandbox"
}


class _Begun(Protocol):
    """What is listed by the time when it began."""

    @property
    def created(self) -> float: ...


Begun = TypeVar("Begun", bound=_Begun)


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


#: The rooms of the server, for a route.
House: TypeAlias = Annotated[Services, Depends(_services)]


def problems(*statuses: int) -> Replies:
    """Describe the problem documents that routes may answer with.

    The framework would build a form for each status of each route: a quarter of a server's start.
    """
    told = {"application/problem+json": {"schema": {"$ref": PROBLEM_FORM}}}
    return {
        status: {"description": _WORDS[status], "content": deepcopy(told)} for status in statuses
    }


def tells(reply: type[BaseModel], status: int = 200, *, description: str = "") -> Replies:
    """Describe what a route answers with: a form, with a status."""
    return {status: {"model": reply, **({"description": description} if description else {})}}


def sends(*kinds: str) -> Replies:
    """Describe that a route answers with a file of one of these kinds."""
    return {200: {"content": {kind: {} for kind in kinds}}}


def page_of(
    limit: int,
    newest: Callable[[int], Sequence[Begun]],
    address: str,
    **asked: str | None,
) -> tuple[Sequence[Begun], str | None]:
    """Return a part of a list, the newest first, and the address of the next part.

    Parameters
    ----------
    limit : int
        How many it has at most.
    newest : callable
        Takes how many, and returns as many of the newest, of which there may be fewer.
    address : str
        Of the list; ``asked`` are the parameters that it was asked with.
    """
    found = newest(limit + 1)
    if len(found) <= limit:
        return found, None
    kept = found[:limit]
    words = {k: v for k, v in asked.items() if v is not None}
    return kept, f"{address}?{urlencode({**words, 'limit': limit, 'before': kept[-1].created})}"


def round_told(house: Services, scan: Scan) -> Json:
    """Return a round as every reply has it."""
    (told,) = house.rounds.listed([scan], house.settings.scans_listed)
    return told


def events_reply(events: AsyncIterator[str]) -> Response:
    """Reply with server-sent events as they come; nobody on the way keeps them back."""
    return StreamingResponse(
        events,
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def outside(house: Services, request: Request) -> str:
    """Return what the addresses of this server begin with for others: ``http://host:port``."""
    where = urlsplit(house.addresses[0] if house.addresses else str(request.base_url))
    return f"{where.scheme}://{where.netloc}"


def code_reply(address: str) -> Response:
    """Reply with an address as a QR code (SVG)."""
    return Response(to_svg(address), media_type="image/svg+xml")


def picture_reply(picture: Picture, kind: str) -> Response:
    """Return a picture of a round, which may change."""
    suffix = kind.rpartition(".")[2]
    name = "round-replay" if kind.startswith("replay") else "round"
    return _reply(picture, suffix, f"{name}.{suffix}", "private, no-cache")


def attached(file: str) -> dict[str, str]:
    """Return the header of a file that is saved under a name of any script.

    References
    ----------
    .. [1] RFC 6266, section 4.3: ``filename*`` in UTF-8, percent-encoded.
    """
    named = f'filename="{file}"' if file.isascii() else f"filename*=UTF-8''{quote(file, safe='')}"
    return {"Content-Disposition": f"attachment; {named}"}


def lasting_reply(picture: Picture, name: str) -> Response:
    """Return a picture that never changes."""
    lasting = "private, max-age=31536000, immutable"
    return _reply(picture, name.rpartition(".")[2], name, lasting)


def _reply(picture: Picture, suffix: str, name: str, caching: str) -> Response:
    headers = {
        "ETag": f'"{picture.mark}"',
        "Cache-Control": caching,
        "Content-Disposition": f'inline; filename="{name}"',
        **_SANDBOX,
    }
    if isinstance(picture.source, FilePath):
        return FileResponse(picture.source, media_type=MEDIA[suffix], headers=headers)
    return Response(picture.source, media_type=MEDIA[suffix], headers=headers)
