"""One side of one workload, once, in a process that does nothing else: its time or its memory.

Data and preparation come before the measurement. The process has not done the work before: memory
is touched for the first time, threads start, nothing is warm. That is what a program meets that
calls once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from benchmarks.memory import Peak
from benchmarks.registry import Context

__all__ = ["fresh_peak", "fresh_seconds"]

Wanted = Literal["peak", "seconds"]


def fresh_peak(workload: str, side: str, context: Context) -> Peak:
    """Return the peak memory of a side."""
    return Peak(**_answer("peak", workload, side, context))


def fresh_seconds(
    workload: str, runs: Mapping[str, int], context: Context
) -> dict[str, list[float]]:
    """Return the times of single calls, each in a process of its own; the sides take turns.

    Parameters
    ----------
    workload : str
        Its name.
    runs : mapping of str to int
        How many processes each side gets.
    context : Context
        What the command line decided.
    """
    seconds: dict[str, list[float]] = {side: [] for side in runs}
    for turn in range(max(runs.values())):
        for side, n_runs in runs.items():
            if turn < n_runs:
                seconds[side].append(_answer("seconds", workload, side, context)["seconds"])
    return seconds


def _answer(wanted: Wanted, workload: str, side: str, context: Context) -> dict[str, Any]:
    task = {"wanted": wanted, "workload": workload, "side": side, "context": asdict(context)}
    root = str(Path(__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.child", json.dumps(task)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([root, *filter(None, sys.path)])},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(
            f"The process that measures {workload} ({side}) alone ended with status "
            f"{done.returncode}; what it wrote stands above."
        )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
