"""Decks learned from pictures."""
