"""Photos read in worker processes."""
