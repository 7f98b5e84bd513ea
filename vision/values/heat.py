"""What a piece would have been worth all over the table: a heat map in table millimetres."""

from dataclasses import dataclass

from vision.values.arrays import FloatArray, Points, frozen_array

__all__ = ["HeatMap"]


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """What one piece would have been worth at each place where it may lie.

    Attributes
    ----------
    piece : str
        Its id.
    side : str
        Whose it is.
    places_mm : (N, 2) float64
        Centres of the piece, table frame.
    worth : (N,) float64
        Points by which the lead of its side would have been greater; less than 0: smaller.
    cell_mm : float
        Distance of two places.
    best_mm : (K, 2) float64
        Outline of the piece where it would have been worth most; empty if nowhere more than here.
    """

    piece: str
    side: str
    places_mm: Points
    worth: FloatArray
    cell_mm: float
    best_mm: Points

    def __post_init__(self) -> None:
        count = len(self.places_mm)
        for name, shape in (("places_mm", (None, 2)), ("worth", (count,)), ("best_mm", (None, 2))):
            array = frozen_array(getattr(self, name), shape, f"{self.piece}: {name}")
            object.__setattr__(self, name, array)

    @property
    def most(self) -> int:
        """What the best place is worth; 0 if none is worth anything."""
        return max(0, int(self.worth.max(initial=0.0)))
