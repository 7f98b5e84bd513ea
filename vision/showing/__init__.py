"""Drawing a round: over its photo, or from above without one.

``overlay`` says what is drawn in which order and ``above`` makes a table without a photo; both
work on a ``scene`` (everything in the photo frame, worked out once) with ``beams``, ``cards``,
``tags``, ``marks``, ``panel`` and ``closeups``; these draw with ``glyphs`` on a ``canvas`` in the
``style`` of the house.
"""

from vision.showing.above import draw_table
from vision.showing.closeups import draw_closeups
from vision.showing.overlay import annotate_photo
from vision.showing.style import AnnotateSettings

__all__ = ["AnnotateSettings", "annotate_photo", "draw_closeups", "draw_table"]
