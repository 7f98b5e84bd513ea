"""Residual of the table image: regions that neither known pieces nor the bare table explain."""
