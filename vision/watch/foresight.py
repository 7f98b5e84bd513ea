"""The table as it lies while it is being laid -> what would come of it now.

Cards are measured as a scan of one photo measures them, from where the watch knows them: so the
margins are those of a round's page. Names are the watch's own: no face is compared.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.errors import ScanError
from vision.geometry import photo_from_table
from vision.imaging.view import View
from vision.judging.game import Game
from vision.seeing.cards.overlap_order import find_covers
from vision.seeing.estimation.gauge import remove_gauge
from vision.seeing.estimation.model import with_poses
from vision.seeing.estimation.overlaps import card_outlines
from vision.values.arrays import ImageBGR
from vision.values.layout import Camera, Layout, Placed
from vision.values.ledger import Ledger
from vision.watch.battle import Joined
from vision.watch.by_hand_table import changes_by_hand, changes_joined
from vision.watch.cards import Kit
from vision.watch.ground import Ground
from vision.watch.state import Following

__all__ = ["Foreseen", "foresee"]


@dataclass(frozen=True, slots=True, eq=False)
class Foreseen:
    """What would come of the table now; ``camera`` is how its millimetres show in the picture.

    ``size_wh`` is that of the picture that is followed.
    """

    ledger: Ledger
    camera: Camera
    size_wh: tuple[int, int]


def foresee(
    state: Following,
    image: ImageBGR,
    kit: Kit,
    game: Game,
    options: Any = None,
    joined: Joined | None = None,
) -> Foreseen | None:
    """Play the cards that are known as they lie in a picture of the table at rest.

    Parameters
    ----------
    state : Following
        What the watch knows.
    image : (H, W, 3) uint8
        The picture, in the size that is followed; nothing may lie over its cards.
    kit : Kit
        What the cards look like.
    game, options
        What is played.
    joined : Joined, optional
        The other table of a battle, laid over this one.

    Returns
    -------
    Foreseen or None
        None if no card is seen, or they cannot be measured or played.
    """
    if state.ground is None or not state.cards:
        return None
    try:
        layout = _measured(state, state.ground, View(image), kit)
        table = game.lay([layout], game.options() if options is None else options)
        for change in changes_by_hand(state, state.by_hand, layout, kit.size_mm):
            table = game.edit(table, change)
        if joined is not None:
            for change in changes_joined(state.ground, joined, layout, kit.size_mm):
                table = game.edit(table, change)
        ledger = game.foresee(table)
    except ScanError:
        return None
    return None if ledger is None else Foreseen(ledger, layout.camera, layout.size_wh)


def _measured(state: Following, ground: Ground, view: View, kit: Kit) -> Layout:
    """Return the known cards as a scan would measure them, named as the watch names them."""
    poses, cards, priors = kit.detector.pose_estimator, state.cards, ground.priors
    start = with_poses(ground.solution, state.poses)
    located = poses.locate(view, start, priors, find_covers(view, start, kit.detector.faces))
    faces, upright = np.array([card.face for card in cards]), np.zeros(len(cards), bool)
    refined = poses.refine(view, located, faces, upright, priors)
    gauged = remove_gauge(refined.solution, refined.pose_covariance)
    corners = card_outlines(gauged.poses, kit.size_mm)
    placed = []
    for row, card in enumerate(cards):
        x, y, theta = gauged.poses[row].tolist()
        block = slice(3 * row, 3 * row + 3)
        placed.append(
            Placed(
                str(row + 1),
                card.name,
                x,
                y,
                theta,
                gauged.covariance[block, block],
                photo_from_table(gauged.camera, corners[row]),
                printed=refined.print_of(row),
            )
        )
    return Layout(tuple(placed), gauged.covariance, gauged.camera, state.size_wh)
