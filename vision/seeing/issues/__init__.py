"""What stands between the photo and certainty."""
