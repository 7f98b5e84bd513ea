"""Over the table: a fixed camera follows a round while it is played.

``session`` is the way in: a :class:`WatchSession` takes pictures and gives events and snapshots
(``events``). Inside, ``motion`` finds where a picture changed and came to rest, ``glance`` reads
cards there on the ``ground`` that is known, ``following`` keeps the ``state``: ``explain`` says
what happened to ``cards``, ``bumps`` finds a camera again that was moved, ``lens`` gives up a
calibration that does not fit. ``referee`` says what the rules of the game have to say, ``calls``
what else is told, ``shown`` where it shows, ``foresight`` what would come of the table as it lies;
``verdict`` fuses still pictures and plays the round. ``by_hand`` takes what a finger says of cards.
``battle`` lays another table over this one, by a piece that lies on both; a session is ``battling``
when it is ``meeting`` one.
``sources`` and ``capture`` bring pictures in; ``recording`` writes a round down so that it can be
watched again.
"""

from vision.watch.events import Event, LaidCard, Snapshot, event_to_json, snapshot_to_json
from vision.watch.foresight import Foreseen
from vision.watch.session import WatchSession, WatchSettings
from vision.watch.verdict import Verdict

__all__ = [
    "Event",
    "Foreseen",
    "LaidCard",
    "Snapshot",
    "Verdict",
    "WatchSession",
    "WatchSettings",
    "event_to_json",
    "snapshot_to_json",
]
