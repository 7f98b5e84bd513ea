"""The worked cases of the rules page, and how a resolution is told in their notation."""

from pathlib import Path

from vision.games.asteroyds_capture.values import Beam, Move, Resolution, Round

TEXT = (Path(__file__).parent / "cases.txt").read_text(encoding="utf-8")


def load_cases() -> dict[str, tuple[str, list[str]]]:
    """Return of each case its table in notation, and what happens."""
    found = {}
    for part in TEXT.split("# case ")[1:]:
        title, *lines = [line for line in part.splitlines() if line.strip()]
        table = [line for line in lines if not line.startswith("=>")]
        told = [line.removeprefix("=> ") for line in lines if line.startswith("=>")]
        found[title] = ("\n".join(["game asteroyds-capture", *table]), told)
    return found


def tell_case(resolution: Resolution) -> list[str]:
    """Tell a resolution as the cases do."""
    lines = [f"{r.number} {line}" for r in resolution.rounds for line in _round(r)]
    scores = " ".join(f"{team} {score}" for team, score in resolution.scores.items())
    won = "".join(f", {team} wins" for team in resolution.winners)
    return [*lines, f"score {scores}{won}"]


def _round(r: Round) -> list[str]:
    return [
        *(f"{m.rock} {m.start}-{m.end}" for m in r.rocks),
        *(_beam(beam) for beam in r.beams),
        *(f"{off.turret} off" for off in r.off),
        *(f"{rock} destroyed" for rock in r.destroyed),
        *(_move(move) for move in r.moves),
        *(f"{t.ship} to {t.end} ({t.cause})" for t in r.teleports),
        *(f"{c.asteroyd} {c.event} {','.join(c.ships)} {c.cell}" for c in r.asteroyds),
    ]


def _beam(beam: Beam) -> str:
    words = [beam.source, "fires", *beam.cells]
    if not beam.stopped_by:
        words.append("to the edge")
    elif beam.hits:
        words.append(f"hits {','.join(beam.hits)}")
    else:
        words.append(f"stops at {','.join(beam.stopped_by)}")
    if beam.evaded:
        words.append(f"passes {','.join(beam.evaded)}")
    return " ".join(words)


def _move(move: Move) -> str:
    crash = f" crashes into {move.crash}" if move.crash else ""
    return f"{move.ship} {move.action} {'-'.join(move.cells)} {60 * move.way}{crash}"
