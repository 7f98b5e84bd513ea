"""The calibration of a camera by a board."""
