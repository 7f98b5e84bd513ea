"""Conflit stellaire: golden turns, laws, a second resolver, notation and words."""
