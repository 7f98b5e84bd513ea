"""Laser and Shield: two teams of three pawns, with a gun and a reflecting shield each."""

#: Its own words: nothing outside the rooms of games is named by them (docs/house.md).
WORDS = ("laser", "gun")
