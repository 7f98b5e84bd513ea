"""Careers: what rounds leave to their players, evening after evening."""

import time
from functools import partial
from typing import Annotated

from fastapi import Body, Path, Query
from starlette.responses import Response

from vision.apps.known import known_game
from vision.apps.server.problems import Problem
from vision.apps.server.replies.evenings import CareerReply, CareersReply, SeatedReply
from vision.apps.server.rounds.careers import check_careers
from vision.apps.server.routes.models import (
    CareerBody,
    CareerPatch,
    FigureBody,
    PageQuery,
    PointsBody,
    RevisionBody,
    SeatingBody,
)
from vision.apps.server.routes.parts import NOTHING, EveningId, House, Json, Router, page_of, tells
from vision.apps.server.storage import KeptCareer, new_id

__all__ = ["router"]

router = Router("/api/v1", "careers")
CareerId = Annotated[str, Path(pattern="^[0-9a-f]{20}$", description="The id of a career.")]
_ANY_REVISION = RevisionBody()


@router.get("/careers", "The careers, newest first", CareersReply)
def list_careers(house: House, asked: Annotated[PageQuery, Query()]) -> Json:
    """Return each in short: whose it is, points, rank, who serves."""
    found, following = page_of(
        asked.most(house.settings.scans_listed),
        partial(house.storage.records.careers.list, before=asked.before),
        "/api/v1/careers",
    )
    told = house.careers.in_short(found)
    return {"careers": told, "links": {"next": following}}


@router.post("/careers", "Begin a career", tells(CareerReply, 201))
def make_career(house: House, body: CareerBody) -> Json:
    """Return it whole; 409 if the game keeps none."""
    check_careers(known_game(body.game).game)
    career = KeptCareer(new_id(), body.game, body.name, time.time())
    house.storage.records.careers.add(career)
    return house.careers.tell(career.id)


@router.get("/careers/{career_id}", "A career whole", CareerReply)
def get_career(house: House, career_id: CareerId) -> Json:
    """Return its figures, one after another, and what each round left to them."""
    return house.careers.tell(career_id)


@router.patch("/careers/{career_id}", "Name the player", CareerReply)
def rename_career(house: House, career_id: CareerId, body: CareerPatch) -> Json:
    """Return it as it then stands."""
    house.storage.records.careers.rename(house.careers.find(career_id).id, body.name)
    return house.careers.tell(career_id)


@router.delete("/careers/{career_id}", "Delete a career", NOTHING)
def delete_career(house: House, career_id: CareerId) -> Response:
    """Delete it with all that was said of it by hand; rounds stay."""
    house.storage.records.careers.delete(house.careers.find(career_id).id)
    return Response(status_code=204)


@router.post("/careers/{career_id}/points", "Say points by hand", CareerReply)
def say_points(house: House, career_id: CareerId, body: PointsBody) -> Json:
    """From now on it has so many; earlier rounds stay as they were."""
    said = {"points": body.points}
    return house.careers.note(career_id, "points", said, body.revision)


@router.post("/careers/{career_id}/figures", "Name one who serves or served", CareerReply)
def name_figure(house: House, career_id: CareerId, body: FigureBody) -> Json:
    """Return the career as it then stands."""
    said = {"figure": body.figure, "name": body.name}
    return house.careers.note(career_id, "name", said, body.revision)


@router.post("/careers/{career_id}/undo", "Take back what was said by hand", CareerReply)
def undo_career(
    house: House, career_id: CareerId, body: Annotated[RevisionBody, Body()] = _ANY_REVISION
) -> Json:
    """Return the career as it then stands."""
    return house.careers.note(career_id, "undo", {}, body.revision)


@router.post("/careers/{career_id}/redo", "Say it again", CareerReply)
def redo_career(
    house: House, career_id: CareerId, body: Annotated[RevisionBody, Body()] = _ANY_REVISION
) -> Json:
    """Return the career as it then stands."""
    return house.careers.note(career_id, "redo", {}, body.revision)


@router.put("/evenings/{evening_id}/careers", "Seat careers at an evening", SeatedReply)
def seat_careers(house: House, evening_id: EveningId, body: SeatingBody) -> Json:
    """All or none; sides that are not named stay. The evening's rounds count from its first on."""
    evening = house.rounds.evening(evening_id)
    game = known_game(body.game).game
    check_careers(game)
    given = [career for career in body.seats.values() if career is not None]
    if len(set(given)) < len(given):
        raise Problem(409, "seated_twice", "one career at two sides: nobody plays against himself")
    unknown = set(body.seats) - {side.id for side in game.sides}
    if unknown:
        raise Problem(422, "no_side", f"{game.name} has no side {sorted(unknown)[0]!r}")
    if not house.storage.records.careers.seat(evening.id, body.game, body.seats):
        raise Problem(404, "not_found", "there is no such career of this game, or no such evening")
    return {"careers": house.careers.at(evening.id)}
