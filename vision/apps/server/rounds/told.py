"""Ledger -> what the page shows of it: told in each language, placed in the pixels of the photo."""

from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.files.ledger import ledger_to_json
from vision.geometry import photo_from_table
from vision.judging.game import Game
from vision.showing.beams import trace_path
from vision.texts import LANGUAGES, texts
from vision.values.arrays import Points
from vision.values.layout import Camera
from vision.values.ledger import Ledger
from vision.values.messages import Message

__all__ = ["PhotoPlaces", "in_each", "tell_in_photo"]

Json = dict[str, Any]
_EDGE_SAMPLES = 4  # of each edge of an outline: a lens bends it
_PATH_POINTS = 24
_FARTHEST_PX = 1e7


def tell_in_photo(
    ledger: Ledger, camera: Camera, size_wh: tuple[int, int], *folders: Traversable
) -> Json:
    """Return a ledger in each language; its places are in px of the photo, none in mm.

    ``folders`` hold the words of its game.
    """
    places = PhotoPlaces(camera, size_wh)
    return {
        language: places.put(ledger_to_json(ledger, texts(language, *folders)))
        for language in LANGUAGES
    }


def in_each(said: Message | str, game: Game) -> dict[str, str]:
    """Return a sentence in every language, in the words of a game."""
    return {language: texts(language, game.texts).tell(said) for language in LANGUAGES}


class PhotoPlaces:
    """Where places of the table show in a photo, rounded.

    Parameters
    ----------
    camera : Camera
        How the table shows in the photo.
    size_wh : (int, int)
        Width and height of the photo in px.
    """

    def __init__(self, camera: Camera, size_wh: tuple[int, int]) -> None:
        self.camera, self.size_wh = camera, size_wh

    def put(self, ledger: Json) -> Json:
        """Turn the places of a ledger's JSON into those of the photo."""
        for piece in ledger["pieces"]:
            piece["outline_px"] = self.outline(np.array(piece.pop("outline_mm")))
        for step in ledger["steps"]:
            for event in step["events"]:
                for mark in event["marks"]:
                    self.put_mark(mark)
                if event["closeness"]:
                    close = event["closeness"]
                    close["point_px"] = self.point(close.pop("point_mm"))
        return ledger

    def outline(self, outline_mm: Points) -> list[list[float]]:
        """Return a closed outline, its edges as bent as the lens bends them."""
        t = np.arange(_EDGE_SAMPLES)[:, None] / _EDGE_SAMPLES
        ends = np.roll(outline_mm, -1, axis=0)
        edges = [a + t * (b - a) for a, b in zip(outline_mm, ends, strict=True)]
        return self.points(np.vstack(edges))

    def points(self, points_mm: Points) -> list[list[float]]:
        """Return table points in the photo; nothing for what lies on the horizon."""
        try:
            points = photo_from_table(self.camera, points_mm)
        except DegenerateGeometryError:
            return []
        if not np.isfinite(points).all() or np.abs(points).max(initial=0) > _FARTHEST_PX:
            return []
        return [[round(x, 1), round(y, 1)] for x, y in points.tolist()]

    def path(self, points_mm: list[list[float]]) -> list[list[float]]:
        """Return what shows of a way over the table, from its start on."""
        trace = trace_path(self.camera, np.array(points_mm), self.size_wh)
        if trace is None:
            return []
        count = _PATH_POINTS * (len(points_mm) - 1)
        keep = np.unique(np.linspace(0, len(trace.points_px) - 1, count).round()).astype(int)
        return [[round(x, 1), round(y, 1)] for x, y in trace.points_px[keep].tolist()]

    def put_mark(self, mark: Json) -> None:
        """Turn the places of a mark's JSON into those of the photo."""
        if mark["kind"] == "path":
            mark["points_px"] = self.path(mark.pop("points_mm"))
        elif "points_mm" in mark:
            mark["points_px"] = self.outline(np.array(mark.pop("points_mm")))
        else:
            mark["at_px"] = self.point(mark.pop("at_mm"))

    def point(self, point_mm: list[float] | None) -> list[float] | None:
        """Return a place in the photo; None for one that lies beside it."""
        if point_mm is None:
            return None
        for x, y in self.points(np.array([point_mm])):
            if 0 <= x <= self.size_wh[0] and 0 <= y <= self.size_wh[1]:
                return [x, y]
        return None
