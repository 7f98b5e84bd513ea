"""A board on the live table: positions told as they change, and kept as ordinary rounds."""

from tests.apps.live_help import Producer
from tests.apps.test_live import told, until
from tests.games.laser_shield.test_watch import AFTER, BEFORE, shown

STEP_S = 0.4


SERVER = {"live_games": 1}


def test_a_board_is_followed_and_its_positions_are_rounds(client):
    offers = {one["game"]: one for one in client.get("/api/v1/games").json()["games"]}
    assert offers["laser-shield"]["followed"] is True
    producer = Producer(client, game="laser-shield", name="Friday")
    frames = [shown(BEFORE)] * 4 + [shown(AFTER, (0.0, 40.0))] + [shown(AFTER)] * 5
    for k, frame in enumerate(frames):
        reply = producer.send(frame, k * STEP_S)
        assert reply.status_code == 200, reply.text
    events = told(client, producer.place)
    moved = [event for event in events if event["code"].startswith("piece_")]
    assert [event["message"] for event in moved] == ["Orange 2 moved c1 -> c2, turned south-east"]
    assert moved[0]["team"] == "orange"
    state = producer.state()
    assert state["watch"]["counts"] == {"orange": 2, "blue": 2}
    assert {card["card"] for card in state["watch"]["cards"]} == {
        "orange-1", "orange-2", "blue-1", "blue-2",
    }  # fmt: skip
    assert producer.post("stop").status_code == 200
    producer.send(frames[-1], len(frames) * STEP_S)
    kept = until(lambda: producer.state()["rounds"])[0]
    view = client.get(f"/api/v1/scans/{kept['scan']}/round").json()
    assert (view["game"], view["name"]) == ("laser-shield", "Friday")
    assert {one["id"] for one in view["orders"]} == {"orange", "blue"}
