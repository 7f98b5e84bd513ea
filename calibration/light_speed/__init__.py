"""The art of Light Speed."""
