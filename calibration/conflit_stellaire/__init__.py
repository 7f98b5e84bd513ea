"""The art of Conflit stellaire: cards, hull cards, distance strips and markers, of our own."""
