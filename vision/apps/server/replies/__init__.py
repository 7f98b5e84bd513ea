"""What the API answers, as models: for its description, and for clients made from it.

Replies are not checked against them when they are sent; the tests do that. Fields may be added to a
reply; those told here stay.
"""
