"""The toy game: the smallest game that goes through every room of the house.

Two tokens, the sun and the moon, stand on a board of 3 x 3 squares, and each looks along a row or
a column. If it sees the other it scores what the die shows, else one point for each square that
lies before it.
"""
