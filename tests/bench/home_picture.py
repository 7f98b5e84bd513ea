"""Make the pictures of the first page: a sample photo, and its round drawn on it.

``python -m tests.bench.home_picture`` reads the sample as a user would, once in each language. The
grain of the cloth is smoothed: it would take a fifth of the bytes, of which the page has few.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
from PIL import Image

from tests.apps.web_help import SAMPLES
from vision.apps.server.page_files import STATIC
from vision.imaging.photo import decode_photo
from vision.texts import LANGUAGES
from vision.values.arrays import ImageBGR

SAMPLE = SAMPLES / "two-teams-flat.jpg"
PICTURES = STATIC / "pictures"
ROWS = slice(150, 2998)  # of 3000: above them is cloth
WIDTH_PX = 560  # 372 css px wide on a phone, at 1.5 px each
QUALITY = 40  # of WebP; at 60 a third more bytes
GRAIN = (7, 14.0, 5.0)  # bilateral: diameter px, tones, sigma px


def small(image: ImageBGR) -> ImageBGR:
    """Return the part that is shown, as large as it is shown."""
    part = image[ROWS]
    height = round(WIDTH_PX * part.shape[0] / part.shape[1])
    return cv2.resize(part, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)


def drawn(language: str, folder: Path) -> ImageBGR:
    """Return the sample with its round drawn on it, by the command that users have."""
    place = folder / f"{language}.png"
    scan = ["-m", "vision.apps.cli.main", "scan", str(SAMPLE), "--out", str(place)]
    subprocess.run(
        [sys.executable, *scan, "--lang", language], check=True, stdout=subprocess.DEVNULL
    )
    return decode_photo(place.read_bytes()).image


def write(image: ImageBGR, name: str) -> None:
    smooth = cv2.bilateralFilter(small(image), *GRAIN)
    place = PICTURES / f"{name}.webp"
    Image.fromarray(smooth[:, :, ::-1].copy()).save(place, quality=QUALITY, method=6)
    print(place.name, smooth.shape[1], "x", smooth.shape[0], place.stat().st_size, "bytes")


def main() -> None:
    """Write them beside the page."""
    PICTURES.mkdir(exist_ok=True)
    write(decode_photo(SAMPLE.read_bytes()).image, "before")
    with tempfile.TemporaryDirectory() as folder:
        for language in LANGUAGES:
            write(drawn(language, Path(folder)), f"after.{language}")


if __name__ == "__main__":
    main()
