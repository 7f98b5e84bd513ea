"""What games share: the protocol, options, notation, odds, grids."""
