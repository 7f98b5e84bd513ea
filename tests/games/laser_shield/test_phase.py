"""The phases that the rules page tells, word for word."""

from pathlib import Path

import pytest

from vision.games.laser_shield.orders import IllegalOrder, check_order, parse_order
from vision.games.laser_shield.phase import Played, play
from vision.games.laser_shield.values import TEAMS, Moved, Options, Order, Pawn, Step

EXAMPLES = (Path(__file__).parent / "examples.txt").read_text(encoding="utf-8").splitlines()
START = "orange a1 e, orange b1 se, orange c1 s, blue d4 n, blue e4 nw, blue f2 w"


def pawns_of(text: str) -> list[Pawn]:
    pawns: list[Pawn] = []
    for part in (START if text == "start" else text).split(", "):
        team, square, heading = part.split()
        number = 1 + sum(pawn.team == team for pawn in pawns)
        pawns.append(Pawn(f"{team}-{number}", square, heading))
    return pawns


def told(step: Step) -> set[str]:
    """Write what happened at a time as the page does."""
    words = {move_text(move) + (f" {move.reason}" if move.reason else "") for move in step.moves}
    words |= {f"{turn.pawn} turns {turn.heading}" for turn in step.turned}
    for beam in step.beams:
        end = {"shield": "shield ", "killed": "kills "}.get(beam.end, beam.end)
        words.add(f"{'>'.join(beam.squares)} {end}{beam.struck.pawn if beam.struck else ''}")
    for push in step.pushed:
        goes = f"to {push.via}-{push.to}" if push.via else f"to {push.to}"
        words.add(f"{push.pawn} {goes if push.done else f'stays ({push.reason})'}")
    return words


def move_text(move: Moved) -> str:
    return "-".join(filter(None, (move.start, move.via, move.to)))


def play_text(position: str, orders: str, options: Options) -> tuple[Played, dict[str, str]]:
    pawns, lost = pawns_of(position), {}
    legal: dict[str, Order | None] = {}
    for part in orders.split(", "):
        team, _, order = part.partition(" ")
        try:
            legal[team] = check_order(team, parse_order(order), pawns, options)
        except IllegalOrder as error:
            lost[team] = error.reason
    return play(pawns, legal, options), lost


@pytest.mark.parametrize("line", EXAMPLES)
def test_examples_of_the_page(line: str) -> None:
    position, orders, wanted = line.split(" | ")
    played, lost = play_text(position, orders, Options())
    steps = {step.time: told(step) for step in played.steps}
    for part in wanted.split("; "):
        head, _, rest = part.partition(" ")
        if head.isdigit():
            assert steps.pop(int(head)) == set(rest.split(", "))
        elif head.endswith(":"):
            assert lost == {head[:-1]: rest}
        else:
            assert rest == "wins"
            assert played.winners == (head,)
    assert not steps
    if "wins" not in wanted:
        alive = {pawn.team for pawn in played.position}
        assert played.winners == (() if alive == set(TEAMS) else tuple(alive))


def test_a_beam_between_two_doors_ends_after_its_last_line() -> None:
    options = Options(doors="b4-e1")
    played, _ = play_text("orange c1 w, blue c3 w", "orange fire c1>c2", options)
    assert told(played.steps[0]) == {"c1>c2>c3 shield blue-1", "blue-1 to c4"}
    assert told(played.steps[1]) == {"c3>d2>e1 door"}
    assert told(played.steps[23]) == {"b4>c3>d2>e1 door"}
    assert len(played.steps) == 24
    assert played.spent == ("orange",)
