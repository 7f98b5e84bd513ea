"""Camera, plane and all poses in one least-squares solution."""
