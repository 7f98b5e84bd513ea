"""Damaged files: each is refused, or told as damaged, or shows what the sound file shows."""

import io
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import simplejpeg
from PIL import Image

from vision.errors import ImageDecodeError
from vision.imaging.decoding import decode_pixels
from vision.imaging.photo import decode_photo, decode_sound, readable_formats

SAMPLES = Path(__file__).parents[2] / "sample_photos"
SIDE_PX = 800
COPIES = 12  # of each format and damage
#: Tones by which a pixel may differ, and the share of the pixels that may differ by more: some 37
#: blocks of the 7,500 in such a picture. A wrong bit spoils a few of them, or grains many faintly.
TONES, SHARE = 24, 0.005
FORMATS: dict[str, tuple[str, dict]] = {
    "baseline": ("JPEG", {"quality": 88}),
    "full colour": ("JPEG", {"quality": 92, "subsampling": 0}),
    "progressive": ("JPEG", {"quality": 88, "progressive": True}),
    "restart markers": ("JPEG", {"quality": 88, "restart_marker_rows": 1}),
    "PNG": ("PNG", {}),
    "WebP": ("WEBP", {"quality": 85}),
    "HEIC": ("HEIF", {"quality": 85, "enc_params": {"x265:wpp": "0"}}),
    "HEIC, rows apart": ("HEIF", {"quality": 85}),
    "AVIF": ("AVIF", {"quality": 80}),
}
DAMAGES = ("cut off", "zeroed", "spliced", "cut out", "flipped")


@cache
def sound(name: str) -> bytes:
    kind, how = FORMATS[name]
    assert kind in {*readable_formats(), "WEBP"}
    with Image.open(SAMPLES / "golden-round.jpg") as picture:
        picture.thumbnail((SIDE_PX, SIDE_PX))
        out = io.BytesIO()
        picture.convert("RGB").save(out, kind, **how)
    return out.getvalue()


def damaged(whole: bytes, how: str, rng: np.random.Generator) -> bytes:
    """Damage 0.1 to 4 kB of a file behind its headers, or one bit of it."""
    first = max(700, whole.find(b"\xff\xda") + 20)
    length = min(int(rng.integers(100, 4097)), (len(whole) - first) // 3)
    at = int(rng.integers(first, len(whole) - length - 2))
    if how == "cut off":
        return whole[:at]
    if how == "cut out":
        return whole[:at] + whole[at + length :]
    if how == "flipped":
        return whole[:at] + bytes([whole[at] ^ 1 << int(rng.integers(8))]) + whole[at + 1 :]
    other = int(rng.integers(first, len(whole) - length - 2))
    piece = bytes(length) if how == "zeroed" else whole[other : other + length]
    return whole[:at] + piece + whole[at + length :]


def is_silent(encoded: bytes, kind: str, true: np.ndarray) -> bool:
    """Tell whether a file passes as sound and shows something else."""
    try:
        seen = decode_pixels(encoded, kind)
    except ImageDecodeError:
        return False
    if seen.is_damaged or seen.is_seamed:
        return False
    if seen.image.shape != true.shape:
        return True
    far = np.abs(seen.image.astype(np.int16) - true).max(axis=2) > TONES
    return float(far.mean()) > SHARE


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_refused_or_told_or_look_the_same(name, how):
    kind = FORMATS[name][0]
    true = decode_pixels(sound(name), kind)
    assert not true.is_damaged
    rng = np.random.default_rng(zlib.crc32(f"{name} {how}".encode()))
    files = [damaged(sound(name), how, rng) for _ in range(COPIES)]
    silent = [k for k, file in enumerate(files) if is_silent(file, kind, true.image)]
    assert not silent


def test_the_corpus_is_large_enough():
    assert len(FORMATS) * len(DAMAGES) * COPIES >= 500


def test_a_scan_header_that_phones_get_wrong_is_no_damage():
    """Start and end of the band are 0 and 0, and no decoder of such a file uses them."""
    whole = bytearray(sound("baseline"))
    at = whole.index(b"\xff\xda")
    end = at + 2 + int.from_bytes(whole[at + 2 : at + 4], "big")
    whole[end - 3 : end] = bytes(3)
    with pytest.raises(ValueError, match="SOS"):
        simplejpeg.decode_jpeg(bytes(whole), strict=True)
    seen = decode_photo(bytes(whole))
    assert not seen.is_damaged
    assert np.array_equal(seen.image, decode_photo(sound("baseline")).image)


def test_damage_behind_a_wrong_scan_header_is_told():
    whole = bytearray(sound("baseline"))
    at = whole.index(b"\xff\xda")
    end = at + 2 + int.from_bytes(whole[at + 2 : at + 4], "big")
    whole[end - 3 : end] = bytes(3)
    whole[end + 9000 : end + 11000] = bytes(2000)
    assert decode_photo(bytes(whole)).is_damaged


def test_where_nothing_can_carry_a_doubt_a_damaged_file_is_refused():
    whole = bytearray(sound("baseline"))
    whole[20_000:22_000] = bytes(2000)
    assert decode_photo(bytes(whole)).is_damaged
    with pytest.raises(ImageDecodeError, match="damaged"):
        decode_sound(bytes(whole))


@pytest.mark.parametrize("file", sorted(SAMPLES.glob("**/*.jpg")), ids=lambda f: f.stem)
def test_no_sample_is_taken_for_damaged(file):
    assert not decode_photo(file.read_bytes()).is_damaged


def striped(period: int, first: int) -> bytes:
    """Draw a cloth with stripes along the picture's rows, as a lens shows it, and code it."""
    at = np.arange(SIDE_PX)
    stripes = 1.0 * ((at + first) // period % 2)
    stripes = np.convolve(stripes, [0.1, 0.2, 0.4, 0.2, 0.1], mode="same")
    tones = 200 - 80 * stripes[:, None, None] * np.array([1.0, 0.6, 0.3])
    noise = np.random.default_rng(first).normal(0, 2, (SIDE_PX, SIDE_PX, 3))
    out = io.BytesIO()
    Image.fromarray((tones + noise).astype(np.uint8)).save(out, "JPEG", quality=88)
    return out.getvalue()


@pytest.mark.parametrize("first", range(0, 16, 3))
@pytest.mark.parametrize("period", [16, 24, 37])
def test_a_striped_cloth_is_no_damage(period, first):
    """Its stripes step along whole rows, but are less sharp than what a shifted block leaves."""
    assert not decode_pixels(striped(period, first), "JPEG").is_seamed


def test_a_lossless_webp_is_no_photo_but_may_be_a_picture_of_a_deck():
    with Image.open(SAMPLES / "golden-round.jpg") as picture:
        picture.thumbnail((SIDE_PX, SIDE_PX))
        out = io.BytesIO()
        picture.save(out, "WEBP", lossless=True)
    with pytest.raises(ImageDecodeError, match="lossless WebP"):
        decode_photo(out.getvalue())
    assert decode_sound(out.getvalue()).image.shape[1] == SIDE_PX


@pytest.mark.parametrize("name", ["HEIC", "HEIC, rows apart", "AVIF"])
def test_a_sound_file_is_whole_at_any_size(name):
    """Large ones as a phone codes them, at once; the small one with all that x265 can do."""
    assert "HEIF" in readable_formats()  # which has Pillow write it, too
    kind, how = FORMATS[name]
    quick = {"enc_params": {"preset": "ultrafast", **how.get("enc_params", {})}, "speed": 10}
    with Image.open(SAMPLES / "golden-round.jpg") as picture:
        for side_px in (257, 640, 1500):
            small = picture.copy()
            small.thumbnail((side_px * 2, side_px * 2))
            out = io.BytesIO()
            more = quick if side_px > 257 else {}
            small.convert("RGB").save(out, kind, **{**how, **more})
            assert not decode_photo(out.getvalue()).is_damaged
