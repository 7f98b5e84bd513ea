"""Laser and Shield: two teams of three pawns, with a gun and a reflecting shield each."""
