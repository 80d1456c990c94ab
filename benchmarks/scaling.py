"""A workload of one side: how time grows with the size of the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measure import time_once
from benchmarks.memory import peak_during
from benchmarks.records import Point, ScalingRecord
from benchmarks.registry import Context, Workload

__all__ = ["Scaling", "fitted_exponent"]

_SHORTEST = 0.25  # seconds: small sizes are repeated until they add up to this
_MOST_REPEATS = 50


@dataclass(frozen=True, kw_only=True)
class Scaling(Workload):
    """Time and memory at growing sizes, with the exponent b of time = a size^b.

    Parameters
    ----------
    name, title, description : str
        As in `Comparison`; `description` names the data.
    sizes, quick_sizes : sequence of float
        Sizes in millions of bytes, growing.
    data : callable
        ``data(sizes)`` yields for each size the true size and the input.
    run : callable
        ``run(input, n_jobs)``: what the clock sees.
    mark : float, default=1.1
        Largest exponent that still counts as linear.
    """

    description: str
    sizes: Sequence[float]
    quick_sizes: Sequence[float]
    data: Callable[[Sequence[float]], Any]
    run: Callable[[Any, int], Any]
    mark: float = 1.1

    def measure(self, context: Context) -> ScalingRecord:
        """Time each size, and fit a line through the logarithms."""
        sizes = self.quick_sizes if context.quick else self.sizes
        with threadpool_limits(context.threads):
            points = [self._at(megabytes, value, context) for megabytes, value in self.data(sizes)]
        return ScalingRecord(
            workload=self.name,
            title=self.title,
            data=self.description,
            threads=context.threads,
            points=points,
            exponent=fitted_exponent(points),
            mark=self.mark,
            partial=context.partial,
        )

    def _at(self, megabytes: float, value: Any, context: Context) -> Point:
        call = partial(self.run, value, context.threads)
        seconds: list[float] = []
        while len(seconds) < context.repeats or (
            sum(seconds) < _SHORTEST and len(seconds) < _MOST_REPEATS
        ):
            seconds.append(time_once(call)[0])
        peak = peak_during(call).megabytes if context.memory else None
        return Point(megabytes, seconds, peak)


def fitted_exponent(points: Sequence[Point]) -> float:
    """Slope of log time over log size, by least squares."""
    sizes = np.log([point.megabytes for point in points])
    times = np.log([point.median for point in points])
    return float(np.polyfit(sizes, times, 1)[0])
