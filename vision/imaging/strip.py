"""A JPEG without what tells where, when and with what it was taken; not a pixel changes.

Only what a decoder needs stays: tables, frames, scans, the colour profile. The orientation and the
focal length, which the reading needs, are written back alone. What follows the picture (the second
pictures of phones, films, anything appended) goes too.
"""

import io
import re

__all__ = ["strip_jpeg"]

_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_ORIENTATION, _EXIF_IFD, _FOCAL_35MM = 0x0112, 0x8769, 0xA405
_SOI, _EOI, _SOS, _COMMENT = 0xD8, 0xD9, 0xDA, 0xFE
_KEPT_APPS = {0xE0: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}


def strip_jpeg(content: bytes) -> bytes | None:
    """Return the file without metadata; None if it is no JPEG that can be followed to its end.

    Parameters
    ----------
    content : bytes
        The file as it came.
    """
    if content[:2] != b"\xff\xd8":
        return None
    parts = [b"\xff\xd8", _exif(content)]
    at = 2
    while at + 4 <= len(content):
        if content[at] != 0xFF:
            return None
        marker = content[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker == _EOI:
            return b"".join([*parts, b"\xff\xd9"])
        length = int.from_bytes(content[at + 2 : at + 4], "big")
        end = at + 2 + length
        if length < 2 or end > len(content):
            return None
        if marker == _SOS:
            found = _SCAN_END.search(content, end)
            if found is None:
                return None
            end = found.start()
        if _is_kept(marker, content[at + 4 : at + 16]):
            parts.append(content[at:end])
        at = end
    if content[at : at + 2] == b"\xff\xd9":
        return b"".join([*parts, b"\xff\xd9"])
    return None


def _is_kept(marker: int, start: bytes) -> bool:
    if 0xE0 <= marker <= 0xEF:
        wanted = _KEPT_APPS.get(marker)
        return wanted is not None and start.startswith(wanted)
    return marker != _COMMENT


def _exif(content: bytes) -> bytes:
    """Return a segment with the orientation and the focal length alone, or nothing."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=("JPEG",)) as picture:
            given = picture.getexif()
            orientation = int(given.get(_ORIENTATION, 1) or 1)
            focal = round(float(given.get_ifd(_EXIF_IFD).get(_FOCAL_35MM, 0) or 0))
    except Exception:  # noqa: BLE001 - Pillow raises many kinds on broken files
        return b""
    kept = Image.Exif()
    if 1 <= orientation <= 8:
        kept[_ORIENTATION] = orientation
    if 5 < focal < 500:
        kept.get_ifd(_EXIF_IFD)[_FOCAL_35MM] = focal
    body = kept.tobytes()
    if not body.startswith(b"Exif\0\0"):
        body = b"Exif\0\0" + body
    return b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body
