"""The camera of a picture that was made smaller or larger."""

from dataclasses import replace

from vision.imaging.view import scaling
from vision.values.layout import Camera

__all__ = ["zoomed"]


def zoomed(camera: Camera, scale: float) -> Camera:
    """Return the camera of the same picture scaled."""
    larger = scaling(scale)
    return replace(
        camera,
        camera_matrix=larger @ camera.camera_matrix,
        photo_from_table=larger @ camera.photo_from_table,
    )
