"""The command ``sightline resolve``: a table from a file, without a photo."""

from vision.apps.cli.coaching import (
    check_coach,
    coached,
    hottest,
    print_coach,
    with_coach,
)
from vision.apps.cli.follow import write_next
from vision.apps.cli.forms import ResolveOrder
from vision.apps.cli.judge import Wishes
from vision.apps.cli.keeping import read_keeping
from vision.apps.cli.options import check_outputs, language_for, wishing
from vision.apps.cli.results import (
    draw,
    hint,
    print_round,
    print_what_if,
    write_json,
    write_picture,
)
from vision.apps.cli.talk import STDOUT, reporting, working
from vision.apps.decks import known_of_table
from vision.files.documents import decode
from vision.files.headlines import resolution_to_json
from vision.files.whole import read_bytes
from vision.values.verdict import judge

__all__ = ["run"]


def run(order: ResolveOrder) -> None:
    """Resolve the round on a table from a file, without a photo."""
    check_outputs(order.table, order.out, order.json)
    check_coach(order.coach, order.coach_for, None)
    with reporting(order.table):
        encoded = read_bytes(order.table)
        text = decode(encoded)
        keeping = read_keeping(order.career, order.round, (order.table,), (encoded,))
        wishes = Wishes.typed(order)
        known = known_of_table(text)
        game = wishes.judge(known.game)
        table = game.read(text)
        with wishing():
            if order.rule:
                table = game.edit(table, {"kind": "rules", "set": list(order.rule)})
            table = wishes.edit(game, table)
            outcome = game.resolve(table) if keeping is None else None
        speech = language_for(order.lang)
        if keeping is None:
            ledger = game.tell(table, outcome)
        else:
            table, outcome, ledger = keeping.play(game, table)
        tips = coached(order.coach, game, table, order.coach_for)
        if order.out is not None:
            with working("drawing the picture"):
                write_picture(order.out, draw(ledger, known, speech, hottest(tips)))
        if order.json is not None:
            language = order.lang.value if order.lang else "en"
            issues = ledger.weigh(ledger.doubts)
            document = resolution_to_json(outcome, ledger, issues, game, language=language)
            write_json(order.json, with_coach(document, tips, game, language))
        over = judge(ledger, ledger.weigh(ledger.doubts))
        write_next(order.next, known, table, outcome, speech, is_open=over.is_open)
        if keeping is not None:
            keeping.enter(game, table, speech)
        if order.json != STDOUT:
            print_round(ledger, ledger.weigh(ledger.doubts), game, speech)
            print_what_if(order.what_if, game, table, speech)
            print_coach(tips, game, speech)
            hint(order.out, order.table, speech)
