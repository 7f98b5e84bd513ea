"""The programs: the only code that prints, serves or reads settings."""
