"""Addresses as QR codes: a page's and a terminal's are one code, which reads as the address."""

import re

import cv2
import numpy as np
import pytest

from vision.showing.qr_code import to_svg, to_terminal

ADDRESSES = (
    "http://192.168.1.20:8000/#Zk3vX0b7Qm2yT9sLw4nR8aPcE1dHuJ6oGiBfVxKzNtM",
    "https://192.168.100.120:65535/#Zk3vX0b7Qm2yT9sLw4nR8aPcE1dHuJ6oGiBfVxKzNtM",
    "http://10.0.0.2:8000/sit/4f9c1d7e?seat=red&key=Zk3vX0b7Qm2yT9sLw4nR8aPcE1dHuJ6oG",
)


def of_svg(svg: str) -> np.ndarray:
    (side,) = re.findall(r'viewBox="0 0 (\d+) \1"', svg)
    dark = np.zeros((int(side), int(side)), bool)
    for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", svg):
        dark[int(y), int(x)] = True
    return dark


def of_terminal(lines: str) -> np.ndarray:
    rows = re.findall(r"\033\[97;40m(.*?)\033\[0m\n", lines)
    halves = [[(k in " \u2584", k in " \u2580") for k in row] for row in rows]
    dark = np.array(halves).transpose(0, 2, 1).reshape(2 * len(rows), -1)
    return dark[: dark.shape[1]]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_code_reads_as_its_address(address):
    dark = of_svg(to_svg(address))
    np.testing.assert_array_equal(of_terminal(to_terminal(address)), np.pad(dark, 2))
    assert not dark[:2].any()
    assert not dark[:, -2:].any()
    picture = np.where(np.kron(np.pad(dark, 4), np.ones((8, 8), bool)), 0, 255).astype(np.uint8)
    assert cv2.QRCodeDetector().detectAndDecode(picture)[0] == address
