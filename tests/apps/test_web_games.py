"""Any game over HTTP: one that the server knows by its name alone, to be played from end to end."""

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.apps import web_readers
from tests.apps.web_help import apart, client_of, picture, post, send
from tests.games.toy.photo import scene
from tests.synth_pieces import photograph
from vision.apps.cli.main import create_app
from vision.apps.reading import read
from vision.games.registry import game_names, register
from vision.imaging.photo import encode_image

TOY = "tests.games.toy.game:Toy"
TABLE = "game toy\nsun a1 e\nmoon c1 w 0.7 or c1 s 0.3\ndie 4\n"
AS_JSON = {
    "schema": "sightline/table@1",
    "game": "toy",
    "pieces": {"sun": "a1 e", "moon": "c1 s", "die": "4"},
    "rules": {"wins": "most"},
}
POSITION = "game laser-shield\nstart\norder orange fire b1>c1\n"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIGHTLINE_GAMES", f"toy={TOY}")
        folder = tmp_path_factory.mktemp("web_games")
        with client_of(folder, read=web_readers.toy) as made:
            yield made


@pytest.fixture(scope="module")
def scan(client):
    reply = send(client, picture(seed=70), game="toy", rule="wins=most")
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.fixture
def fresh(client):
    return send(client, picture(seed=71), game="toy").json()["id"]


def totals(view, language="en"):
    scores = view["ledger"][language]["steps"][-1]["tally"]["scores"]
    return {side: parts["total"] for side, parts in scores.items()}


# --- tables without a photo ----------------------------------------------------------------------


def test_a_table_of_any_game_is_resolved_from_notation_or_json(client):
    for content, kind in ((TABLE, "text/plain"), (POSITION, "text/plain")):
        reply = client.post(
            "/api/v1/tables/resolve", content=content, headers={"Content-Type": kind}
        )
        assert reply.status_code == 200, reply.text
        assert reply.json()["game"] == content.split()[1]
    assert reply.json()["winners"] == []
    told = post(client, "/tables/resolve", AS_JSON)
    assert told["scores"] == {"sun": {"total": 4}, "moon": {"total": 2}}


def test_mistakes_in_a_table_are_told_by_its_game(client):
    reply = client.post("/api/v1/tables/resolve", content="game toy\nsun z9 e\n")
    assert reply.status_code == 422
    assert "line 2: sun: expected a cell such as a1" in reply.json()["detail"]
    unknown = client.post("/api/v1/tables/resolve", json={**AS_JSON, "game": "chess"})
    assert unknown.status_code == 422


def test_a_table_becomes_a_round_without_a_photo_and_goes_on(client):
    lay = lambda text: client.post("/api/v1/tables", content=text)  # noqa: E731
    made = lay(POSITION)
    assert (made.status_code, made.json()["state"]) == (201, "done"), made.text
    path = f"/scans/{made.json()['id']}"
    view = client.get(f"/api/v1{path}/round").json()
    assert (view["game"], view["issues"]) == ("laser-shield", [])
    assert [one["order"] for one in view["orders"]] == ["fire b1>c1", None]
    assert len(client.get(f"/api/v1{path}/photo.jpg").content) > 20_000
    drawn = client.get(f"/api/v1{path}/next.png")
    assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/png")
    following = post(client, f"{path}/next", status=201)["id"]
    table = client.get(f"/api/v1/scans/{following}/table.json").json()
    assert table["pieces"] == client.get(f"/api/v1{path}/resolution.json").json()["position"]
    assert lay("game laser-shield\n").status_code == 422
    for text in (TABLE, "red Moth @120,85 90deg"):  # nothing follows in these games
        scan = lay(text).json()["id"]
        assert client.get(f"/api/v1/scans/{scan}/round").status_code == 200
        assert client.get(f"/api/v1/scans/{scan}/next.png").status_code == 409
        assert client.post(f"/api/v1/scans/{scan}/next").status_code == 409
    assert client.post(f"/api/v1/tables?evening={'0' * 20}", content=TABLE).status_code == 404


def test_doubts_of_a_typed_table_are_those_of_the_table(client):
    """The covariances that are written are not taken for certainty."""
    for spread in (0.0001, 400.0):
        cards = [
            {"card": "red-moth", "x_mm": 0.0, "y_mm": 0.0, "theta_deg": 0.0},
            {"card": "blue-moth", "x_mm": 30.0, "y_mm": -300.0, "theta_deg": 0.0},
        ]
        cards[0]["covariance"] = [[spread, 0, 0], [0, spread, 0], [0, 0, 0.001]]
        table = {"schema": "sightline/table@1", "cards": cards}
        told = client.post("/api/v1/tables/resolve", json=table).json()
        made = client.post("/api/v1/tables", json=table).json()
        resolution = client.get(f"/api/v1/scans/{made['id']}/resolution.json").json()
        shots = [
            [s["flip_probability"] for s in r["steps"][0]["shots"]] for r in (told, resolution)
        ]
        assert shots[0] == pytest.approx(shots[1], abs=1e-6)
        assert (max(shots[0]) > 0.01) == (spread > 1)


# --- orders ----------------------------------------------------------------------------------


def test_orders_are_chosen_by_taps_read_and_played(client):
    made = client.post("/api/v1/tables", content="game laser-shield\nstart\n").json()
    path = f"/scans/{made['id']}"
    ask = lambda **body: post(client, f"{path}/orders/orange/choices", body)["choices"]  # noqa: E731
    first = ask()
    assert [c["piece"] for c in first] == ["orange-1", "orange-2", "orange-3", None]
    assert [c["said"] for c in ask(lang="fr")][-1] == "pas d'ordre"
    second = ask(so_far=first[1]["text"])
    fire = next(c for c in second if c["text"] == "fire b1>c1")
    assert (fire["whole"], fire["goes_on"]) == (True, False)
    view = client.get(f"/api/v1{path}/round").json()
    third = next(p for p in view["ledger"]["en"]["pieces"] if p["id"] == "orange-3")  # it is on c1
    assert fire["at_px"] == pytest.approx(np.mean(third["outline_px"], axis=0).tolist(), abs=5)
    assert fire["marks"][0]["points_px"]
    read = post(client, f"{path}/orders/orange/read", {"order": "fire b1>b2", "lang": "fr"})
    assert read["warning"].startswith("l'ordre de l'équipe orange est perdu")
    wrong = client.post(f"/api/v1{path}/orders/orange/read", json={"order": "b1"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "table_format")
    orders = {"kind": "orders", "orders": {"orange": "fire b1>c1", "blue": None}}
    view = post(client, f"{path}/edits", {"change": orders})
    assert view["orders"][0]["said"]["en"] == "orange 2 on b1 fires at c1"
    assert view["ledger"]["en"]["steps"]


@pytest.mark.parametrize(
    "change",
    [{"kind": "rules"}, {"kind": "rules", "set": 7}, {"kind": "set", "piece": ["sun"], "at": 1}],
)
def test_a_change_that_a_game_stumbles_over_is_refused_in_words(client, fresh, change):
    reply = client.post(f"/api/v1/scans/{fresh}/edits", json={"change": change})
    assert reply.status_code == 422, reply.text
    assert reply.json()["detail"]


# --- what is offered -----------------------------------------------------------------------------


def test_every_game_is_offered_with_its_sides_pieces_and_options(client):
    games = {offer["game"]: offer for offer in client.get("/api/v1/games").json()["games"]}
    assert set(games) == set(game_names())
    assert all(offer["sides"] and offer["pieces"] for offer in games.values())
    toy = games["toy"]
    assert (toy["deck"], toy["laid"]) == ("toy", 0)
    assert [side["name"]["fr"] for side in toy["sides"]] == ["le soleil", "la lune"]
    assert [piece["id"] for piece in toy["pieces"]] == ["board", "sun", "moon", "die"]
    (wins,) = toy["options"]
    assert (wins["name"]["en"], wins["default"]) == ("Who wins", "most")
    assert {side["id"] for side in games["laser-shield"]["sides"]} == {"orange", "blue"}


# --- a photo of it -------------------------------------------------------------------------------


def test_a_photo_is_read_as_the_game_that_was_asked_for(client, scan):
    assert (scan["game"], scan["deck"], scan["state"]) == ("toy", "toy", "done")
    assert scan["scan"]["game"] == "toy"
    assert scan["scan"]["resolution"]["scores"] == {"sun": {"total": 4}, "moon": {"total": 4}}
    by_deck = send(client, picture(seed=72), deck="toy").json()  # as the page names it
    assert by_deck["game"] == "toy"


def test_a_round_is_shown_by_its_ledger(client, scan):
    view = client.get(f"/api/v1/scans/{scan['id']}/round").json()
    assert (view["game"], view["card_mm"], view["cards"]) == ("toy", None, [])
    assert view["rules"] == {"wins": "most"}
    assert set(view["ledger"]) == {"en", "fr"}
    assert view["ledger"]["en"]["outcome"] == "a draw"
    assert [piece["id"] for piece in view["ledger"]["en"]["pieces"]] == ["board", "sun", "moon"]
    assert all(len(piece["outline_px"]) >= 4 for piece in view["ledger"]["en"]["pieces"])
    (doubt,) = view["issues"]
    assert doubt["words"]["fr"].startswith("la lune : pas tout à fait sûr")
    assert len(view["ledger"]["en"]["odds"]["scores"]) == 2
    (summary,) = [s for s in client.get("/api/v1/scans").json()["scans"] if s["id"] == scan["id"]]
    assert (summary["scores"], summary["cards"]) == ({"sun": 4, "moon": 4}, 3)
    assert (summary["open"], summary["winners"]) == (True, [])


def test_a_correction_is_played_undone_and_done_again(client, fresh):
    path = f"/scans/{fresh}"
    assert totals(client.get(f"/api/v1{path}/round").json()) == {"sun": 4, "moon": 4}
    view = post(client, f"{path}/edits", {"change": {"kind": "set", "piece": "die", "shows": "5"}})
    assert totals(view) == {"sun": 5, "moon": 5}
    view = post(client, f"{path}/edits", {"change": {"kind": "set", "piece": "moon", "way": "s"}})
    assert totals(view) == {"sun": 5, "moon": 2}
    assert view["ledger"]["fr"]["winners"] == ["sun"]
    assert view["issues"] == []
    assert totals(post(client, f"{path}/undo")) == {"sun": 5, "moon": 5}
    assert totals(post(client, f"{path}/redo")) == {"sun": 5, "moon": 2}
    log = client.get(f"/api/v1{path}/edits").json()["edits"]
    assert [entry["kind"] for entry in log] == ["set", "set", "undo", "redo"]
    refused = client.post(
        f"/api/v1{path}/edits", json={"change": {"kind": "set", "piece": "die", "shows": "9"}}
    )
    assert refused.status_code == 422
    assert "expected one of 1, 2, 3, 4, 5, 6" in refused.json()["detail"]
    table = client.get(f"/api/v1{path}/table.json").json()
    assert (table["game"], table["pieces"]["die"]) == ("toy", "5")
    resolution = client.get(f"/api/v1{path}/resolution.json").json()
    assert resolution["winners"] == ["sun"]
    (summary,) = [s for s in client.get("/api/v1/scans").json()["scans"] if s["id"] == fresh]
    assert summary["scores"] == {"sun": 5, "moon": 2}


@pytest.mark.parametrize("kind", ["png", "svg", "replay.webp"])
def test_its_pictures_and_its_film_are_drawn(client, scan, kind):
    reply = client.get(f"/api/v1/scans/{scan['id']}/picture.{kind}")
    assert reply.status_code == 200, reply.text
    assert len(reply.content) > 2000
    assert len(client.get(f"/api/v1/scans/{scan['id']}/thumb.jpg").content) > 500


def test_a_link_shows_it_to_others(client, scan):
    token = post(client, f"/scans/{scan['id']}/shares", status=201)["token"]
    view = client.get(f"/api/v1/shared/{token}/round").json()
    assert view["ledger"]["en"]["game"] == "toy"
    assert client.get(f"/api/v1/shared/{token}/picture.jpg").status_code == 200


def test_what_is_not_there_or_does_not_fit_is_refused(client):
    wrong = send(client, picture(seed=73), game="chess")
    assert (wrong.status_code, wrong.json()["code"]) == (404, "deck")
    other = send(client, picture(seed=73), deck="light-speed", game="toy")
    assert "is of the game light-speed, not of toy" in other.json()["detail"]
    rule = send(client, picture(seed=73), game="toy", rule="piracy=true")
    assert (rule.status_code, rule.json()["code"]) == (422, "table_format")


def test_a_game_that_a_test_makes_known_has_a_name_of_its_own(client):
    from tests.games.toy.game import Toy

    with (
        pytest.raises(ValueError, match="there is already a game called 'toy'"),
        register("toy", Toy),
    ):
        pass


# --- a true photo --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def photo():
    image, _ = photograph(scene())
    return encode_image(image, ".jpg", 92)


def test_a_photo_of_its_table_is_read_and_corrected(tmp_path, monkeypatch, photo):
    monkeypatch.setenv("SIGHTLINE_GAMES", f"toy={TOY}")
    with client_of(tmp_path, read=read) as client:
        done = send(client, photo, wait=60, game="toy").json()
        assert done["state"] == "done", done
        pieces = done["scan"]["table"]["pieces"]
        die = pieces.pop("die").split()[0]  # the likeliest; a die may be told with its chances
        assert (pieces, die) == ({"sun": "a2 e", "moon": "c1 s"}, "4")
        path = f"/scans/{done['id']}"
        view = client.get(f"/api/v1{path}/round").json()
        assert totals(view) == {"sun": 2, "moon": 2}
        (_, sun, _) = view["ledger"]["en"]["pieces"]
        seen = next(piece for piece in done["scan"]["pieces"] if piece["piece"] == "sun")
        middle = np.mean(seen["outline_px"], axis=0)
        assert np.mean(sun["outline_px"], axis=0) == pytest.approx(middle, abs=8)
        view = post(
            client,
            f"{path}/edits",
            {"change": {"kind": "set", "piece": "moon", "at": "c2", "way": "s"}},
        )
        assert totals(view) == {"sun": 4, "moon": 1}
        assert len(client.get(f"/api/v1{path}/picture.png").content) > 10_000


def test_a_batch_of_its_tables_is_read(tmp_path, monkeypatch, photo):
    monkeypatch.setenv("SIGHTLINE_GAMES", f"toy={TOY}")
    (tmp_path / "one.jpg").write_bytes(photo)
    typed = ["batch", str(tmp_path / "one.jpg"), "--out", str(tmp_path / "out"), "--game", "toy"]
    done = apart(lambda: CliRunner().invoke(create_app(), typed))
    assert done.exit_code == 0, done.output
    rows = (tmp_path / "out" / "results.csv").read_text().splitlines()
    assert rows[1].startswith(f"one,{tmp_path / 'one.jpg'},toy,")
