"""What the server keeps: the one room that knows SQL and folders.

``records`` has the values of what is known of scans, ``sql`` keeps them in SQLite or PostgreSQL;
``objects`` are the files, in a folder or a store. A record that names an object is written only
after the object is there, whole.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from vision.apps.server.storage.bucket import BucketObjects
from vision.apps.server.storage.careers import CareerLog, CareerRound, KeptCareer, Note
from vision.apps.server.storage.objects import FolderObjects, Source, Space, needed_by
from vision.apps.server.storage.records import (
    Evening,
    Job,
    JobLimits,
    Kept,
    NewScan,
    ReadAs,
    ReadPhoto,
    Scan,
    Share,
    new_id,
)
from vision.apps.server.storage.sittings import Seat, Sitting, new_token
from vision.apps.server.storage.sql import Records
from vision.files.whole import private_folder

__all__ = [
    "CareerLog",
    "CareerRound",
    "Evening",
    "Job",
    "JobLimits",
    "Kept",
    "KeptCareer",
    "NewScan",
    "Note",
    "Objects",
    "ReadAs",
    "ReadPhoto",
    "Records",
    "Scan",
    "Seat",
    "Share",
    "Sitting",
    "Source",
    "Space",
    "Storage",
    "needed_by",
    "new_id",
    "new_token",
    "open_storage",
]


#: Files of the server: both kinds have the same methods.
Objects: TypeAlias = FolderObjects | BucketObjects


@dataclass(frozen=True, slots=True, eq=False)
class Storage:
    """Both."""

    records: Records
    objects: Objects


def open_storage(folder: Path, database_url: str = "", objects_url: str = "") -> Storage:
    """Open what is kept in a folder; records and files elsewhere if that is named.

    Raises
    ------
    ValueError
        If the data was written by another version.
    OSError
        If the store of the files cannot be reached.
    """
    private_folder(folder)
    objects: Objects = FolderObjects(folder / "files")
    if objects_url:
        objects = BucketObjects(objects_url, folder / "files" / "tmp")
    return Storage(Records(folder, database_url), objects)
