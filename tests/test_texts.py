"""The catalogue: nothing is missing in either language, and every gap can be filled."""

import ast
import string
from pathlib import Path

import pytest

import vision
from tests.strategies import random_table
from tests.told import account as told_lines
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import RuleOptions, TableState
from vision.texts import LANGUAGES, Texts, language_of, texts

SOURCE = Path(vision.__file__).parent
DECK = load_deck("light-speed")


FOLDERS = sorted(path.parent for path in SOURCE.rglob("games/*/texts/en.toml"))


def every(language: str) -> Texts:
    """Return the words that all games share, and those of each game."""
    return texts(language, *FOLDERS)


def gaps(text: str | dict[str, str]) -> set[str]:
    forms = text.values() if isinstance(text, dict) else [text]
    found = [{name for _, name, _, _ in string.Formatter().parse(form) if name} for form in forms]
    return set.union(*found)


def test_both_languages_have_the_same_keys():
    one, other = (set(every(language).catalogue) for language in LANGUAGES)
    assert one == other


@pytest.mark.parametrize("key", sorted(every("en").catalogue))
def test_the_gaps_agree(key):
    one, other = (gaps(every(language).catalogue[key]) for language in LANGUAGES)
    assert one - {"n"} == other - {"n"}  # a plural form may leave its number out


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_tables_are_whole(language):
    for key, text in every(language).catalogue.items():
        assert isinstance(text, str) or set(text) == {"one", "other"}, key


def test_every_key_in_the_code_is_in_the_catalogue():
    """Keys are written out in calls of say, Message and make_issue; those that are put together
    begin with a section that exists."""
    known = every("en").catalogue
    sections = {key.partition(".")[0] for key in known}
    asked = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            place = {"say": 0, "Message": 0, "message": 0, "make_issue": 1}.get(name)
            if place is None or len(node.args) <= place:
                continue
            key = node.args[place]
            if isinstance(key, ast.Constant):
                asked.add(key.value)
                assert key.value in known, f"{path.name}: {key.value}"
            elif isinstance(key, ast.JoinedStr) and isinstance(key.values[0], ast.Constant):
                assert key.values[0].value.partition(".")[0] in sections, path
    assert len(asked) > 60


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_GB", "LC_MESSAGES": "fr"}, "fr"),
        ({"LC_ALL": "", "LANG": "fr-CA"}, "fr"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "friulian"}, "en"),
    ],
)
def test_the_locale_chooses(environment, language):
    assert language_of(environment) == language


@pytest.mark.parametrize(
    ("number", "english", "french"),
    [
        (0, "0 rocks", "0 marqueur « minerai »"),
        (1, "1 rock", "1 marqueur « minerai »"),
        (2, "2 rocks", "2 marqueurs « minerai »"),
    ],
)
def test_plurals(number, english, french):
    assert texts("en").say("count.rock", n=number) == english
    assert texts("fr").say("count.rock", n=number).replace("\u00a0", " ") == french


def test_nothing_is_ever_quite_sure():
    t: Texts = texts("en")
    assert (t.chance(1.0), t.chance(0.994), t.chance(0.0)) == ("over 99%", "99%", "under 1%")


ENGLISH_ONLY = {"the", "hits", "goes", "rocks", "takes", "shield", "damage", "wins", "kills"}


def test_a_french_account_has_no_english_left():
    """Any table at all: with every rule, every kind of doubt, in both languages the same lines."""
    import numpy as np

    rng = np.random.default_rng(4)
    ids = [*card_ids(DECK), "unknown-1", "ship-back-2"]
    for i in range(25):
        table = random_table(rng, ids, 6 + i)
        rules = RuleOptions(piracy=bool(i % 2), rocks=3 if i % 3 else None)
        table = TableState(table.cards, (), rules)
        told = resolve(table, DECK)
        one, other = (told_lines(table, DECK, told, language) for language in LANGUAGES)
        assert len(one) == len(other)
        words = set(" ".join(other).replace(",", " ").replace(":", " ").lower().split())
        assert not words & ENGLISH_ONLY, words & ENGLISH_ONLY


def test_figure_one_in_french():
    table = parse_table("asteroid-1 @0,0 0deg\nred moth @-3,200 0deg\nblue ghost @900,900 0deg")
    lines = told_lines(table, DECK, resolve(table, DECK), "fr")
    lines = [line.replace("\u00a0", " ") for line in lines]  # no line breaks before : ; »
    assert (
        "  Red Moth laser 1 (puissance 2) touche l'astéroïde 1 sur son bord du bas : "
        "demande 2 marqueurs « minerai »" in lines
    )
    assert "  Red Moth prend 2 marqueurs « minerai » de l'astéroïde 1, reste 10" in lines
    assert lines[-1] == "  le rouge gagne"
