"""The art of Laser and Shield: board and tokens, of our own."""
