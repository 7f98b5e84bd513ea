"""After a round: what would have been better."""

from fastapi import APIRouter

from vision.apps.server.replies.orders import AdviceReply
from vision.apps.server.rounds.coached import coached
from vision.apps.server.routes.parts import House, Json, ScanId, problems, tells

__all__ = ["router"]

router = APIRouter(
    prefix="/api/v1/scans/{scan_id}/coach",
    tags=["orders"],
    responses=problems(400, 401, 404, 409, 422),
)


@router.get("", summary="What would have been better", responses=tells(AdviceReply))
def get_coach(house: House, scan_id: ScanId) -> Json:
    """Return advice for each side in the order to read it; 409 until all have ordered."""
    return coached(house.rounds.get(house.desk.scan(scan_id)))
