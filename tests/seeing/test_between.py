"""What lies between two cards is no third one, whatever it looks like from afar."""

import numpy as np
import pytest

from tests.learned import bank_of, shoot
from tests.seeing.test_near import signed
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard


@pytest.mark.parametrize("lies_there", [False, True])
@pytest.mark.parametrize("turn", [0.0, np.pi])
def test_a_photo_tells_a_card_under_two_others_from_the_gap_between_them(lies_there, turn):
    """40 mm of it show, on a cloth of its ink; whichever way up the cards lie."""
    ink, fills = (50, 50, 170), ("empty", "striped", "full")
    faces = {f"red-{fill}": signed(fill, ink) for fill in fills}
    faces |= {f"blue-{fill}": signed(fill, (170, 50, 50)) for fill in fills}
    ends = tuple(
        PlacedCard(f"red-{fill}", 0.0, y, turn)
        for fill, y in zip(fills, (-64.0, 64.0), strict=False)
    )
    under = PlacedCard("red-full", 4.0, 0.0, turn)  # edges of no other card go on in its own
    beside = (PlacedCard("blue-full", 140.0, 20.0, 0.3), PlacedCard("blue-empty", -150.0, 0.0, 0.1))
    cards = (*beside, under, *ends) if lies_there else (*beside, *ends)
    photo, _ = shoot(faces, [], cards=cards, cloth_bgr=ink, tilt_deg=8)
    layout = read_layout(photo, build_detector(bank_of(faces)))
    assert not [doubt for doubt in layout.doubts if doubt.severity == "doubt"]
    assert sorted(one.piece for one in layout.placed) == sorted(card.card_id for card in cards)
