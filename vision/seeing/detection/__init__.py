"""Photo to four-sided outlines."""
