"""Detection of quadrilaterals and corners in photos."""
