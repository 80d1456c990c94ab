"""The command line: choose workloads, measure them, print the table, keep the results.

Exit status: 0 when every check passed, 1 when a check failed or a workload raised, 2 for a command
that makes no sense. A missed mark is a result to report, not a failure.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from benchmarks.data import FOLDER_VARIABLE, find_folder
from benchmarks.environment import allowed_cores, environment
from benchmarks.records import ComparisonRecord, FailedRecord, Record, ScalingRecord
from benchmarks.registry import (
    FAMILIES,
    Context,
    SkipWorkload,
    Workload,
    choose,
    load,
)
from benchmarks.report import Run, keep, markdown, seconds, write_json

__all__ = ["main"]

RESULTS = Path(__file__).resolve().parent / "results"
REPEATS, QUICK_REPEATS = 5, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    modules = tuple(options.workloads or [FAMILIES])
    load(modules)
    try:
        chosen = choose(options.names)
        folder = find_folder(options.data)
    except ValueError as error:
        parser.error(str(error))
    if options.list:
        _list(chosen)
        return 0

    context = Context(
        threads=options.threads or allowed_cores(),
        repeats=options.repeats or (QUICK_REPEATS if options.quick else REPEATS),
        quick=options.quick,
        limit=options.limit,
        folder=None if folder is None else str(folder),
        memory=not options.no_memory,
        fresh=not options.no_fresh,
        modules=modules,
    )
    records = [_measure(workload, context) for workload in chosen]
    run = Run(environment(), records)
    print(markdown(run))
    if options.json is not None:
        write_json(options.json, [run])
    _keep(options.results / "small" if context.partial else options.results, run)
    return 0 if all(record.passed for record in records) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure quire beside its peers: time, peak memory and equality of results.",
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="workload, family or pattern; all by default")
    add("--list", action="store_true", help="name the workloads and stop")
    add("--quick", action="store_true", help="small data and few runs, to see that all works")
    add(
        "--repeats",
        type=_positive,
        metavar="N",
        help=f"runs of each side (default: {REPEATS}; quick: {QUICK_REPEATS}); slow peers do fewer",
    )
    add("--threads", type=_positive, metavar="N", help="threads (default: all allowed cores)")
    add(
        "--data",
        type=Path,
        metavar="DIR",
        help=f"folder of real corpora (default: ${FOLDER_VARIABLE}, or ../shared/data when it is "
        "there; generated corpora otherwise)",
    )
    add("--limit", type=_positive, metavar="N", help="at most N documents of each corpus")
    add("--no-memory", action="store_true", help="leave out the runs that measure memory")
    add("--no-fresh", action="store_true", help="leave out single calls in fresh processes")
    add("--json", type=Path, metavar="PATH", help="also write this run, and only it, to a file")
    add(
        "--results",
        type=Path,
        default=RESULTS,
        metavar="DIR",
        help="where results are kept (small/ in it for --quick and --limit)",
    )
    add(
        "--workloads",
        action="append",
        metavar="MODULE",
        help="import workloads from this module and not from benchmarks.workloads",
    )
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1; got {value}")
    return value


def _list(workloads: Sequence[Workload]) -> None:
    width = max((len(workload.name) for workload in workloads), default=0)
    for workload in workloads:
        print(f"{workload.name:{width}}  {workload.title}")


def _measure(workload: Workload, context: Context) -> Record:
    """Measure one workload; whatever goes wrong in it must not lose the others."""
    print(f"{workload.name} ...", end=" ", file=sys.stderr, flush=True)
    try:
        record = workload.measure(context)
    except SkipWorkload as reason:
        print(f"skipped: {reason}", file=sys.stderr)
        return FailedRecord(workload.name, workload.title, str(reason), skipped=True)
    except Exception as error:
        print("FAILED", file=sys.stderr)
        traceback.print_exc()
        return FailedRecord(workload.name, workload.title, type(error).__name__)
    print(_summary(record), file=sys.stderr)
    if isinstance(record, FailedRecord):
        return record
    return replace(record, measured=datetime.now(UTC).date().isoformat())


def _summary(record: Record) -> str:
    """One line of progress."""
    if isinstance(record, ComparisonRecord):
        times = ", ".join(f"{name} {seconds(side.median)}" for name, side in record.sides.items())
        return times if record.passed else f"FAILED: {record.quality.summary}"
    if isinstance(record, ScalingRecord):
        return f"exponent {record.exponent:.2f}"
    return record.reason


def _keep(folder: Path, run: Run) -> None:
    """Keep what was measured and passed its check; figures of unequal work mean nothing."""
    good = [r for r in run.records if r.passed and not isinstance(r, FailedRecord)]
    good.sort(key=lambda record: record.workload)
    for family, records in groupby(good, key=lambda record: record.workload.partition(".")[0]):
        page = keep(folder, family, Run(run.environment, list(records)))
        print(f"Results kept in {page} and {page.with_suffix('.json').name}.", file=sys.stderr)
