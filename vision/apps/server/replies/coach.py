"""What is told by the coach, of a round and of an evening."""

from pydantic import JsonValue

from vision.apps.server.replies.common import Id, Reply, Words

__all__ = ["AdviceReply", "EveningAdviceReply", "HeatReply"]

Outline = list[list[float]]


class Advice(Reply):
    """One thing that would have gone otherwise, and where the piece would lie, in the photo."""

    side: str
    kind: str
    order: JsonValue
    worth: int | None
    piece: str | None
    outline_px: Outline
    said: Words


class MappedPiece(Reply):
    """A piece of which there is a heat map, and what its best place was worth."""

    piece: str
    side: str
    most: int
    title: Words


class AdviceReply(Reply):
    """Advice for each side, in the order to read it."""

    advice: list[Advice]
    maps: list[MappedPiece]


class Cell(Reply):
    """A place of the table, in the photo, and what it would have been worth."""

    outline_px: Outline
    worth: int


class HeatReply(MappedPiece):
    """What the places of the table would have been worth to a piece: those that gain."""

    cells: list[Cell]
    best_px: Outline


class RoundOfAdvice(Reply):
    """The round that an advice is of."""

    id: Id
    number: int | None


class EveningAdvice(Advice):
    """One thing that would have gone otherwise in a round of an evening."""

    round: RoundOfAdvice


class EveningAdviceReply(Reply):
    """What was worth most to each side in an evening."""

    advice: list[EveningAdvice]
