"""The command: ``python -m bench [NAME [PHOTOS...]]``, or ``python -m bench report``."""

import sys
import time
from collections.abc import Sequence

from bench.common.arguments import bench_names, load_bench, parser_of, summary_of
from bench.common.record import RESULTS, make_record, write_record
from bench.common.report import MEASURED, write_report


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is asked for; return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    names = bench_names()
    if not words or words[0] in ("-h", "--help", "list"):
        print("usage: python -m bench NAME [PHOTOS...] [--help for the options of NAME]\n")
        for name in names:
            print(f"  {name:15} {summary_of(name)}")
        print(f"  {'report':15} Write docs/measured.md from the records in bench/results.")
        return 0
    name, *rest = words
    if name == "report":
        write_report()
        print(f"wrote {MEASURED}")
        return 0
    if name not in names:
        print(f"no bench {name!r}; there are: {', '.join(names)}, report", file=sys.stderr)
        return 2
    module = load_bench(name)
    options = parser_of(name, module).parse_args(rest)
    begin = time.perf_counter()
    result = module.run(options)
    for table in result.tables:
        print(table.markdown() + "\n")
    for line in result.notes:
        print(line)
    command = " ".join(["python -m bench", name, *_measured_by(rest)])
    record = make_record(result, name, command, options.seed, time.perf_counter() - begin)
    if options.json is not None:
        write_record(record, options.json)
    if options.keep:
        write_record(record, RESULTS / f"{options.keep}.json", with_rows=False)
    return 0 if result.tables else 1


def _measured_by(words: Sequence[str]) -> list[str]:
    """Return the words of a command but those that say where its record goes."""
    return [
        word
        for before, word in zip(["", *words], words, strict=False)
        if not {before, word} & {"--json", "--keep"} and not word.startswith(("--json=", "--keep="))
    ]


if __name__ == "__main__":
    sys.exit(main())
