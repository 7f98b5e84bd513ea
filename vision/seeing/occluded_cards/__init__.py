"""Cards of which only a strip shows from under others, as in a fan."""
