"""Photo -> cards of a learned deck: the order of the seeing stages, where faces are pictures.

As in :mod:`vision.reading`, outlines are matched, the surest give the plane, and all poses are
solved together; but nothing is known of the cards' border, so outlines come from edges of any
kind, and poses from the print itself: the picture of each face is laid over the card.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vision.adjustment import (
    Measurements,
    Solution,
    join_measurements,
    project,
    solve,
    with_poses,
)
from vision.edges import Rectangle, measure_sides
from vision.errors import DegenerateGeometryError, TableNotFoundError
from vision.findings_pictures import Matched, Sighting, report_pictures
from vision.geometry import card_corners, rotation, solve_homographies
from vision.imaging import Photo, build_pyramid, to_gray
from vision.naming import name_cards
from vision.outlines_edges import find_edge_elbows, find_edge_quads
from vision.overlaps import card_outlines, without_repeats
from vision.pictures import (
    Grid,
    PictureIndex,
    compare_coarse,
    compare_fine,
    face_features,
    fine_grid,
    index_pictures,
    sample_grid,
)
from vision.print_align import measure_print
from vision.reading import Seen, timed
from vision.rectify import Plane, camera_priors, lay_cards, solve_plane
from vision.second_look import suppose_cards
from vision.types import BoolArray, FloatArray, ImageBGR, ImageGray, IntArray, PictureBank

__all__ = ["ReadPicturesSettings", "read_pictures"]
