"""Measurements of the program: ``python -m bench`` lists them, ``python -m bench NAME`` runs one.

Each module here but this and ``__main__`` is a bench: its docstring says what it measures (the
first line is its entry in the list), ``run(options)`` measures and returns a ``Result``, and
``add_options(parser)``, where there is one, adds arguments of its own. What benches share is in
``bench.common``; the figures that the documentation shows are in ``bench/results``.
"""
