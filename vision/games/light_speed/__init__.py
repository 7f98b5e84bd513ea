"""Judging: decks, shots, games. Knows no pixels."""
