"""The version of the program, for all that must not import more."""

__all__ = ["__version__"]

__version__ = "0.1.0"
