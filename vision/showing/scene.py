"""What is to be drawn, worked out once: every card in the picture with all that befell it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from vision.games.light_speed.values import Deck, Destroyed, Resolution, Ship, Shot, TableState
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.showing.beams import Trace, trace_path
from vision.showing.style import (
    AnnotateSettings,
    find_ship,
    is_asteroid,
    split_card_id,
)
from vision.texts import Texts, texts
from vision.values.arrays import Points
from vision.values.layout import Camera, PlacedCard
from vision.values.messages import Issue

__all__ = ["CardView", "Circle", "Scene", "ShotView", "build_scene"]

Circle: TypeAlias = tuple[float, float, float]  #: x, y, radius in px

_EDGE_SAMPLES = 9  # per edge; bends an outline with the lens


@dataclass(frozen=True, slots=True, eq=False)
class CardView:
    """A card in the picture.

    ``corners_px`` (4, 2) is TL, TR, BR, BL of the card itself, ``outline_px`` (N, 2) its edge,
    both in the photo frame; ``damage`` is all that it took, ``rocks`` what it carries at the end.
    """

    placed: PlacedCard
    team: str | None
    ship: Ship | None
    is_asteroid: bool
    corners_px: Points
    outline_px: Points
    centre_px: tuple[float, float]
    damage: int
    rocks: int
    death: tuple[int, Destroyed] | None  #: the speed of the step, and what came of it
    is_gone: bool
    is_doubtful: bool

    @property
    def card_id(self) -> str:
        """The card's id."""
        return self.placed.card_id

    @property
    def short_px(self) -> float:
        """Length of the card's shorter pair of edges in the picture."""
        edges = np.hypot(*(np.roll(self.corners_px, -1, axis=0) - self.corners_px).T)
        return float(min(edges[0] + edges[2], edges[1] + edges[3])) / 2


@dataclass(frozen=True, slots=True, eq=False)
class ShotView:
    """A shot in the picture; ``rocks`` is what it moved, None if it could move none."""

    shot: Shot
    speed: int
    trace: Trace
    is_contested: bool
    rocks: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything the drawing needs, in the photo frame."""

    camera: Camera
    table: TableState
    deck: Deck
    resolution: Resolution
    issues: tuple[Issue, ...]
    size_wh: tuple[int, int]
    unit: float
    cards: tuple[CardView, ...]
    shots: tuple[ShotView, ...]
    texts: Texts

    def card(self, card_id: str) -> CardView | None:
        """Return the view of a card, None if it is not in the picture."""
        return next((view for view in self.cards if view.card_id == card_id), None)


def build_scene(
    camera: Camera,
    table: TableState,
    deck: Deck,
    resolution: Resolution,
    size_wh: tuple[int, int],
    settings: AnnotateSettings,
    *,
    corners_px: Mapping[str, Points] | None = None,
    issues: Sequence[Issue] = (),
) -> Scene:
    """Work out what is drawn where; see :func:`vision.showing.annotate_photo`."""
    all_issues = tuple(dict.fromkeys([*issues, *resolution.issues]))
    doubtful = {card for issue in all_issues if issue.severity == "doubt" for card in issue.cards}
    cards = tuple(
        _view_card(
            camera, placed, deck, resolution, (corners_px or {}).get(placed.card_id), doubtful
        )
        for placed in table.cards
    )
    sizes = [math.sqrt(_area(view.corners_px)) for view in cards] or [0.1 * size_wh[0]]
    usual = float(np.median(sizes))
    unit = float(
        np.clip(
            settings.unit_per_card * usual,
            settings.unit_min * size_wh[0],
            settings.unit_max * size_wh[0],
        )
    )
    rocky = {placed.card_id for placed in table.cards if is_asteroid(placed.card_id, deck)}
    rocky |= {thing.id for thing in table.objects}
    shots = []
    limit = settings.contested_from
    limit = resolution.contested_from if limit is None else limit
    for step in resolution.steps:
        mined = {(item.ship, item.source): item.rocks for item in step.mined}
        for shot in step.shots:
            trace = trace_path(camera, shot.path_mm, size_wh)
            if trace is not None:
                contested = shot.flip_probability > limit
                shots.append(
                    ShotView(
                        shot,
                        step.speed,
                        trace,
                        contested,
                        _take_rocks(shot, mined, rocky),
                    )
                )
    return Scene(
        camera,
        table,
        deck,
        resolution,
        all_issues,
        size_wh,
        unit,
        cards,
        tuple(shots),
        texts(settings.language),
    )


def _view_card(
    camera: Camera,
    placed: PlacedCard,
    deck: Deck,
    resolution: Resolution,
    corners_px: Points | None,
    doubtful: set[str],
) -> CardView:
    team, _ = split_card_id(placed.card_id, deck)
    ship = find_ship(placed.card_id, deck)
    corners_mm = table_from_card(
        card_corners(deck.width_mm, deck.height_mm), placed.x_mm, placed.y_mm, placed.theta_rad
    )
    t = np.linspace(0, 1, _EDGE_SAMPLES, endpoint=False)[None, :, None]
    edges_mm = corners_mm[:, None] + t * (np.roll(corners_mm, -1, axis=0) - corners_mm)[:, None]
    outline = photo_from_table(camera, edges_mm.reshape(-1, 2))
    corners = outline[::_EDGE_SAMPLES]
    if corners_px is not None:  # as seen: the outline follows the picture, not the solution
        corners = np.asarray(corners_px, float)
        outline = (
            corners[:, None] + t * (np.roll(corners, -1, axis=0) - corners)[:, None]
        ).reshape(-1, 2)
    centre = corners.mean(axis=0)
    card_id = placed.card_id
    death = next(
        (
            (step.speed, item)
            for step in resolution.steps
            for item in step.destroyed
            if item.card == card_id
        ),
        None,
    )
    return CardView(
        placed=placed,
        team=team if ship is not None else None,
        ship=ship,
        is_asteroid=is_asteroid(card_id, deck),
        corners_px=corners,
        outline_px=outline,
        centre_px=(float(centre[0]), float(centre[1])),
        damage=sum(
            item.points for step in resolution.steps for item in step.damage if item.card == card_id
        ),
        rocks=resolution.carried.get(card_id, 0),
        death=death,
        is_gone=any(card_id in step.gone for step in resolution.steps),
        is_doubtful=card_id in doubtful,
    )


def _take_rocks(shot: Shot, mined: dict[tuple[str, str], int], rocky: set[str]) -> int | None:
    """Return the rocks that a shot moved, and take them from what its ship mined in the step.

    The ledger counts by ship and pool, and a pool may lie on two cards. A ship with several
    lasers on one pool gets its lasers' powers shown until its rocks are used up.
    """
    if shot.hit is None or shot.hit.shielded:
        return None
    key = (shot.ship, shot.hit.card)
    if shot.hit.card in rocky and key not in mined:
        shared = [(ship, source) for ship, source in mined if source in rocky]
        key = next((item for item in shared if item[0] == shot.ship), key)
    if key not in mined:
        return 0 if shot.hit.card in rocky else None
    rocks = min(shot.power, mined[key])
    mined[key] -= rocks
    return rocks


def _area(corners: Points) -> float:
    x, y = corners[:, 0], corners[:, 1]
    return abs(0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
