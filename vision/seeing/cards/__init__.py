"""Outlines to named and placed cards."""
