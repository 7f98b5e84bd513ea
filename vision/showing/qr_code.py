"""An address as a QR code: SVG for a page, characters for a terminal."""

import cv2
import numpy as np

from vision.values.arrays import BoolArray

__all__ = ["to_svg", "to_terminal"]

_SVG_PX = 8  # a module's side
_QUIET = 2  # more light modules round it in a terminal, whose own colours are close by


def to_svg(text: str) -> str:
    """Return a QR code as SVG, dark on white."""
    dark = _modules(text)
    side = len(dark)
    rows = "".join(f"M{x} {y}h1v1h-1z" for y, x in np.argwhere(dark).tolist())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side * _SVG_PX}" '
        f'height="{side * _SVG_PX}" viewBox="0 0 {side} {side}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{side}v{side}h-{side}z"/><path d="{rows}"/></svg>'
    )


def to_terminal(text: str) -> str:
    """Return a QR code as lines of half blocks, white on black whatever the terminal's colours."""
    light = ~np.pad(_modules(text), _QUIET)
    light = np.pad(light, ((0, len(light) % 2), (0, 0)), constant_values=True)
    blocks = " \u2584\u2580\u2588"  # light is neither half, the lower, the upper, both
    pairs = 2 * light[::2].astype(int) + light[1::2]
    rows = ("".join(blocks[k] for k in row) for row in pairs.tolist())
    return "".join(f"\033[97;40m{row}\033[0m\n" for row in rows)


def _modules(text: str) -> BoolArray:
    """Return which modules (N, N) are dark; two light ones stand on every side.

    References
    ----------
    .. [1] ISO/IEC 18004, QR code bar code symbology specification; error correction M.
    """
    wanted = cv2.QRCodeEncoder.Params()
    wanted.correction_level = cv2.QRCODE_ENCODER_CORRECT_LEVEL_M
    return np.asarray(cv2.QRCodeEncoder.create(wanted).encode(text) == 0, np.bool_)
