"""Rounds: a scan with its corrections."""
