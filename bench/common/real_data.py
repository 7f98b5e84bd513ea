"""Real photographs of real decks: a folder that is not part of this project.

The photographs are not ours. The folder's ``manifest.json``::

    {"decks": {"set": {"folder": "decks/set", "variant": "-[0-9]+$", "own": ["felt"]}},
     "collections": {"wood": {"folder": "photos/wood", "split": "dev", "decks": ["set"]}}}

A deck's folder is one of ``sightline deck learn``; ``{photo}`` in it stands for the photo's name,
dashes for underscores (leave one out), and ``variant`` is what tells pictures of one face apart in
its ids; ``own`` are the collections that its pictures were cut from. A collection is a folder of
photos, JPEG or PNG, with annotations (``bench.common.real_truth``); its ``split`` is ``dev`` or
``held-out``: nobody tunes on the second. Benches take the folder as ``--data FOLDER``; ``--deck``,
``--collection`` (both repeatable) and ``--split`` choose.
"""

import json
import re
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.common.real_truth import plain_name
from calibration.learned.decks import LearnedDeck, load_learned
from vision.seeing.detector import Detector, build_detector

__all__ = ["RealData"]

PICTURES = {".jpg", ".png"}


class RealData:
    """The decks and collections of a data folder that are asked for; decks are made ready once."""

    def __init__(self, options: Namespace) -> None:
        if options.data is None:
            msg = "this bench reads real photographs: say --data FOLDER (bench/common/real_data.py)"
            raise SystemExit(msg)
        self._options = options
        text = (options.data / "manifest.json").read_text(encoding="utf-8")
        self.said: dict[str, Any] = json.loads(text)
        self._ready: dict[Path, tuple[LearnedDeck, Detector]] = {}

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield the decks and collections that are asked for."""
        asked = self._options
        for collection, about in self.said["collections"].items():
            is_asked = not asked.collection or collection in asked.collection
            if is_asked and about["split"] == asked.split:
                for deck in about["decks"]:
                    if not asked.deck or deck in asked.deck:
                        yield deck, collection

    def photos(self, collection: str, pattern: str = "") -> list[Path]:
        """Return the photos of a collection whose names a pattern matches."""
        folder = self._options.data / self.said["collections"][collection]["folder"]
        return [
            path
            for path in sorted(folder.iterdir())
            if path.suffix in PICTURES and re.search(pattern, path.stem)
        ]

    def deck(self, name: str, photo: Path) -> tuple[LearnedDeck, Detector]:
        """Return a deck and how it is looked for, as it stands for a photo."""
        where = self.said["decks"][name]["folder"].replace("{photo}", plain_name(photo.stem))
        folder = self._options.data / where
        if folder not in self._ready:
            learned = load_learned(folder)
            self._ready[folder] = learned, build_detector(learned.bank)
        return self._ready[folder]

    def plain(self, deck: str) -> Callable[[str], str]:
        """Return what makes a card's id the name of its face."""
        variant: str | None = self.said["decks"][deck].get("variant")
        return lambda card: plain_name(card, variant)
