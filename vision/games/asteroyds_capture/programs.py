"""Programmes: the actions, what pilots can do, which rounds the anticipation holds."""

from dataclasses import dataclass

from vision.games.asteroyds_capture.values import Options, Piece, Program

__all__ = [
    "ACTIONS",
    "MODES",
    "PLAIN",
    "Anticipation",
    "Motion",
    "anticipate",
    "motion_of",
    "powers_of",
    "turn_of",
]

MODES = ("shield", "fire")


@dataclass(frozen=True, slots=True)
class Motion:
    """First a turn, in sixths clockwise; then steps, each in a way relative to the heading."""

    turn: int
    steps: tuple[int, ...] = ()


PLAIN = {
    "forward": Motion(0, (0,)),
    "left": Motion(5, (0,)),
    "right": Motion(1, (0,)),
    "back": Motion(3),
}
_POWERS = {
    "hector": {"power": Motion(0, (0, 0))},
    "dolorosa": {"power": Motion(3, (0,))},
    "yayenek": {"power": Motion(0, (3,))},
    "mhand": {f"power-{60 * k}": Motion(k, (0,)) for k in (2, 4)},
    "1634": {f"power-{60 * k}": Motion(k) for k in (1, 2, 4, 5)},
}
ACTIONS = (*PLAIN, "fire", "power", "power-60", "power-120", "power-240", "power-300")


def motion_of(ship: Piece, action: str, options: Options) -> Motion | None:
    """Return what an action makes a ship do; None if it moves nothing, or may not be."""
    if action in PLAIN:
        return PLAIN[action]
    if not options.pilots or ship.power_spent:
        return None
    return _POWERS.get(ship.pilot or "", {}).get(action)


def powers_of(pilot: str | None) -> tuple[str, ...]:
    """Return the actions that are a pilot's power; none of lawrence, or without a pilot."""
    return tuple(_POWERS.get(pilot or "", ()))


def turn_of(pilot: str, sixths: int) -> str:
    """Return the action of a pilot's token whose arrow points so many sixths clockwise."""
    action = f"power-{60 * (sixths % 6)}"
    return action if action in _POWERS.get(pilot, {}) else "power"


@dataclass(frozen=True, slots=True)
class Anticipation:
    """The mode that counts and its rounds, and why something does not count."""

    mode: str | None = None
    rounds: tuple[int, ...] = ()
    issue: str | None = None


def anticipate(ship: Piece, program: Program, options: Options) -> Anticipation:
    """Return what a ship's anticipation comes to: lawrence has a mode and two rounds."""
    is_lawrence = options.pilots and ship.pilot == "lawrence"
    mode = program.mode
    if is_lawrence and program.rounds:
        mode = "shield"
    if mode is None and not program.rounds:
        return Anticipation()
    if mode is None or not program.rounds:
        return Anticipation(issue="anticipation_incomplete")
    most = 2 if is_lawrence else 1
    rounds = tuple(sorted(set(program.rounds)))
    return Anticipation(mode, rounds[:most], "anticipation_extra" if rounds[most:] else None)
