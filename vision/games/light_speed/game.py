"""Light Speed as a game of the house: a deck of ships, and what is done with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vision.files.documents import is_json
from vision.games.light_speed import notation
from vision.games.light_speed.accounts import missing_in, shortfalls_of
from vision.games.light_speed.coach import coach_round
from vision.games.light_speed.corrections import edit
from vision.games.light_speed.deck import SHIP_BACK, card_ids, load_deck
from vision.games.light_speed.doubts import CLOSE_CALL
from vision.games.light_speed.files import read_table, resolution_to_json, table_to_json
from vision.games.light_speed.listing import deck_in_short, list_deck
from vision.games.light_speed.odds import OddsSettings
from vision.games.light_speed.readings import by_teams
from vision.games.light_speed.referee import referee_of
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.roster import ships_of
from vision.games.light_speed.settings import settings
from vision.games.light_speed.tell import side_of, tell
from vision.games.light_speed.values import Deck, Resolution, RuleOptions, TableState
from vision.games.light_speed.wanted import wanted
from vision.games.light_speed.whatif import find_turn, turn_lines
from vision.games.light_speed.words import FOLDER
from vision.judging.coach import Advice, Coaching
from vision.judging.counts import Shortfall
from vision.judging.game import Game, Json, ListedLine, Referee
from vision.judging.unseen import find_unseen
from vision.values.arrays import FloatArray
from vision.values.layout import Layout
from vision.values.ledger import Ledger, Side
from vision.values.messages import Issue, Message
from vision.values.pieces import Piece, PieceSet

__all__ = ["LightSpeed", "light_speed", "pieces_of"]


@dataclass(frozen=True, slots=True)
class LightSpeed(Game):
    """Light Speed with one deck.

    ``contested_from`` is the flip probability above which a shot is contested; ``odds`` says how
    the chances of the scores are worked out, None leaves them out.
    """

    deck: Deck
    contested_from: float = field(default=CLOSE_CALL, kw_only=True)
    odds: OddsSettings | None = field(default_factory=OddsSettings)

    name = "light-speed"
    options = RuleOptions
    texts = FOLDER
    most_photos = 8
    notation = (notation.__doc__ or "").partition("::")[2].strip("\n")

    settings = staticmethod(settings)
    write = staticmethod(table_to_json)

    @property
    def pieces(self) -> PieceSet:
        """The cards of the deck."""
        return pieces_of(self.deck)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The teams of the deck."""
        return tuple(side_of(team, self.deck) for team in self.deck.teams)

    @property
    def referee(self) -> Referee:
        """What a watch may say while its cards are laid."""
        return referee_of(self.deck)

    def lay(self, layouts: Sequence[Layout], options: RuleOptions) -> TableState:
        """Take every card as it lies."""
        (layout,) = layouts
        cards = by_teams(tuple(placed.card for placed in layout.placed), self.deck)
        table = TableState(
            cards,
            rules=options,
            deck=self.deck.name,
            joint_covariance=layout.joint_covariance,
            unseen=find_unseen(layout, (self.deck.width_mm, self.deck.height_mm)),
        )
        return missing_in(table, self.deck)

    def read(self, text: str) -> TableState:
        """Read a table from its notation, or from JSON."""
        return read_table(text, deck=self.deck) if is_json(text) else notation.parse_table(text)

    def restore(self, written: Json, joint_covariance: FloatArray) -> TableState:
        """Return the table of a scan that was kept; one that was typed is exact."""
        joint = joint_covariance if joint_covariance.any() else None
        return replace(read_table(written, deck=self.deck), joint_covariance=joint)

    def edit(self, table: TableState, change: Mapping[str, Any]) -> TableState:
        """Bring a change to a table; :mod:`vision.games.light_speed.corrections` tells which."""
        return edit(table, change, self.deck)

    def resolve(self, table: TableState) -> Resolution:
        """Play the round."""
        return resolve(table, self.deck, settings=JudgeSettings(self.contested_from, self.odds))

    def tell(self, table: TableState, outcome: Resolution) -> Ledger:
        """Tell the round."""
        return tell(table, self.deck, outcome)

    def foresee(self, table: TableState) -> Ledger:
        """Tell the round as it would be played now, without odds."""
        return self.tell(table, replace(self, odds=None).resolve(table))

    def write_outcome(self, outcome: Resolution, *, language: str = "en") -> Json:
        """Return a resolution as JSON."""
        return resolution_to_json(outcome, language=language)

    def shortfalls(self, table: TableState) -> tuple[Shortfall, ...]:
        """Return the asteroids that are missing and nobody has accounted for."""
        return shortfalls_of(table, self.deck)

    def wanted(self, table: TableState, doubts: Sequence[Issue]) -> tuple[Message, ...]:
        """Return from where another photo of the table would decide what is open."""
        return wanted(doubts)

    def turn(self, table: TableState, *, language: str = "en") -> tuple[str, ...]:
        """Say what smallest move of one card would have changed the winner."""
        return tuple(turn_lines(find_turn(table, self.deck), language))

    def coach(self, table: TableState) -> tuple[Advice, ...]:
        """Say for each team what would have been better; every worth was played."""
        return self.coaching(table).advice

    def coaching(self, table: TableState) -> Coaching:
        """Say it, and map what every place of the table would have been worth to each ship."""
        return coach_round(table, self.deck)

    def in_short(self) -> str:
        """Say in a few words what the deck is."""
        return deck_in_short(self.deck)

    def number_of(self, piece: str) -> str:
        """Return the speed of a ship; empty for what is none."""
        _, ship = ships_of(self.deck).get(piece, (None, None))
        return "" if ship is None else str(ship.speed)

    def list_pieces(self) -> tuple[ListedLine, ...]:
        """Tell the deck: its size, its teams, and what each ship has."""
        return list_deck(self.deck)


def light_speed() -> LightSpeed:
    """Return the game with the deck that comes with it."""
    return LightSpeed(load_deck("light-speed"))


def pieces_of(deck: Deck) -> PieceSet:
    """Return the cards of a deck: ships and asteroids, each with its back."""
    size = (deck.width_mm, deck.height_mm)
    ships = [name for name in card_ids(deck) if name != SHIP_BACK and not name.endswith("-back")]
    pieces = tuple(Piece(name, "card", size, sides=("front", "back")) for name in ships)
    return PieceSet(deck.name, pieces)
