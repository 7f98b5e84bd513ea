"""The tables as they are now; ``migrations`` makes them, step by step."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

__all__ = [
    "career_notes",
    "career_seats",
    "careers",
    "edits",
    "evenings",
    "jobs",
    "live_events",
    "live_games",
    "meta",
    "metadata",
    "photos",
    "scans",
    "seats",
    "shares",
    "sittings",
]

metadata = MetaData()
meta = Table("meta", metadata, Column("key", String(40), primary_key=True), Column("value", Text))
evenings = Table(
    "evenings",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", Text, nullable=False),
    Column("teams", Text, nullable=False),  # JSON: the players' names of the teams
    Column("created", Float, nullable=False),
    Column("deck", Text, nullable=False),  # what is played unless said otherwise; empty: nothing
    Column("game", Text, nullable=False),
    Column("rules", Text, nullable=False),  # JSON of sightline/table@1's rules
)
scans = Table(
    "scans",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("evening", ForeignKey("evenings.id"), nullable=True),
    Column("name", Text, nullable=False),
    Column("photo", String(64), nullable=False),  # key of the file as it came; the one drawn on
    Column("deck", Text, nullable=False),
    Column("game", Text, nullable=True),  # null where the deck alone tells it
    Column("rules", Text, nullable=False),  # JSON of sightline/table@1's rules
    Column("idempotency", String(200), nullable=True, unique=True),
    Column("created", Float, nullable=False),
    Column("scan", Text, nullable=True),  # sightline/scan@1 once it is read
    Column("view", String(64), nullable=True),  # the picture that the page shows
    Column("joint", String(64), nullable=True),  # the joint covariance of the cards
    Column("deleted", Float, nullable=True),
    # counts although its photo came before in the same evening
    Column("counted", Boolean, nullable=False, default=False, server_default=false()),
    Column("readings", Integer, nullable=False, default=0, server_default="0"),  # of its photos
    Index("scans_by_age", "created"),
)
photos = Table(
    "photos",  # of a scan, besides the one that is drawn on
    metadata,
    Column("scan", ForeignKey("scans.id"), primary_key=True),
    Column("place", Integer, primary_key=True),  # in the order in which they are read
    Column("photo", String(64), nullable=False),  # key of the file as it came
    # key of the upright picture; null until it is read, empty where nothing was found on it
    Column("view", String(64), nullable=True),
)
jobs = Table(
    "jobs",
    metadata,
    Column("scan", ForeignKey("scans.id"), primary_key=True),
    Column("state", String(12), nullable=False),  # waiting, reading, done, failed
    Column("stage", String(20), nullable=False, default=""),
    Column("owner", String(80), nullable=False, default=""),
    Column("lease_until", Float, nullable=False, default=0.0),
    Column("attempts", Integer, nullable=False, default=0),
    Column("interruptions", Integer, nullable=False, default=0),
    Column("error_code", String(40), nullable=False, default=""),
    Column("error", Text, nullable=False, default=""),
    Column("queued", Float, nullable=False),
    Column("changed", Float, nullable=False),
    Column("request", String(64), nullable=False, default="", server_default=""),
    Index("jobs_by_state", "state", "queued"),
)
edits = Table(
    "edits",
    metadata,
    Column("scan", ForeignKey("scans.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),  # a change, "undo", "redo", or "live"
    Column("body", Text, nullable=False),
    Column("created", Float, nullable=False),
)
shares = Table(
    "shares",
    metadata,
    Column("token", String(40), primary_key=True),
    Column("scan", ForeignKey("scans.id"), nullable=False),
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("revoked", Boolean, nullable=False, default=False),
    Index("shares_by_scan", "scan"),
)
sittings = Table(
    "sittings",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("scan", ForeignKey("scans.id"), nullable=False),
    Column("state", String(12), nullable=False),  # gathering, open, over, off
    Column("seconds", Float, nullable=False),  # how long the clock runs
    Column("ends", Float, nullable=True),  # null until it runs
    Column("created", Float, nullable=False),
    Column("version", Integer, nullable=False, default=0),  # counts changes, of seats too
    Index("sittings_by_scan", "scan"),
)
seats = Table(
    "seats",
    metadata,
    Column("sitting", ForeignKey("sittings.id"), primary_key=True),
    Column("party", String(60), primary_key=True),
    Column("place", Integer, nullable=False),  # in the order of the parties
    Column("token", String(40), nullable=False, unique=True),
    Column("phones", Integer, nullable=False, default=0),
    Column("given", Text, nullable=True),  # JSON of the order; null while there is none
    Column("given_by", String(64), nullable=False, default=""),  # hash of the phone's key
    Column("turn", Integer, nullable=False, default=0, server_default="0"),  # in which it orders
)
careers = Table(
    "careers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("game", Text, nullable=False),
    Column("name", Text, nullable=False),  # the player's
    Column("created", Float, nullable=False),
)
career_seats = Table(
    "career_seats",
    metadata,
    Column("evening", ForeignKey("evenings.id"), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("side", String(60), primary_key=True),
    Column("career", ForeignKey("careers.id"), nullable=False),
    UniqueConstraint("evening", "career"),  # nobody plays against himself
)
career_notes = Table(
    "career_notes",
    metadata,
    Column("career", ForeignKey("careers.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),  # what is said, "undo" or "redo"
    Column("body", Text, nullable=False),
    Column("created", Float, nullable=False),
)
live_games = Table(
    "live_games",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("key", String(64), nullable=False),  # hash of what its beginner was given
    Column("asked", Text, nullable=False),  # JSON of the order
    Column("source", Text, nullable=False),  # the operator's camera; empty where pictures are sent
    Column("created", Float, nullable=False),
    Column("standing", Text, nullable=False),  # JSON: how it stands, besides its events
    Column("owner", String(80), nullable=False),  # empty where nobody holds it
    Column("lease_until", Float, nullable=False),
    Column("renewed", Float, nullable=False),
    Column("pictured", Float, nullable=False),  # when its last picture was taken
)
live_events = Table(
    "live_events",
    metadata,
    Column("game", ForeignKey("live_games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("words", Text, nullable=False),  # JSON, by language
    Column("picture", String(64), nullable=True),
)
