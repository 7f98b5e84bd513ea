"""Photos of cards laid out -> a deck: the cards found, cut out, put together, named."""
