"""An edition's TOML -> deck: the faces, the ranks, what fates are worth."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from vision.games.conflit_stellaire.values import Deck, Face, Rank

__all__ = ["BACK", "NAME", "deck", "deck_to_json"]

NAME = "conflit-stellaire"
BACK = Face("back", "back", names={"en": "face down", "fr": "face cachée"})  #: of a card unseen


@cache
def deck() -> Deck:
    """Return the deck, with the back among its faces."""
    said = _document()
    faces = [_face(card) for card in said["cards"]]
    campaign, card, scale = said["campaign"], said["card"], said["scale"]
    ranks = [
        Rank(r["id"], r["cumul"], r["ransom"], r["hull"], {"en": r["id"], "fr": r["fr"]})
        for r in campaign["ranks"]
    ]
    return Deck(
        said["name"],
        {face.id: face for face in (*faces, BACK)},
        tuple(ranks),
        campaign["winner"],
        campaign["loser"],
        (card["width_mm"], card["height_mm"]),
        (scale["width_mm"], scale["height_mm"]),
        scale["marker_mm"],
        said["hull_card"]["pitch_mm"],
        scale["pitch_mm"],
        said["hull_card"]["cells"],
        scale["cells"],
    )


def deck_to_json() -> dict[str, Any]:
    """Return the deck as it is shown: the TOML, its cards as ``faces``."""
    said = dict(_document())
    faces = said.pop("cards")
    return {"schema": "sightline/deck@1", **said, "faces": faces}


@cache
def _document() -> dict[str, Any]:
    source = resources.files(__package__) / "editions" / f"{NAME}.toml"
    return tomllib.loads(source.read_text(encoding="utf-8"))


def _face(card: dict[str, Any]) -> Face:
    given = {key: value for key, value in card.items() if key not in ("name", "provenance")}
    for key in ("guidance", "keywords"):
        given[key] = tuple(given.get(key, ()))
    return Face(**given, names=card["name"])
