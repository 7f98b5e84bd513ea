"""The commands ``sightline calibrate``: a board to print, and a camera's profile from pictures."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vision.apps.cli.options import Paper
from vision.apps.cli.order import add_function, group
from vision.apps.cli.talk import refuse, working
from vision.apps.folders import deck_folder
from vision.errors import CalibrationError, ScanError, SourceError
from vision.files.whole import atomic_path, read_bytes

if TYPE_CHECKING:
    from calibration.camera.solve import CameraProfile
    from vision.seeing.estimation.adjustment import Priors
    from vision.values.arrays import ImageBGR

__all__ = ["add_calibrate", "camera_folder", "priors_for", "profile_camera"]

_MOST_VIEWS = 40  # of a film: more say the same
_SHAPE = 0.01  # by how much a picture's proportions may differ from the profile's


def camera_folder() -> Path:
    """Return where camera profiles are kept: ``cameras`` beside the learned decks."""
    return deck_folder().with_name("cameras")


def add_calibrate(app: typer.Typer) -> None:
    """Add the commands to the program."""
    said = "Calibrate a camera: print a board, make a profile. Never required."
    calibrate = group(app, "calibrate", said)
    add_function(calibrate, "board", _board)
    add_function(calibrate, "camera", _camera)


def _board(
    out: Annotated[Path, typer.Option(metavar="FILE.pdf", help="The PDF to write.")],
    paper: Annotated[Paper, typer.Option(help="The paper in your printer.")] = Paper.A4,
) -> None:
    """Write a ChArUco board to print at true size."""
    if out.suffix.lower() != ".pdf":
        refuse(f"--out: the board is written as .pdf; got {str(out)!r}")
    from calibration.camera.board import write_board

    with atomic_path(out) as temporary:
        write_board(temporary, paper.value)
    typer.echo(f"{out}: print it at 100 % on {paper.value} and glue it flat on cardboard")


def _camera(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name for the camera.")],
    source: Annotated[
        list[Path],
        typer.Argument(
            metavar="PICTURES...",
            help="Photos, folders or films of the printed board, or of cards on a table.",
        ),
    ],
    deck: Annotated[
        str, typer.Option(metavar="NAME", help="The deck, for photos of cards.")
    ] = "light-speed",
) -> None:
    """Make a camera's profile from pictures of the board, or of game cards."""
    from calibration.camera.profiles import save_profile

    with working("looking at the pictures"):
        profile = profile_camera(name, list(_images(source)), deck)
    path = save_profile(camera_folder(), profile)
    width, height = profile.size_wh
    what = "the board" if profile.made_from == "board" else "cards"
    typer.echo(
        f"{name}: {width} x {height} pixels, focal length {profile.focal_px:.0f} ± "
        f"{profile.focal_sd_px:.1f} pixels, error {profile.error_px:.2f} pixels, from "
        f"{profile.views} pictures of {what}"
    )
    typer.echo(f"kept in {path}", err=True)


def _images(sources: Sequence[Path]) -> "Iterator[ImageBGR]":
    """Yield the pictures of photos, folders and films."""
    from vision.imaging.photo import decode_sound
    from vision.watch.sources import PICTURES, FilmFault, Picture, folder_pictures, video_pictures

    for source in sources:
        if source.is_dir():
            whole = (one for one in folder_pictures(source) if isinstance(one, Picture))
            yield from (picture.image for picture in whole)
        elif source.suffix.lower() in PICTURES or not source.exists():
            yield decode_sound(read_bytes(source)).image
        else:
            seen = list(video_pictures(source))
            pictures = [one.image for one in seen if isinstance(one, Picture)]
            if any(isinstance(one, FilmFault) and one.state == "damaged" for one in seen):
                msg = f"the film {source.name} is damaged; copy it again"
                raise SourceError(msg)
            yield from pictures[:: max(1, len(pictures) // _MOST_VIEWS)]


def profile_camera(
    name: str, images: "Sequence[ImageBGR]", deck_name: str = "light-speed"
) -> "CameraProfile":
    """Make a profile from pictures: of the board if it shows in any, else of cards.

    Raises
    ------
    CalibrationError
        If the pictures are of several sizes, too few, or do not agree.
    """
    from calibration.camera.board import find_board
    from calibration.camera.solve import combine_cameras, solve_boards
    from vision.imaging.photo import Photo
    from vision.imaging.view import to_gray

    sizes = {(image.shape[1], image.shape[0]) for image in images}
    if len(sizes) != 1:
        told = ", ".join(f"{w} x {h}" for w, h in sorted(sizes)) or "none"
        msg = f"needed pictures of one size, got {told}; take all with the same settings"
        raise CalibrationError(msg)
    size_wh = sizes.pop()
    views = [view for image in images if (view := find_board(to_gray(image))) is not None]
    if views:
        return solve_boards(name, views, size_wh)
    from calibration.light_speed.looks import build_bank
    from vision.games.light_speed.deck import load_deck
    from vision.seeing.detector import build_detector
    from vision.seeing.reading import read_layout

    detector = build_detector(build_bank(load_deck(deck_name)))
    cameras, residuals = [], []
    for image in images:
        try:
            seen = read_layout(Photo(image), detector)
        except ScanError:
            continue
        if len(seen.placed) >= 3:  # fewer say next to nothing of the lens
            cameras.append(seen.camera)
            residuals.append(seen.residual_px)
    return combine_cameras(name, cameras, residuals, size_wh)


def priors_for(profile: "CameraProfile", size_wh: tuple[int, int]) -> "Priors | None":
    """Return what a profile says of a camera's picture of a size; None if it is of another shape.

    Parameters
    ----------
    profile : CameraProfile
        What is known.
    size_wh : (int, int)
        Width and height of the picture, pixels; scaled pictures of the same view fit.
    """
    import numpy as np

    from vision.imaging.view import scaled
    from vision.seeing.estimation.adjustment import Priors

    scale = size_wh[0] / profile.size_wh[0]
    if abs(size_wh[1] / profile.size_wh[1] / scale - 1) > _SHAPE:
        return None
    x, y = scaled(np.array(profile.centre_px), scale).tolist()
    return Priors(
        profile.focal_px * scale,
        max(profile.focal_sd_px / profile.focal_px, 0.003),
        (x, y),
        max(profile.centre_sd_px * scale, 0.5),
        k1_sd=max(profile.k1_sd, 0.002),
        k2_sd=max(profile.k2_sd, 0.003),
        k1=profile.k1,
        k2=profile.k2,
    )
