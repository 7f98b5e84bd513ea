"""Pictures of a table in their time, for a watch over it."""

from collections.abc import Iterable
from pathlib import Path

from tests.film import Grain
from vision.imaging.photo import encode_image
from vision.values.arrays import ImageBGR
from vision.watch.boards import BoardSession

NOISE = 1.5  # tones, of each picture anew


class WatchedFilm:
    """Shows pictures to a watch, each with noise of its own."""

    def __init__(self, game, detector, settings, words, step_s):
        self.session = BoardSession(game, detector, settings=settings)
        self.words, self.step_s = words, step_s
        self.grain = Grain(NOISE, 3)
        self.time_s = 0.0

    def show(self, picture, count=1):
        """Show a picture so many times; return what is told: codes and sentences."""
        told = []
        for _ in range(count):
            told += self.session.look(self.grain.over(picture), self.time_s)
            self.time_s += self.step_s
        return [(event.code, self.words.tell(event.said)) for event in told]


def write_frames(folder: Path, pictures: Iterable[ImageBGR], step_s: float) -> None:
    """Write pictures as the files of a folder to watch, each named by its time."""
    for k, picture in enumerate(pictures):
        path = folder / f"{k:02d}-{k * step_s:.1f}s.jpg"
        path.write_bytes(encode_image(picture, ".jpg", 92))
