"""The usual workload: the same work by quire and by its peers, on the same data, in one process."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.fresh import fresh_peak, fresh_seconds
from benchmarks.measure import time_alternated
from benchmarks.records import ComparisonRecord, Measured, Quality
from benchmarks.registry import Context, Data, SkipWorkload, Workload

__all__ = ["Comparison", "Side"]


@dataclass(frozen=True)
class Side:
    """How one library does the work.

    Parameters
    ----------
    run : callable
        ``run(data, n_jobs)``: what the clock sees. It makes its estimator anew on each call.
    prepare : callable, optional
        ``prepare(data, n_jobs)``: called once before the clock starts; what it returns takes the
        place of the data in `run`. For work on fitted estimators or on converted input.
    repeats : int, optional
        At most this many runs, for a side that takes a minute.
    requires : str, optional
        Module of an optional package. A peer that is not installed is left out, with a note.
    """

    run: Callable[[Any, int], Any]
    prepare: Callable[[Any, int], Any] | None = None
    repeats: int | None = None
    requires: str | None = None

    @property
    def installed(self) -> bool:
        return self.requires is None or importlib.util.find_spec(self.requires) is not None

    def prepared(self, value: Any, n_jobs: int) -> Any:
        """Return what `run` is given."""
        return value if self.prepare is None else self.prepare(value, n_jobs)


@dataclass(frozen=True, kw_only=True)
class Comparison(Workload):
    """A workload with two or more sides.

    Parameters
    ----------
    name, title : str
        ``family.short-name``, and what is done in a line.
    data : callable
        ``data(context)``: builds the input of all sides, outside of the clock.
    sides : mapping of str to Side
        The subject first, then the peers.
    check : callable
        ``check(results)``, a mapping of side to what its `run` returned: did they do the same work
        equally well? A run whose check does not pass is no measurement and fails.
    mark : float, optional
        How many times faster than the fastest peer the subject is to be.
    memory_mark : float, optional
        Largest share of that peer's peak memory that the subject may need.
    threads : int, optional
        Overrides the command line: the work is about that number of threads.
    per_item : str, optional
        Give times per item of the data, under this name, and not per run.
    memory : bool, default=True
        Whether peak memory says anything about this work.
    fresh : bool, default=False
        Whether to time single calls in fresh processes as well.
    fresh_mark : float, optional
        How many times faster the subject is to be there.
    """

    data: Callable[[Context], Data]
    sides: Mapping[str, Side]
    check: Callable[[Mapping[str, Any]], Quality]
    mark: float | None = None
    memory_mark: float | None = None
    threads: int | None = None
    per_item: str | None = None
    memory: bool = True
    fresh: bool = False
    fresh_mark: float | None = None

    def measure(self, context: Context) -> ComparisonRecord:
        """Time the sides in turn, check their results, then measure memory side by side."""
        if self.threads is not None:
            context = replace(context, threads=self.threads)
        sides, notes = self._installed_sides()
        data = self.data(context)
        repeats = {
            name: min(context.repeats, side.repeats or context.repeats)
            for name, side in sides.items()
        }

        with threadpool_limits(context.threads):
            calls = {
                name: partial(side.run, side.prepared(data.value, context.threads), context.threads)
                for name, side in sides.items()
            }
            seconds, results = time_alternated(calls, repeats)
            quality = self.check(results)
        del calls, results

        peaks: dict[str, float | None] = dict.fromkeys(sides)
        if context.memory and self.memory and quality.passed:
            for name in sides:
                peak = fresh_peak(self.name, name, context)
                peaks[name] = peak.megabytes
                if peak.method != "high-water mark":
                    notes.append(f"memory of {name}: {peak.method}")

        fresh: dict[str, list[float]] = {name: [] for name in sides}
        if context.fresh and self.fresh and quality.passed:
            subject = next(iter(sides))
            runs = {name: n if name == subject else min(3, n) for name, n in repeats.items()}
            fresh = fresh_seconds(self.name, runs, context)

        items = data.items if self.per_item is not None else 1
        return ComparisonRecord(
            workload=self.name,
            title=self.title,
            data=data.description,
            threads=context.threads,
            sides={
                name: Measured([value / items for value in values], peaks[name], fresh[name])
                for name, values in seconds.items()
            },
            quality=quality,
            mark=self.mark,
            memory_mark=self.memory_mark,
            fresh_mark=self.fresh_mark,
            per=self.per_item or "run",
            partial=context.partial,
            notes=notes,
        )

    def _installed_sides(self) -> tuple[dict[str, Side], list[str]]:
        """Leave out peers that are not here; without the subject or any peer there is no work."""
        missing = {name: side.requires for name, side in self.sides.items() if not side.installed}
        notes = [
            f"{name} is left out: {module} is not installed" for name, module in missing.items()
        ]
        sides = {name: side for name, side in self.sides.items() if name not in missing}
        subject = next(iter(self.sides))
        if subject in missing or len(sides) < 2:
            raise SkipWorkload("; ".join(notes) or "it has no peer")
        return sides, notes
