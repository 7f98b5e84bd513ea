"""Several servers, one database, one store, one cluster."""

import asyncio
import json

import pytest

from tests.apps import web_readers
from tests.apps.parts import Cluster
from tests.apps.web_help import apart, client_of, picture, send, until_settled
from tests.patience import PATIENCE_S
from vision.apps.pools.opening import open_pool
from vision.apps.pools.values import PoolLimits
from vision.apps.reading import ReadResult, ReadTask
from vision.apps.server.reading.bell import Bell
from vision.apps.server.wire import Wire


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


def test_a_ring_on_one_server_is_heard_on_the_others_and_no_echo_comes_back(postgres):
    async def carry() -> None:
        bells = [{"scans": Bell(), "work": Bell()} for _ in range(3)]
        wires = [Wire(postgres, one) for one in bells]
        rung = []
        for k, one in enumerate(bells):
            original = one["scans"].sound
            one["scans"].sound = lambda k=k, sound=original: (rung.append(k), sound())
        for wire in wires:
            await wire.start()
        # A notice that is sent before the others listen is lost, as it may be: ring until heard.
        async with asyncio.timeout(PATIENCE_S):
            while not {1, 2} <= set(rung):
                bells[0]["scans"].ring()
                await asyncio.sleep(0.2)
        before = rung.count(0)
        await asyncio.sleep(0.5)
        assert rung.count(0) == before  # its own notices wake it no second time
        heard = asyncio.create_task(bells[2]["work"].wait(PATIENCE_S))
        await asyncio.sleep(0)
        begin = asyncio.get_running_loop().time()
        bells[1]["work"].ring()
        await heard
        assert asyncio.get_running_loop().time() - begin < PATIENCE_S
        for wire in wires:
            await wire.stop()
        assert bells[0]["scans"].on_ring is None

    apart(lambda: asyncio.run(carry()))


def test_metrics_tell_the_queue_the_stages_and_the_failures(tmp_path):
    with client_of(tmp_path / "off", web_readers.canned) as client:
        assert client.get("/metrics").status_code == 404
    with client_of(tmp_path / "on", web_readers.misbehaves, metrics=True) as client:
        for photo in (picture(seed=1), picture(seed=2, kind="PNG", tail=b"kill poison")):
            until_settled(client, send(client, photo, wait=0).json()["id"])
        told = client.get("/metrics").text.splitlines()
    assert 'sightline_read_total{game="light-speed"} 1.0' in told
    assert 'sightline_failed_total{code="worker_failed"} 3.0' in told
    assert "sightline_waiting 0.0" in told
    assert "sightline_readers 1.0" in told
    stages = json.loads(web_readers.CANNED.read_text())["timings_ms"]
    for stage in stages:
        assert f'sightline_stage_seconds_count{{stage="{stage}"}} 1.0' in told


@pytest.mark.parametrize("dies", [("scheduler", "worker"), ("worker",)])
def test_a_cluster_that_dies_and_comes_back_reads_everything(tmp_path, dies):
    """It is killed while it reads; what it forgot is asked again."""
    cluster = Cluster(tmp_path)
    photos = [picture(seed=k) for k in range(6)]
    stages: list[str] = []

    async def read() -> list[ReadResult]:
        async with open_pool(web_readers.staged, PoolLimits(2), cluster.address) as pool:
            work = [
                asyncio.create_task(pool.read(ReadTask((photo,)), stages.append))
                for photo in photos
            ]
            async with asyncio.timeout(PATIENCE_S):
                while not stages:
                    await asyncio.sleep(0.05)
            cluster.kill(*dies)
            await asyncio.sleep(0.5)
            cluster.start()
            return await asyncio.wait_for(asyncio.gather(*work), PATIENCE_S)

    cluster.start()
    try:
        results = apart(lambda: asyncio.run(read()))
    finally:
        cluster.kill()
    views = [read_here(photo) for photo in photos]
    assert [result.view for result in results] == views


def read_here(photo: bytes) -> bytes:
    return web_readers.canned(ReadTask((photo,)), str).view
