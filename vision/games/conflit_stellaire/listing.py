"""The deck -> lines to read: each face with its kind, capacity and cost, and what else it says."""

from vision.games.conflit_stellaire.deck import BACK, deck
from vision.games.conflit_stellaire.values import Face
from vision.judging.game import ListedLine

__all__ = ["in_short", "list_deck"]


def in_short() -> str:
    """Say what there is, in a few words."""
    width, height = deck().card_mm
    faces = [face for face in deck().faces.values() if face is not BACK]
    return f"{len(faces)} faces, {width:g} x {height:g} mm; hull cards and distance strips"


def list_deck() -> tuple[ListedLine, ...]:
    """List all faces, a line each, under their kinds."""
    lines = [ListedLine(((deck().name, "bold"), f"  {in_short()}; capacity/cost"))]
    kind = None
    for face in deck().faces.values():
        if face is BACK:
            continue
        if face.kind != kind:
            kind = face.kind
            lines.append(ListedLine((f"  {kind}",)))
        head = f"    {face.id:15} {face.capacity:2d}/{face.cost}  "
        lines.append(ListedLine((head,), _facts(face)))
    return tuple(lines)


def _facts(face: Face) -> str:
    """Tell what a face says besides capacity and cost."""
    counted = {
        "range": face.range,
        "speed": face.speed,
        "echoes": face.echoes if face.echoes > 1 else 0,
        "slots": face.slots,
        "berths": face.berths,
    }
    facts = [f"{name} {value}" for name, value in counted.items() if value]
    facts += [f"guided by {guide}" for guide in face.guidance]
    facts += [f"from {face.rank}"] if face.rank else []
    facts += list(face.keywords)
    return ", ".join((*facts, f"{face.copies} of them"))
