"""Table and resolution -> the ledger: all that any screen shows of a round of Light Speed."""

from vision.games.light_speed.roster import call_roll
from vision.games.light_speed.sides import side_of
from vision.games.light_speed.standings import COLUMNS, standings, to_tally
from vision.games.light_speed.tell_events import Teller
from vision.games.light_speed.tell_odds import tell_odds
from vision.games.light_speed.tell_pieces import view_pieces
from vision.games.light_speed.values import Deck, Resolution, Score, TableState
from vision.values.ledger import Ledger, LedgerStep, Tally
from vision.values.messages import Message, message

__all__ = ["tell"]


def tell(table: TableState, deck: Deck, resolution: Resolution) -> Ledger:
    """Tell a round: steps of events with what is drawn of them, tallies, outcome, doubts, odds.

    Parameters
    ----------
    table, deck
        What was resolved. A deck without ships is only laid out: no sides, no steps.
    resolution : Resolution
        What came of it.
    """
    if not deck.ships:
        pieces, outcome = view_pieces(table, deck), message("report.no_card")
        return Ledger(
            table.game, (), (), pieces, Tally({}), (), (), outcome, None, resolution.issues
        )
    roster = call_roll(table, deck)
    known = standings(roster, resolution.steps)
    tallies = [to_tally(standing, table, roster) for standing in known]
    teller = Teller(table, deck, roster, resolution.contested_from)
    steps = tuple(
        LedgerStep(message("account.speed", speed=step.speed), teller.events(step, before), after)
        for step, before, after in zip(resolution.steps, known, tallies[1:], strict=False)
    )
    return Ledger(
        game=table.game,
        sides=tuple(side_of(team, deck) for team in roster.teams),
        columns=COLUMNS,
        pieces=view_pieces(table, deck),
        opening=tallies[0],
        steps=steps,
        winners=resolution.winners,
        outcome=_outcome(resolution),
        doubts=resolution.issues,
        odds=tell_odds(resolution),
        contested_from=resolution.contested_from,
        summary=tuple(_summary(resolution)),
        weighed=resolution.weighed,
    )


def _outcome(resolution: Resolution) -> Message:
    """Say who wins."""
    if not resolution.scores:
        return message("report.no_card")
    if not resolution.winners:
        return message("report.nobody")
    names = [team for team in resolution.scores if team in resolution.winners]
    total = resolution.scores[names[0]].total
    if len(names) == 1:
        return message("report.wins", team=names[0], total=total)
    return message("report.share", teams=tuple(names), total=total)


def _summary(resolution: Resolution) -> list[Message]:
    """Say the score of each team."""
    if not resolution.scores:
        return [message("account.no_team")]
    return [_total(team, score) for team, score in resolution.scores.items()]


def _total(team: str, score: Score) -> Message:
    own = message("account.own", points=-score.own) if score.own else ""
    return message(
        "account.total",
        team=team,
        total=score.total,
        kills=score.kills,
        rocks=score.rocks,
        own=own,
    )
