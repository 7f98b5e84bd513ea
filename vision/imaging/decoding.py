"""Bytes of a picture whose header passed -> its pixels, and whether they are those of the file.

One rule for all formats. Pixels that the file proves whole pass. Where something is wrong and
pixels can still be had, they come with ``is_damaged``; else the file is refused. How a format
proves itself:

JPEG
    No decoder's warning, and no seam in the picture (:mod:`vision.imaging.seams`). An oddity of
    the headers, which some phones write, is set right first: then nothing is left to warn of.
PNG
    The checksum of each chunk, and that of the pixels.
WebP
    The coded data reach to their end: without their last bytes they cannot be decoded. Data with a
    wrong byte need more or less than is there; a decoder says so of more only. Lossless data fall
    back into step behind a wrong byte and prove nothing: ``is_unproven``.
HEIC, AVIF
    The coded data of each picture are used up to their end (:mod:`vision.imaging.coded_items`).
"""

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import cv2
import numpy as np
import simplejpeg
from PIL import Image

from vision.errors import ImageDecodeError
from vision.imaging.coded_items import is_whole
from vision.imaging.seams import has_seam
from vision.values.arrays import ImageBGR

__all__ = ["Decoded", "damaged_file", "decode_pixels"]

#: Width and height (px) of a JPEG's coded units, by how it samples colour.
_UNITS = {"420": (16, 16), "422": (16, 8), "440": (8, 16), "411": (32, 8)}
_ONE_BLOCK = (8, 8)
_SEQUENTIAL = (0xC0, 0xC1)  # frame headers of JPEGs that are not progressive
_START_OF_SCAN, _APP0 = 0xDA, 0xE0
_WHOLE_BAND = bytes([0, 63, 0])  # what a sequential scan has to say of its coefficients
_LAST_BYTES = 8  # of WebP's coded data; encoders round up to 2 more than they need


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """Pixels as stored, not yet turned upright; ``is_damaged`` if they may not be the file's.

    ``is_seamed`` says that no decoder warns, but the picture has a seam: damage in a photo, while a
    drawn card may have such an edge of its own. ``is_unproven``: the format has nothing by which
    damage could be noticed.
    """

    image: ImageBGR
    is_damaged: bool = False
    is_seamed: bool = False
    is_unproven: bool = False


def decode_pixels(encoded: bytes, kind: str) -> Decoded:
    """Decode a picture strictly.

    Parameters
    ----------
    encoded : bytes
        The file.
    kind : str
        Its format, in Pillow's names.

    Raises
    ------
    ImageDecodeError
        If no pixels can be had, or the file ends before they do.
    """
    decode = {"JPEG": _decode_jpeg, "PNG": _decode_png, "WEBP": _decode_webp}
    return decode.get(kind, _decode_by_pillow)(encoded, kind)


def damaged_file(kind: str) -> ImageDecodeError:
    """Return the refusal of a file that is damaged."""
    return ImageDecodeError(f"the {kind} file is damaged or was cut off; copy or send it again")


# --- JPEG ------------------------------------------------------------------------------------


def _decode_jpeg(encoded: bytes, kind: str) -> Decoded:
    """Decode without a warning, if need be with headers set right; else what there is."""
    for mend in (bytes, _in_order):
        with suppress(ValueError):
            told = mend(encoded)
            image = simplejpeg.decode_jpeg(told, "BGR", strict=True)
            _, _, _, sampling = simplejpeg.decode_jpeg_header(told)
            seamed = has_seam(image, _UNITS.get(sampling, _ONE_BLOCK))
            return Decoded(image, is_seamed=seamed)
    if not _has_end(encoded):
        raise damaged_file(kind)
    try:
        return Decoded(simplejpeg.decode_jpeg(encoded, "BGR", strict=False), is_damaged=True)
    except ValueError as error:
        raise damaged_file(kind) from error


def _segments(encoded: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield marker, start and end of the content of a JPEG's headers, up to the first scan's."""
    at = 2
    while at + 4 <= len(encoded) and encoded[at] == 0xFF:
        marker = encoded[at + 1]
        if marker == 0xFF:  # a filling byte
            at += 1
            continue
        end = at + 2 + int.from_bytes(encoded[at + 2 : at + 4], "big")
        yield marker, at + 4, end
        if marker == _START_OF_SCAN:
            return
        at = end


def _in_order(encoded: bytes) -> bytes:
    """Set right what decoders warn of and never use: the JFIF version, and a scan's band.

    Only a progressive scan has a band of coefficients; phones have written 0, 0 in others.
    """
    mended, is_sequential = bytearray(encoded), False
    for marker, start, end in _segments(encoded):
        is_sequential |= marker in _SEQUENTIAL
        if marker == _APP0 and encoded[start : start + 5] == b"JFIF\0":
            mended[start + 5] = 1
        if marker == _START_OF_SCAN and is_sequential and end <= len(encoded):
            mended[end - 3 : end] = _WHOLE_BAND
    return bytes(mended)


def _has_end(encoded: bytes) -> bool:
    """Tell whether a JPEG's end is there: a file that was cut off has none after its scan."""
    ends = [end for marker, _, end in _segments(encoded) if marker == _START_OF_SCAN]
    return bool(ends) and encoded.find(b"\xff\xd9", ends[0]) >= 0


# --- PNG -------------------------------------------------------------------------------------


def _decode_png(encoded: bytes, kind: str) -> Decoded:
    """Decode with Pillow: OpenCV's PNG reader complains on standard error about broken files."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on palettes with transparency, which is dropped
            with Image.open(io.BytesIO(encoded), formats=(kind,)) as picture:
                image = _pixels_of(picture)
    except Exception as error:  # Pillow raises many kinds on broken files
        raise damaged_file(kind) from error
    return Decoded(image, not _chunks_agree(encoded))


def _pixels_of(picture: Image.Image) -> ImageBGR:
    if picture.mode.startswith("I"):  # 16 bits of gray
        gray = (np.asarray(picture, np.int64) >> 8).astype(np.uint8)
        return np.repeat(gray[..., None], 3, axis=2)
    rgb = np.asarray(picture.convert("RGB"), np.uint8)
    return np.ascontiguousarray(rgb[..., ::-1])


def _chunks_agree(encoded: bytes) -> bool:
    """Tell whether each chunk of a PNG has its checksum; Pillow passes over that of the pixels.

    The chunk at the end holds nothing, and may be cut off.
    """
    at = 8
    while at + 8 <= len(encoded):
        (length,) = struct.unpack_from(">I", encoded, at)
        if encoded[at + 4 : at + 8] == b"IEND":
            return True
        end = at + 8 + length
        checksum = zlib.crc32(memoryview(encoded)[at + 4 : end])
        if encoded[end : end + 4] != struct.pack(">I", checksum):
            return False
        at = end + 4
    return True


# --- the others ------------------------------------------------------------------------------


def _decode_webp(encoded: bytes, kind: str) -> Decoded:
    decoded = _by_opencv(encoded)
    if decoded is None:
        raise damaged_file(kind)
    coded = _lossy_data(encoded)
    if coded is None:
        return Decoded(decoded, is_unproven=True)
    return Decoded(decoded, _by_opencv(_without_last_bytes(encoded, *coded)) is not None)


def _by_opencv(encoded: bytes) -> ImageBGR | None:
    flags = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    decoded = cv2.imdecode(np.frombuffer(encoded, np.uint8), flags)
    return None if decoded is None else np.asarray(decoded, np.uint8)


def _lossy_data(encoded: bytes) -> tuple[int, int] | None:
    """Return where a WebP's lossy data begin and their length; None where it has no such data."""
    at = 12
    while at + 8 <= len(encoded):
        name, length = struct.unpack_from("<4sI", encoded, at)
        if name == b"VP8 ":
            return at + 8, length
        at += 8 + length + length % 2
    return None


def _without_last_bytes(encoded: bytes, start: int, length: int) -> bytes:
    """Return a WebP of which the lossy data lack their last bytes."""
    left = length - _LAST_BYTES
    chunk = struct.pack("<4sI", b"VP8 ", left) + encoded[start : start + left] + bytes(left % 2)
    whole = encoded[8 : start - 8] + chunk
    return b"RIFF" + struct.pack("<I", len(whole)) + whole


def _decode_by_pillow(encoded: bytes, kind: str) -> Decoded:
    """Decode HEIC or AVIF, which OpenCV does not; the orientation tag is left to be applied."""
    try:
        with Image.open(io.BytesIO(encoded), formats=(kind,)) as picture:
            image = np.asarray(picture.convert("RGB"), np.uint8)[:, :, ::-1]
    except Exception as error:
        raise damaged_file(kind) from error
    return Decoded(np.ascontiguousarray(image), not is_whole(encoded))
