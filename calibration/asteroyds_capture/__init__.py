"""The art of Asteroyds, capture: board, ships, tiles and programming sheets, of our own."""
