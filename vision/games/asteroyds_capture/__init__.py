"""Asteroyds, capture: programmed ships, turrets that dice turn, asteroyds to bring home."""

#: Its own words: nothing outside the rooms of games is named by them (docs/house.md).
WORDS = ("asteroyd", "asteroyds", "turret")
