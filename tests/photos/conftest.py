"""The deck and its faces."""

import pytest

from calibration.templates import build_bank
from vision.rules.deck import load_deck
from vision.types import Deck, TemplateBank


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("light-speed")


@pytest.fixture(scope="session")
def bank(deck: Deck) -> TemplateBank:
    return build_bank(deck)
