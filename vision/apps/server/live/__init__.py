"""Games followed over the table."""
