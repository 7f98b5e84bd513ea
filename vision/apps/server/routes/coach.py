"""After a round: what would have been better."""

from vision.apps.server.replies.coach import AdviceReply, EveningAdviceReply, HeatReply
from vision.apps.server.rounds.coached import coached, coached_evening, mapped
from vision.apps.server.routes.parts import (
    EveningId,
    House,
    Json,
    PartyId,
    Router,
    ScanId,
    problems,
    tells,
)

__all__ = ["router"]

router = Router(
    prefix="/api/v1",
    tags=["orders"],
    responses=problems(400, 401, 404, 409, 422, 503),
)


@router.get(
    "/scans/{scan_id}/coach", summary="What would have been better", responses=tells(AdviceReply)
)
def get_coach(house: House, scan_id: ScanId) -> Json:
    """Return advice for each side in the order to read it; 409 until all have ordered."""
    return coached(house.rounds.get(house.desk.scan(scan_id)))


@router.get(
    "/scans/{scan_id}/coach/{piece}",
    summary="Where a piece would have scored best",
    responses=tells(HeatReply),
)
def get_heat(house: House, scan_id: ScanId, piece: PartyId) -> Json:
    """Return what the places of the table would have been worth to a piece, those that gain."""
    return mapped(house.rounds.get(house.desk.scan(scan_id)), piece)


@router.get(
    "/evenings/{evening_id}/coach",
    summary="What would have helped most in an evening",
    responses=tells(EveningAdviceReply),
)
def get_evening_coach(house: House, evening_id: EveningId) -> Json:
    """Return for each side the three things that were worth most, with their rounds.

    Asked for the first time it plays every round, up to three seconds each.
    """
    evening = house.desk.evening(evening_id)
    numbered = house.desk.numbered(evening.id, house.settings.scans_listed)
    counted = [(one, number) for one, _, number in numbered if number is not None]
    done = [(one, number) for one, number in counted if one.state == "done"]
    return coached_evening([(one.id, n, house.rounds.get(one)) for one, n in done])
