"""Timing: the sides take turns, each run starts from a clean heap, nothing else is on the clock."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

__all__ = ["Timed", "time_alternated", "time_once"]

Call = Callable[[], Any]


@dataclass(frozen=True)
class Timed:
    """The result of a run that was timed before: one whose result others had to know first."""

    seconds: float
    value: Any


def time_once(call: Call) -> tuple[float, Any]:
    """Run once with the garbage collector off; return the seconds and the result."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = perf_counter()
        result = call()
        return perf_counter() - start, result
    finally:
        if enabled:
            gc.enable()


def time_alternated(
    calls: Mapping[str, Call], repeats: Mapping[str, int]
) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Run the sides in turn, A B A B ..., until each had its number of repeats.

    Returns
    -------
    seconds : dict of str to list of float
        Time of every run of each side, in order.
    results : dict of str to object
        What the last run of each side returned.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    results: dict[str, Any] = {}
    for turn in range(max(repeats.values())):
        for name, call in calls.items():
            if turn < repeats[name]:
                results.pop(name, None)  # freed here, not on the clock
                elapsed, result = time_once(call)
                if isinstance(result, Timed):
                    elapsed, result = result.seconds, result.value
                results[name] = result
                seconds[name].append(elapsed)
    return seconds, {name: results[name] for name in calls}
