"""A photo comes in: counted, flushed, looked at, entered into the ledger; then acknowledged."""

import hashlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect

from vision.apps.decks import find_known, lasting_name
from vision.apps.server.problems import Problem
from vision.apps.server.reading.rules import read_rules
from vision.apps.server.reading.runner import Runner
from vision.apps.server.settings import Settings
from vision.apps.server.storage import NewScan, Storage, new_id
from vision.imaging.photo import DecodeLimits, check_photo
from vision.imaging.strip import strip_jpeg

__all__ = ["Intake", "Order", "Wishes"]

_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class Wishes:
    """What someone asks of a photo or a table.

    Its deck, its game (either may be left out), rules (KEY=VALUE), a name, an evening.
    """

    deck: str | None
    rules: tuple[str, ...] = ()
    name: str = ""
    evening: str | None = None
    game: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked of a photo besides reading it."""

    name: str
    evening: str | None
    deck: str
    game: str
    rules: dict[str, Any]
    key: str | None


class Intake:
    """Takes photos in."""

    def __init__(self, storage: Storage, settings: Settings, runner: Runner) -> None:
        self.records, self.objects = storage.records, storage.objects
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
        DeckError, TableFormatError
            If there is no such deck or game, or a rule is not understood.
        """
        known = find_known(wishes.deck, wishes.game, self.settings.decks)
        game = known.game
        rules = read_rules(game, wishes.rules)
        deck = lasting_name(known, self.settings.decks)
        return Order(wishes.name, wishes.evening, deck, game.name, rules, key)

    async def take(self, request: Request, order: Order) -> tuple[str, bool]:
        """Take the photo of a request; return its scan and whether it is new.

        Raises
        ------
        Problem, ImageDecodeError, ImageSizeError
            If it is not taken. Then nothing is kept.
        """
        await anyio.to_thread.run_sync(self.check_room)
        temporary = self.objects.scratch()
        try:
            key = await self._receive(request, temporary)
            keep, limits = self.settings.keep_metadata, self.settings.decode_limits
            stripped = await anyio.to_thread.run_sync(
                _look_at, temporary, keep, limits, limiter=self._lookers
            )
            key = stripped or key
            return await anyio.to_thread.run_sync(self._enter, temporary, key, order)
        finally:
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
            detail = f"only {left} are free on the disk; delete old rounds or make room"
            raise Problem(507, "disk_full", detail)

    async def _receive(self, request: Request, temporary: Path) -> str:
        """Write the photo of a request to a file; return the hash of its content."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        try:
            if kind == "multipart/form-data":
                async with request.form(max_files=1, max_fields=8, max_part_size=65_536) as form:
                    photo = form.get("photo")
                    if not isinstance(photo, UploadFile):
                        detail = "the form has no file called photo"
                        raise Problem(422, "request_invalid", detail)
                    return await anyio.to_thread.run_sync(_copy, photo, temporary)
            if kind.startswith("image/") or kind == "application/octet-stream":
                return await self._stream(request, temporary)
        except ClientDisconnect as error:
            raise Problem(400, "body_cut_off", "the upload was cut off; send it again") from error
        detail = "send the photo as the body (image/jpeg) or in a form as the file photo"
        raise Problem(415, "request_invalid", detail)

    async def _stream(self, request: Request, temporary: Path) -> str:
        digest = hashlib.sha256()
        async with await anyio.open_file(temporary, "wb") as file:
            async for chunk in request.stream():
                digest.update(chunk)
                await file.write(chunk)
            await file.flush()
            await anyio.to_thread.run_sync(os.fsync, file.wrapped.fileno())
        return digest.hexdigest()

    def _enter(self, temporary: Path, key: str, order: Order) -> tuple[str, bool]:
        """Give the file its place and the scan its row; only then is it acknowledged."""
        if order.key is not None:
            found = self._find(order.key, key)
            if found is not None:
                return found, False
        self.objects.adopt(temporary, key)
        rules, now, most = json.dumps(order.rules), time.time(), self.most_waiting
        what = (new_id(), key, order.deck, rules, now)
        new = NewScan(*what, order.name, order.evening, order.key, order.game)
        match self.records.scans.add(new, most):
            case "full":
                raise _queue_full(most)  # many came at once
            case "no evening":
                raise Problem(404, "not_found", "there is no such evening")
            case "key taken":  # the same upload, sent twice at once
                return self._find(order.key or "", key) or new.id, False
            case _:
                return new.id, True

    def _find(self, key: str, photo: str) -> str | None:
        """Return the scan that came with a key, if it was of the same photo."""
        found = self.records.scans.find_key(key)
        if found is None:
            return None
        scan, its_photo, is_deleted = found
        if its_photo != photo:
            detail = "this Idempotency-Key came with another photo before; choose a new one"
            raise Problem(409, "idempotency_conflict", detail)
        if is_deleted:
            raise Problem(410, "gone", "this photo was taken before, and deleted since")
        return scan


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
