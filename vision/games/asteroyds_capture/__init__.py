"""Asteroyds, capture: teams of ships that programme six columns and carry off each other's rock."""
