"""Links: made, listed, ended; and what a link shows without the token of the server."""

import time
from typing import Annotated

import anyio.to_thread
from fastapi import Body
from starlette.responses import FileResponse, Response

from vision.apps.server.problems import Problem
from vision.apps.server.replies.evenings import LinkReply, LinksReply
from vision.apps.server.replies.rounds import ViewReply
from vision.apps.server.routes.models import ShareBody
from vision.apps.server.routes.parts import (
    MEDIA,
    PHOTO,
    House,
    Json,
    Kind,
    Router,
    ScanId,
    ShareToken,
    lasting_reply,
    picture_reply,
    problems,
    tells,
)
from vision.apps.server.storage import Share
from vision.apps.server.times import dated

__all__ = ["router"]

router = Router(
    prefix="/api/v1",
    tags=["links"],
    responses=problems(400, 401, 404, 409, 422, 503),
)
_A_MONTH = ShareBody()


def _plain(share: Share) -> Json:
    return {
        "token": share.token,
        "url": f"/s/{share.token}",
        **dated(created=share.created, expires=share.expires),
    }


@router.post(
    "/scans/{scan_id}/shares",
    status_code=201,
    summary="Make a link to a round",
    responses=tells(LinkReply, 201),
)
def make_share(
    house: House, scan_id: ScanId, body: Annotated[ShareBody, Body()] = _A_MONTH
) -> Json:
    """Make a link that shows the round to who has it, without the token of the server.

    Where one was made for as many days that has nearly all of them left, it is that one.
    """
    return _plain(house.desk.share(scan_id, body.days))


@router.get("/scans/{scan_id}/shares", summary="The links to a round", responses=tells(LinksReply))
def list_shares(house: House, scan_id: ScanId) -> Json:
    """Return those that hold."""
    found = house.storage.records.shares.list(house.desk.scan(scan_id).id, time.time())
    return {"shares": [_plain(share) for share in found]}


@router.delete("/shares/{token}", status_code=204, summary="End a link")
def end_share(house: House, token: ShareToken) -> Response:
    """End it at once."""
    if not house.storage.records.shares.end(token):
        raise Problem(404, "not_found", "there is no such link")
    return Response(status_code=204)


@router.get(
    "/shared/{token}/round", summary="The round that a link leads to", responses=tells(ViewReply)
)
def shared_round(house: House, token: ShareToken) -> Json:
    """Return it to be looked at, not to be changed."""
    return house.desk.looked_at(house.desk.shared(token))


@router.get(
    "/shared/{token}/photo.jpg", response_class=FileResponse, responses=PHOTO, summary="Its photo"
)
def shared_photo(house: House, token: ShareToken) -> Response:
    """Return the picture that the page shows."""
    return lasting_reply(house.pictures.photo(house.desk.shared(token)), "table.jpg")


@router.get(
    "/shared/{token}/picture.{kind}",
    response_class=FileResponse,
    summary="Its pictures",
    responses={200: {"content": {media: {} for media in MEDIA.values()}}},
)
async def shared_picture(house: House, token: ShareToken, kind: Kind) -> Response:
    """Return the annotated picture, or the replay."""
    scan = await anyio.to_thread.run_sync(house.desk.shared, token)
    return picture_reply(await house.pictures.of_round(scan, kind), kind)
