"""Write a round down: its events and its key pictures, in a folder that can be watched again.

A picture is kept where something happened. The list in ``recording.json`` lets each stand for a
moment before and after, so that whoever watches the folder sees the same table come to rest. Every
file is written whole or not at all, and the list last: a recording that is broken off can be
watched as far as it goes.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vision.files.whole import write_atomically
from vision.imaging.photo import encode_image
from vision.texts import Texts
from vision.values.arrays import ImageBGR
from vision.watch.events import Event, event_to_json
from vision.watch.sources import RECORDING

__all__ = ["Recorder"]

_REST_S = 0.8  # that a key picture stands before and after: longer than a card must lie still
_EVENTS = "events.jsonl"


class Recorder:
    """Keeps a round in a folder.

    Parameters
    ----------
    folder : Path
        Made if missing; an earlier recording in it is written over.
    texts : Texts
        The words of the game.
    source : str
        What was watched, as it was named.
    """

    def __init__(self, folder: Path, texts: Texts, source: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._texts, self._source = texts, source
        self._pictures: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []
        self._first_s: float | None = None
        self._count = 0

    def keep(
        self, events: Sequence[Event], image: ImageBGR | None, time_s: float, *, last: bool = False
    ) -> None:
        """Keep what happened with the picture it was seen in.

        Parameters
        ----------
        events : sequence of Event
            Those of this picture; without any, only the first and the last picture are kept.
        image : (H, W, 3) uint8, optional
            The picture.
        time_s : float
            Its time.
        last : bool
            Whether it is the last one.
        """
        self._events += [event_to_json(event, self._texts) for event in events]
        if self._first_s is None and image is not None:
            self._first_s = time_s
            self._stand(image, time_s, before=False)
        elif image is not None and (events or last):
            self._stand(image, time_s, before=True)
        if events or last or len(self._pictures) == 1:
            self._write()

    def _stand(self, image: ImageBGR, time_s: float, *, before: bool) -> None:
        """Write a picture and let it stand for a while."""
        name = f"{self._count:06d}.jpg"
        self._count += 1
        write_atomically(self.folder / name, encode_image(image, ".jpg", 92))
        first = time_s - _REST_S if before else time_s
        latest = self._pictures[-1]["time_s"] if self._pictures else None
        times = [first, first + _REST_S / 2, first + _REST_S]
        if latest is not None and first <= latest:  # two things at nearly the same time
            times = [latest + 0.01, latest + 0.01 + _REST_S / 2, latest + 0.01 + _REST_S]
        self._pictures += [{"file": name, "time_s": round(t, 3)} for t in times if t >= 0]

    def _write(self) -> None:
        lines = "".join(json.dumps(event) + "\n" for event in self._events)
        write_atomically(self.folder / _EVENTS, lines.encode("ascii"))
        told = {
            "schema": "sightline/recording@1",
            "source": self._source,
            "pictures": self._pictures,
        }
        write_atomically(
            self.folder / RECORDING, (json.dumps(told, indent=1) + "\n").encode("ascii")
        )
