"""Bytes <-> image: what is refused before a pixel is decoded, and which way up the rest stands.

Pillow opens a file first and looks at its header alone: format, size, orientation, focal length.
Only a picture that passes goes to a decoder (:mod:`vision.imaging.decoding`), which would otherwise
fill gigabytes from a small hostile file.
"""

import io
import os
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# Read once, when OpenCV loads: its own guard against headers that promise billions of pixels.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(100_000_000))

import cv2
import numpy as np
from PIL import Image, features

from vision.errors import ImageDecodeError, ImageSizeError
from vision.imaging.coded_items import can_prove
from vision.imaging.decoding import Decoded, damaged_file, decode_pixels
from vision.values.arrays import ImageBGR

__all__ = [
    "DecodeLimits",
    "Photo",
    "check_photo",
    "decode_photo",
    "decode_sound",
    "encode_image",
    "readable_formats",
    "shrink_image",
    "turn_upright",
    "use_one_thread",
]

_QUICK_PNG = (  # of a photo: as small as zlib's level 4 makes it, in 40 % of the time
    *(cv2.IMWRITE_PNG_COMPRESSION, 1),
    *(cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_RLE),
    *(cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_UP),
)
_FORMATS = ("JPEG", "PNG", "WEBP")  # "JPEG" also opens the multi-picture files of phones
_ORIENTATION, _EXIF_IFD, _FOCAL_35MM, _MODEL = 0x0112, 0x8769, 0xA405, 0x0110


@dataclass(frozen=True, slots=True)
class DecodeLimits:
    """What is refused before a pixel is decoded."""

    max_bytes: int = 60_000_000  # a 64 MP JPEG at the best quality
    max_progressive_pixels: int = 25_000_000  # such a JPEG is held whole as coefficients, 6 B/px
    max_pixels: int = 64_000_000  # 192 MB decoded: leaves room for the stages in 500 MB
    min_side_px: int = 240  # below, a card of a table is a dozen pixels
    formats: tuple[str, ...] = ()  # in Pillow's names; empty: all that can be read here


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """An upright picture and what its header tells.

    ``focal_35mm`` is the EXIF focal length in 35 mm terms, None where absent or 0.
    ``orientation`` is the EXIF tag (1..8) that has been applied to ``image``; ``kind`` the format
    of the file. Of one that ``is_damaged`` some pixels may be wrong.
    """

    image: ImageBGR
    focal_35mm: float | None = None
    model: str = ""
    orientation: int = 1
    kind: str = ""
    is_damaged: bool = False

    @property
    def focal_px(self) -> float | None:
        """The focal length in pixels (35 mm terms are by the diagonal, 43.27 mm)."""
        if self.focal_35mm is None:
            return None
        height, width = self.image.shape[:2]
        return self.focal_35mm / 43.2666 * float(np.hypot(width, height))


def decode_photo(encoded: bytes, limits: DecodeLimits | None = None) -> Photo:
    """Decode a JPEG, PNG or WebP picture and turn it upright.

    Parameters
    ----------
    encoded : bytes
        The file as it is.
    limits : DecodeLimits, optional
        What to refuse.

    Raises
    ------
    ImageDecodeError
        If it is no picture, of another format, cut off, or so damaged that no pixels can be had;
        and if it is a lossless WebP, in which damage cannot be noticed.
    ImageSizeError
        If it has too few or too many pixels or bytes.
    """
    header, decoded = _decode(encoded, limits)
    if decoded.is_unproven:
        msg = (
            "in a lossless WebP damage cannot be noticed; save the photo as JPEG, PNG or lossy WebP"
        )
        raise ImageDecodeError(msg)
    return _upright(header, decoded, is_damaged=decoded.is_damaged or decoded.is_seamed)


def decode_sound(encoded: bytes, limits: DecodeLimits | None = None) -> Photo:
    """Decode a picture as :func:`decode_photo` does; refuse one that is damaged.

    For what has no result to put a doubt beside: pictures of a deck, of a camera's lens, live ones.
    A seam alone is no reason here: drawn faces have straight edges of their own. Lossless WebP
    passes unchecked: people look at the pictures of a deck.

    Raises
    ------
    ImageDecodeError, ImageSizeError
        As :func:`decode_photo`; and if it is damaged.
    """
    header, decoded = _decode(encoded, limits)
    if decoded.is_damaged:
        raise damaged_file(header.kind)
    return _upright(header, decoded, is_damaged=False)


@cache
def readable_formats() -> tuple[str, ...]:
    """Return what can be read here, in Pillow's names; AVIF and HEIF need the extra ``heic``."""
    found = list(_FORMATS)
    if not can_prove():
        return tuple(found)
    if features.check("avif"):
        found.append("AVIF")
    if find_spec("pillow_heif") is not None:
        with suppress(Exception):  # a wheel that does not fit must not cost the other formats
            import_module("pillow_heif").register_heif_opener(thumbnails=False)
            found.append("HEIF")
    return tuple(found)


def check_photo(encoded: bytes, limits: DecodeLimits | None = None) -> None:
    """Look at a picture's header alone, without decoding a pixel.

    Raises
    ------
    ImageDecodeError, ImageSizeError
        As :func:`decode_photo` does, but a picture cut off may pass.
    """
    _check(encoded, limits or DecodeLimits())


@dataclass(frozen=True, slots=True)
class _Header:
    """What a file says of its picture before a pixel is decoded."""

    size_wh: tuple[int, int]
    kind: str
    orientation: int = 1
    focal_35mm: float | None = None
    model: str = ""
    is_progressive: bool = False


def _decode(encoded: bytes, limits: DecodeLimits | None) -> tuple[_Header, Decoded]:
    header = _check(encoded, limits or DecodeLimits())
    return header, decode_pixels(encoded, header.kind)


def _upright(header: _Header, decoded: Decoded, *, is_damaged: bool) -> Photo:
    upright = turn_upright(decoded.image, header.orientation)
    tags = header.focal_35mm, header.model, header.orientation
    return Photo(upright, *tags, kind=header.kind, is_damaged=is_damaged)


def _check(encoded: bytes, limits: DecodeLimits) -> _Header:
    """Return the header of a picture that may be decoded."""
    if not encoded:
        msg = "the file is empty; needed a JPEG or PNG photo"
        raise ImageDecodeError(msg)
    if len(encoded) > limits.max_bytes:
        msg = (
            f"the file has {len(encoded) / 1e6:.0f} MB, at most {limits.max_bytes / 1e6:.0f} MB "
            "are read; save the photo as JPEG or smaller"
        )
        raise ImageSizeError(msg)
    header = _read_header(encoded, limits)
    width, height = header.size_wh
    most = limits.max_progressive_pixels if header.is_progressive else limits.max_pixels
    if width * height > most:
        kind = " of a progressive JPEG" if header.is_progressive else ""
        msg = (
            f"the picture is {width} x {height} pixels, at most "
            f"{most / 1e6:.0f} megapixels{kind} are read; scale it down"
        )
        raise ImageSizeError(msg)
    if min(width, height) < limits.min_side_px:
        msg = (
            f"the picture is {width} x {height} pixels; cards need at least "
            f"{limits.min_side_px} pixels on the shorter side: send the original photo"
        )
        raise ImageSizeError(msg)
    return header


def _read_header(encoded: bytes, limits: DecodeLimits) -> _Header:
    taken = tuple(f for f in readable_formats() if not limits.formats or f in limits.formats)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the size is checked against our own limit
            with Image.open(io.BytesIO(encoded), formats=taken) as picture:
                kind = {"MPO": "JPEG"}.get(picture.format or "", picture.format or "picture")
                is_progressive = kind == "JPEG" and bool(picture.info.get("progressive"))
                return _Header(picture.size, kind, *_read_tags(picture), is_progressive)
    except Image.DecompressionBombError as error:
        msg = "the picture's header announces more pixels than are read; scale it down"
        raise ImageSizeError(msg) from error
    except Exception as error:  # Pillow raises many kinds on broken files
        msg = f"not a readable picture (seen: {_looks_like(encoded)}); needed JPEG or PNG"
        raise ImageDecodeError(msg) from error


def _read_tags(picture: Image.Image) -> tuple[int, float | None, str]:
    """Return orientation, 35 mm focal length and model; a broken tag costs itself alone."""
    try:
        exif = picture.getexif()
        details = exif.get_ifd(_EXIF_IFD)
    except Exception:  # noqa: BLE001 - Pillow raises many kinds on broken files
        return 1, None, ""
    orientation, focal = _number(exif.get(_ORIENTATION)), _number(details.get(_FOCAL_35MM))
    return (
        int(orientation) if 1 <= orientation <= 8 else 1,  # 0 occurs and means 1
        focal if 5 < focal < 500 else None,  # 0 occurs and means unknown
        str(exif.get(_MODEL, "")).strip("\x00 "),
    )


def _number(tag: Any) -> float:
    """Return the value of a tag that should be a number; 0 if it is none."""
    try:
        return float(tag)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return 0.0


def _looks_like(encoded: bytes) -> str:
    """Name what a file that is no readable picture seems to be."""
    head = encoded[:16]
    for magic, name in (
        (b"\xff\xd8", "the start of a JPEG, damaged"),
        (b"\x89PNG", "the start of a PNG, damaged"),
        (b"%PDF", "a PDF"),
        (b"GIF8", "a GIF"),
        (b"II*\x00", "a TIFF"),
        (b"MM\x00*", "a TIFF"),
        (b"BM", "a BMP"),
        (b"RIFF", "the start of a WebP, damaged"),
        (b"PK", "a ZIP archive"),
    ):
        if head.startswith(magic):
            return name
    if head[4:8] == b"ftyp":
        return "a HEIC, AVIF or video file: export it as JPEG, or install the extra heic"
    if all(9 <= byte < 127 for byte in head):
        return "text"
    return "unknown bytes"


def turn_upright(image: ImageBGR, orientation: int) -> ImageBGR:
    """Apply an EXIF orientation (1..8)."""
    if orientation in {5, 6, 7, 8}:
        image = np.asarray(cv2.transpose(image), np.uint8)
    flip = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}.get(orientation)
    return image if flip is None else np.asarray(cv2.flip(image, flip), np.uint8)


def encode_image(image: ImageBGR, suffix: str = ".png", quality: int = 90) -> bytes:
    """Encode a picture as ``.png``, ``.jpg`` or ``.webp``; no metadata is written.

    Raises
    ------
    ValueError
        If the suffix is another.
    """
    suffix = suffix.lower()
    options = {
        ".png": _QUICK_PNG,
        ".jpg": [cv2.IMWRITE_JPEG_QUALITY, quality],
        ".jpeg": [cv2.IMWRITE_JPEG_QUALITY, quality],
        ".webp": [cv2.IMWRITE_WEBP_QUALITY, quality],
    }
    if suffix not in options:
        msg = f"pictures are written as {', '.join(options)}; got {suffix!r}"
        raise ValueError(msg)
    done, encoded = cv2.imencode(suffix, image, options[suffix])
    if not done:
        msg = f"a picture of shape {image.shape} could not be written as {suffix}"
        raise ValueError(msg)
    return encoded.tobytes()


def shrink_image(image: ImageBGR, side_px: int) -> ImageBGR:
    """Return a picture of which no side is longer; one that is small enough comes back as it is."""
    height, width = image.shape[:2]
    share = side_px / max(height, width)
    if share >= 1:
        return image
    size = round(width * share), round(height * share)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def use_one_thread() -> None:
    """Have this process work on pictures in one thread."""
    cv2.setNumThreads(1)
