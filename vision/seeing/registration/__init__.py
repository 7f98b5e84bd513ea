"""Sub-pixel measurement of card edges and registration of printed faces."""
