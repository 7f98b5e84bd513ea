"""Several servers, one database, one store, one cluster."""

from tests.apps import web_readers
from tests.apps.web_help import client_of, picture, send, until_settled


def test_two_servers_share_records_files_and_readers(tmp_path, postgres, bucket):
    """What one takes in the other shows; a Dask cluster reads it from the store."""
    shared = {"database_url": postgres, "objects_url": f"{bucket}/club", "workers": 1}
    here, there = tmp_path / "here", tmp_path / "there"
    with (
        client_of(here, web_readers.staged, cluster="local", **shared) as one,
        client_of(there, web_readers.staged, **shared) as two,
    ):
        for client, other in ((one, two), (two, one)):
            scan = send(client, picture(seed=3), wait=0).json()["id"]
            assert until_settled(other, scan)["state"] == "done"
            shown = other.get(f"/api/v1/scans/{scan}/photo.jpg")
            assert shown.content == client.get(f"/api/v1/scans/{scan}/photo.jpg").content
            assert other.get(f"/api/v1/scans/{scan}/thumb.jpg").status_code == 200
    kept = [path for folder in (here, there) for path in folder.rglob("*") if path.is_file()]
    assert here.exists()
    assert kept == []
