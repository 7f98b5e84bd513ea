"""Decoding: upright pixels whatever the file says, and every refusal in words a person can use."""

import io
import struct
import subprocess
import sys
import warnings
import zlib

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from vision.errors import ImageDecodeError, ImageSizeError, InputError
from vision.imaging.photo import DecodeLimits, Photo, decode_photo, encode_image

JPEG_TOL = 2.0  # mean difference in tones at quality 95 on smooth colour; a turn would cost 40
WEBP_TOL = 4.0  # the same; WebP halves the colour's resolution always
EXACT = 0.0

ORIENTATION, MODEL, EXIF_IFD, FOCAL_35MM = 0x0112, 0x0110, 0x8769, 0xA405


def smooth_picture(width: int = 320, height: int = 250) -> np.ndarray:
    """Return (H, W, 3) BGR that differs from each of its turns and mirror images."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    channels = [250 * x, 250 * y, 250 * (1 - x) * y]
    return np.round(np.stack(channels, axis=-1)).astype(np.uint8)


PICTURE = smooth_picture()


def saved(pixels: np.ndarray, kind: str, mode: str | None = None, **options: object) -> bytes:
    """Save BGR (or gray) pixels with Pillow."""
    picture = Image.fromarray(
        np.ascontiguousarray(pixels[..., ::-1] if pixels.ndim == 3 else pixels)
    )
    out = io.BytesIO()
    (picture.convert(mode) if mode else picture).save(out, kind, **options)
    return out.getvalue()


def with_tags(
    pixels: np.ndarray, kind: str, tags: dict[int, object], focal: object = None
) -> bytes:
    exif = Image.Exif()
    for tag, value in tags.items():
        exif[tag] = value
    if focal is not None:
        exif.get_ifd(EXIF_IFD)[FOCAL_35MM] = focal
    return saved(pixels, kind, exif=exif, **({"quality": 95} if kind != "PNG" else {}))


def mean_difference(a: np.ndarray, b: np.ndarray) -> float:
    assert a.shape == b.shape
    return float(np.abs(a.astype(int) - b).mean())


# How a camera held in each way stores an upright scene (EXIF 2.32, tag 0x0112): row 0 and column 0
# of what is stored are these sides of the scene.
STORED = {
    1: lambda upright: upright,  # top, left
    2: lambda upright: upright[:, ::-1],  # top, right
    3: lambda upright: upright[::-1, ::-1],  # bottom, right
    4: lambda upright: upright[::-1],  # bottom, left
    5: lambda upright: upright.transpose(1, 0, 2),  # left, top
    6: lambda upright: upright.transpose(1, 0, 2)[::-1],  # right, top
    7: lambda upright: upright.transpose(1, 0, 2)[::-1, ::-1],  # right, bottom
    8: lambda upright: upright.transpose(1, 0, 2)[:, ::-1],  # left, bottom
}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", STORED)
def test_every_orientation_comes_upright(orientation, kind):
    stored = STORED[orientation](PICTURE)
    photo = decode_photo(with_tags(stored, kind, {ORIENTATION: orientation}))
    tolerance = {"JPEG": JPEG_TOL, "PNG": EXACT, "WEBP": WEBP_TOL}[kind]
    assert mean_difference(photo.image, PICTURE) <= tolerance
    assert photo.orientation == orientation


@pytest.mark.parametrize("tag", [0, 9, 255])
def test_an_orientation_that_does_not_exist_means_upright(tag):
    photo = decode_photo(with_tags(PICTURE, "PNG", {ORIENTATION: tag}))
    assert np.array_equal(photo.image, PICTURE)
    assert photo.orientation == 1


def raw_tags(*entries: tuple[int, int, int, bytes], pointer: int = 8) -> bytes:
    """Return EXIF bytes with entries (tag, type, count, 4 bytes) as they are, right or wrong."""
    body = b"".join(struct.pack("<HHI", tag, kind, count) + v for tag, kind, count, v in entries)
    head = b"Exif\0\0II*\0" + struct.pack("<I", pointer)
    return head + struct.pack("<H", len(entries)) + body + bytes(4)


SIDEWAYS = (ORIENTATION, 3, 1, b"\6\0\0\0")
BROKEN_TAGS = {
    "orientation in words": (raw_tags((ORIENTATION, 2, 4, b"abc\0")), 1),
    "orientation twice": (raw_tags((ORIENTATION, 3, 2, b"\6\0\6\0")), 6),
    "tags beyond the end": (raw_tags(SIDEWAYS, pointer=60000), 1),
    "model of no letters": (raw_tags(SIDEWAYS, (MODEL, 2, 4, b"\xff\xfe\0\0")), 6),
    "details nowhere": (raw_tags(SIDEWAYS, (EXIF_IFD, 4, 1, b"\xff\xff\0\0")), 6),
    "focal length in words": (
        # the details follow: one entry, whose value is no number
        raw_tags(SIDEWAYS, (EXIF_IFD, 4, 1, struct.pack("<I", 8 + 2 + 24 + 4)))
        + struct.pack("<HHHI", 1, FOCAL_35MM, 2, 4)
        + b"abc\0"
        + bytes(4),
        6,
    ),
}


@pytest.mark.parametrize("name", BROKEN_TAGS)
def test_a_broken_tag_costs_neither_the_photo_nor_the_other_tags(name):
    exif, orientation = BROKEN_TAGS[name]
    photo = decode_photo(saved(STORED[orientation](PICTURE), "PNG", exif=exif))
    assert photo.orientation == orientation
    assert np.array_equal(photo.image, PICTURE)
    assert photo.focal_35mm is None


def test_the_focal_length_is_that_of_the_diagonal():
    photo = decode_photo(with_tags(PICTURE, "JPEG", {MODEL: "Pixel 9 "}, focal=26))
    assert photo.focal_35mm == 26
    assert photo.model == "Pixel 9"
    # 35 mm film is 36 x 24 mm: its diagonal of 43.27 mm is the picture's diagonal in pixels
    assert photo.focal_px == pytest.approx(26 / np.hypot(36, 24) * np.hypot(320, 250), rel=1e-5)


def test_turning_a_photo_does_not_change_its_focal_length():
    lying = Photo(PICTURE, 26.0)
    standing = Photo(PICTURE.transpose(1, 0, 2), 26.0)
    assert lying.focal_px == standing.focal_px


@pytest.mark.parametrize("focal", [None, 0, 4, 60000])
def test_a_focal_length_that_cannot_be_is_none(focal):
    photo = decode_photo(with_tags(PICTURE, "JPEG", {}, focal=focal))
    assert photo.focal_35mm is None
    assert photo.focal_px is None


# --- other kinds of pictures -----------------------------------------------------------------


def test_the_first_picture_of_a_phones_multi_picture_file_is_read():
    second = Image.fromarray(np.zeros_like(PICTURE))
    encoded = saved(PICTURE, "MPO", save_all=True, append_images=[second], quality=95)
    assert mean_difference(decode_photo(encoded).image, PICTURE) < JPEG_TOL


def test_gray_in_8_and_16_bits_becomes_three_equal_channels():
    gray = PICTURE[..., 0]
    for pixels in (gray, gray.astype(np.uint16) * 257):
        image = decode_photo(saved(pixels, "PNG")).image
        assert np.array_equal(image, np.repeat(gray[..., None], 3, axis=2))


def test_16_bits_of_colour_keep_their_upper_8():
    encoded = cv2.imencode(".png", PICTURE.astype(np.uint16) * 256 + 77)[1].tobytes()
    assert np.array_equal(decode_photo(encoded).image, PICTURE)


@pytest.mark.parametrize("transparency", [None, 3, bytes(range(64))])
def test_a_palette_is_looked_up(transparency):
    few = PICTURE // 64 * 64
    picture = Image.fromarray(np.ascontiguousarray(few[..., ::-1])).quantize(256)
    out = io.BytesIO()
    picture.save(out, "PNG", **({} if transparency is None else {"transparency": transparency}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what decoders have to say is for the caller, not stderr
        assert np.array_equal(decode_photo(out.getvalue()).image, few)


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_transparency_is_dropped_not_blended(mode):
    gray = np.repeat(PICTURE[..., :1], 3, axis=2)
    picture = Image.fromarray(gray).convert(mode)
    picture.putalpha(0)
    out = io.BytesIO()
    picture.save(out, "PNG")
    assert np.array_equal(decode_photo(out.getvalue()).image, gray)


def test_a_png_that_lacks_only_its_last_bytes_is_read():
    assert np.array_equal(decode_photo(saved(PICTURE, "PNG")[:-6]).image, PICTURE)


def test_bytes_after_the_end_do_no_harm():
    for kind in ("JPEG", "PNG"):
        encoded = saved(PICTURE, kind)
        assert np.array_equal(
            decode_photo(encoded + b"\0" * 999).image, decode_photo(encoded).image
        )


# --- refusals --------------------------------------------------------------------------------


def png_chunk(name: bytes, content: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + checksum


def hollow_png(width: int, height: int) -> bytes:
    """Return a PNG that declares a size and holds next to nothing."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", header)
        + png_chunk(b"IDAT", zlib.compress(bytes(1000)))
        + png_chunk(b"IEND", b"")
    )


NOISY = np.random.default_rng(0).integers(0, 255, (260, 300, 3), np.uint8)
JPEG, PNG, WEBP = (saved(NOISY, kind) for kind in ("JPEG", "PNG", "WEBP"))
PROGRESSIVE = saved(NOISY, "JPEG", progressive=True)
CUT_OFF = {
    "a JPEG without its second half": JPEG[: len(JPEG) // 2],
    "a JPEG without its end": JPEG[:-40],
    "a progressive JPEG without its second half": PROGRESSIVE[: len(PROGRESSIVE) // 2],
    "a JPEG's first bytes": JPEG[:60],
    "a PNG without its second half": PNG[: len(PNG) // 2],
    "a PNG with a wrong byte": PNG[:5000] + bytes([PNG[5000] ^ 0xFF]) + PNG[5001:],
    "a PNG that holds less than it declares": hollow_png(2000, 2000),
    "a WebP without its second half": WEBP[: len(WEBP) // 2],
}
REFUSED = {
    "nothing": (b"", ImageDecodeError, "empty"),
    "text": (b"This is no picture at all.\n" * 9, ImageDecodeError, "text"),
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", ImageDecodeError, "a PDF"),
    "a HEIC": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" * 9, ImageDecodeError, "HEIC"),
    "a GIF": (saved(PICTURE, "GIF"), ImageDecodeError, "a GIF"),
    "a TIFF": (saved(PICTURE, "TIFF"), ImageDecodeError, "a TIFF"),
    "a BMP": (saved(PICTURE, "BMP"), ImageDecodeError, "a BMP"),
    "a ZIP": (b"PK\x03\x04" + bytes(99), ImageDecodeError, "ZIP"),
    "one pixel": (saved(PICTURE[:1, :1], "PNG"), ImageSizeError, "1 x 1"),
    "a stripe": (saved(PICTURE[:9], "JPEG"), ImageSizeError, "320 x 9"),
    "900 megapixels in a header": (hollow_png(30000, 30000), ImageSizeError, "more pixels"),
    "81 megapixels in a header": (hollow_png(9000, 9000), ImageSizeError, "9000 x 9000"),
    **{name: (encoded, ImageDecodeError, "damaged") for name, encoded in CUT_OFF.items()},
}
#: Each refusal says what was seen (above), what was needed or is the limit, and what to try.
NEEDED_OR_TRY = (
    "needed",
    "need at least",
    "at most",
    "more pixels than",
    "copy or send",
    "cut off",
)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_photo_is_refused_with_a_reason(name):
    encoded, kind, seen = REFUSED[name]
    with pytest.raises(InputError) as caught:
        decode_photo(encoded)
    assert type(caught.value) is kind
    message = str(caught.value)
    assert seen in message
    assert any(words in message for words in NEEDED_OR_TRY), message


def test_too_many_bytes_are_refused_before_they_are_looked_at():
    limits = DecodeLimits(max_bytes=1000)
    with pytest.raises(ImageSizeError, match="at most 0 MB are read"):
        decode_photo(b"\0" * 1001, limits)
    assert decode_photo(JPEG, DecodeLimits(max_bytes=len(JPEG))).image.shape == NOISY.shape


def test_too_many_pixels_by_the_callers_own_limit():
    with pytest.raises(ImageSizeError, match="300 x 260"):
        decode_photo(JPEG, DecodeLimits(max_pixels=300 * 260 - 1))


def test_refusals_leave_standard_error_to_the_app(tmp_path):
    """The decoders' own complaints would stand beside the one line that a user needs."""
    for k, (encoded, _, _) in enumerate(REFUSED.values()):
        (tmp_path / f"{k}.bin").write_bytes(encoded)
    script = (
        "import sys, pathlib\n"
        "from vision.errors import InputError\n"
        "from vision.imaging.photo import decode_photo\n"
        "for path in pathlib.Path(sys.argv[1]).iterdir():\n"
        "    try:\n        decode_photo(path.read_bytes())\n"
        "    except InputError:\n        print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("refused") == len(REFUSED)
    assert done.stderr == ""


@given(st.binary(max_size=200))
def test_any_bytes_give_an_input_error(encoded):
    with pytest.raises(InputError):
        decode_photo(encoded)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([JPEG, PNG, WEBP]), st.integers(0, 400), st.binary(min_size=1, max_size=8))
def test_a_damaged_header_gives_a_picture_or_an_input_error(encoded, place, damage):
    broken = encoded[:place] + damage + encoded[place + len(damage) :]
    try:
        photo = decode_photo(broken)
    except InputError:
        return
    assert photo.image.dtype == np.uint8
    assert photo.image.ndim == 3


# --- writing, halving, gray ------------------------------------------------------------------


def test_what_is_written_is_read_back():
    assert np.array_equal(decode_photo(encode_image(PICTURE, ".png")).image, PICTURE)
    for suffix, tolerance in ((".jpg", JPEG_TOL), (".JPEG", JPEG_TOL), (".webp", WEBP_TOL)):
        back = decode_photo(encode_image(PICTURE, suffix, quality=95)).image
        assert 0 < mean_difference(back, PICTURE) < tolerance


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp"])
def test_no_metadata_is_written(suffix):
    with Image.open(io.BytesIO(encode_image(PICTURE, suffix))) as picture:
        assert not picture.getexif()
        assert not {"exif", "icc_profile", "comment", "xmp"} & picture.info.keys()


def test_other_formats_are_not_written():
    with pytest.raises(ValueError, match=r"\.gif"):
        encode_image(PICTURE, ".gif")
