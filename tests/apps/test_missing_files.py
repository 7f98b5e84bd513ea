"""A server whose store lacks photos that its database names says which, and what to do."""

import shutil

import pytest

from tests.apps.web_help import client_of, picture, send, until_settled

PLACES = (
    "round",
    "scan.json",
    "photo.jpg",
    "thumb.jpg",
    "picture.jpg",
    "picture.svg",
    "report.zip",
)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Return the id of a round, and a client of a server that has its database, but no photos."""
    one, other = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    with client_of(one) as first:
        scan = send(first, picture()).json()["id"]
        assert first.get(f"/api/v1/scans/{scan}/round").status_code == 200
    for file in one.glob("*.sqlite*"):
        shutil.copy(file, other)
    with client_of(other) as second:
        yield scan, second


@pytest.mark.parametrize("place", PLACES)
def test_what_is_missing_is_told_with_its_scan(elsewhere, place):
    scan, client = elsewhere
    told = client.get(f"/api/v1/scans/{scan}/{place}")
    assert told.status_code == 503
    assert told.headers["content-type"] == "application/problem+json"
    problem = told.json()
    assert problem["code"] == "files_missing"
    assert problem["type"] == "urn:sightline:problem:files_missing"
    for word in (scan, "needed the store", "--data", "backup"):
        assert word in problem["detail"]


def test_the_list_and_other_rounds_are_not_touched(elsewhere):
    scan, client = elsewhere
    other = send(client, picture(seed=1)).json()["id"]
    listed = client.get("/api/v1/scans")
    assert listed.status_code == 200
    assert {one["id"] for one in listed.json()["scans"]} == {scan, other}
    assert client.get(f"/api/v1/scans/{other}/round").status_code == 200


def test_a_photo_that_waits_and_is_missing_fails_at_once(tmp_path):
    with client_of(tmp_path / "one") as client:
        scan = send(client, picture()).json()["id"]
    for file in (tmp_path / "one").rglob("*"):
        if file.is_file() and len(file.name) == 64:
            file.unlink()
    with client_of(tmp_path / "one") as client:
        assert client.post(f"/api/v1/scans/{scan}/retry", params={"game": "light-speed"}).is_success
        told = until_settled(client, scan)
    assert told["error"]["code"] == "files_missing"
    assert scan in told["error"]["detail"]
