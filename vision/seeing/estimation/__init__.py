"""Joint least-squares estimation of camera, plane and card poses."""
