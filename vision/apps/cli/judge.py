"""What was typed about a table, rulings and cards left out, and the round replayed with it."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.errors import TableFormatError
from vision.games.light_speed.deck import card_ids
from vision.games.light_speed.edits import Decide, RemoveCard, carry_covariance, edit
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.roster import call_roll, is_face_down, is_unreadable, ships_of
from vision.games.light_speed.ruling_text import check_rulings, parse_ruling
from vision.games.light_speed.values import Deck, Resolution, Ruling, TableState
from vision.values.arrays import FloatArray
from vision.values.scan import Scan

__all__ = ["Wishes", "judge_scan", "judge_table"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was typed: rulings as text, cards to leave out, from what chance a shot is contested."""

    rulings: Sequence[str] = ()
    without: Sequence[str] = ()
    contested_from: float | None = None

    def are_any(self) -> bool:
        """Tell whether anything was asked for."""
        return bool(self.rulings or self.without or self.contested_from is not None)

    def settings(self) -> JudgeSettings:
        """Return how to judge."""
        if self.contested_from is None:
            return JudgeSettings()
        return JudgeSettings(contested_from=self.contested_from)


def judge_table(
    state: TableState, deck: Deck, wishes: Wishes, *, joint_covariance: FloatArray | None = None
) -> tuple[TableState, Resolution]:
    """Bring the wishes to a table and play the round.

    Raises
    ------
    ValueError
        If a wish is none: a ruling of another form, a card that is not there.
    """
    after = state
    try:
        for text in wishes.rulings:
            ruling = parse_ruling(text)
            _check_names(ruling, state, deck)
            after = edit(after, Decide(ruling))
        check_rulings(after.rulings, call_roll(state, deck))
    except TableFormatError as error:
        msg = f"--ruling: {error}"
        raise ValueError(msg) from error
    for card in wishes.without:
        there = [placed.card_id for placed in after.cards]
        if card not in there:
            msg = f'--without: there is no "{card}" on the table{_hint(card, there)}'
            raise ValueError(msg)
        after = edit(after, RemoveCard(card))
    joint = joint_covariance
    if joint is not None and after is not state:
        joint = carry_covariance(state, joint, after)
    settings = wishes.settings()
    return after, resolve(after, deck, joint_covariance=joint, settings=settings)


def judge_scan(seen: Scan, deck: Deck, wishes: Wishes) -> Scan:
    """Bring the wishes to a scan; see :func:`judge_table`."""
    if not wishes.are_any():
        return seen
    joint = seen.placement.joint_covariance
    table, resolution = judge_table(seen.table, deck, wishes, joint_covariance=joint)
    of_reading = seen.issues[: len(seen.issues) - len(seen.resolution.issues)]
    kept = tuple(i for i in of_reading if not set(i.cards) & set(wishes.without))
    return replace(seen, table=table, resolution=resolution, issues=(*kept, *resolution.issues))


def _check_names(ruling: Ruling, state: TableState, deck: Deck) -> None:
    ships = ships_of(deck)
    if ruling.ship not in ships:
        msg = f'no ship is called "{ruling.ship}"{_hint(ruling.ship, list(ships))}'
        raise TableFormatError(msg)
    target = ruling.target
    names = [*card_ids(deck), *(thing.id for thing in state.objects)]
    if target is None or target in names or is_face_down(target) or is_unreadable(target):
        return
    msg = f'no card is called "{target}"{_hint(target, names)}'
    raise TableFormatError(msg)


def _hint(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f'; did you mean "{close[0]}"?' if close else ""
