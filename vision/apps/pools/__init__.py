"""Where photos are read and pictures drawn: processes of this machine, or a Dask cluster.

The work itself (``vision.apps.reading.read``) is pure; a pool gives it room, limits and time.
"""
