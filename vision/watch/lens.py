"""A calibration of the camera -> what is believed of it, unless the pictures contradict."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from vision.errors import ScanError
from vision.imaging.view import View
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.estimation.plane import camera_priors
from vision.values.arrays import ImageBGR
from vision.values.messages import Message
from vision.watch.calls import Call
from vision.watch.cards import Kit
from vision.watch.ground import settle_ground
from vision.watch.state import Following

__all__ = ["Profile", "check_profile", "priors_at"]

PriorsOf: TypeAlias = Callable[[tuple[int, int]], Priors | None]


_CARDS = 4  # by which a calibration is checked: fewer say too little of the lens
_SLACK = 1.15  # by how much worse than without it the cards may agree
_SLACK_PX = 0.03  # ... and by so much more: the noise of that comparison


@dataclass(frozen=True, slots=True)
class Profile:
    """A camera that was calibrated.

    ``priors_of`` says what is known of it for a picture size (width, height), None where that
    does not fit.
    """

    name: str
    priors_of: PriorsOf

    def unfit(self, reason: str) -> Call:
        """Tell that it is dropped."""
        said = Message("watch.profile_unfit", (("name", self.name), ("reason", reason)))
        return Call("profile_unfit", said, "doubt", (), None, {"reason": reason})


def priors_at(profile: Profile | None, size_wh: tuple[int, int]) -> tuple[Priors, list[Call]]:
    """Return what is believed of a camera, and whether its profile has to be dropped."""
    known = None if profile is None else profile.priors_of(size_wh)
    if known is not None:
        return known, []
    unfit = [] if profile is None else [profile.unfit("its pictures have another shape")]
    return camera_priors(size_wh, None), unfit


def check_profile(
    profile: Profile, state: Following, image: ImageBGR, kit: Kit
) -> tuple[Following, list[Call]] | None:
    """Drop a calibration that the cards on the table contradict.

    Returns
    -------
    (Following, list of Call) or None
        The state without it, and what is to be told; None while there are too few cards to tell.
    """
    if state.ground is None or state.is_stale or state.ground.cards < _CARDS:
        return None
    plain = camera_priors(state.size_wh, None)
    free = replace(state.ground, priors=plain)
    try:
        ground, _ = settle_ground(View(image), free, state.poses, kit.detector)
    except ScanError:
        return state, []
    most = _SLACK * ground.residual_px + _SLACK_PX
    if state.ground.residual_px <= most:
        return state, []
    reason = f"{state.ground.residual_px:.2f} px off, without it {ground.residual_px:.2f} px"
    dropped = replace(state, priors=plain, ground=free, is_stale=True)
    return dropped, [profile.unfit(reason)]
