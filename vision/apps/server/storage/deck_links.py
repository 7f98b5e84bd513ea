"""Links to decks: a file a link, beside the decks; each to the deck as it was when it was made."""

import json
import re
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from calibration.learned.shelf import split_reference
from vision.apps.server.storage.sittings import new_token
from vision.files.whole import private_folder, write_atomically

__all__ = ["DeckLink", "DeckLinks"]

_FOLDER = ".links"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,40}")


@dataclass(frozen=True, slots=True)
class DeckLink:
    """A link; ``deck`` is ``NAME@DIGEST``, times are seconds since 1970."""

    token: str
    deck: str
    created: float
    expires: float


class DeckLinks:
    """The links of a folder of decks."""

    def __init__(self, store: Path) -> None:
        self._folder = store / _FOLDER

    def make(self, deck: str, expires: float) -> DeckLink:
        """Make a link to ``NAME@DIGEST``."""
        private_folder(self._folder)
        link = DeckLink(new_token(), deck, time.time(), expires)
        write_atomically(self._folder / link.token, json.dumps(asdict(link)).encode())
        return link

    def find(self, token: str) -> DeckLink | None:
        """Return a link that holds."""
        if not _TOKEN.fullmatch(token):
            return None
        try:
            link = DeckLink(**json.loads((self._folder / token).read_bytes()))
        except (OSError, ValueError, TypeError):  # none, or cut off by a full disk
            return None
        return link if link.expires > time.time() else None

    def list(self, name: str = "") -> list[DeckLink]:
        """Return the links that hold, of one deck if it is named, newest first."""
        found = [self.find(file.name) for file in self._folder.glob("*")]
        links = [one for one in found if one is not None]
        links = [one for one in links if not name or split_reference(one.deck)[0] == name]
        return sorted(links, key=lambda link: -link.created)

    def end(self, token: str) -> bool:
        """End a link; tell whether there was one."""
        if self.find(token) is None:
            return False
        (self._folder / token).unlink(missing_ok=True)
        return True

    def tidy(self) -> None:
        """Forget links that hold no more."""
        for file in self._folder.glob("*"):
            with suppress(OSError):
                if self.find(file.name) is None:
                    file.unlink()
