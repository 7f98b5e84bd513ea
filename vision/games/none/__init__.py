"""No game: decks whose cards are only read."""
