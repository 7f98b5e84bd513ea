"""Pictures of a table in their time, for a watch over it."""

from tests.film import Grain
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
