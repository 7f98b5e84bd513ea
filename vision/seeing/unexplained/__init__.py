"""What of the photo nothing explains: neither cards and pieces that are known, nor the table."""
