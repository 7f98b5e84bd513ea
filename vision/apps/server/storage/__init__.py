"""Records and objects: the one place that knows SQL and folders."""
