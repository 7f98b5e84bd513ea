"""The game is found, not asked for: likeliest first, another where all is not read well."""

from tests.apps import web_readers
from tests.apps.web_help import client_of, picture, send, until_settled


def sent(client, seed: int, **query: object) -> dict:
    """Send a photo and return its state once it is read or has failed."""
    scan = send(client, picture(seed=seed), wait=0, **query).json()["id"]
    return until_settled(client, scan)


def test_nothing_is_said_and_what_lies_there_is_found(tmp_path):
    with client_of(tmp_path, read=web_readers.finds_a_board) as client:
        evening = client.post("/api/v1/evenings", json={"name": "Friday"}).json()["id"]
        done = sent(client, 1, evening=evening)
        assert (done["deck"], done["game"]) == ("laser-shield", "laser-shield")
        # what is said is not doubted
        said = sent(client, 2, evening=evening, deck="light-speed")
        assert (said["state"], said["error"]["code"]) == ("failed", "table_not_found")


def test_what_an_evening_plays_is_the_likeliest_not_the_only_one(tmp_path):
    with client_of(tmp_path, read=web_readers.finds_a_board) as client:
        evening = client.post("/api/v1/evenings", json={"deck": "light-speed"}).json()["id"]
        done = sent(client, 3, evening=evening)
        assert done["game"] == "laser-shield"


def test_a_photo_that_could_not_be_read_is_read_as_another_game(tmp_path):
    with client_of(tmp_path, read=web_readers.finds_a_board) as client:
        failed = sent(client, 4, game="conflit-stellaire")
        path = f"/api/v1/scans/{failed['id']}"
        assert failed["state"] == "failed"
        assert client.post(f"{path}/retry?deck=nothing").status_code == 404
        again = client.post(f"{path}/retry?game=laser-shield").json()
        assert again["game"] == "laser-shield"
        assert until_settled(client, failed["id"])["state"] == "done"


def test_each_game_of_an_evening_has_sums_of_its_own(tmp_path):
    with client_of(tmp_path) as client:
        evening = client.post("/api/v1/evenings", json={}).json()["id"]
        for seed, game in ((5, "light-speed"), (6, "light-speed")):
            send(client, picture(seed=seed), evening=evening, game=game)
        told = client.get(f"/api/v1/evenings/{evening}").json()
        (sums,) = told["games"]
        is_open = [one["id"] for one in told["rounds"] if one["headline"]["open"]]
        assert (sums["game"], sums["open"]) == ("light-speed", is_open)
        sure = [one["scores"] for one in told["rounds"] if not one["headline"]["open"]]
        assert sums["totals"] == {
            side: sum(scores[side] for scores in sure) for side in (sure[0] if sure else ())
        }
