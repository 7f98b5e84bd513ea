"""How many wrong programs do the tests of the rules notice? In each an operator or number differs.

A mutant is killed if a test fails or hangs, of those that call the changed function: the quickest
that take twenty seconds together, none of more than three. Where a result is kept that it made, any
test may rest on it: they come after those that call it themselves. A survivor is a law that no test
states, or changes nothing.
"""

import ast
import builtins
import multiprocessing
import os
import random
import resource
import signal
import sys
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from itertools import accumulate
from pathlib import Path

import pytest

from bench.common.counting import share
from bench.common.record import Result, say
from bench.common.tables import Table

SEED, COUNT = 41, 150
ROOT = Path(__file__).parents[1]
ROOMS = ("vision/judging", "vision/games/light_speed")
TESTS = ["tests/judging", "tests/games/light_speed", "tests/games/test_counts.py", "tests/files"]
TESTS += ["tests/test_verdict.py", "tests/showing/test_words.py"]
QUICK = "not thousand and not hint and not doubled_cards and not heat_map"  #: these take longest
SLOW_S, ALL_S = 3.0, 20.0  #: of a processor: of one test, of all that are run for a mutant
HANGS, START_S = 3, 10  # a mutant hangs that takes so many times as long, and pytest's start
PAIRS = "Lt LtE, Gt GtE, Eq NotEq, In NotIn, Is IsNot, Add Sub, Mult Div, And Or"
SWAPS = {one: other for p in PAIRS.split(", ") for one, other in (p.split(), p.split()[::-1])}
Function = tuple[str, int]  # its file, and the line where it begins
ANY = ("", 0)  # code outside of functions: as on what is kept, any test may rest on it
Change = tuple[Function, str, Callable[[], None]]  # within which, what, and what makes it


def changes_of(path: Path, tree: ast.Module) -> Iterator[Change]:
    """Yield each change that may be made of a file."""
    within = dict.fromkeys(ast.walk(tree), ANY)
    flags = {
        one
        for node in ast.walk(tree)
        for by in (*getattr(node, "decorator_list", ()), *_checks(node))
        for one in ast.walk(by)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):  # those inside come later
            begin = min(by.lineno for by in (node, *node.decorator_list))
            within |= {one: (str(path), begin) for part in node.body for one in ast.walk(part)}
        if node in flags:  # frozen, slots, strict: no rule
            continue
        at = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
        compared = isinstance(node, ast.Compare)
        held = type(node.ops[0] if compared else getattr(node, "op", None)).__name__
        if held in SWAPS:
            other = getattr(ast, SWAPS[held])()
            field, value = ("ops", [other, *node.ops[1:]]) if compared else ("op", other)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            held, field = node.value, "value"
            other = value = not held if isinstance(held, bool) else held + 1
        else:
            continue
        words = f"{at}: {held} to {SWAPS.get(held, other)}"
        yield within[node], words, lambda n=node, f=field, v=value: setattr(n, f, v)


def _checks(node: ast.AST) -> list[ast.expr]:
    """Return what ``zip`` only checks: whether its rows are of one length."""
    is_zip = isinstance(node, ast.Call) and ast.unparse(node.func) == "zip"
    return [word.value for word in node.keywords if word.arg == "strict"] if is_zip else []


class Calls:
    """A plugin that notes how long each test takes, and which functions of the rooms it calls.

    ``kept`` are those that were called before any test, or by one whose result is kept.
    """

    def __init__(self) -> None:
        self.of: dict[str, set[Function]] = defaultdict(set)
        self.took_s: dict[str, float] = {}
        self.kept: set[Function] = set()
        self.depth = 0
        self.test = ""
        builtins.note_call, builtins.note_kept = self.note, self.keep

    def note(self, called: Function) -> None:
        """Note a call."""
        self.of[self.test].add(called)
        if self.depth or not self.test:
            self.kept.add(called)

    def keep(self, step: int) -> None:
        """Note that a function begins, or ends, whose result is kept."""
        self.depth += step

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note the calls of one test."""
        begin = time.process_time()
        self.test = item.nodeid
        result = yield
        self.took_s[item.nodeid] = time.process_time() - begin
        return result


def noting(path: Path, tree: ast.Module) -> None:
    """Have each function of a file note its calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            begin = min(by.lineno for by in (node, *node.decorator_list))
            note = ast.parse(f"note_call(({str(path)!r}, {begin}))").body
            at = 1 if ast.get_docstring(node) is not None else 0
            if any("cache" in ast.unparse(by) for by in node.decorator_list):
                note = [*ast.parse("note_kept(1)").body, *note]
                last = ast.parse("note_kept(-1)").body
                node.body[at:] = [ast.Try(node.body[at:], [], [], last)]
            node.body[at:at] = note


def loading(change: Callable[[Path, ast.Module], None]) -> None:
    """Change files of the rooms as they are loaded."""
    compiled = SourceFileLoader.source_to_code

    def source_to_code(loader: SourceFileLoader, data: object, at: str, *rest: object) -> object:
        path = Path(at)
        if str(path.parent) in [str(ROOT / room) for room in ROOMS]:
            data = ast.parse(path.read_text(encoding="utf-8"))
            change(path, data)
            ast.fix_missing_locations(data)
        return compiled(loader, data, at, *rest)

    sys.dont_write_bytecode = True
    sys.pycache_prefix = "/nowhere"  # nothing compiled before is taken
    SourceFileLoader.source_to_code = source_to_code


def apart(run: Callable[[], object], limit_s: int = resource.RLIM_INFINITY) -> object:
    """Return what a function returns in a process of its own; None if it does not in time."""
    here, there = multiprocessing.Pipe(duplex=False)

    def tell() -> None:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
        there.send(run())

    process = multiprocessing.get_context("fork").Process(target=tell)
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


def follow() -> tuple[list[tuple[float, str]], dict[str, set[Function]], set[Function]]:
    """Return the tests with their times, the quickest first; what each calls; what is kept."""
    calls = Calls()
    loading(noting)
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-k", QUICK, *TESTS], [calls])
    quick = sorted((s, name) for name, s in calls.took_s.items() if s <= SLOW_S)
    return quick if code == 0 else [], dict(calls.of), calls.kept


def test(path: Path, number: int, tests: list[str]) -> int:
    """Return the exit code of tests with a file's change made."""

    def change(at: Path, tree: ast.Module) -> None:
        if at == path:
            [*changes_of(path, tree)][number][2]()

    loading(change)
    return int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *tests]))


def run(options: Namespace) -> Result:
    """Make changes drawn at random, one at a time, and run the tests; Ctrl-C tells the score."""
    os.chdir(ROOT)
    quick, calls, kept = apart(follow)
    assert quick, "tests fail without any change"
    changes = [
        (path, number, *change[:2])
        for room in ROOMS
        for path in sorted((ROOT / room).glob("*.py"))
        for number, change in enumerate(changes_of(path, ast.parse(path.read_text("utf-8"))))
    ]
    counts, survivors = defaultdict(lambda: [0, 0]), []
    signal.signal(signal.SIGINT, signal.default_int_handler)  # of one in the background, too
    with suppress(KeyboardInterrupt):  # those that were drawn so far are drawn alike
        for path, number, within, words in random.Random(options.seed).sample(
            changes, options.count
        ):
            is_any = within == ANY or within in kept
            mine = [(s, name) for s, name in quick if within in calls.get(name, ())]
            each = [*mine, *(one for one in quick if is_any and one not in mine)]
            sums = [*accumulate(s for s, _ in each)]
            tests = [name for (_, name), s in zip(each, sums, strict=True) if s <= ALL_S]
            limit_s = START_S + round(HANGS * ([0.0, *sums][len(tests)]))
            hit = bool(tests) and (
                apart(lambda p=path, n=number, t=tests: test(p, n, t), limit_s) != 0
            )
            say("killed" if hit else "survived", words, len(tests))
            survivors += [] if hit else [(words, len(tests))]
            for room in (words.rpartition("/")[0], "all"):
                counts[room][0] += hit
                counts[room][1] += 1
    rows = tuple((room, n, share(hits, n)) for room, (hits, n) in sorted(counts.items())[::-1])
    tables = (
        Table("Mutants", ("room", "mutants", "killed (90 % interval)"), rows),
        Table("Survivors", ("change", "tests that call its function"), tuple(survivors)),
    )
    return Result(tables, (f"Of {len(changes)} possible changes, with {len(quick)} quick tests.",))
