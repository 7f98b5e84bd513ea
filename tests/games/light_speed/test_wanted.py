"""Doubts of a round -> from where another photo would decide them."""

from vision.games.light_speed.game import light_speed
from vision.games.light_speed.notation import parse_table
from vision.judging.game import Game
from vision.texts import LANGUAGES, texts
from vision.values.messages import Issue

GAME = light_speed()
TABLE = parse_table("red moth @0,0 0deg")


def told(*issues: Issue) -> list[str]:
    assert GAME.overrides(Game.wanted)
    words = texts("en", GAME.texts)
    return [words.tell(said) for said in GAME.wanted(TABLE, issues)]


def test_without_a_doubt_no_photo_is_asked_for():
    assert told() == []
    assert told(Issue("card_moved", "", ("red-moth",))) == []  # another photo shows no third place


def test_where_to_stand_follows_from_what_is_in_doubt():
    glare = Issue("glare", "", ("red-moth",))
    (said,) = told(glare, Issue("doubtful_card", "", ("red-moth",)))
    assert "red moth" in said
    assert "other side" in said
    (said,) = told(Issue("glare_table", ""))
    assert "other side" in said
    under, above = told(Issue("close_call", "", ("red-moth",)), Issue("table_covered", ""))
    assert "remove what covers" in under
    assert "above" in above


def test_many_cards_are_not_named_one_by_one():
    issues = [Issue("glare", "", (f"red-{k}",)) for k in range(9)]
    (said,) = told(*issues)
    assert "red" not in said


def test_each_way_is_said_in_every_language():
    ways = [("table_covered", ()), ("glare", ("red-moth",)), ("card_cut_off", ("red-moth",))]
    ways += [("outline_unread", ()), ("photo_small", ()), ("cards_overlap", ("red-moth",))]
    for language in LANGUAGES:
        words = texts(language, GAME.texts)
        said = {words.tell(GAME.wanted(TABLE, [Issue(c, "", cards)])[0]) for c, cards in ways}
        assert len(said) == len(ways)
