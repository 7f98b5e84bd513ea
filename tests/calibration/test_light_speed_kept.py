"""Drawn faces are kept: the same from the file, and drawn anew where it does not serve."""

from dataclasses import replace

import numpy as np

from calibration.light_speed.kept import drawn_bank
from vision.games.light_speed.deck import load_deck


def test_faces_are_drawn_once_and_never_taken_from_a_file_that_does_not_fit(bank, tmp_path):
    deck = load_deck("light-speed")
    assert (drawn_bank(deck, tmp_path).images == bank.images).all()
    (file,) = tmp_path.iterdir()
    np.save(file, 255 - bank.images)
    assert (drawn_bank(deck, tmp_path).images == 255 - bank.images).all()  # it is the file's
    for damaged in (b"", file.read_bytes()[:1000], b"no array"):
        file.write_bytes(damaged)
        assert (drawn_bank(deck, tmp_path).images == bank.images).all()
        assert [*tmp_path.iterdir()] == [file]
    np.save(file, bank.images[1:])
    assert (drawn_bank(deck, tmp_path).images == bank.images).all()


def test_a_deck_that_was_changed_is_drawn_anew_in_place_of_the_old(bank, tmp_path):
    deck = load_deck("light-speed")
    drawn_bank(deck, tmp_path)
    (before,) = tmp_path.iterdir()
    fewer = drawn_bank(replace(deck, ships=deck.ships[1:]), tmp_path)
    assert len(fewer.images) < len(bank.images)
    assert before not in tmp_path.iterdir()


def test_where_nothing_can_be_written_faces_are_drawn(bank, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    drawn = drawn_bank(load_deck("light-speed"), tmp_path / "file" / "cache")
    assert (drawn.images == bank.images).all()
