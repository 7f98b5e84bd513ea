"""Sightline: reads a table of cards from one photo and plays the round."""

__version__ = "0.1.0"
