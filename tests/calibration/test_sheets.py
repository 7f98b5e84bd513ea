"""The print sheets: read back from the PDF's own drawing commands, true to the millimetre."""

import base64
import os
import re
import shutil
import subprocess
import zlib
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.art.drawing import Disc
from calibration.light_speed.art import deck_art
from calibration.light_speed.faces import draw_face
from calibration.printing import print_pieces
from calibration.sheets import PAPERS, write_sheets
from vision.errors import DeckError
from vision.games.light_speed.deck import load_deck
from vision.values.pieces import Piece, PieceSet

DECK = load_deck("light-speed")


def print_deck(deck, path, paper="a4", *, backs=False):
    return print_pieces(deck_art(deck, backs=backs), path, paper, backs=backs)


MM = 72 / 25.4
HALF = np.array([31.75, 44.45])
PRINT_TOL_MM = 5e-4  # the PDF writes points with six digits, of which A2 needs four before the dot
GREY_TOL = 6.0  # mean difference of 0..255: the two painters smooth edges in their own ways
NUMBER = r"(-?[\d.]+)"


def pages(pdf):
    """The drawing commands of each page and its size in mm."""
    sizes = re.findall(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", pdf)
    streams = [
        zlib.decompress(base64.a85decode(body.strip(), adobe=False)).decode("latin-1")
        for body in re.findall(rb"stream\r?\n(.*?)~>\s*endstream", pdf, re.DOTALL)
    ]
    assert len(sizes) == len(streams)
    return [
        ((float(w) / MM, float(h) / MM), text) for (w, h), text in zip(sizes, streams, strict=True)
    ]


def centres(text):
    """Where the cards of a page lie (mm, y up) and at what scale they are drawn."""
    placed = re.findall(rf"{NUMBER} 0 0 {NUMBER} {NUMBER} {NUMBER} cm", text)
    cards = [tuple(map(float, found)) for found in placed if found[:2] != ("1", "1")]
    for across, down, _, _ in cards:
        assert (across, down) == pytest.approx((MM, -MM), abs=1e-6)
    return [(x / MM, y / MM) for _, _, x, y in cards]


def segments(text):
    """The straight lines on the page itself, mm: cut marks and ruler, each on its own line."""
    found = re.findall(rf"^{NUMBER} {NUMBER} m {NUMBER} {NUMBER} l$", text, re.MULTILINE)
    return [tuple(float(value) / MM for value in line) for line in found]


def read_sheets(folder, deck, paper, **options):
    path = folder / "sheets.pdf"
    count = print_deck(deck, path, paper, **options)
    found = pages(path.read_bytes())
    assert len(found) == count
    assert [item.name for item in folder.iterdir()] == ["sheets.pdf"]
    return found


@pytest.fixture(scope="module", params=PAPERS)
def printed(request, tmp_path_factory):
    """The name of the paper and the pages of the whole deck on it."""
    return request.param, read_sheets(tmp_path_factory.mktemp("pdf"), DECK, request.param)


@pytest.fixture(scope="module")
def a4(tmp_path_factory):
    path = tmp_path_factory.mktemp("a4") / "sheets.pdf"
    print_deck(DECK, path)
    return path


def test_all_cards_are_there_at_true_size_inside_the_paper(printed):
    paper, found = printed
    counts = [len(centres(text)) for _, text in found]
    assert sum(counts) == 44
    full = {"a4": [9] * 4, "letter": [8] * 5, "a3": [18] * 2, "a2": [36]}
    assert counts[:-1] == full[paper]
    for (width, height), text in found:
        assert sorted((width, height)) == pytest.approx(sorted(PAPERS[paper]), abs=1e-3)
        spots = np.array(centres(text))
        assert (spots - HALF > 5).all()
        assert ([width, height] - spots - HALF > 5).all()
        for i, spot in enumerate(spots):
            gap = np.abs(spots[i + 1 :] - spot)
            assert ((gap[:, 0] > 63.5 - 1e-3) | (gap[:, 1] > 88.9 - 1e-3)).all()
        assert text.count("-28.25 -40.95 m 28.25 -40.95 l 28.25 40.95 l") == len(spots)


def test_each_cut_has_a_mark_at_both_ends_outside_the_cards(printed):
    for _, text in printed[1]:
        spots = np.array(centres(text))
        low, high = np.min(spots - HALF, axis=0), np.max(spots + HALF, axis=0)
        lines = segments(text)
        for axis, side in ((0, 63.5), (1, 88.9)):
            cuts = np.arange(low[axis], high[axis] + 1, side)
            other = 1 - axis
            for cut in cuts:
                marks = [
                    line
                    for line in lines
                    if abs(line[axis] - cut) < PRINT_TOL_MM
                    and abs(line[axis + 2] - cut) < PRINT_TOL_MM
                ]
                ends = {max(line[other], line[other + 2]) < low[other] for line in marks}
                starts = {min(line[other], line[other + 2]) > high[other] for line in marks}
                assert True in ends
                assert True in starts
        for x0, y0, x1, y1 in lines:  # no line runs through the block of cards
            outside_x = max(x0, x1) < low[0] or min(x0, x1) > high[0]
            outside_y = max(y0, y1) < low[1] or min(y0, y1) > high[1]
            assert outside_x or outside_y


def test_the_ruler_of_the_first_page_is_100_mm_long(printed):
    first, second = (segments(text) for _, text in printed[1][:2])
    lengths = [max(abs(x1 - x0), abs(y1 - y0)) for x0, y0, x1, y1 in first]
    assert max(lengths) == pytest.approx(100, abs=PRINT_TOL_MM)
    assert sum(length > 90 for length in lengths) == 1
    assert not any(abs(x1 - x0) > 90 for x0, _, x1, _ in second)


def test_pages_say_how_to_print_and_forbid_scaling(a4):
    pdf = a4.read_bytes()
    number = re.search(rb"/ViewerPreferences (\d+) 0 R", pdf)[1]
    assert re.search(rb"\n%s 0 obj\s*<<\s*/PrintScaling /None\s*>>" % number, pdf)
    assert all("Print at 100 %" in text for _, text in pages(pdf))


@pytest.mark.parametrize("paper", PAPERS)
def test_backs_lie_behind_their_fronts(tmp_path, paper):
    small = replace(DECK, teams=("red",))
    found = read_sheets(tmp_path, small, paper, backs=True)
    assert len(found) == (4 if paper in ("a4", "letter") else 2)
    for (size, front), (_, back) in zip(found[::2], found[1::2], strict=True):
        spots, behind = np.array(centres(front)), np.array(centres(back))
        assert np.allclose(behind[:, 0], size[0] - spots[:, 0], atol=PRINT_TOL_MM)
        assert np.allclose(behind[:, 1], spots[:, 1], atol=PRINT_TOL_MM)


def test_the_same_deck_gives_the_same_bytes(a4, tmp_path):
    print_deck(DECK, tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == a4.read_bytes()


def test_unknown_paper_and_cards_too_large_are_refused(tmp_path):
    with pytest.raises(ValueError, match="'a5'"):
        print_deck(DECK, tmp_path / "x.pdf", "a5")
    with pytest.raises(DeckError, match="250 x 300 mm"):
        print_deck(replace(DECK, width_mm=250.0, height_mm=300.0), tmp_path / "x.pdf")


def test_paper_and_pixels_show_the_same_faces(a4, tmp_path):
    if shutil.which("pdftoppm") is None:
        assert not os.environ.get("CI"), "CI installs poppler-utils"
        pytest.skip("no pdftoppm here: apt-get install poppler-utils")
    dpi = 127  # 5 px/mm, so that a card's edge falls on whole pixels
    command = ["pdftoppm", "-r", str(dpi), "-f", "5", "-l", "5", "-png", "-singlefile"]
    subprocess.run([*command, str(a4), str(tmp_path / "page")], check=True, timeout=300)
    page = cv2.imread(str(tmp_path / "page.png"))
    (_, height), text = pages(a4.read_bytes())[4]
    ids = ["blue-bastion", "blue-avenger", "blue-juggernaut", "blue-destroyer", "asteroid-1"]
    for card_id, (x, y) in zip(ids, centres(text), strict=False):
        face = draw_face(DECK, card_id, 5.0)
        h, w = face.shape[:2]
        middle = (x * 5 - 0.5, (height - y) * 5 - 0.5)
        printed = cv2.getRectSubPix(page, (w, h), middle)
        difference = np.abs(printed.astype(float) - face)
        assert difference.mean() < GREY_TOL, card_id
        assert (difference[5:-5, 5:10] == 0).all()  # nothing in the white border


BOARD = PieceSet(
    "big",
    (
        Piece("board", "board", (400.0, 300.0), sides=("board",)),
        Piece("one", "token", (30.0, 30.0)),
    ),
)


def test_a_board_larger_than_the_paper_is_printed_in_parts(tmp_path):
    """Every part shows its own window; put side by side they cover the board, once."""
    marks = {"board": [Disc((-199, -149), 1, (0, 0, 0)), Disc((0, 0), 1, (0, 0, 0))]}
    count = write_sheets(BOARD, lambda _, side: marks.get(side, []), tmp_path / "x.pdf")
    found = pages((tmp_path / "x.pdf").read_bytes())
    assert count == len(found) == 5  # four parts, and a page of tokens
    windows = []
    for (wide, high), text in found[:4]:
        window = re.search(rf"{NUMBER} {NUMBER} {NUMBER} {NUMBER} re W\*? n", text)
        left, bottom, across, up = (float(value) / MM for value in window.groups())
        assert (across, up) == pytest.approx((200, 150), abs=PRINT_TOL_MM)
        assert left >= 0
        assert bottom >= 0
        assert left + across <= wide
        assert bottom + up <= high
        ((x, y),) = centres(text)
        windows.append((round(left - x), round(bottom - y)))
    assert windows == [(-200, 0), (0, 0), (-200, -150), (0, -150)]


def test_tokens_stand_apart(tmp_path):
    tokens = PieceSet("many", (Piece("one", "token", (30.0, 30.0), copies=4),))
    write_sheets(tokens, lambda *_: [], tmp_path / "x.pdf")
    ((_, text),) = pages((tmp_path / "x.pdf").read_bytes())
    first, second, *_ = centres(text)
    assert second[0] - first[0] == pytest.approx(33, abs=PRINT_TOL_MM)
