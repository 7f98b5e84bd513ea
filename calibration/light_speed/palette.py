"""The colours of a deck's faces: one palette per team, and the colours that all cards share."""

from calibration.art.drawing import mix, rgb
from calibration.art.palette import Palette

__all__ = ["ASTEROIDS", "ASTEROID_BACK", "SHIP_BACK", "team_palette"]


def _palette(band: str, panel: str, shade: str, bright: str, light: str) -> Palette:
    dim = mix(rgb(shade), rgb(bright), 0.5)
    return Palette(rgb(band), rgb(panel), rgb(shade), dim, rgb(bright), rgb(light))


_TEAMS = {
    "red": _palette("#B3122A", "#14060A", "#6E0F1D", "#F0414E", "#FFA79C"),
    "green": _palette("#0B7A3B", "#04120A", "#0A4A28", "#2FC46E", "#A9F0C0"),
    "purple": _palette("#74208A", "#0F0614", "#4A155C", "#C45CE0", "#F0BFF8"),
    "blue": _palette("#1454AE", "#040B17", "#0D3670", "#2F96FF", "#A8D8FF"),
}
_SPARE = _palette("#6B5B12", "#111004", "#4F430C", "#D9BC2E", "#F6E9A0")

# A heap of counters hides the rock of an asteroid, never the band: the two bands differ.
ASTEROIDS = (
    _palette("#8A5A1C", "#0C0A0A", "#42301C", "#C99E5A", "#F2DBAC"),
    _palette("#4A586C", "#090A0D", "#2C3038", "#9AA3B0", "#DDE4EC"),
)
ASTEROID_BACK = _palette("#6E665C", "#0A0A0C", "#362E29", "#AD9B86", "#E8DCCB")
SHIP_BACK = _palette("#12606A", "#030E12", "#0C3C46", "#2FB3BF", "#B4F0F0")


def team_palette(team: str) -> Palette:
    """Return the colours of a team; a team of another deck's own naming gets the spare ones."""
    return _TEAMS.get(team, _SPARE)
