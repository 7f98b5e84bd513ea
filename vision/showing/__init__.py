"""Drawing a round: over its photo, or from above without one.

``overlay`` says what is drawn in which order, ``above`` makes a table without a photo and ``film``
shows the steps one after the other; they work on a ``scene`` (everything in the photo frame, worked
out once) with ``beams``, ``cards``, ``tags``, ``marks``, ``loose``, ``panel`` and ``closeups``;
these draw with ``glyphs`` on a ``canvas`` in the ``style`` of the house. ``vector`` draws an SVG,
``words`` says it all in plain lines.
"""
