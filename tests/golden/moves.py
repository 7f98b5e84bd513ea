"""Goldens of the move: digests of all that the command line gives, before and after.

``python -m tests.golden.moves --write`` takes them, without ``--write`` they are compared. Only the
command line is asked, for it stays what it is wherever the code behind it lies. Timings and the
field ``game``, which the move adds, are left out. ``--keep DIR`` keeps all that was digested, so
that two runs can be compared by eye.
"""

import argparse
import contextlib
import hashlib
import io
import json
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
STORE = Path(__file__).with_suffix(".json")
SAMPLES = sorted((ROOT / "sample_photos").glob("*.jpg"))
HARD = sorted((ROOT / "tests/photos/hard").glob("*.jpg"))
TABLES = 500
DRAWN = 40  # of the tables, as pictures too
SPREAD_MM = 260.0


def plain(value: Any) -> Any:
    """Take out what may differ: timings, and the games' names."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if k not in ("timings_ms", "game")}
    return [plain(item) for item in value] if isinstance(value, list) else value


def table_json(seed: int) -> dict[str, Any]:
    """Return a seeded table: some on a grid, some with errors, some with the house rules."""
    rng = np.random.default_rng([11, seed])
    teams = ("red", "green", "purple", "blue")[: int(rng.integers(1, 5))]
    ships = ("moth", "sidewinder", "intruder", "lancer", "ghost", "viper", "avenger", "juggernaut")
    names = [f"{team}-{ship}" for team in teams for ship in ships]
    names += ["asteroid-1", "asteroid-2", "asteroid-1-back", "asteroid-2-back", "ship-back"]
    ids = rng.choice(names, size=min(int(rng.integers(2, 24)), len(names)), replace=False)
    place = rng.uniform(-SPREAD_MM, SPREAD_MM, (len(ids), 2))
    theta = rng.uniform(-179, 180, len(ids))
    if seed % 3 == 0:
        place = np.round(place / 15.875) * 15.875
        theta = np.round(theta / 90) * 90
    cards = []
    for name, (x, y), turn in zip(ids.tolist(), place.tolist(), theta.tolist(), strict=True):
        card: dict[str, Any] = {"card": name, "x_mm": x, "y_mm": y, "theta_deg": turn}
        if seed % 2:
            card["covariance"] = [[0.04, 0, 0], [0, 0.04, 0], [0, 0, 0.01]]
        cards.append(card)
    rules = {
        "piracy": seed % 4 == 1,
        "rocks": [None, 3, 10][seed % 3],
        "asteroids": ["auto", "joined", "separate"][seed % 5 % 3],
        "kill_credit": ["auto", "opponent", "most-damage"][seed % 7 % 3],
    }
    table: dict[str, Any] = {"schema": "sightline/table@1", "game": "light-speed"}
    table |= {"deck": "light-speed", "rules": rules, "cards": cards}
    if seed % 11 == 0:
        outline = [[0, 0], [90, 0], [90, 90], [0, 90]]
        table["objects"] = [{"id": "coaster", "kind": "asteroid", "outline_mm": outline}]
    return table


def command(*argv: str) -> str:
    """Run the command line in this process; return what it prints."""
    from vision.apps.cli.main import create_app

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        try:
            create_app()(list(argv))
        except SystemExit as end:
            said.write(f"\nexit {end.code or 0}\n")
    return said.getvalue()


def run(*argv: str, folder: Path, out: str = "") -> dict[str, bytes]:
    """Run a command with JSON and a picture; return both, and the account."""
    target = folder / "scan.json"
    target.unlink(missing_ok=True)
    more = ("--out", str(folder / out)) if out else ()
    said = command(*argv, "--json", str(target), *more)
    found = {"account": said.replace(str(folder), "").encode()}
    if target.exists():
        document = plain(json.loads(target.read_text()))
        found["json"] = json.dumps(document, indent=1, sort_keys=True).encode()
    if out and (folder / out).exists():
        found["picture"] = (folder / out).read_bytes()
    return found


def take(job: tuple[str, str]) -> dict[str, bytes]:
    """Do one job; return what it gave, by name."""
    kind, what = job
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if kind == "photo":
            given = run("scan", what, folder=folder, out="round.png")
            given["french"] = command("scan", what, "--lang", "fr", "--what-if").encode()
        else:
            seed = int(what)
            path = folder / "table.json"
            path.write_text(json.dumps(table_json(seed)))
            out = "round.png" if seed < DRAWN else ""
            given = run("resolve", str(path), folder=folder, out=out)
        name = Path(what).stem if kind == "photo" else f"table-{what}"
        return {f"{name}.{key}": value for key, value in given.items()}


def main(argv: list[str] | None = None) -> int:
    """Take the goldens, or compare with them; return the number of differences, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store the digests")
    parser.add_argument("--keep", type=Path, help="keep what was digested in a folder")
    parser.add_argument("--only", choices=("photo", "table"))
    parser.add_argument("--quick", action="store_true", help="a few of them, in a few seconds")
    options = parser.parse_args(argv)
    jobs = [("photo", str(p)) for p in (*SAMPLES, *HARD)]
    jobs += [("table", str(k)) for k in range(TABLES)]
    jobs = [job for job in jobs if options.only in (None, job[0])]
    jobs = jobs[:: len(jobs) // 12] if options.quick else jobs
    found: dict[str, str] = {}
    with ProcessPoolExecutor(2) as pool:
        for given in pool.map(take, jobs, chunksize=2):
            for name, value in given.items():
                found[name] = hashlib.sha256(value).hexdigest()[:16]
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / name).write_bytes(value)
    if options.write:
        STORE.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
        print(f"{len(found)} digests written")
        return 0
    known = json.loads(STORE.read_text())
    wrong = sorted(name for name in found if known.get(name) != found[name])
    print(f"{len(found)} compared, {len(wrong)} differ", *wrong[:40], sep="\n  ")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
