"""Evenings: rounds that belong together, and their sums."""

import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from vision.apps.server.reading.wishes import playing
from vision.apps.server.replies.evenings import EveningReply, EveningsReply, EveningSumsReply
from vision.apps.server.routes.models import EveningBody, PageQuery
from vision.apps.server.routes.parts import NOTHING, EveningId, House, Json, Router, page_of, tells
from vision.apps.server.storage import Evening, new_id
from vision.apps.server.times import dated

__all__ = ["router"]

router = Router("/api/v1/evenings", "evenings")


def _plain(evening: Evening) -> Json:
    return {
        "id": evening.id,
        "name": evening.name,
        "teams": dict(evening.teams),
        **dated(created=evening.created),
        "deck": evening.deck,
        "game": evening.game,
        "rules": dict(evening.rules),
    }


def _changed(was: Evening, body: EveningBody, decks: Path) -> Evening:
    """Return an evening with what is given.

    Raises
    ------
    DeckError, TableFormatError
        If there is no such deck or game, or a rule is not understood.
    """
    name = was.name if body.name is None else body.name
    named = replace(was, name=name, teams={**was.teams, **(body.teams or {})})
    if body.deck is None and body.game is None and body.rules is None:
        return named
    return playing(named, body.deck, body.game, body.rules or {}, decks)


@router.get("", "The evenings, newest first", EveningsReply)
def list_evenings(house: House, asked: Annotated[PageQuery, Query()]) -> Json:
    """Return them without their rounds."""
    found, following = page_of(
        asked.most(house.settings.scans_listed),
        partial(house.storage.records.evenings.list, before=asked.before),
        "/api/v1/evenings",
    )
    return {"evenings": [_plain(evening) for evening in found], "links": {"next": following}}


@router.post("", "Begin an evening", tells(EveningReply, 201))
def make_evening(house: House, body: EveningBody) -> Json:
    """Return it with its id."""
    new = Evening(new_id(), "", {}, time.time())
    evening = _changed(new, body, house.settings.decks)
    house.storage.records.evenings.add(evening)
    return _plain(evening)


@router.get("/{evening_id}", "An evening and its running table", EveningSumsReply)
def get_evening(house: House, evening_id: EveningId) -> Json:
    """Return the rounds of an evening in order, with the sum of each team after each."""
    evening = house.rounds.evening(evening_id)
    return {**_plain(evening), **house.rounds.add_up(evening, house.settings.scans_listed)}


@router.patch("/{evening_id}", "Name an evening, its teams; say what is played", EveningReply)
def change_evening(house: House, evening_id: EveningId, body: EveningBody) -> Json:
    """Change what is given. Of another deck or game the rules begin anew.

    What is played counts for photos that come from now on, and say nothing else.
    """
    evening = _changed(house.rounds.evening(evening_id), body, house.settings.decks)
    house.storage.records.evenings.change(evening)
    return _plain(evening)


@router.delete("/{evening_id}", "Delete an evening", NOTHING)
def delete_evening(house: House, evening_id: EveningId) -> Response:
    """Delete an evening; its rounds stay, without an evening."""
    house.storage.records.evenings.delete(house.rounds.evening(evening_id).id)
    return Response(status_code=204)
