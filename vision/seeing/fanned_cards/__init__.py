"""Detection of cards of which only a strip is visible beneath others, as in a fan."""
