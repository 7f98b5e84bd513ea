"""Several photos of one table -> one layout: poses, names and doubts of all of them."""
