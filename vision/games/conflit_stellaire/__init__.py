"""Conflit stellaire: a commander's turn from the cards in play and what was declared."""
