"""Rounds out: what the page shows, the files of the contract, pictures."""

from typing import Annotated

import anyio.to_thread
from fastapi import Path, Query
from starlette.responses import FileResponse, Response

from vision.apps.server.replies.rounds import DocumentReply, RoundReply, ViewReply
from vision.apps.server.rounds.reported import report_of
from vision.apps.server.routes.models import ReportQuery
from vision.apps.server.routes.parts import (
    MEDIA,
    PHOTO,
    House,
    Json,
    Kind,
    PhotoNumber,
    Router,
    ScanId,
    lasting_reply,
    picture_reply,
    problems,
    round_told,
    tells,
)

__all__ = ["router"]

router = Router(
    prefix="/api/v1/scans/{scan_id}",
    tags=["results"],
    responses=problems(400, 401, 404, 409, 422, 503),
)


@router.get("/round", summary="Everything the page shows", responses=tells(ViewReply))
def get_round(house: House, scan_id: ScanId) -> Json:
    """Return the round in the pixels of the photo: cards, shots, steps, score over time."""
    return house.desk.view(house.desk.scan(scan_id))


@router.get("/{document}.json", summary="scan, table or resolution", responses=tells(DocumentReply))
def get_document(
    house: House,
    scan_id: ScanId,
    document: Annotated[str, Path(pattern="^(scan|table|resolution)$")],
) -> Json:
    """Return a file of the contract, with all corrections in it."""
    return house.desk.document(house.desk.scan(scan_id), document)


@router.get(
    "/photo.jpg",
    summary="The upright photo, without metadata",
    response_class=FileResponse,
    responses=PHOTO,
)
def get_photo(house: House, scan_id: ScanId) -> Response:
    """Return the picture that the page shows."""
    return lasting_reply(house.pictures.photo(house.desk.scan(scan_id)), "table.jpg")


@router.get(
    "/photos/{number}.jpg",
    summary="One of several photos",
    response_class=FileResponse,
    responses=PHOTO,
)
def get_one_photo(house: House, scan_id: ScanId, number: PhotoNumber) -> Response:
    """Return an upright photo: 0 is the one that is drawn on, the others follow."""
    picture = house.pictures.photo(house.desk.scan(scan_id), number)
    return lasting_reply(picture, f"table-{number}.jpg")


@router.get(
    "/thumb.jpg", summary="The photo in small", response_class=FileResponse, responses=PHOTO
)
async def get_thumb(house: House, scan_id: ScanId) -> Response:
    """Return the picture for lists."""
    scan = await anyio.to_thread.run_sync(house.desk.scan, scan_id)
    return lasting_reply(await house.pictures.thumb(scan), "table-small.jpg")


@router.get(
    "/picture.{kind}",
    summary="The annotated picture, or the replay",
    response_class=FileResponse,
    responses={200: {"content": {media: {} for media in MEDIA.values()}}},
)
async def get_picture(house: House, scan_id: ScanId, kind: Kind) -> Response:
    """Return png, jpg, webp or svg; ``replay.webp``, ``replay.gif`` and ``replay.mp4`` move.

    MP4 where the extra ``video`` is installed, else 406.
    """
    scan = await anyio.to_thread.run_sync(house.desk.scan, scan_id)
    return picture_reply(await house.pictures.of_round(scan, kind), kind)


@router.get(
    "/next.png",
    summary="What is to be set up for the next round, from above",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def get_next_picture(house: House, scan_id: ScanId) -> Response:
    """Return the position after the round; 409 if the game is over."""
    content = house.afresh.picture_of_next(house.desk.scan(scan_id))
    return Response(content, media_type="image/png", headers={"Cache-Control": "private, no-cache"})


@router.post(
    "/next", status_code=201, summary="Play on without a photo", responses=tells(RoundReply, 201)
)
def go_on(house: House, scan_id: ScanId) -> Json:
    """Make a round of the position after this one, drawn from above; 409 if the game is over."""
    house.intake.check_room()
    following = house.afresh.go_on(house.desk.scan(scan_id))
    return round_told(house, house.desk.scan(following))


@router.get(
    "/report.zip",
    summary="This is wrong: the round in one file",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}}},
)
def get_report(house: House, scan_id: ScanId, asked: Annotated[ReportQuery, Query()]) -> Response:
    """Pack photos, scan, corrections and version for a bug report; ``sightline scan`` opens it.

    Photos go without metadata: as they are, the first with all beside the table left out, or none.
    """
    scan = house.desk.scan(scan_id)
    content = report_of(house.storage, house.rounds, scan, asked.photo, asked.note)
    name = f"sightline-report-{scan.id[:8]}.zip"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "private, no-store",
    }
    return Response(content, media_type="application/zip", headers=headers)
