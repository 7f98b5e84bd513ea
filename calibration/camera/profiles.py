"""Camera profiles on disk: one JSON file each, under the camera's name."""

import json
import re
from pathlib import Path
from typing import Any

from calibration.camera.solve import CameraProfile
from vision.errors import CalibrationError
from vision.files.whole import write_atomically

__all__ = ["list_profiles", "load_profile", "save_profile"]

_SCHEMA = "sightline/camera@1"
_NAME = re.compile(r"[\w][\w .-]{0,60}")
_NUMBERS = (
    "focal_px",
    "focal_sd_px",
    "centre_sd_px",
    "k1",
    "k1_sd",
    "k2",
    "k2_sd",
    "error_px",
)


def _path(folder: Path, name: str) -> Path:
    if not _NAME.fullmatch(name):
        msg = f"a camera's name has letters, digits, spaces, dots and dashes; got {name!r}"
        raise CalibrationError(msg)
    return folder / f"{name}.json"


def save_profile(folder: Path, profile: CameraProfile) -> Path:
    """Write a profile into a folder, made if missing, and return where."""
    folder.mkdir(parents=True, exist_ok=True)
    path = _path(folder, profile.name)
    told: dict[str, Any] = {
        "schema": _SCHEMA,
        "name": profile.name,
        "size_px": list(profile.size_wh),
    }
    told |= {name: getattr(profile, name) for name in _NUMBERS}
    told |= {
        "centre_px": list(profile.centre_px),
        "views": profile.views,
        "made_from": profile.made_from,
    }
    write_atomically(path, (json.dumps(told, indent=1) + "\n").encode("ascii"))
    return path


def load_profile(folder: Path, name: str) -> CameraProfile:
    """Read a profile.

    Raises
    ------
    CalibrationError
        If there is none of that name, or it cannot be read.
    """
    path = _path(folder, name)
    if not path.is_file():
        known = ", ".join(list_profiles(folder)) or "none yet"
        msg = f"no camera profile {name!r} (known: {known}); make it with calibrate camera"
        raise CalibrationError(msg)
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["schema"] != _SCHEMA:
            raise ValueError(told["schema"])
        width, height = (int(value) for value in told["size_px"])
        x, y = (float(value) for value in told["centre_px"])
        numbers = {key: float(told[key]) for key in _NUMBERS}
        return CameraProfile(
            name=name,
            size_wh=(width, height),
            centre_px=(x, y),
            views=int(told["views"]),
            made_from=str(told["made_from"]),
            **numbers,
        )
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{path.name} is not a camera profile; make it again with calibrate camera"
        raise CalibrationError(msg) from error


def list_profiles(folder: Path) -> list[str]:
    """Return the names of the profiles in a folder."""
    return sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []
