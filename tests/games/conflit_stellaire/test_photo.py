"""Drawn photos -> tables: every card, its owner and state, what lies on what, hulls, distances."""

import json
from functools import partial

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.games.conflit_stellaire.drawn import Table as Laid
from tests.games.conflit_stellaire.drawn import Told, photograph, random_table, scene_of
from tests.games.conflit_stellaire.test_turning import called
from vision.apps.cli.main import create_app
from vision.apps.known import known_game
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.conflit_stellaire.pieces import FLAGSHIP, MARKER, SCALE
from vision.games.conflit_stellaire.values import Options, Table
from vision.imaging.photo import Photo
from vision.pipeline import scan as scan_photos
from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.rectify import map_plane
from vision.seeing.reading import read_layout
from vision.values.layout import Layout

GAME = ConflitStellaire()
NEAR_PX = 9.0  # a card's middle: a third of the least step of a fan, at 1.5 px/mm and more


@pytest.fixture(scope="module")
def detector():
    return known_game("conflit-stellaire").detector()


def near(layout: Layout, table: Table, camera: Solution, told: Told):
    """Pair each card that was laid with the card of the table at its place, or None."""
    middles = {p.spot: p.outline_px.mean(axis=0) for p in layout.placed}
    left = list(table.cards)
    for card in told.cards:
        (at,) = map_plane(camera, np.array([card.pose[:2]]))
        far = [(float(np.hypot(*(middles[c.pose.spot] - at))), k) for k, c in enumerate(left)]
        distance, k = min(far, default=(np.inf, -1))
        yield card, left.pop(k) if distance < NEAR_PX else None


@pytest.mark.parametrize(
    ("seats", "seed", "energy", "azimuth"), [(2, 1, 9, 75.0), (4, 5, 5, 165.0)]
)
def test_a_table_is_read_card_by_card(detector, seats, seed, energy, azimuth):
    """30 to 60 cards, a third of them in fans of like ones: each is there, and what it is.

    From beside A, and from beside B, who then is the one at the photo's bottom.
    """
    rng = np.random.default_rng(seed)
    told = random_table(seats, rng, energy=energy)
    image, camera = photograph(scene_of(told, seed, tilt_deg=20.0, azimuth_deg=azimuth))
    names = called(seats, np.radians(90.0 - azimuth))
    layout = read_layout(Photo(image), detector)
    kinds = [p.piece for p in layout.placed if p.kind != "card"]
    assert kinds.count(FLAGSHIP) == seats
    assert kinds.count(SCALE) == len(told.distances)
    assert kinds.count(MARKER) == seats + len(told.distances)

    table = GAME.lay([layout], Options())
    assert len(table.cards) == len(told.cards)  # no card more, and none less: fans are counted
    faces = {card.id: card.face for card in table.cards}
    doubtful = {name for doubt in table.doubts if doubt.code == "owner" for name in doubt.cards}
    for card, found in near(layout, table, camera, told):
        assert found is not None, card
        assert found.face == card.face
        assert found.engaged == card.engaged
        assert found.seat == names[card.seat] or found.id in doubtful
        on = told.cards[card.on].face if card.on is not None else None
        assert faces.get(found.on or "") == on
        assert found.face_down == (card.face == "back")
    hulls = {names[seat]: hull for seat, hull in told.hulls.items()}
    assert {seat.id: seat.hull for seat in table.seats} == hulls
    uds = {tuple(sorted(names[seat] for seat in pair)): u for pair, u in told.distances.items()}
    assert {d.between: d.uds for d in table.distances} == uds
    assert not any(seat.readings for seat in table.seats)


def test_sheets_without_markers_show_none(detector):
    """No printed cell is taken for a marker; the game then says that it knows no hull."""
    told = random_table(2, np.random.default_rng(3), energy=2)
    bare = Told(
        told.seats,
        told.cards,
        told.hulls,
        told.distances,
        tuple(p for p in told.pieces if not p.round),
    )
    image, _ = photograph(scene_of(bare, 3, tilt_deg=12.0))
    layout = read_layout(Photo(image), detector)
    assert not [p for p in layout.placed if p.piece == MARKER]
    codes = [doubt.code for doubt in GAME.lay([layout], Options()).doubts]
    assert codes.count("marker_doubtful") == 3  # two hulls, one distance


def test_every_face_is_in_the_bank(detector):
    ids = set(detector.cards.faces.card_ids)
    assert {face.id for face in deck().faces.values()} <= ids
    assert detector.sheets == (FLAGSHIP,)


def duel() -> Told:
    """Two seats five apart: A fired a laser and engaged two cells for it; B has a screen ready."""
    table = Laid(2, np.random.default_rng(8))
    table.lay(0, "twin-laser", 0, 160, 90, engaged=True)
    table.lay(0, "pulse-laser", 110, 160, 2)
    table.lay(0, "energy-cell", -110, 170, 90, engaged=True)
    table.lay(0, "hyperdrive", 200, 165, 88, engaged=True)
    table.lay(1, "screen", 0, 160, -2)
    table.fan(1, "energy-cell", 4, 90, 165, 16.0)
    for seat, value in ((0, 20), (1, 7)):
        table.hull(seat, -220, 170, value)
    table.strip(0, 1, 5)
    return table.told()


def test_a_turn_is_played_on_a_photo(tmp_path, detector):
    """One command from photo and turn file to picture and account; what differs is told."""
    image, _ = photograph(scene_of(duel(), 8, tilt_deg=22.0))
    photo, turn, out = (tmp_path / name for name in ("t.png", "turn.txt", "out.png"))
    photo.write_bytes(cv2.imencode(".png", image)[1].tobytes())
    scan = partial(_scan, detector=detector)

    def cli(*args):
        return CliRunner().invoke(create_app(scan), [str(arg) for arg in args])

    bare = cli("scan", photo, "--game", "conflit-stellaire", "--json", "-")
    cards = {card["card"]: card["id"] for card in json.loads(bare.stdout)["table"]["cards"]}
    laser, pulse = cards["twin-laser"], cards["pulse-laser"]
    turn.write_text(f"turn A\nA fire {laser} at B spend 2\nA fire {pulse} at B spend 0\n")
    told = cli("scan", photo, "--turn", turn, "--out", out, "--json", tmp_path / "s.json")
    assert told.exit_code == 0, told.output
    assert "game: conflit-stellaire" in told.stderr  # the only game that takes a turn
    assert cv2.imread(str(out)) is not None
    document = json.loads((tmp_path / "s.json").read_text())
    table, outcome = document["table"], document["resolution"]
    fired = next(card for card in table["cards"] if card["id"] == laser)
    assert not fired.get("engaged", False)  # it was ready before the turn turned it
    assert outcome["ships"]["B"]["hull"] == 3  # 7 less 4
    codes = {(issue["code"], *issue["cards"]) for issue in document["issues"]}
    assert ("not_turned", pulse) in codes
    assert ("turned_unnamed", cards["hyperdrive"]) in codes

    turn.write_text("turn A\nA frie a1 at B\n")
    refused = cli("scan", photo, "--turn", turn)
    assert refused.exit_code == 1
    assert "turn.txt" in refused.stderr
    assert cli("scan", photo, "--turn", tmp_path / "none.txt").exit_code == 1
    assert cli("scan", photo, "--turn", turn, "--game", "light-speed").exit_code == 2


def _scan(photos, known, options, *, detector):
    return scan_photos(photos, known.game, detector, options=options)
