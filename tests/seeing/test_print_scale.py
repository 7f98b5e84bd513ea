"""A print that is smaller than its card is told, with its scale; one that fits is not."""

import re
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.synth import photograph
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.issues.size_and_trim import print_scale
from vision.seeing.reading import read_layout

SCALE_TOL = 0.0101  # told in whole percents; a pixel at an edge, at 3 px/mm, is 1 % of 34 mm


def printed_at(bank, scale):
    """Shrink the art of all faces, as sheets fitted to a page would, on cards of full size."""
    h, w = bank.images.shape[1:3]
    faces = []
    for face in bank.images:
        art = cv2.resize(face, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        y, x = (h - art.shape[0]) // 2, (w - art.shape[1]) // 2
        whole = np.full_like(face, face[4, w // 2])
        whole[y : y + art.shape[0], x : x + art.shape[1]] = art
        faces.append(whole)
    return replace(bank, images=np.array(faces))


def percent(issue):
    return int(re.search(r"(\d+)%", issue.message)[1]) / 100


@pytest.mark.parametrize("scale", [0.96, 0.97, 0.98])
def test_a_print_too_small_for_its_card_is_told(show, bank, scale):
    photo = show(count=8)
    scene = replace(photo.scene, size_wh=(2800, 2100))
    image, _ = photograph(scene, printed_at(bank, scale))
    seen = read_layout(Photo(image), build_detector(bank))
    (issue,) = [i for i in seen.doubts if i.code == "print_scaled"]
    assert issue.severity == "doubt"
    assert percent(issue) == pytest.approx(scale, abs=SCALE_TOL)


def test_a_print_that_fits_is_not(show, bank):
    photo = show(count=8)
    image, _ = photograph(photo.scene, bank)
    seen = read_layout(Photo(image), build_detector(bank))
    assert not [i for i in seen.doubts if i.code == "print_scaled"]


@pytest.mark.parametrize(("bloom_px", "found"), [(0.0, False), (0.9, False), (2.0, True)])
def test_only_what_no_light_explains_is_a_scale(show, bank, bloom_px, found):
    solution = replace(show(count=4).solution, bloom_px=bloom_px)
    assert (print_scale(solution, bank) is not None) == found
    assert print_scale(solution, replace(bank, frames=())) is None
