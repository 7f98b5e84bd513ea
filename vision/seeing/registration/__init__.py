"""Sides and print of cards in the photo, to a part of a pixel."""
