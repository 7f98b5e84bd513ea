"""What two photos of one table give together. ``python -m tests.bench.several --pairs 30``

Tables are drawn (``tests.synth``), each photographed from two sides; a disc hides another card in
each photo, and in every second pair one card is moved by 2 mm between them.
"""

import argparse
import sys
from dataclasses import replace

import numpy as np

from calibration.light_speed.looks import build_bank
from tests.seeing.tables import rigidly_apart
from tests.synth import Scene, photograph, random_cards
from vision.games.light_speed.deck import load_deck
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.reading import read_layout
from vision.seeing.several.fusing import fuse_layouts
from vision.seeing.several.spots import poses_of
from vision.seeing.sight import sight_of
from vision.values.layout import Layout, PlacedCard


def rms_mm(layout: Layout, cards: tuple[PlacedCard, ...]) -> float:
    true = {c.card_id: (c.x_mm, c.y_mm, c.theta_rad) for c in cards}
    seen = [placed for placed in layout.placed if placed.piece in true]
    off = rigidly_apart(poses_of(seen), np.array([true[placed.piece] for placed in seen]))
    return float(np.sqrt((off[:, :2] ** 2).sum(axis=1).mean()))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args(argv)
    bank = build_bank(load_deck("light-speed"))
    sight = sight_of(bank)
    print("| pair | cards | seen | rms, mm | moved | told |\n| --- | --- | --- | --- | --- | --- |")
    for seed in range(options.seed, options.seed + options.pairs):
        rng = np.random.default_rng(seed)
        chosen = rng.permutation(bank.card_ids)[:14].tolist()
        ids = [name for name in chosen if "back" not in name]
        cards = random_cards(ids, rng, gap_mm=4, spread=100)
        after, way = list(cards), float(rng.uniform(0, 2 * np.pi)) if seed % 2 else None
        if way is not None:
            x, y = 2 * np.cos(way), 2 * np.sin(way)
            after[3] = replace(cards[3], x_mm=cards[3].x_mm + x, y_mm=cards[3].y_mm + y)
        taken = []
        for k, laid in enumerate((cards, tuple(after))):
            hidden = cards[5 + k]
            scene = Scene(
                laid,
                size_wh=(1600, 1200),
                seed=seed * 7 + k,
                tilt_deg=float(rng.uniform(5, 40)),
                azimuth_deg=float(rng.uniform(0, 360)),
                roll_deg=float(rng.uniform(-10, 10)),
                covers=((hidden.x_mm, hidden.y_mm, 45.0),),
            )
            image, _ = photograph(scene, bank)
            taken.append((read_layout(Photo(image, 26.0), sight), View(image)))
        layouts, views = zip(*taken, strict=True)
        joined = fuse_layouts(layouts, views, bank, (1, 2))
        every = (*layouts, joined)
        seen = " ".join(str(len(layout.placed)) for layout in every)
        off = " ".join(f"{rms_mm(layout, cards):.3f}" for layout in every)
        told = ", ".join(f"{i.code} {i.cards}" for i in joined.doubts if i.severity == "doubt")
        moved = cards[3].card_id if way is not None else ""
        print(f"| {seed} | {len(cards)} | {seen} | {off} | {moved} | {told} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
