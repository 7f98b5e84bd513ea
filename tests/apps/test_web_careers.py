"""Careers over HTTP: rounds of evenings count as they stand, once, and nothing else does."""

import pytest

from tests.games.conflit_stellaire.duels import DUEL, SURRENDER

GAME = "conflit-stellaire"
API = "/api/v1"


def begin(client, name):
    made = client.post(f"{API}/careers", json={"game": GAME, "name": name})
    assert made.status_code == 201, made.text
    return made.json()["id"]


def new_evening(client, seats=None, name="Friday"):
    made = client.post(f"{API}/evenings", json={"name": name}).json()["id"]
    if seats:
        seat(client, made, seats)
    return made


def seat(client, evening, seats):
    body = {"game": GAME, "seats": seats}
    reply = client.put(f"{API}/evenings/{evening}/careers", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()["careers"]


@pytest.fixture
def players(client):
    return begin(client, "Ann"), begin(client, "Ben")


@pytest.fixture
def evening(client, players):
    return new_evening(client, dict(zip("AB", players, strict=True)))


def lay(client, evening, text=None, name="turn"):
    made = client.post(
        f"{API}/tables",
        params={"evening": evening, "name": name},
        content=text or DUEL.format(hull=4),
    )
    assert made.status_code == 201, made.text
    return made.json()["id"]


def career(client, career_id):
    reply = client.get(f"{API}/careers/{career_id}")
    assert reply.status_code == 200, reply.text
    return reply.json()


def points(client, *ids):
    return [career(client, one)["points"] for one in ids]


def correct(client, scan, change):
    reply = client.post(f"{API}/scans/{scan}/edits", json={"change": change})
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_rounds_count_evening_after_evening(client, players, evening):
    lay(client, evening)
    other = new_evening(client, {"A": players[0]}, "Saturday")
    lay(client, other)
    told = career(client, players[0])
    assert (told["points"], told["rank"]) == (16, {"en": "captain", "fr": "capitaine"})
    (figure,) = told["figures"]
    assert [(line["before"], line["gained"], line["points"]) for line in figure["lines"]] == [
        (0, 8, 8),
        (8, 8, 16),
    ]
    first, second = career(client, players[1])["figures"]
    assert (first["ended"], second["lines"]) == ({"en": "dead", "fr": "mort"}, [])


def test_a_round_is_played_with_what_those_before_it_left(client, players, evening):
    lay(client, evening)
    second = lay(client, evening)
    resolution = client.get(f"{API}/scans/{second}/resolution.json").json()
    assert resolution["scores"]["A"]["cumul"] == [8, 16]
    table = client.get(f"{API}/scans/{second}/table.json").json()
    assert table["campaign"]["officers"] == {"A": {"cumul": 8}, "B": {"cumul": 0}}
    said = client.get(f"{API}/scans/{second}/round").json()["ledger"]["fr"]
    assert "A : 8 points (lieutenant), puis 16 (capitaine)" in str(said)


def test_a_correction_counts_and_all_that_follows_with_it(client, players, evening):
    first = lay(client, evening)
    second = lay(client, evening)
    assert points(client, *players) == [16, 0]
    correct(client, first, {"kind": "seat", "id": "B", "set": {"hull": 9}})
    assert points(client, *players) == [8, 0]
    later = client.get(f"{API}/scans/{second}/resolution.json").json()
    assert later["scores"]["A"]["cumul"] == [0, 8]
    client.post(f"{API}/scans/{first}/undo", json={})
    assert points(client, *players) == [16, 0]
    client.post(f"{API}/scans/{first}/redo", json={})
    assert points(client, *players) == [8, 0]


def test_a_round_that_goes_counts_no_more_and_comes_back(client, players, evening):
    first = lay(client, evening)
    lay(client, evening)
    client.delete(f"{API}/scans/{first}")
    assert points(client, *players) == [8, 0]
    client.post(f"{API}/scans/{first}/restore")
    assert points(client, *players) == [16, 0]
    client.patch(f"{API}/scans/{first}", json={"evening": ""})
    assert points(client, *players) == [8, 0]
    resolution = client.get(f"{API}/scans/{first}/resolution.json").json()
    assert "cumul" not in resolution["scores"]["A"]  # nobody's career any more


def test_to_look_changes_nothing(client, players, evening):
    scan = lay(client, evening)
    for _ in range(3):
        client.get(f"{API}/scans/{scan}/round")
        client.get(f"{API}/evenings/{evening}")
    assert points(client, *players) == [8, 0]


def test_a_die_settles_what_is_open(client, players, evening):
    scan = lay(client, evening, SURRENDER)
    told = career(client, players[1])
    assert (told["open"], told["figures"][0]["lines"][0]["settled"]) == (True, False)
    die = {"kind": "campaign", "campaign": {"dice": {"B": 2}}}
    correct(client, scan, die)  # an aspirant is paid for up to 1
    told = career(client, players[1])
    assert (told["open"], told["figures"][0]["ended"]["en"]) == (
        False,
        "in jail: nobody paid the ransom",
    )
    assert told["number"] == 2


def test_words_by_hand_are_undone_and_done_again(client, players):
    mine = f"{API}/careers/{players[0]}"
    assert client.post(f"{mine}/points", json={"points": 13}).json()["points"] == 13
    named = client.post(f"{mine}/figures", json={"figure": 0, "name": "Vega"}).json()
    assert (named["figure"], named["rank"]["en"], named["undoable"]) == ("Vega", "captain", 2)
    assert client.post(f"{mine}/undo", json={}).json()["figure"] == ""
    assert client.post(f"{mine}/undo", json={}).json()["points"] == 0
    assert client.post(f"{mine}/undo", json={}).status_code == 409
    assert client.post(f"{mine}/redo", json={}).json()["points"] == 13
    stale = client.post(f"{mine}/points", json={"points": 1, "revision": 0})
    assert (stale.status_code, stale.json()["code"]) == (409, "conflict")
    assert client.post(f"{mine}/figures", json={"figure": 3, "name": "Vega"}).status_code == 409


def test_a_word_by_hand_counts_from_when_it_was_said(client, players, evening):
    first = lay(client, evening)
    client.post(f"{API}/careers/{players[0]}/points", json={"points": 95})
    lay(client, evening)
    told = career(client, players[0])
    assert told["figures"][0]["ended"]["en"] == "retired, a grand manitou"
    correct(client, first, {"kind": "seat", "id": "B", "set": {"hull": 9}})
    assert career(client, players[0])["figures"][0]["ended"] is not None


def test_a_table_that_says_otherwise_is_told(client, players, evening):
    scan = lay(client, evening, DUEL.format(hull=4) + "officer A cumul 13\n")
    told = client.get(f"{API}/scans/{scan}/round").json()["issues"]
    (issue,) = [one for one in told if one["code"] == "career_differs"]
    assert issue["words"]["fr"].startswith("la table donne 13 points à A, la carrière 0")
    assert points(client, *players) == [8, 0]


def test_an_evening_tells_who_sits_there(client, players, evening):
    lay(client, evening)
    sides = {one["side"]: one for one in client.get(f"{API}/evenings/{evening}").json()["careers"]}
    assert (sides["A"]["name"], sides["A"]["points"], sides["B"]["number"]) == ("Ann", 8, 2)
    seat(client, evening, {"A": players[1], "B": players[0]})  # all along they sat so
    assert points(client, *players) == [0, 8]
    seat(client, evening, {"A": None, "B": None})
    assert points(client, *players) == [0, 0]


def test_seats_of_sides_by_capital_letters_are_named(client, evening):
    reply = client.patch(f"{API}/evenings/{evening}", json={"teams": {"A": "Ann"}})
    assert reply.json()["teams"] == {"A": "Ann"}


def test_a_career_is_renamed_and_deleted(client, players, evening):
    scan = lay(client, evening)
    mine = f"{API}/careers/{players[0]}"
    assert client.patch(mine, json={"name": "Anne"}).json()["name"] == "Anne"
    listed = {one["id"] for one in client.get(f"{API}/careers").json()["careers"]}
    assert set(players) <= listed
    assert client.delete(mine).status_code == 204
    assert client.get(mine).status_code == 404
    assert client.get(f"{API}/scans/{scan}/round").status_code == 200
    resolution = client.get(f"{API}/scans/{scan}/resolution.json").json()
    assert resolution["scores"]["B"]["cumul"] == [0, 0]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/careers", {"game": "light-speed", "name": "Ann"}, 409, "no_careers"),
        ("POST", "/careers", {"game": "chess", "name": "Ann"}, 404, "deck"),
        ("POST", "/careers", {"game": GAME, "name": ""}, 422, "request_invalid"),
        ("PUT", "/evenings/{e}/careers", {"game": GAME, "seats": {"Q": None}}, 422, "no_side"),
        (
            "PUT",
            "/evenings/{e}/careers",
            {"game": GAME, "seats": {"A": "0" * 20}},
            404,
            "not_found",
        ),
        ("PUT", "/evenings/{e}/careers", {"game": GAME, "seats": {}}, 422, "request_invalid"),
        (
            "PUT",
            "/evenings/" + "0" * 20 + "/careers",
            {"game": GAME, "seats": {"A": None}},
            404,
            "",
        ),
        ("GET", "/careers/" + "0" * 20, None, 404, "not_found"),
        ("POST", "/careers/{c}/points", {"points": -1}, 422, "request_invalid"),
    ],
)
def test_what_cannot_be_is_refused(client, players, evening, method, path, body, status, code):
    address = API + path.format(e=evening, c=players[0])
    reply = client.request(method, address, json=body)
    assert reply.status_code == status, reply.text
    assert reply.json()["code"] == code or not code


def test_nobody_plays_against_himself(client, players, evening):
    body = {"game": GAME, "seats": {"A": players[0], "B": players[0]}}
    reply = client.put(f"{API}/evenings/{evening}/careers", json=body)
    assert (reply.status_code, reply.json()["code"]) == (409, "seated_twice")


def test_what_lies_face_down_shows_to_nobody_whoever_leads_the_seat(client, evening):
    """A round told with careers hides as much as one without."""
    hidden = DUEL.format(hull=20).replace(
        "turn A", "A a2 hunter-missile face-down @60,150 0deg\nturn A"
    )
    for of in (evening, new_evening(client)):
        scan = lay(client, of, hidden)
        assert "Hunter" not in client.get(f"{API}/scans/{scan}/round").text
