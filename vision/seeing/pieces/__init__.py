"""The board of a game, and the tokens and dice on it: photo to pieces in millimetres."""
