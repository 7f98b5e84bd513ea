"""Cards in play on the live table: told as they change, and kept as ordinary rounds."""

from tests.apps.live_help import Producer
from tests.apps.test_live import told, until
from tests.apps.web_help import client_of
from tests.games.conflit_stellaire.test_watch import shown

STEP_S = 0.4


def test_cards_and_sheets_are_followed_and_are_rounds(tmp_path):
    with client_of(tmp_path, live_games=1) as client:
        offers = {one["game"]: one for one in client.get("/api/v1/games").json()["games"]}
        assert offers["conflit-stellaire"]["followed"] is True
        producer = Producer(client, game="conflit-stellaire", name="Friday")
        frames = [shown("laser")] * 5 + [shown("laser", "fired")] * 5
        for k, frame in enumerate(frames):
            reply = producer.send(frame, k * STEP_S)
            assert reply.status_code == 200, reply.text
        events = [one for one in told(client, producer.place) if one["code"] == "piece_moved"]
        assert [event["message"] for event in events] == ["A engages Twin laser"]
        assert producer.post("stop").status_code == 200
        producer.send(frames[-1], len(frames) * STEP_S)
        kept = until(lambda: producer.state()["rounds"])[0]
        table = client.get(f"/api/v1/scans/{kept['scan']}/table.json").json()
        assert [card["card"] for card in table["cards"] if card.get("engaged")] == ["twin-laser"]
        view = client.get(f"/api/v1/scans/{kept['scan']}/round").json()
        assert (view["game"], view["name"]) == ("conflit-stellaire", "Friday")
