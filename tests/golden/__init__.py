"""Digests of what the program gives, to prove that a change of its shape changes nothing."""
