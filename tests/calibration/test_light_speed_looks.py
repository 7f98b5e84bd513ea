"""The bank holds every face as it is drawn, and says how far in the printed frame lies."""

import numpy as np

from calibration.light_speed.faces import draw_face
from calibration.light_speed.looks import build_bank
from vision.games.light_speed.deck import card_ids, load_deck
from vision.values.pieces import Frame

DECK = load_deck("light-speed")


def test_the_bank_holds_each_face_in_the_order_of_the_ids():
    bank = build_bank(DECK, px_per_mm=2.0)
    assert bank.card_ids == card_ids(DECK)
    assert bank.images.shape == (45, 178, 127, 3)
    assert (bank.px_per_mm, bank.width_mm, bank.height_mm) == (2.0, 63.5, 88.9)
    for index in (0, 17, 44):
        assert np.array_equal(bank.images[index], draw_face(DECK, bank.card_ids[index], 2.0))
    assert not bank.images.flags.writeable


def test_the_frame_is_darker_inside_on_every_face():
    bank = build_bank(DECK, px_per_mm=4.0)
    assert bank.frames == (Frame(56.5, 81.9, darker_inside=True),)
    h, w = bank.images.shape[1:3]
    x_edge, y_edge = (w - 56.5 * 4) / 2, (h - 81.9 * 4) / 2
    grey = bank.images.mean(axis=3)
    for outside, inside in (
        (grey[:, h // 2, int(x_edge) - 2], grey[:, h // 2, int(x_edge) + 2]),
        (grey[:, int(y_edge) - 2, w // 2], grey[:, int(y_edge) + 2, w // 2]),
    ):
        assert (outside - inside > 100).all()
