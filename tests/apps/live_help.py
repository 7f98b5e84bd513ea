"""Films for the live page: a few cards laid one after the other, as JPEG with their times."""

import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from tests.film import Film
from tests.light_speed import drawn_bank
from tests.synth import random_cards
from vision.imaging.photo import encode_image
from vision.values.arrays import ImageBGR

NAMES = ("red-moth", "blue-ghost", "asteroid-1")
NO_STOP = {"silence_s": 0, "stop_on_count": False}


@cache
def film_of(names: tuple[str, ...] = NAMES) -> Film:
    """Return a table on which these cards may be laid."""
    cards = random_cards(list(names), np.random.default_rng(5), gap_mm=25.0)
    return Film(cards, drawn_bank())


#: A table with one shot within 0.03 mm of a corner: of 400 drawn ones the closest.
CLOSE = ("asteroid-1", "red-moth", "blue-ghost", "red-viper", "blue-destroyer", "green-intruder")


@cache
def close_film() -> Film:
    """Return a table on which one shot is too close to call."""
    cards = random_cards(list(CLOSE), np.random.default_rng(54), gap_mm=12.0)
    return Film(cards, drawn_bank())


def laying(film: Film, count: int | None = None) -> Iterator[tuple[ImageBGR, float]]:
    """Show an empty table, then a hand that lays card after card."""
    cards = film.cards if count is None else film.cards[:count]
    yield from film.rest([], 0.6)
    for k, card in enumerate(cards):
        at = card.x_mm, card.y_mm
        yield from film.visit(cards[:k], cards[: k + 1], at, seconds=0.6)
        yield from film.rest(cards[: k + 1], 0.7)


def jpeg(image: ImageBGR, quality: int = 90) -> bytes:
    return encode_image(image, ".jpg", quality)


class Producer:
    """Who began a game, and feeds it."""

    def __init__(self, client: Any, **body: Any) -> None:
        reply = client.post("/api/v1/live", json={**NO_STOP, **body})
        assert reply.status_code == 201, reply.text
        game = reply.json()
        self.client, self.id = client, game["id"]
        self.place = f"/api/v1/live/{self.id}"
        self.headers = {"X-Live-Key": game["key"]}

    def send(self, image: ImageBGR, time_s: float) -> Any:
        return self.client.post(
            self.place + "/frames",
            params={"taken": 1000 + time_s},
            content=jpeg(image),
            headers={**self.headers, "Content-Type": "image/jpeg"},
        )

    def play(self, frames: Iterator[tuple[ImageBGR, float]]) -> None:
        for image, time_s in frames:
            reply = self.send(image, time_s)
            assert reply.status_code == 200, reply.text

    def post(self, what: str) -> Any:
        return self.client.post(f"{self.place}/{what}", headers=self.headers)

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.client.get(self.place).json()
        return state

    def end(self) -> None:
        self.client.delete(self.place, headers=self.headers)


def slow_table(pipe: Any, task: Any) -> None:
    """Stand in for the process of a game: takes its time, and dies or hangs when told so."""
    pipe.send({"kind": "ready"})
    while (message := pipe.recv())["kind"] == "frame":
        if message["content"] == b"die":
            return
        time.sleep(60 if message["content"] == b"hang" else 0.2)
        pipe.send({"kind": "told", "answers": message["answers"]})
