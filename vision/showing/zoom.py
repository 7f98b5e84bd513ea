"""Camera and places of a picture that was made smaller or larger."""

from collections.abc import Sequence
from dataclasses import replace

from vision.imaging.view import scaling
from vision.values.layout import Camera
from vision.values.messages import Issue

__all__ = ["zoomed", "zoomed_issues"]


def zoomed(camera: Camera, scale: float) -> Camera:
    """Return the camera of the same picture scaled."""
    larger = scaling(scale)
    return replace(
        camera,
        camera_matrix=larger @ camera.camera_matrix,
        photo_from_table=larger @ camera.photo_from_table,
    )


def zoomed_issues(issues: Sequence[Issue], scale: float) -> tuple[Issue, ...]:
    """Return doubts and notes with their places in the same picture scaled."""
    return tuple(
        issue
        if issue.at_px is None
        else replace(issue, at_px=(issue.at_px[0] * scale, issue.at_px[1] * scale))
        for issue in issues
    )
