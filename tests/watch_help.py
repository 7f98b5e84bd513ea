"""Cameras that follow a script; in a module of their own, for the child process imports it."""

import time

import numpy as np

from vision.watch.capture import CameraSettings, OpenedCamera


class Scripted:
    """Gives pictures until its script ends; the first pixel counts them."""

    def __init__(self, steps: list[str]) -> None:
        self.steps = steps
        self.count = 0

    def read(self):
        time.sleep(0.01)
        step = self.steps[min(self.count, len(self.steps) - 1)]
        self.count += 1
        if step == "end":
            return False, None
        if step == "die":
            raise SystemExit(3)
        if step == "hang":
            time.sleep(60)
        shape = {"small": (48, 64, 3), "large": (96, 128, 3), "huge": (2000, 3000, 3)}[step]
        image = np.full(shape, 200, np.uint8)
        image[0, 0] = min(self.count, 255)
        return True, image

    def release(self) -> None:
        pass


def open_steady(source: str, settings: CameraSettings) -> OpenedCamera | None:
    return Scripted(["small"])


def open_scripted(source: str, settings: CameraSettings) -> OpenedCamera | None:
    """Play the script that the address holds: ``script:small*5,hang``."""
    steps = []
    for part in source.removeprefix("script:").split(","):
        name, _, times = part.partition("*")
        steps += [name] * int(times or 1)
    return Scripted(steps)


def open_never(source: str, settings: CameraSettings) -> OpenedCamera | None:
    return None
