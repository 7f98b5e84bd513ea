"""How long a test waits for something that must come."""

#: A test fails after this: long enough that only what hangs reaches it, on the busiest machine.
PATIENCE_S = 300.0
PATIENCE_MS = 1000 * PATIENCE_S  #: the same, as browsers count
