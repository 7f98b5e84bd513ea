"""The colours of the cards: one palette for each kind, and what all cards share."""

from calibration.art.drawing import mix, rgb
from calibration.art.palette import INK, PAPER, Palette

__all__ = ["BACK", "PALETTES", "POWER", "SHEET"]

POWER = rgb("#FFD23E")  #: of energy, on every card that costs some


def _palette(band: str, bright: str) -> Palette:
    dark, clear = rgb(band), rgb(bright)
    shade = mix(INK, dark, 0.6)
    return Palette(
        dark, mix(INK, dark, 0.22), shade, mix(shade, clear, 0.5), clear, mix(clear, PAPER, 0.62)
    )


PALETTES = {
    "energy": _palette("#9A6A00", "#FFC21F"),
    "laser": _palette("#B3122A", "#FF4A55"),
    "neutrons": _palette("#0B7A3B", "#35D37C"),
    "disintegrator": _palette("#9C1479", "#FF58CE"),
    "particles": _palette("#B34A0C", "#FF8A33"),
    "rocks": _palette("#5E3F22", "#C08B55"),
    "missile": _palette("#1B3C96", "#4E86FF"),
    "rocket": _palette("#0A6C98", "#3CC0F2"),
    "jammer": _palette("#63680C", "#CBD63A"),
    "anti-missile": _palette("#3E4754", "#A8B6C8"),
    "shield": _palette("#00747B", "#2AD6DA"),
    "net": _palette("#47801A", "#A2E34A"),
    "auxiliary": _palette("#4733A0", "#9A86FF"),
    "troop": _palette("#8A5468", "#F0B4C2"),
    "suit": _palette("#6A6E77", "#E6EAF0"),
    "engine": _palette("#8C2F12", "#FF7046"),
    "hyperdrive": _palette("#6C1FA3", "#C57BFF"),
    "device": _palette("#0C604F", "#3FD9B4"),
}
BACK = _palette("#23304A", "#7F97C8")
SHEET = _palette("#1D2530", "#B9C7DA")
