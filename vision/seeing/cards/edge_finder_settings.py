"""What of outlines of any kind is a card: the limits of each stage that looks for them."""

from dataclasses import dataclass, field

from vision.seeing.cards.propose_from_corners import CornerProposalSettings

__all__ = ["EdgeFinderSettings"]


@dataclass(frozen=True, slots=True)
class EdgeFinderSettings:
    """What of outlines of any kind is a card; correlations unless said."""

    level_sides_px: tuple[int, ...] = (
        525,
        1050,
        2100,
    )  # of the pictures that are looked at in turn
    fine_px: float = 48.0  # width of a card whose outline is good to 1 %: then no finer look
    second_px: float = 90.0  # and in the second look: a gap of 2 mm is 3 pixels
    cornered_px: float = 120.0  # where corners are sought: of touching cards those tell them apart
    #: with contrast evened: one of them is where a cloth's own grain hides faint outlines less
    evened_px: tuple[float, float] = (75.0, 30.0)
    shape_share: float = 0.07  # of the card's width: rms of its corners on the plane
    within: tuple[float, float] = (0.6, 1.15)  # of a card's girth: a picture in a border, a card
    outline_share: float = 0.04  # as shape_share, of an outline that is a card whatever it shows
    contour: float = (
        1.0  # of the card's width, by which what runs along an outline is at least long:
    )
    # round a card, or along both hands of three of its sides, it is four times that
    few: int = 4  # cards that tell a plane well; one less,
    slack_of_few: float = 0.25  # and outlines may miss their shape by so many times more
    outline_side: float = 0.7  # of its sides an edge must run along; on cards: all
    faint_side: float = 0.45  # of the faintest one: dark print on dark cloth has parts of a side
    cut_off: float = 0.08  # of a card's width, by which one with two whole corners may stick out
    three_sides: float = 0.85  # of each of three, where white borders hide the fourth
    #: more of a card under others, and it lies in a fan
    touching: CornerProposalSettings = field(
        default_factory=lambda: CornerProposalSettings(beside=0.08)
    )
    outline_away: float = 0.12  # of the card's width: a pose so far beside is the same card
    outline_turn: float = 0.1  # rad: and so far turned
    repeat_px: float = 0.7  # of sharpened outlines: nearer, on average, they are one
    same_share: float = 0.5  # of a card that another covers: the same card twice
    proposal_score: float = 0.40  # of a card supposed from one corner
    proposal_lead: float = 0.05  # of it over the next face
    twin_score: float = 0.65  # of one without it, or supposed round its print: the lead is a twin's
    faint_score: float = 0.45  # of one that is asked for its name last, and told if it has none
    beside: float = 0.045  # of the card's width: how far beside its outline a card is sought
    plain_score: float = 0.6  # of a card that is laid well enough
    shifted_by: float = 0.10  # better it must be read beside: an outline knows where it lies
    left_px: float = 28.0  # so wide, cards and their print still stand out of cloth
    most_corners: int = 700  # of each of two looks, the longest
    most_cornered: int = 150  # outlines of which two sides show, of each of two looks
    least_arm_px: float = 24.0  # of a corner whose two arms are taken for a card's sides
    least_aspect: float = 0.35  # of the shorter arm to the longer; a card seen at 60 degrees: 0.33
    rounded: float = 0.05  # of the shorter arm: by which rounded corners shorten either
    glimpse: float = 0.22  # of a supposed card that is worth a search beside it
    most_glimpsed: int = 150  # of those, the best
