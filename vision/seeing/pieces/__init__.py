"""Detection of a game's board and the tokens, dice and pawns on it, in millimetres."""
