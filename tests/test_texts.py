"""The catalogue: nothing is missing in either language, and every gap can be filled."""

import ast
import re
import string
from importlib import import_module
from pathlib import Path

import pytest

import vision
from tests.source import tree_of
from tests.strategies import random_table
from tests.told import account as told_lines
from tests.words import words_in
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import RuleOptions, TableState
from vision.games.registry import find_game, game_names
from vision.judging.options import options_of
from vision.texts import LANGUAGES, Texts, language_of, texts
from vision.values.messages import Issue, Message

SOURCE = Path(vision.__file__).parent
DECK = load_deck("light-speed")


NUMBERS = ("%", "0", "1", "2", "3", "mm", "chance")  # of a gap: it is filled by one
OF_ANOTHER_PHOTO = ("issue.card_moved", "issue.card_elsewhere", "issue.card_gone")
FOLDERS = {path.parents[1]: path.parent for path in SOURCE.rglob("games/*/texts/en.toml")}
CATALOGUES = {"shared": (), **{game.name: (folder,) for game, folder in FOLDERS.items()}}


def every(language: str) -> Texts:
    """Return the words that all games share, and those of each game."""
    return texts(language, *FOLDERS.values())


def gaps(text: str | dict[str, str]) -> set[str]:
    forms = text.values() if isinstance(text, dict) else [text]
    found = [{name for _, name, _, _ in string.Formatter().parse(form) if name} for form in forms]
    return set.union(*found)


@pytest.mark.parametrize("name", CATALOGUES)
def test_both_languages_have_the_same_keys(name):
    one, other = (set(texts(language, *CATALOGUES[name]).catalogue) for language in LANGUAGES)
    assert one == other


@pytest.mark.parametrize("name", CATALOGUES)
def test_the_gaps_agree(name):
    one, other = (
        {key: gaps(text) - {"n"} for key, text in texts(lang, *CATALOGUES[name]).catalogue.items()}
        for lang in LANGUAGES
    )
    assert one == other  # a plural form may leave its number out


OPTION = re.compile(r"(?<!\S)--[a-z]|[A-Z]+=[A-Z]")
ON_A_COMMAND_LINE = {"report.picture_hint", "career.nobody"}  # said nowhere else


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", CATALOGUES)
def test_what_names_an_option_is_said_without_one_on_a_page(name, language):
    """A doubt on a phone said *for example --without orange-3*."""
    known = texts(language, *CATALOGUES[name]).catalogue
    for key, text in known.items():
        if isinstance(text, str) and OPTION.search(text) and key not in ON_A_COMMAND_LINE:
            assert f"{key}_by_hand" in known, key
            assert not OPTION.search(known[f"{key}_by_hand"]), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_tables_are_whole(language):
    for key, text in every(language).catalogue.items():
        assert isinstance(text, str) or set(text) == {"one", "other"}, key


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", game_names())
def test_every_option_of_a_game_has_its_words(name, language):
    """A number is said as it is; else the page would show the raw name."""
    game = find_game(name)
    words = texts(language, game.texts)
    keys = [f"option.{option.name}" for option in options_of(game.options)]
    for option in options_of(game.options):
        told = ("auto" if value is None else value for value in option.choices)
        keys += [f"choice.{option.name}.{one}" for one in told if isinstance(one, str)]
    assert [key for key in keys if not words.has(key)] == []


def test_no_word_of_a_game_is_said_of_all():
    """What any game may say names nothing of one game: ships and lasers are Light Speed's."""
    words = {word for game in FOLDERS for word in getattr(import_module(_name(game)), "WORDS", ())}
    assert "ship" in words
    for key, text in texts("en").catalogue.items():
        assert not words_in(re.findall(r"\w+", str(text)), words), key


def _name(game: Path) -> str:
    return f"vision.games.{game.name}"


def test_every_key_in_the_code_is_in_its_catalogue():
    """Keys are written out in calls of say, Message and makers of issues: a game's in its words or
    those of all, others in those of all. Keys that are put together begin with a section that
    exists."""
    sections = {key.partition(".")[0] for key in every("en").catalogue}
    asked = set()
    for path in SOURCE.rglob("*.py"):
        own = [folder for game, folder in FOLDERS.items() if game in path.parents]
        known = texts("en", *own).catalogue
        for node in ast.walk(tree_of(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            place = {"say": 0, "Message": 0, "message": 0, "make_issue": 1, "doubt": 1}.get(name)
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
        (0, "0 close-ups in x", "0 gros plan dans x"),
        (1, "1 close-up in x", "1 gros plan dans x"),
        (2, "2 close-ups in x", "2 gros plans dans x"),
    ],
)
def test_plurals(number, english, french):
    assert texts("en").say("report.closeups", n=number, path="x") == english
    assert texts("fr").say("report.closeups", n=number, path="x") == french


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
    assert lines[-1] == "  le rouge gagne avec 2"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_issue_of_another_version_is_said_as_it_was_written(language):
    words = texts(language)
    gone = Message("issue.of_no_version", (("x", 3.0),))
    for said in (gone, Message("issue.of_photo", (("n", 2), ("said", gone)))):
        issue = Issue("of_no_version", "as it was written", (), said=said)
        assert words.issue(issue) == words.issue_by_hand(issue) == "as it was written"


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_a_place_is_shown_its_pixels_are_not_said(language):
    """Of all the words of seeing with a place; those for several photos say which photo it is."""
    words, place = texts(language), ("17", "29")
    where = words.say("issue.where", x=place[0], y=place[1])
    keys = [
        key
        for key, text in words.catalogue.items()
        if key.startswith("issue.") and isinstance(text, str) and "{x}, {y}" in text
    ]
    assert len(keys) > 20
    for key in sorted({*keys} - {"issue.where"}):
        parts = string.Formatter().parse(words.catalogue[key])
        filled = {name: 1.0 if spec in NUMBERS else "a" for _, name, spec, _ in parts if name}
        said = Message(key, tuple({**filled, "x": place[0], "y": place[1]}.items()))
        issue = Issue("any", "", (), said=said, at_px=(17.0, 29.0))
        told = words.issue_by_hand(issue)
        assert where not in told, key
        assert ("17, 29" in told) == (key in OF_ANOTHER_PHOTO), key
