"""Drawing without fonts or pictures from elsewhere."""
