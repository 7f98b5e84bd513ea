"""A card of the deck -> its face: what is printed, and what the program looks for.

From the edge inwards: a pure white border of 3.5 mm, a band of 2.5 mm in the colour of the card's
kind with square corners (its outer edge is the printed frame that photos are measured by, and
nothing crosses it), and a dark panel: capacity large at the top left, cost on a yellow flash at the
top right, the sign of the kind between them, the picture, the name, and below it the further facts.
"""

from calibration.art.drawing import Colour, Disc, Polygon, Ring, Shape, Stroke, box, mix
from calibration.art.lettering import Script, letter, text_width_mm
from calibration.art.palette import INK, PAPER, Palette
from calibration.conflit_stellaire.crews import CREWS
from calibration.conflit_stellaire.defences import DEFENCES
from calibration.conflit_stellaire.forms import bolt, laid
from calibration.conflit_stellaire.grounds import draw_ground
from calibration.conflit_stellaire.machines import MACHINES, back_picture
from calibration.conflit_stellaire.missiles import MISSILES
from calibration.conflit_stellaire.palette import BACK, PALETTES, POWER
from calibration.conflit_stellaire.signs import fact_sign, kind_sign
from calibration.conflit_stellaire.weapons import WEAPONS
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.values import Face

__all__ = ["BAND_MM", "BORDER_MM", "back_shapes", "face_shapes", "framed"]

BORDER_MM = 3.5
BAND_MM = 2.5

_CAPACITY, _COST = Script(10.5, 2.1, 0.72), Script(7.2, 1.5, 0.72)
_NAME, _OTHER, _FACT = Script(3.0, 0.55, 0.68), Script(1.9, 0.34, 0.7), Script(2.9, 0.55, 0.72)
_WIDEST_MM = 47.0  # of a name: longer ones are set narrower
_PICTURES = {**WEAPONS, **MISSILES, **DEFENCES, **CREWS, **MACHINES}


def face_shapes(face: Face) -> list[Shape]:
    """Return a face as shapes in the card's frame, in the order to paint them."""
    palette = PALETTES[face.kind]
    index = list(deck().faces).index(face.id)
    half = _half()
    shapes = [
        *draw_ground(index, palette, half),
        *_PICTURES[face.id](palette),
        *laid(kind_sign(face.kind, palette), 1.5, -half[1] + 9.2),
        *_numbers(face, half),
        *_names(face, palette, half),
        *_facts(face, palette, half),
    ]
    return [*shapes, *framed(palette.band)]


def back_shapes() -> list[Shape]:
    """Return the back that all cards share."""
    half = _half()
    ground = box(-half[0] - 1, -half[1] - 1, half[0] + 1, half[1] + 1)
    upper = (*ground[:2], (half[0] + 1, -7.0), (-half[0] - 1, 7.0))
    grounds = [Polygon(ground, BACK.panel), Polygon(upper, BACK.shade)]
    return [*grounds, *back_picture(BACK), *framed(BACK.band)]


def framed(band: Colour) -> list[Shape]:
    """Return the band and the white border: of a hull card too."""
    width, height = deck().card_mm
    frame = (width - 2 * BORDER_MM, height - 2 * BORDER_MM)
    panel = (frame[0] - 2 * BAND_MM, frame[1] - 2 * BAND_MM)
    under = (frame[0] + 2.0, frame[1] + 2.0)  # the band reaches under the border,
    beyond = (width + 2.0, height + 2.0)  # the border over the card's edge
    return [Ring(under, panel, band), Ring(beyond, frame, PAPER)]


def _half() -> tuple[float, float]:
    """Return half the panel's size."""
    width, height = deck().card_mm
    inset = BORDER_MM + BAND_MM
    return width / 2 - inset, height / 2 - inset


def _numbers(face: Face, half: tuple[float, float]) -> list[Shape]:
    """Set capacity and cost: white with a dark halo, and dark on a yellow coin with a flash."""
    top = -half[1] + 3.6
    shapes: list[Shape] = []
    for halo, colour in ((2.2, INK), (0.0, PAPER)):
        at = (-half[0] + 3.6, top)
        shapes += letter(str(face.capacity), at, _CAPACITY, colour, halo_mm=halo)
    coin = (half[0] - 8.0, top + 5.2)
    shapes += [Disc(coin, 7.4, INK), Disc(coin, 6.6, POWER)]
    shapes += bolt((coin[0] + 5.4, coin[1] + 6.0), 7.0, POWER, 0.7)
    wide = text_width_mm(str(face.cost), _COST)
    where = (coin[0] - wide / 2, coin[1] - _COST.height_mm / 2)
    return [*shapes, *letter(str(face.cost), where, _COST, INK)]


def _fitting(text: str, script: Script) -> Script:
    """Set a long name narrower."""
    wide = text_width_mm(text, script)
    share = min(1.0, _WIDEST_MM / wide)
    return Script(script.height_mm, script.width_mm, script.stretch * share**1.4)


def _names(face: Face, palette: Palette, half: tuple[float, float]) -> list[Shape]:
    """Set the name in English, and in French below it, on a plate over the width."""
    top = half[1] - 13.4
    plate = box(-half[0] - 1, top - 1.6, half[0] + 1, top + 8.0)
    shapes: list[Shape] = [
        Polygon(plate, mix(INK, palette.band, 0.55)),
        Stroke(plate[:2], 0.5, palette.bright),
    ]
    for language, script, y, colour in (
        ("en", _NAME, top, PAPER),
        ("fr", _OTHER, top + 5.1, palette.light),
    ):
        fitting = _fitting(face.names[language], script)
        wide = text_width_mm(face.names[language], fitting)
        shapes += letter(face.names[language], (-wide / 2, y), fitting, colour)
    return shapes


def _facts(face: Face, palette: Palette, half: tuple[float, float]) -> list[Shape]:
    """Draw the further facts in a row at the bottom: a sign each, with its number if it has one."""
    numbers = {
        "range": face.range,
        "speed": face.speed,
        "echoes": face.echoes if face.kind in ("missile", "rocket") and face.echoes > 1 else None,
        "slots": face.slots,
        "berths": face.berths,
    }
    facts = [(name, str(value)) for name, value in numbers.items() if value]
    facts += [(name, "") for name in (*face.guidance, *face.keywords)]
    if face.rank:
        order = [rank.id for rank in deck().ranks]
        facts.append(("rank", str(order.index(face.rank))))
    shapes: list[Shape] = [Polygon(box(-half[0] - 1, half[1] - 5.4, half[0] + 1, half[1] + 1), INK)]
    x = -half[0] + 4.0
    for name, value in facts:
        shapes += laid(fact_sign(name, palette.light), x, half[1] - 2.6)
        shapes += letter(value, (x + 3.4, half[1] - 4.1), _FACT, PAPER)
        x += 7.0 + (text_width_mm(value, _FACT) if value else -1.4)
    return shapes
