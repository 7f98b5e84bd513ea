"""The deck and its faces."""

import pytest

from calibration.looks import build_bank
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.values import Deck
from vision.values.pieces import TemplateBank


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("light-speed")


@pytest.fixture(scope="session")
def bank(deck: Deck) -> TemplateBank:
    return build_bank(deck)
