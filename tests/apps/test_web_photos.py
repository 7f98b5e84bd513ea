"""A table that is spread over photos, over HTTP: sent at once, added later, taken away again."""

import itertools
import json

from fastapi.testclient import TestClient

from tests.apps.spread_reader import spread
from tests.apps.web_help import picture

GAME = "asteroyds-capture"
RED, WHITE = b"line plan red 1 F L", b"line plan white 1 F"
DICE = b"line dice red 3 white 5"
_seeds = itertools.count(900)


SERVER = {"read": spread, "reveal_seconds": 1e6}


def photo(shows: bytes) -> bytes:
    """Return a photo of its own that shows so much."""
    return picture(seed=next(_seeds), kind="PNG", tail=b"[" + shows + b"]")  # a JPEG loses it


def form(*photos: bytes):
    return [("photo", ("photo.jpg", one, "image/jpeg")) for one in photos]


def send(client: TestClient, *photos: bytes, status: int = 200, **query: object):
    params = {"wait": 20, "game": GAME, **query}
    reply = client.post("/api/v1/scans", params=params, files=form(*photos))
    assert reply.status_code == status, reply.text
    return reply.json()


def add(client: TestClient, scan: str, *photos: bytes, status: int = 200):
    path = f"/api/v1/scans/{scan}/photos"
    reply = client.post(path, params={"wait": 20}, files=form(*photos))
    assert reply.status_code == status, reply.text
    return reply.json()


def get(client: TestClient, path: str):
    reply = client.get(f"/api/v1{path}")
    assert reply.status_code == 200, reply.text
    return reply.json()


def edit(client: TestClient, scan: str, **change: object):
    reply = client.post(f"/api/v1/scans/{scan}/edits", json={"change": change})
    assert reply.status_code == 200, reply.text
    return reply.json()


def programs(client: TestClient, scan: str):
    return get(client, f"/scans/{scan}/table.json").get("programs", {})


def wanted(view) -> list[str]:
    return [said["en"] for said in view["photos"]["wanted"]]


def size(client: TestClient, path: str) -> int:
    reply = client.get(f"/api/v1{path}")
    assert reply.status_code == 200
    return len(reply.content)


def test_photos_that_come_at_once_are_one_round_drawn_on_the_board(client):
    sheet, board = photo(RED), photo(b"board 1v1")
    scan = send(client, sheet, board)["id"]
    view = get(client, f"/scans/{scan}/round")
    assert programs(client, scan)["red-1"]["columns"][:2] == ["forward", "left"]
    assert len(view["photos"]["of"]) == 2
    assert view["photos"]["of"][0] == view["photo"]["of"]
    assert wanted(view) == ["the sheet of red 2, white 1 and white 2", "the dice"]
    first, second = (size(client, f"/scans/{scan}/photos/{n}.jpg") for n in (0, 1))
    assert first == size(client, f"/scans/{scan}/photo.jpg") != second
    assert client.get(f"/api/v1/scans/{scan}/photos/2.jpg").status_code == 404
    assert client.get(f"/api/v1/scans/{scan}/picture.png").status_code == 200


def test_what_was_said_by_hand_stays_when_a_photo_comes(client):
    scan = send(client, photo(b"board 2v2"))["id"]
    edit(client, scan, kind="scores", scores={"red": 2})
    edit(client, scan, kind="dice", dice={"red": 6})
    before = edit(client, scan, kind="program", ship="red-1", program="X")
    add(client, scan, photo(DICE), photo(WHITE), photo(RED))
    view = get(client, f"/scans/{scan}/round")
    table = get(client, f"/scans/{scan}/table.json")
    assert (table["scores"]["red"], table["dice"]) == (2, {"red": 6, "white": 5})
    assert programs(client, scan)["red-1"]["columns"][0] == "fire"
    assert programs(client, scan)["white-1"]["columns"][0] == "forward"
    assert wanted(view) == ["the sheet of red 2 and white 2"]
    assert (view["revision"], view["can_undo"]) == (before["revision"], True)
    reply = client.post(f"/api/v1/scans/{scan}/undo")
    assert reply.status_code == 200
    assert programs(client, scan)["red-1"]["columns"][0] == "forward"  # what the sheet shows


def test_a_correction_that_fits_no_more_is_told_and_the_round_stands(client):
    scan = send(client, photo(b"board 3v3"))["id"]
    edit(client, scan, kind="program", ship="red-3", program="X")
    edit(client, scan, kind="scores", scores={"red": 1})
    add(client, scan, photo(b"board 2v2"))
    view = get(client, f"/scans/{scan}/round")
    lost = [issue for issue in view["issues"] if issue["code"] == "correction_lost"]
    assert len(lost) == 1
    assert "red-3" in lost[0]["message"]
    assert (lost[0]["severity"], view["headline"]["open"]) == ("doubt", True)
    assert get(client, f"/scans/{scan}/table.json")["scores"]["red"] == 1


def test_a_photo_of_which_nothing_comes_leaves_the_round_as_it_was(client):
    scan = send(client, photo(b"board 1v1"), photo(RED))["id"]
    before = get(client, f"/scans/{scan}/round")
    state = add(client, scan, photo(b"near"))
    assert (state["state"], state["error"]["code"]) == ("done", "table_not_found")
    view = get(client, f"/scans/{scan}/round")
    assert view["ledger"] == before["ledger"]
    assert view["photos"]["error"]["detail"] == "found a board that cannot be laid"
    assert view["photos"]["of"] == before["photos"]["of"]
    state = add(client, scan, photo(WHITE))
    assert state["error"] is None
    assert set(programs(client, scan)) == {"red-1", "white-1"}


def test_what_shows_nothing_is_not_read_again_and_not_shown(client):
    blank, board = photo(b"blank"), photo(b"board 1v1")
    scan = send(client, board, blank)["id"]
    assert len(get(client, f"/scans/{scan}/round")["photos"]["of"]) == 1
    records = client.app.state.services.storage.records
    read = records.scans.find(scan).readings
    add(client, scan, blank, board)
    assert records.scans.find(scan).readings == read
    add(client, scan, photo(RED))
    assert records.scans.find(scan).readings == read + 1


def test_a_turn_that_is_not_whole_has_a_line_for_each_thing_that_is_missing(client):
    """A die and a programme, as the page shows them; with them the doubts are gone."""
    said = {
        "die_missing": "the white die is missing; what it controls neither fires nor moves: "
        "enter it",
        "program_missing": "there is no programme for red 2, white 1 and white 2; give one",
    }
    options = {
        "die_missing": ", for example --dice white=3",
        "program_missing": ', for example --plan "red 1 F L X"',
    }
    scan = send(client, photo(b"board 2v2"), photo(RED), photo(b"line dice red 3"))["id"]
    issues = {one["code"]: one for one in get(client, f"/scans/{scan}/round")["issues"]}
    plain = {code: one["words"]["en"].replace("\xa0", " ") for code, one in issues.items()}
    assert plain == said  # by hand: the page knows no options of a command
    full = {code: one["message"].replace("\xa0", " ") for code, one in issues.items()}
    assert full == {code: said[code] + options[code] for code in said}
    assert {one["severity"] for one in issues.values()} == {"doubt"}
    edit(client, scan, kind="dice", dice={"white": 5})
    for ship in ("red-2", "white-1", "white-2"):
        edit(client, scan, kind="program", ship=ship, program="F")
    view = get(client, f"/scans/{scan}/round")
    assert [one["code"] for one in view["issues"] if one["severity"] == "doubt"] == []


def test_what_the_reading_doubts_is_told_in_both_languages(client):
    scan = send(client, photo(b"board 2v2"), photo(b"unnamed"))["id"]
    issues = get(client, f"/scans/{scan}/round")["issues"]
    (doubt,) = (one for one in issues if one["code"] == "sheet_unnamed")
    assert doubt["at_px"] == [40.0, 60.0]  # the page shows it: words need not say where it is
    assert doubt["words"]["en"] == doubt["message"].replace(" at 40, 60 in the photo", "")
    assert "40, 60" in doubt["message"]
    assert "40, 60" not in doubt["words"]["fr"]
    assert doubt["words"]["fr"] != doubt["words"]["en"]
    document = get(client, f"/scans/{scan}/scan.json")
    assert all("said" not in one for one in document["issues"])  # that is the server's own


def test_a_sheet_alone_fails_and_the_board_added_makes_the_round(client):
    state = send(client, photo(RED), photo(WHITE))
    assert (state["state"], state["error"]["code"]) == ("failed", "table_not_found")
    state = add(client, state["id"], photo(b"board 1v1"))
    assert state["state"] == "done"
    assert set(programs(client, state["id"])) == {"red-1", "white-1"}


def test_a_photo_is_taken_away_again(client):
    scan = send(client, photo(b"board 1v1"), photo(RED), photo(WHITE))["id"]
    path = f"/api/v1/scans/{scan}/photos"
    reply = client.delete(f"{path}/1", params={"wait": 20})
    assert (reply.status_code, reply.json()["state"]) == (200, "done")
    assert set(programs(client, scan)) == {"white-1"}
    assert client.delete(f"{path}/2").status_code == 404
    assert client.delete(f"{path}/0").status_code == 409


def test_no_more_photos_are_taken_than_a_table_has(client):
    board = photo(b"board 1v1")
    reply = send(client, board, photo(RED), game="laser-shield", status=422)
    assert (reply["code"], "one photo" in reply["detail"]) == ("too_many_photos", True)
    send(client, board, *[photo(RED) for _ in range(12)], status=422)
    scan = send(client, board, *[photo(RED) for _ in range(11)])["id"]
    reply = add(client, scan, photo(WHITE), status=422)
    assert (reply["code"], "at most 12 photos" in reply["detail"]) == ("too_many_photos", True)


def test_a_retry_with_its_key_gives_the_same_round(client):
    photos = photo(b"board 1v1"), photo(RED), photo(b"blank")
    path, headers = "/api/v1/scans", {"Idempotency-Key": "spread"}
    ask = {"params": {"wait": 20, "game": GAME}, "headers": headers}
    first, again = (client.post(path, files=form(*photos), **ask) for _ in range(2))
    assert first.json()["id"] == again.json()["id"]
    other = client.post(path, files=form(photo(b"board 1v1")), **ask)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")


def test_a_round_that_was_typed_takes_no_photo(client):
    text = "game asteroyds-capture\nlayout 1v1\n"
    scan = client.post("/api/v1/tables", content=text).json()["id"]
    assert add(client, scan, photo(RED), status=409)["code"] == "no_photo"
    assert get(client, f"/scans/{scan}/round")["photos"] is None


def test_the_score_comes_over_once_however_often_it_is_read(client):
    evening = client.post("/api/v1/evenings", json={"name": "Friday"}).json()["id"]
    first = send(client, photo(b"board 1v1"), photo(RED), evening=evening)["id"]
    edit(client, first, kind="scores", scores={"red": 1})
    second = send(client, photo(b"board 1v1"), evening=evening)["id"]
    for shows in (RED, WHITE):
        add(client, second, photo(shows))
    log = get(client, f"/scans/{second}/edits")["edits"]
    assert [one["kind"] for one in log] == ["carry"]
    assert get(client, f"/scans/{second}/table.json")["scores"]["red"] == 1


def test_phones_and_links_see_one_photo_alone(client):
    scan = send(client, photo(b"board 1v1"), photo(RED))["id"]
    sitting = client.post(f"/api/v1/scans/{scan}/sitting").json()
    names = [party["id"] for party in sitting["parties"]]
    assert "red-1" not in names  # its sheet is in the photo
    seat = sitting["parties"][0]["join"].rpartition("/")[2]
    told = client.get(f"/api/v1/seats/{seat}/round")
    assert (told.status_code, told.json()["photos"]) == (200, None)
    assert client.get(f"/api/v1/seats/{seat}/photos/1.jpg").status_code == 404
    link = client.post(f"/api/v1/scans/{scan}/shares").json()
    assert get(client, f"/shared/{link['token']}/round")["photos"] is None


def test_a_sheet_that_is_added_while_phones_order_counts_for_who_seals_nothing(client):
    scan = send(client, photo(b"board 2v2"))["id"]
    sitting = client.post(f"/api/v1/scans/{scan}/sitting", json={"seconds": 60}).json()
    tokens = {one["id"]: one["join"].rpartition("/")[2] for one in sitting["parties"]}
    keys = {
        ship: client.post(f"/api/v1/seats/{tokens[ship]}/join").json()["phone"]
        for ship in ("red-1", "white-1")
    }
    client.post(f"/api/v1/sittings/{sitting['id']}/start")
    add(client, scan, photo(RED), photo(b"line plan red 2 U"))
    path, headers = f"/api/v1/seats/{tokens['white-1']}/order", {"X-Phone": keys["white-1"]}
    reply = client.put(path, json={"order": "X"}, headers=headers)
    assert reply.status_code == 200, reply.text
    assert reply.json()["state"] == "open"
    services = client.app.state.services
    now = services.orders.clock()
    services.orders.clock = lambda: now + 1000
    assert services.orders.reveal_due()
    read = programs(client, scan)
    assert {ship: one["columns"][0] for ship, one in read.items()} == {
        "red-1": "forward",  # joined, sealed nothing: his sheet counts
        "red-2": "back",  # nobody came: her sheet counts
        "white-1": "fire",
    }
    view = get(client, f"/scans/{scan}/round")
    assert wanted(view) == ["the sheet of white 2", "the dice"]  # nobody came, no sheet: unknown


def test_who_orders_on_paper_is_not_waited_for(client):
    scan = send(client, photo(b"board 2v2"), photo(RED), photo(b"line plan red 2 U"))["id"]
    sitting = client.post(f"/api/v1/scans/{scan}/sitting", json={"seconds": 60}).json()
    tokens = {one["id"]: one["join"].rpartition("/")[2] for one in sitting["parties"]}
    assert set(tokens) == {"white-1", "white-2"}
    phone = client.post(f"/api/v1/seats/{tokens['white-2']}/join").json()["phone"]
    client.post(f"/api/v1/sittings/{sitting['id']}/start")
    order = {"json": {"order": "F"}, "headers": {"X-Phone": phone}}
    view = client.get(f"/api/v1/scans/{scan}/round").text
    assert '"F L"' not in view  # what lies there on paper is not told on the table's screen
    assert [one["order"] for one in json.loads(view)["orders"]] == [None] * 4
    reply = client.put(f"/api/v1/seats/{tokens['white-2']}/order", **order)
    assert reply.json()["state"] == "open"
    add(client, scan, photo(WHITE))
    state = get(client, f"/scans/{scan}/sitting")["sitting"]["state"]
    assert state == "over"  # white 1 lies there on paper: all are in
    assert set(programs(client, scan)) == {"red-1", "red-2", "white-1", "white-2"}
    view = get(client, f"/scans/{scan}/round")
    assert [one["order"] for one in view["orders"]] == ["F L", "U", "F", "F"]


def test_the_description_tells_of_several_photos(client):
    paths = get(client, "/openapi.json")["paths"]
    assert {"post"} == set(paths["/api/v1/scans/{scan_id}/photos"])
    body = paths["/api/v1/scans"]["post"]["requestBody"]["content"]["multipart/form-data"]
    assert body["schema"]["properties"]["photo"]["type"] == "array"
    assert json.dumps(paths["/api/v1/scans/{scan_id}/photos/{number}"])
