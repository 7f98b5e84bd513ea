"""Photos to pieces in millimetres; knows no game."""
