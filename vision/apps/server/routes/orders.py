"""Orders in the open: what may be tapped next on a round, and what an order says."""

from vision.apps.server.replies.orders import ChoicesReply, OrderReply, SheetReply
from vision.apps.server.rounds.orders import orders_of
from vision.apps.server.routes.models import OpenOrderBody, OpenSoFarBody
from vision.apps.server.routes.parts import House, Json, PartyId, Router, ScanId, problems, tells

__all__ = ["router"]

router = Router(
    prefix="/api/v1/scans/{scan_id}/orders/{party}",
    tags=["orders"],
    responses=problems(400, 401, 404, 409, 422, 503),
)


@router.post("/choices", summary="What may be tapped next", responses=tells(ChoicesReply))
def tell_choices(house: House, scan_id: ScanId, party: PartyId, body: OpenSoFarBody) -> Json:
    """Return the choices after ``so_far``, the ``text`` of the last one; empty at the beginning.

    One taps its ``piece``, or near ``at_px`` on the photo; ``marks`` show it. An order may end with
    a choice that is ``whole``, and go on after one that ``goes_on``. ``heard`` is what the party is
    told of orders whose turn came before, ``given``.
    """
    orders = orders_of(house.rounds.get(house.desk.scan(scan_id))).after(body.given, party)
    return {
        "choices": orders.choices(party, body.so_far, body.lang),
        "heard": orders.heard(party, body.lang),
    }


@router.post(
    "/sheet", summary="The sheet on which an order is filled in", responses=tells(SheetReply)
)
def tell_sheet(house: House, scan_id: ScanId, party: PartyId, body: OpenOrderBody) -> Json:
    """Return its columns, an order filled in (null: as it stands); null where there are none.

    Each column has its ``picks`` and what is ``chosen`` of them, at most ``most``. An order is read
    and given as ``{column: [value, ...]}`` too.
    """
    orders = orders_of(house.rounds.get(house.desk.scan(scan_id))).after(body.given, party)
    return {"sheet": orders.sheet(party, body.order, body.lang)}


@router.post("/read", summary="What an order says", responses=tells(OrderReply))
def read_order(house: House, scan_id: ScanId, party: PartyId, body: OpenOrderBody) -> Json:
    """Read an order without giving it; ``{"kind": "orders"}`` of ``/edits`` gives all of them.

    ``warning`` says why the rules lose it, if they do, and that of a line of ``lines`` why this
    part comes to nothing; ``without`` is the order without the part.
    """
    orders = orders_of(house.rounds.get(house.desk.scan(scan_id))).after(body.given, party)
    return orders.told(party, body.order, body.lang)
