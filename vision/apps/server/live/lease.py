"""How long a live game belongs to its server without a sign of life, and how often one is given."""

__all__ = ["LEASE_S", "RENEW_S"]

#: After it another server goes on. With the time to find that out and to start, within 5 s.
LEASE_S = 3.0
#: Between signs of life, and between looks for games whose server is gone. Two may be late.
RENEW_S = 1.0
