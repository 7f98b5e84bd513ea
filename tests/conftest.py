"""What holds for all tests: English, whatever the machine speaks; the deck, its faces, photos."""

import ctypes
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from tests.light_speed import drawn_bank
from tests.shown import Shown
from tests.synth import Scene, photograph, random_cards
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.values import Deck
from vision.seeing.recognition.framed_faces import FaceIndex, index_faces
from vision.values.pieces import Faces

# laws hold on a busy machine, and fail for everybody or for nobody
settings.register_profile("laws", deadline=None, derandomize=True)
settings.load_profile("laws")


#: Files that take longest, longest first: no worker shall have one left at the end.
LONG = (
    "browser/test_page", "browser/test_live", "apps/test_web_load", "browser/test_evening",
    "imaging/test_damaged", "calibration/test_same", "browser/test_orders",
    "browser/test_sheets", "games/conflit_stellaire/test_photo", "seeing/test_patterned",
    "calibration/test_drafts", "apps/test_two_killed", "browser/test_news",
    "games/light_speed/test_doubled_cards", "browser/test_far", "seeing/test_nothing_lost",
    "browser/test_turns", "calibration/test_slots", "apps/test_web_work", "browser/test_home",
    "watch/test_session", "apps/test_take_over", "games/light_speed/test_light_speed",
    "games/conflit_stellaire/test_watch", "seeing/test_slot_mats",
    "seeing/test_reading_pictures", "apps/test_live_battle", "apps/test_cli",
    "photos/test_samples", "apps/test_web_api", "apps/test_batch", "apps/test_live",
)  # fmt: skip


#: Parameters of malloc, by their names in C: what it keeps, pictures too, for the next that asks.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _KEPT_BYTES = -1, -3, 1 << 29


def pytest_configure(config: pytest.Config) -> None:
    """Keep drawn pictures and features of all processes in one new folder: no run uses old ones.

    A tenth of the processor was spent on threads of linear algebra that wait for each other, and
    a sixth of a drawn photo on those of OpenCV; another tenth where pictures are drawn on pages of
    memory that were given back to the system and had to be had from it again.
    """
    threadpool_limits(1, user_api="blas")
    cv2.setNumThreads(1)
    with suppress(AttributeError, OSError):  # another system's memory
        allocator = ctypes.CDLL(None)
        for of_pictures in (_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD):
            allocator.mallopt(of_pictures, _KEPT_BYTES)
    if not hasattr(config, "workerinput"):
        folder = TemporaryDirectory(prefix="sightline-tests-", ignore_cleanup_errors=True)
        config.add_cleanup(folder.cleanup)
        os.environ["XDG_CACHE_HOME"] = folder.name
        # of workers, servers and commands
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage while tests are collected, nor later among them: they stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have workers begin with what takes longest."""
    if hasattr(config, "workerinput"):
        rank = {Path(__file__).parent / f"{name}.py": k for k, name in enumerate(LONG)}
        items.sort(key=lambda item: rank.get(item.path, len(LONG)))


@pytest.fixture(scope="session", autouse=True)
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests out of the user's own decks and rounds, and those out of the tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        # servers and commands are started some sixty times: each would compile the program anew
        patched.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(autouse=True)
def _ordinary_process() -> Iterator[None]:
    """Fail the test that makes this process a real-time one: browsers and servers inherit that."""
    yield
    if hasattr(os, "sched_getscheduler"):
        assert os.sched_getscheduler(0) == os.SCHED_OTHER


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("light-speed")


@pytest.fixture(scope="session")
def bank() -> Faces:
    return drawn_bank()


@pytest.fixture(scope="session")
def index(bank: Faces) -> FaceIndex:
    return index_faces(bank)


@pytest.fixture(scope="session")
def show(bank: Faces) -> Callable[..., Shown]:
    """Return a function that lays cards at random and photographs them, once for each wish."""
    taken: dict[object, Shown] = {}

    def take(
        count: int = 8,
        *,
        seed: int = 0,
        gap_mm: float = 4.0,
        spread: float = 100.0,
        **scene: object,
    ) -> Shown:
        key = (count, seed, gap_mm, spread, *sorted(scene.items()))
        if key not in taken:
            rng = np.random.default_rng(seed)
            ids = [str(name) for name in rng.permutation(bank.card_ids)[:count]]
            cards = random_cards(ids, rng, gap_mm=gap_mm, spread=spread)
            wanted = Scene(cards, **{"size_wh": (1280, 960), "seed": seed, **scene})
            image, camera = photograph(wanted, bank)
            image.flags.writeable = False
            taken[key] = Shown(image, wanted, camera)
        return taken[key]

    return take
