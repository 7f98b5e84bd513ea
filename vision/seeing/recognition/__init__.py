"""What faces look like, and how alike a place in the photo is to each."""
