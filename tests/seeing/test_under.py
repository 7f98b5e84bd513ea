"""Cards mostly under others, of the program's own deck: named by what shows, or told."""

import numpy as np
import pytest

from tests.synth import Scene, photograph, random_cards
from vision.geometry import photo_from_table, rotation
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard

NEAR_PX = 60.0  # of a card 215 wide: one laid the other way round its corner lies 45 beside


def with_one_under(bank, seed: int, covered: float) -> list[PlacedCard]:
    """Return cards on a table, of which one lies so far under the last, lengthwise."""
    rng = np.random.default_rng(seed)
    ids = [name for name in rng.permutation(bank.card_ids).tolist() if "back" not in name]
    cards = list(random_cards(ids[:8], rng, gap_mm=45))
    top = cards[-1]
    side = float(rng.choice([-1, 1])) * (1 - covered) * bank.height_mm
    x, y = np.array([top.x_mm, top.y_mm]) + rotation(top.theta_rad) @ [0.0, side]
    return [PlacedCard(ids[8], float(x), float(y), top.theta_rad), *cards]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cloth", [(70, 110, 60), (150, 160, 165)])
@pytest.mark.parametrize("covered", [0.58, 0.65])
def test_a_card_of_which_two_corners_show_is_named_or_told(bank, seed, covered, cloth):
    """On pale cloth too, where its border hardly stands out: that was the one lost in silence."""
    cards = with_one_under(bank, seed, covered)
    scene = Scene(tuple(cards), size_wh=(2000, 1500), seed=seed, tilt_deg=20, cloth_bgr=cloth)
    image, camera = photograph(scene, bank)
    layout = read_layout(Photo(image, 26.0), build_detector(bank))
    under = cards[0]
    (at,) = photo_from_table(camera, np.array([[under.x_mm, under.y_mm]]))
    doubts = [i for i in layout.doubts if i.severity == "doubt" and i.said is not None]
    places = [dict(i.said.values) for i in doubts]
    told = [(float(p["x"]), float(p["y"])) for p in places if "x" in p]
    is_told = any(np.linalg.norm(np.array(place) - at) < NEAR_PX for place in told)
    assert under.card_id in {p.piece for p in layout.placed} or is_told
    sure = {p.piece for p in layout.placed if not p.may_be and p.identity is not None}
    assert sure <= {c.card_id for c in cards}
