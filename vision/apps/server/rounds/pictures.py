"""Round -> pictures of it: drawn once, then kept until the round changes."""

import hashlib
import json
from dataclasses import dataclass

import anyio
import anyio.to_thread

from vision._version import __version__
from vision.apps.addresses import content_of
from vision.apps.pools.values import Pool
from vision.apps.pools.worker import DrawTask
from vision.apps.server.problems import NO_PHOTO, Problem
from vision.apps.server.rounds.played import PlayedRounds, Round
from vision.apps.server.storage import Scan, Source, needed_by
from vision.showing.film import can_film
from vision.showing.style import AnnotateSettings
from vision.showing.vector import draw_svg
from vision.texts import texts

__all__ = ["Picture", "Pictures"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to be sent; ``mark`` changes with what it shows."""

    source: Source
    mark: str


class Pictures:
    """The pictures of rounds."""

    def __init__(self, played: PlayedRounds, pool: Pool) -> None:
        self.objects, self.photos = played.objects, played.records.photos
        self.settings, self.played, self.pool = played.settings, played, pool

    async def of_round(self, scan: Scan, kind: str) -> Picture:
        """Return a picture of a round as it stands.

        Raises
        ------
        Problem
            406 for a film where nothing can write one.
        MissingFilesError
            If the store has not got the photo, as also below.
        """
        if kind == "replay.mp4" and not can_film():
            detail = "MP4 needs the extra video (pip install '.[video]'); WebP works here"
            raise Problem(406, "format_unavailable", detail)
        round_ = await anyio.to_thread.run_sync(self.played.get, scan)
        what = [__version__, kind, scan.photo, round_.written]
        mark = hashlib.sha256(json.dumps(what).encode()).hexdigest()
        with needed_by(scan.id):
            source = await self._drawn(f"{mark}.{kind}", round_, scan.photo, kind)
        return Picture(source, mark)

    async def thumb(self, scan: Scan) -> Picture:
        """Return the photo in small, for lists."""
        view = _view_of(scan)
        round_ = await anyio.to_thread.run_sync(self.played.get, scan)
        with needed_by(scan.id):
            return Picture(await self._drawn(f"{view}.thumb.jpg", round_, view, "thumb.jpg"), view)

    def photo(self, scan: Scan, number: int = 0) -> Picture:
        """Return an upright photo as the page shows it; one of a store is fetched here.

        The first, 0, is the one that is drawn on.

        Raises
        ------
        Problem
            404 if there are not so many.
        """
        view = _view_of(scan)
        if number:
            view = self._further(scan, number)
        with needed_by(scan.id):
            source = self.objects.source(view)
            return Picture(content_of(source) if isinstance(source, str) else source, view)

    def _further(self, scan: Scan, number: int) -> str:
        """Return the key of the view of a further photo."""
        more = self.photos.list(scan.id)
        if number > len(more):
            raise Problem(404, "not_found", NO_PHOTO)
        return more[number - 1].view

    async def _drawn(self, name: str, round_: Round, photo: str, kind: str) -> Source:
        """Return a picture that is kept; draw it if it is not."""
        kept = self.objects.drawn(name)
        if kept is not None:
            return kept
        if kind == "svg":
            content = await anyio.to_thread.run_sync(self._svg, round_)
        else:
            content = await self._draw(self._task(round_, photo, kind))
        return await anyio.to_thread.run_sync(self.objects.keep_drawn, name, content)

    async def _draw(self, task: DrawTask) -> bytes:
        try:
            return await self.pool.draw(task)
        except TimeoutError as error:
            raise Problem(503, "timed_out", "drawing took too long; try again") from error
        except (anyio.BrokenWorkerProcess, MemoryError) as error:
            raise Problem(503, "worker_failed", "the drawing process failed; try again") from error

    def _svg(self, round_: Round) -> bytes:
        photo = self.objects.read(round_.view)
        settings = AnnotateSettings(texts=texts("en", round_.game.texts))
        return draw_svg(
            photo, round_.size_wh, round_.camera, round_.ledger, settings, round_.issues
        )

    def _task(self, round_: Round, photo: str, kind: str) -> DrawTask:
        return DrawTask(
            kind=kind,
            photo=self.objects.source(photo),
            width_px=round_.size_wh[0],
            camera=round_.camera,
            ledger=round_.ledger,
            issues=round_.issues,
            words=round_.game.texts,
            memory_mb=self.settings.worker_mb,
        )


def _view_of(scan: Scan) -> str:
    if scan.view is None:
        raise Problem(409, "not_ready", "this photo has not been read yet")
    return scan.view
