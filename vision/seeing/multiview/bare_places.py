"""A place of the table -> whether one of several photos shows that nothing lies there."""

import numpy as np

from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.issues.bare_table import BareTableSettings, is_bare_table, is_in_view
from vision.seeing.multiview.frame_registration import RegisteredView
from vision.values.arrays import FloatArray
from vision.values.layout import poses_of

__all__ = ["is_bare_in_view"]


def is_bare_in_view(
    photo: RegisteredView,
    pose: FloatArray,
    size_mm: tuple[float, float],
    settings: BareTableSettings | None = None,
) -> bool:
    """Tell whether a photo shows the bare table where something of a size would lie.

    ``pose`` (3,) is x mm, y mm, theta rad of the common frame.
    """
    layout, motion = photo.layout, photo.motion
    own = np.array([*motion.back(pose[:2]), pose[2] - motion.turn_rad])
    outline = card_outlines(own[None], size_mm)[0]
    return is_in_view(layout.camera, outline, layout.size_wh) and is_bare_table(
        photo.view, layout.camera, own, poses_of(layout.placed), size_mm, settings
    )
