"""Bytes to pixels and back."""
