"""Drawn pictures are kept: the same from the file, and drawn anew where it does not serve."""

import os
from dataclasses import replace

import numpy as np
import pytest

from calibration.kept import drawn_bank, drawn_faces, drawn_looks, prepared_detector
from calibration.looks import draw_faces, draw_looks
from vision.errors import CalibrationError
from vision.games.light_speed.deck import load_deck
from vision.games.registry import find_game
from vision.seeing.pieces.reading import build_piece_detector


def test_faces_are_drawn_once_and_never_taken_from_a_file_that_does_not_fit(bank, tmp_path):
    deck = load_deck("light-speed")
    assert (drawn_bank(deck, tmp_path).images == bank.images).all()
    (file,) = tmp_path.iterdir()
    np.savez(file, faces=255 - bank.images)
    assert (drawn_bank(deck, tmp_path).images == 255 - bank.images).all()  # it is the file's
    for damaged in (b"", file.read_bytes()[:1000], b"no array"):
        file.write_bytes(damaged)
        assert (drawn_bank(deck, tmp_path).images == bank.images).all()
        assert [*tmp_path.iterdir()] == [file]
    np.savez(file, faces=bank.images[1:])
    assert (drawn_bank(deck, tmp_path).images == bank.images).all()


def test_a_deck_that_was_changed_is_drawn_anew_in_place_of_the_old(bank, tmp_path):
    deck = load_deck("light-speed")
    drawn_bank(deck, tmp_path)
    (before,) = tmp_path.iterdir()
    fewer = drawn_bank(replace(deck, ships=deck.ships[1:]), tmp_path)
    assert len(fewer.images) < len(bank.images)
    assert before not in tmp_path.iterdir()


def test_what_a_killed_writer_left_goes_when_the_next_writes(bank, tmp_path):
    left = tmp_path / ".sightline-left.npz"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    drawn_bank(load_deck("light-speed"), tmp_path)
    assert left not in tmp_path.iterdir()


def test_where_nothing_can_be_written_faces_are_drawn(bank, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    drawn = drawn_bank(load_deck("light-speed"), tmp_path / "file" / "cache")
    assert (drawn.images == bank.images).all()


def test_boards_sheets_and_tokens_are_drawn_once(tmp_path):
    pieces = find_game("laser-shield").pieces
    drawn = draw_looks(pieces).art
    kept = drawn_looks(pieces, tmp_path).art
    (file,) = tmp_path.iterdir()
    again = drawn_looks(pieces, tmp_path).art
    assert kept.keys() == again.keys() == drawn.keys()
    assert all((kept[p] == drawn[p]).all() and (again[p] == drawn[p]).all() for p in drawn)
    board = pieces.of_kind("board")[0].id
    np.savez(file, **{**drawn, board: 255 - drawn[board]})
    assert (drawn_looks(pieces, tmp_path).art[board] == 255 - drawn[board]).all()
    for fits_not in ({board: drawn[board]}, {**drawn, board: drawn[board][0]}):
        np.savez(file, **fits_not)
        assert (drawn_looks(pieces, tmp_path).art[board] == drawn[board]).all()
    assert [*tmp_path.iterdir()] == [file]


def test_art_that_is_not_there_is_named(tmp_path):
    pieces = replace(find_game("laser-shield").pieces, art="no_such_art:draw")
    with pytest.raises(CalibrationError, match="no_such_art"):
        drawn_looks(pieces, tmp_path)


def test_features_of_pictures_are_computed_once(tmp_path):
    looks = draw_looks(find_game("asteroyds-capture").pieces)
    fresh = prepared_detector(looks, tmp_path, build_piece_detector).prepared
    (file,) = tmp_path.iterdir()
    kept = prepared_detector(looks, tmp_path, build_piece_detector).prepared
    assert kept.keys() == fresh.keys()
    assert all((kept[name] == fresh[name]).all() for name in fresh)
    points = next(name for name in fresh if name.endswith("points"))
    np.savez(file, **{**fresh, points: fresh[points] + 1})
    moved = prepared_detector(looks, tmp_path, build_piece_detector).prepared
    assert (moved[points] == fresh[points] + 1).all()  # it is the file's
    common = next(name for name in fresh if name.endswith("common"))
    for fits_not in (
        {points: fresh[points]},
        {},
        {**fresh, points: fresh[points][1:]},
        {**fresh, points: np.full_like(fresh[points], np.nan)},
        {**fresh, common: fresh[common][1:]},
        {**fresh, common: fresh[common].astype(float)},
    ):
        np.savez(file, **fits_not)
        again = prepared_detector(looks, tmp_path, build_piece_detector).prepared
        assert (again[points] == fresh[points]).all()
        with np.load(file) as now:  # and the file is the right one again
            assert (now[points] == fresh[points]).all()
    assert [*tmp_path.iterdir()] == [file]


def test_features_hang_on_what_computes_them_and_on_the_set(tmp_path):
    pieces = find_game("laser-shield").pieces
    looks = draw_looks(pieces)
    prepared_detector(looks, tmp_path, build_piece_detector)
    (before,) = tmp_path.iterdir()
    fewer = replace(looks, pieces=replace(pieces, pieces=pieces.of_kind("board")))
    prepared_detector(fewer, tmp_path, build_piece_detector)
    after = next(file for file in tmp_path.iterdir() if file != before)  # both are kept
    assert before.exists()
    board = pieces.of_kind("board")[0].id
    other = replace(fewer, art={**fewer.art, board: 255 - fewer.art[board]})
    found = prepared_detector(other, tmp_path, build_piece_detector).prepared
    assert all(
        (found[name] == value).all() for name, value in build_piece_detector(other).prepared.items()
    )
    prepared_detector(fewer, tmp_path, build_piece_detector)
    assert after.exists()

    def elsewhere(looks):
        return build_piece_detector(looks)

    prepared_detector(fewer, tmp_path, elsewhere)  # of this module
    assert after not in tmp_path.iterdir()


def test_cards_and_what_lies_beside_them_are_kept_apart(tmp_path):
    pieces = find_game("conflit-stellaire").pieces
    beside = replace(pieces, pieces=pieces.of_kind("sheet"))
    for _ in range(2):
        assert (drawn_faces(pieces, tmp_path).images == draw_faces(pieces).images).all()
        assert drawn_looks(beside, tmp_path).art.keys() == draw_looks(beside).art.keys()
        assert len([*tmp_path.iterdir()]) == 2
