"""Photos come in: counted, flushed, looked at, entered into the ledger; then acknowledged."""

import hashlib
import json
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect

from vision.apps.decks import find_known, lasting_name
from vision.apps.finding import DrawnGames
from vision.apps.logs import current_request
from vision.apps.server.problems import NO_EVENING, Problem
from vision.apps.server.reading.runner import Runner
from vision.apps.server.reading.wishes import Wishes, understood
from vision.apps.server.settings import Settings
from vision.apps.server.storage import NewScan, Scan, Storage, new_id
from vision.imaging.photo import DecodeLimits, check_photo
from vision.imaging.strip import strip_jpeg

__all__ = ["Intake", "Order"]

_CHUNK = 1 << 18
_BACK = 10  # rounds of an evening that are looked at for one that is read
_MOST_FILES = 20  # of a form; a game is spread over fewer photos
_WISHES = {"deck", "evening", "game", "name", "rule", "wait"}  # what an address may say


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked of photos besides reading them; ``most`` are of one table.

    ``game`` None: it is to be found out, the deck being the likeliest.
    """

    name: str
    evening: str | None
    deck: str
    game: str | None
    rules: dict[str, Any]
    key: str | None
    most: int = 1


class Intake:
    """Takes photos in."""

    def __init__(self, storage: Storage, settings: Settings, runner: Runner) -> None:
        self.storage, self.records, self.objects = storage, storage.records, storage.objects
        self.settings, self.runner = settings, runner
        self._lookers = anyio.CapacityLimiter(2)  # each holds a whole file in memory

    @property
    def most_waiting(self) -> int:
        """How many photos may wait."""
        return self.settings.queue_per_worker * self.runner.pool.slots

    def order(self, wishes: Wishes, key: str | None) -> Order:
        """Return the wishes for a photo, found to be possible.

        Raises
        ------
        DeckError, TableFormatError, Problem
            If there is no such deck, game or evening, or a rule is not understood.
        """
        likely = self._played_last(wishes) if wishes.are_open else wishes
        known, rules = understood(likely, self.storage, self.settings.decks)
        deck = lasting_name(known, self.settings.decks)
        game, most = known.game.name, known.game.most_photos
        if wishes.are_open:
            most = max(most, *(one.game.most_photos for one in DrawnGames()))
        what = (wishes.name, wishes.evening, deck, None if wishes.are_open else game, rules, key)
        return Order(*what, most)

    def _played_last(self, wishes: Wishes) -> Wishes:
        """Return open wishes with what the evening played last, unless it says what it plays."""
        evening = wishes.evening and self.records.evenings.find(wishes.evening)
        if not evening or evening.deck:
            return wishes
        rounds = self.records.scans.list(_BACK, evening=evening.id)
        last = next((one for one in rounds if one.state == "done"), None)
        return wishes if last is None else replace(wishes, deck=last.deck, game=last.game)

    async def take(self, request: Request, order: Order) -> tuple[str, bool]:
        """Take the photos of a request, all of one table; return its scan and whether it is new.

        Raises
        ------
        Problem, ImageDecodeError, ImageSizeError
            If one is not taken. Then nothing is entered.
        """
        await anyio.to_thread.run_sync(self.check_room)
        keys = await self._keep(request, order.most)
        return await anyio.to_thread.run_sync(self._enter, keys, order)

    async def add(self, request: Request, scan: Scan) -> bool:
        """Add the photos of a request to a scan; return whether it is read again.

        Raises
        ------
        Problem, ImageDecodeError, ImageSizeError
            If one is not taken. Then the scan stays as it is.
        """
        await anyio.to_thread.run_sync(self.check_room)
        most = find_known(scan.deck, scan.game, self.settings.decks).game.most_photos
        keys = await self._keep(request, most)
        add, most_waiting = self.records.photos.add, self.most_waiting
        match await anyio.to_thread.run_sync(add, scan.id, keys, most, most_waiting):
            case "busy":
                detail = "this table is being read; add the photo when that is done"
                raise Problem(409, "not_ready", detail)
            case "too many":
                raise _too_many(most)
            case "full":
                raise _queue_full(most_waiting)
            case "there":
                return False
            case _:
                return True

    async def _keep(self, request: Request, most: int) -> tuple[str, ...]:
        """Keep the photos of a request; return their keys, each once."""
        files = await self._receive(request, most)
        try:
            keep, limits = self.settings.keep_metadata, self.settings.decode_limits
            keys = []
            for temporary, key in files:
                stripped = await anyio.to_thread.run_sync(
                    _look_at, temporary, keep, limits, limiter=self._lookers
                )
                keys.append(stripped or key)
            for (temporary, _), key in zip(files, keys, strict=True):
                await anyio.to_thread.run_sync(self.objects.adopt, temporary, key)
            return tuple(dict.fromkeys(keys))
        finally:
            for temporary, _ in files:
                temporary.unlink(missing_ok=True)

    def check_room(self) -> None:
        """Refuse what comes in while there is no room for it.

        Raises
        ------
        Problem
            507 if the disk is full, 503 if much is waiting.
        """
        self.check_space()
        most = self.most_waiting
        if self.runner.stopping or self.records.jobs.waiting() >= most:
            raise _queue_full(most)

    def check_space(self) -> None:
        """Refuse what comes in while the disk is nearly full.

        Raises
        ------
        Problem
            507 then.
        """
        space = self.objects.space()
        floor = max(self.settings.disk_free_mb * 1e6, self.settings.disk_free_share * space.total)
        if space.free < floor:
            left = f"{space.free / 1e6:.0f} MB"
            detail = f"only {left} are free on the disk; delete old rounds, then empty the trash"
            raise Problem(507, "disk_full", detail)

    async def _receive(self, request: Request, most: int) -> list[tuple[Path, str]]:
        """Write the photos of a request to files; return them with the hash of their content."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        files: list[tuple[Path, str]] = []
        temporary = self.objects.scratch()
        try:
            if kind == "multipart/form-data":
                limits = {"max_files": _MOST_FILES, "max_fields": 8, "max_part_size": 65_536}
                async with request.form(**limits) as form:
                    _check_fields(form)
                    photos = [one for one in form.getlist("photo") if isinstance(one, UploadFile)]
                    if not photos:
                        detail = "the form has no file called photo"
                        raise Problem(422, "request_invalid", detail)
                    if len(photos) > most:
                        raise _too_many(most)
                    for photo in photos:
                        temporary = self.objects.scratch()
                        key = await anyio.to_thread.run_sync(self._copy, photo, temporary)
                        files.append((temporary, key))
                    return files
            if kind.startswith("image/") or kind == "application/octet-stream":
                return [(temporary, await self._stream(request, temporary))]
        except BaseException as error:
            for written in (temporary, *(one for one, _ in files)):
                written.unlink(missing_ok=True)
            if isinstance(error, ClientDisconnect):
                detail = "the upload was interrupted; send it again"
                raise Problem(400, "body_cut_off", detail) from error
            raise
        detail = "send the photo as the body (image/jpeg) or in a form as the file photo"
        raise Problem(415, "request_invalid", detail)

    def _copy(self, photo: UploadFile, temporary: Path) -> str:
        """Copy a file of a form; return the hash of its content."""
        if (photo.size or 0) > self.settings.body_bytes:
            limit = f"{self.settings.body_mb:.3g} MB"
            detail = f"a photo may have at most {limit}; send a smaller one"
            raise Problem(413, "body_too_large", detail)
        return _copy(photo, temporary)

    async def _stream(self, request: Request, temporary: Path) -> str:
        digest = hashlib.sha256()
        async with await anyio.open_file(temporary, "wb") as file:
            async for chunk in request.stream():
                digest.update(chunk)
                await file.write(chunk)
            await file.flush()
            await anyio.to_thread.run_sync(os.fsync, file.wrapped.fileno())
        return digest.hexdigest()

    def _enter(self, keys: tuple[str, ...], order: Order) -> tuple[str, bool]:
        """Give the scan of photos that are kept its row; only then is it acknowledged."""
        if order.key is not None:
            found = self._find(order.key, keys)
            if found is not None:
                return found, False
        rules, now, most = json.dumps(order.rules), time.time(), self.most_waiting
        first, *more = keys
        what = (new_id(), first, order.deck, rules, now)
        about = (order.name, order.evening, order.key, order.game, tuple(more))
        new = NewScan(*what, *about, request=current_request())
        match self.records.scans.add(new, most):
            case "full":
                raise _queue_full(most)  # many came at once
            case "no evening":
                raise Problem(404, "not_found", NO_EVENING)
            case "key taken":  # the same upload, sent twice at once
                return self._find(order.key or "", keys) or new.id, False
            case _:
                return new.id, True

    def _find(self, key: str, photos: tuple[str, ...]) -> str | None:
        """Return the scan that came with a key, if it was of the same photos."""
        found = self.records.scans.find_key(key)
        if found is None:
            return None
        scan, its_photos, is_deleted = found
        if not its_photos.issuperset(photos):
            detail = "this Idempotency-Key was used for another photo; choose a new one"
            raise Problem(409, "idempotency_conflict", detail)
        if is_deleted:
            raise Problem(410, "gone", "this photo was uploaded before and has been deleted")
        return scan


def _check_fields(form: FormData) -> None:
    """Refuse a form that says what belongs in the address: unheard, another game would be read."""
    wrong = sorted(_WISHES & set(form))
    if wrong:
        fields = ", ".join(wrong)
        detail = (
            f"the form says {fields}, which belongs in the address: /api/v1/scans?{wrong[0]}=...; "
            "the form takes only files called photo"
        )
        raise Problem(422, "request_invalid", detail)


def _too_many(most: int) -> Problem:
    """Refuse more photos than a table of the game is spread over."""
    told = "one photo" if most == 1 else f"at most {most} photos"
    detail = f"a table of this game is on {told}; send each table by itself"
    return Problem(422, "too_many_photos", detail)


def _queue_full(most: int) -> Problem:
    detail = f"{most} photos are waiting already; try again in half a minute"
    return Problem(503, "queue_full", detail, headers={"Retry-After": "30"})


def _copy(photo: UploadFile, temporary: Path) -> str:
    digest = hashlib.sha256()
    with temporary.open("wb") as file:
        while chunk := photo.file.read(_CHUNK):
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _look_at(temporary: Path, keep_metadata: bool, limits: DecodeLimits) -> str | None:
    """Refuse what is no photo by its header, before anyone waits for it.

    The file is replaced by one without metadata, if that can be done without touching a pixel;
    returns the hash of that one.
    """
    content = temporary.read_bytes()
    check_photo(content, limits)
    stripped = None if keep_metadata else strip_jpeg(content)
    if stripped is None:
        return None
    with temporary.open("wb") as file:
        file.write(stripped)
        file.flush()
        os.fsync(file.fileno())
    return hashlib.sha256(stripped).hexdigest()
