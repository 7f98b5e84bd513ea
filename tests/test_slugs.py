"""Names of decks and cards: any script, one spelling, nothing that a path or an address reads."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.learned.names import check_card_id, check_name
from vision.errors import DeckError
from vision.values.slugs import is_slug, slug_of

NAMES = {
    "Пиковая дама": "пиковая-дама",
    "Ἀθηνᾶ_2": "ἀθηνᾶ-2",
    "ملكة القلوب": "ملكة-القلوب",
    "ハートの女王": "ハートの女王",
    "हृदय की रानी": "हृदय-की-रानी",
    "Reine de cœur": "reine-de-cœur",
    "../../etc/passwd": "etc-passwd",
    "._IMG": "img",
    "a\u202eb": "a-b",
}


@pytest.mark.parametrize(("text", "slug"), NAMES.items())
def test_names_of_any_script_become_ids(text, slug):
    assert slug_of(text) == slug
    assert slug_of(unicodedata.normalize("NFD", text)) == slug
    check_card_id(slug)
    check_name(slug)


@given(st.text())
def test_an_id_is_its_own_id_and_safe_in_paths_and_addresses(text):
    slug = slug_of(text)
    assert slug_of(slug) == slug
    assert not slug or is_slug(slug) or len(slug.encode()) > 200
    assert not set(slug) & set("/\\.:*?\"<>|%#&'\0 \n")
    assert slug == unicodedata.normalize("NFC", slug)


@pytest.mark.parametrize(
    "name", ["", "-a", "A", "a b", "a/b", "..", "a.b", "Ж", "e\u0301", "ж" * 62]
)
def test_what_no_deck_may_be_called_is_refused(name):
    with pytest.raises(DeckError):
        check_name(name)


@pytest.mark.parametrize("name", ["a", "a--b", "a-", "2024", "пики", "é"])
def test_what_a_deck_may_be_called_is_taken(name):
    check_name(name)
