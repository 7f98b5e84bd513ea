"""Files: JSON forms, and whole files."""
