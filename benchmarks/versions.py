"""Two checkouts of quire side by side, to see whether any workload is slower than it was.

``python -m benchmarks.versions CHECKOUT [NAME ...]`` runs quire's side of the workloads of this
checkout in two processes, each with the environment in ``.venv`` of its checkout, and the two take
turns. Machines drift more between two runs of one program than most changes cost; in turn, both
meet the same drift. Peers are not run and results are not compared: `benchmarks.run` does that.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.comparison import Comparison
from benchmarks.data import find_folder
from benchmarks.environment import allowed_cores
from benchmarks.registry import FAMILIES, Context, choose, load

__all__ = ["main"]

HERE = Path(__file__).resolve().parents[1]


class FailedRunError(Exception):
    """A run of a workload raised."""


class Checkout:
    """A process with quire of one checkout, which runs workloads of this one when told."""

    def __init__(self, root: Path, context: Context, modules_at: Sequence[str] = ()) -> None:
        python = sys.executable if root == HERE else str(root / ".venv" / "bin" / "python")
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.versions_child", json.dumps(asdict(context))],
            cwd=HERE,  # the workloads are ours; quire is that of the interpreter's environment
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, modules_at))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **question: Any) -> dict[str, Any]:
        """Send a question and wait for the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"The process ended with status {self._process.wait()}.")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def times_in_turn(
    sides: Sequence[Checkout], repeats: int, seconds: float
) -> tuple[list[float], ...]:
    """Return the times of each side: `repeats` runs, fewer but at least three if they take long."""
    times: tuple[list[float], ...] = tuple([] for _ in sides)
    start = perf_counter()
    for turn in range(repeats):
        if turn >= 3 and perf_counter() - start > seconds:
            break
        order = range(len(sides)) if turn % 2 == 0 else reversed(range(len(sides)))
        for i in order:
            answer = sides[i].ask(do="run")
            if "error" in answer:
                raise FailedRunError(answer["error"])
            times[i].append(answer["seconds"])
    return times


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the checkouts; the exit status is 1 if a workload is slower than the limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    add = parser.add_argument
    add("other", type=Path, metavar="CHECKOUT", help="folder of the other version, with its .venv")
    add("names", nargs="*", metavar="NAME", help="workload, family or pattern; all by default")
    add("--repeats", type=int, default=9, help="runs of each version (default: 9)")
    add("--seconds", type=float, default=15.0, help="no more runs after so long (default: 15)")
    add("--limit", type=float, default=1.03, help="largest ratio that is no loss (default: 1.03)")
    add("--quick", action="store_true", help="small data, to see that all works")
    add("--data", type=Path, metavar="DIR", help="folder of real corpora")
    add("--workloads", action="append", metavar="MODULE", help="where workloads are registered")
    options = parser.parse_args(arguments)
    modules = tuple(options.workloads or [FAMILIES])
    load(modules)
    folder = find_folder(options.data)
    context = Context(
        allowed_cores(),
        options.repeats,
        quick=options.quick,
        folder=None if folder is None else str(folder),
        modules=modules,
    )
    folders = [] if options.workloads is None else [str(HERE), *sys.path]
    sides = [Checkout(root, context, folders) for root in (HERE, options.other.resolve())]
    slower = []
    print(f"{'workload':44} {'here':>10} {'other':>10} {'median':>7} {'least':>7}")
    for workload in choose(options.names):
        if not isinstance(workload, Comparison):
            continue
        answers = [side.ask(do="prepare", workload=workload.name) for side in sides]
        if errors := [answer["error"] for answer in answers if "error" in answer]:
            print(f"{workload.name:44} {errors[0]}", flush=True)
            continue
        try:
            here, other = times_in_turn(sides, options.repeats, options.seconds)
        except FailedRunError as error:
            print(f"{workload.name:44} {error}", flush=True)
            continue
        median = statistics.median(here) / statistics.median(other)
        least = min(here) / min(other)
        print(
            f"{workload.name:44} {statistics.median(here):9.4f}s {statistics.median(other):9.4f}s "
            f"{median:7.3f} {least:7.3f}",
            flush=True,
        )
        if min(median, least) > options.limit:
            slower.append(workload.name)
    for side in sides:
        side.close()
    print("slower:", ", ".join(slower) or "none")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
