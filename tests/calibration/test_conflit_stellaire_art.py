"""The cards of Conflit stellaire: told apart, upright from upside down, and printed as they are."""

import itertools
import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.art.drawing import Ring, Stroke
from calibration.art.paint import paint_raster
from calibration.art.palette import PAPER
from calibration.conflit_stellaire.art import FRAMES, art_of, draw, shapes
from calibration.conflit_stellaire.faces import BORDER_MM, _names, _numbers, face_shapes
from calibration.conflit_stellaire.palette import PALETTES
from calibration.looks import draw_faces
from calibration.printing import print_pieces, write_pictures
from tests.calibration.test_sheets import centres, pages
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.conflit_stellaire.pieces import PIECES
from vision.seeing.cards.posterior import _ACCEPT, _SHARP
from vision.seeing.recognition.framed_faces import compare, index_faces
from vision.values.ledger import SURE
from vision.values.pieces import ANY_NUMBER

BANK = draw_faces(PIECES)
INDEX = index_faces(BANK)
# In the poorest photo that still gives a sure name, a card is so much more like its own face than
# like none; another face falls with it, and must then be behind by more than a sure name needs.
SURE_LEAD = np.log(SURE / (1 - SURE)) / _SHARP
ALIKE_LIMIT = 1 - 1.5 * SURE_LEAD / (_ACCEPT + SURE_LEAD)
# Small numbers in a corner of a card are lost in a far photo: what differs besides them must do.
DIGITS_LIMIT = 0.8
HUE_GAP = 14.0  # in Lab, between the bands of two kinds: 2 can just be seen side by side


def likeness(features):
    """How like each face is to each, upright and turned: the comparer's own correlation."""
    return compare(features, INDEX)


def test_the_bank_has_every_face_the_back_and_the_hull_card_in_any_number():
    assert len(BANK.names) == 50
    assert {"energy-cell", "back", "flagship"} <= set(BANK.card_ids)
    copies = dict(zip(BANK.card_ids, BANK.copies.tolist(), strict=True))
    assert copies["energy-cell"] == ANY_NUMBER
    assert copies["flagship"] == 4
    assert BANK.frames == FRAMES


def test_any_two_faces_are_told_apart():
    alike = likeness(INDEX.features)[:, 0]
    np.fill_diagonal(alike, -1)
    i, j = np.unravel_index(alike.argmax(), alike.shape)
    assert alike.max() < ALIKE_LIMIT, (BANK.card_ids[i], BANK.card_ids[j])


def test_upside_down_is_told_from_upright():
    turned = likeness(INDEX.features)[:, 1]
    assert turned.max() < ALIKE_LIMIT
    own = np.diag(turned)
    assert own.max() < 0.5, BANK.card_ids[int(own.argmax())]


def test_faces_of_a_kind_differ_by_more_than_their_digits():
    """With numbers and names taken off, any two are still told apart."""
    faces = [face for face in deck().faces.values() if face.kind != "back"]
    images = []
    for face in faces:
        half = (25.75, 38.45)
        palette = PALETTES[face.kind]
        text = [*_numbers(face, half), *_names(face, palette, half)]
        bare = [shape for shape in face_shapes(face) if shape not in text]
        assert len(bare) < len(face_shapes(face)) - 10
        images.append(paint_raster(bare, deck().card_mm, BANK.px_per_mm))
    bank = replace(
        BANK,
        names=tuple((face.id,) for face in faces),
        images=np.stack(images),
        margins_mm=np.zeros((0, 4)),
        is_symmetric=np.zeros(0, bool),
        copies=np.zeros(0, np.int64),
        unsure=np.zeros(0),
    )
    index = index_faces(bank)
    alike = compare(index.features, index)[:, 0]
    for i, j in itertools.combinations(range(len(faces)), 2):
        if faces[i].kind == faces[j].kind:
            assert alike[i, j] < DIGITS_LIMIT, (faces[i].id, faces[j].id)


def test_kinds_differ_by_colour():
    bands = np.array([palette.band for palette in PALETTES.values()], np.uint8)
    lab = cv2.cvtColor(bands[None].astype(np.float32) / 255, cv2.COLOR_RGB2LAB)[0]
    gaps = np.linalg.norm(lab[:, None] - lab, axis=2) + 1e9 * np.eye(len(lab))
    kinds = list(PALETTES)
    i, j = np.unravel_index(gaps.argmin(), gaps.shape)
    assert gaps.min() > HUE_GAP, (kinds[i], kinds[j])
    assert lab[:, 0].max() < 55  # far darker than the border, in which a band's edge is found


def test_capacity_and_cost_are_large():
    """At arm's length (60 cm) a figure is read with ease from 4 mm on; these are nearly twice."""
    face = next(face for face in deck().faces.values() if face.id == "disintegrator")
    strokes = [s for s in _numbers(face, (25.75, 38.45)) if isinstance(s, Stroke) and not s.closed]
    left = [s for s in strokes if max(x for x, _ in s.points) < -5]
    right = [s for s in strokes if min(x for x, _ in s.points) > 5]
    for figures, least in ((left, 10.0), (right, 7.0)):
        ys = [y for stroke in figures for _, y in stroke.points]
        assert max(ys) - min(ys) >= least
        assert min(stroke.width_mm for stroke in figures) >= 1.4


@pytest.mark.parametrize("piece", ["pulse-laser", "back", "flagship"])
def test_the_frame_is_where_the_art_says(piece):
    """The band's outer edge is the frame; the border beyond it is white to the cut edge."""
    rings = [shape for shape in shapes(piece) if isinstance(shape, Ring)]
    white = next(ring for ring in rings if ring.colour == PAPER)
    assert white.inner_wh_mm == (FRAMES[0].width_mm, FRAMES[0].height_mm)
    image = draw(piece, 8.0)
    inset = int(BORDER_MM * 8) - 1
    assert (image[:inset] == 255).all()
    assert (image[-inset:] == 255).all()
    assert (image[:, :inset] == 255).all()
    assert image[:, inset + 3].min() < 140


def test_every_piece_is_written_as_a_picture(tmp_path):
    written = write_pictures(art_of(ConflitStellaire()), tmp_path, dpi=40)
    assert {path.stem for path in written} == {piece.id for piece in PIECES.pieces}


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_sheets_hold_a_starter_deck_true_to_size(tmp_path, paper):
    path = tmp_path / "sheets.pdf"
    count = print_pieces(art_of(ConflitStellaire()), path, paper)
    read = pages(path.read_bytes())
    assert len(read) == count
    places = [len(centres(text)) for _, text in read]  # each is checked to be of true size
    faces = sum(face.copies for face in deck().faces.values() if face.kind != "back")
    assert faces == 130
    assert sum(places) == faces + 14 + 4 + 4 + 12  # backs, hull cards, strips, markers


def test_the_energy_cells_are_printed_after_all_other_faces():
    """Sixty cards that are alike are no reason to turn five pages to the first other one."""
    faces = deck().faces
    kinds = [
        "sheet" if face is None else face.kind
        for face in (faces.get(piece.id) for piece in art_of(ConflitStellaire()).pieces.pieces)
    ]
    first = kinds.index("energy")
    assert not {"energy", "back", "sheet"} & set(kinds[:first])
    assert set(kinds[first:]) == {"energy", "back", "sheet"}


def test_the_deck_is_shown_whole():
    shown = json.loads(json.dumps(ConflitStellaire().deck_to_json()))
    assert [face["id"] for face in shown["faces"]][:2] == ["energy-cell", "pulse-laser"]
    lines = ConflitStellaire().list_pieces()
    assert sum("/" in line.parts[0] for line in lines[1:]) == 48
