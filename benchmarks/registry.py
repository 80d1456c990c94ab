"""What a workload is, and the list of those that are known.

A family is a module under ``benchmarks/workloads`` that calls `register` once for each workload.
The part of the name before the first dot is the family: ``text.count-bigrams`` belongs to ``text``.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.records import Record

__all__ = [
    "Context",
    "Data",
    "SkipWorkload",
    "Workload",
    "choose",
    "find",
    "load",
    "register",
]

FAMILIES = "benchmarks.workloads"


@dataclass(frozen=True)
class Context:
    """What the command line decided for all workloads of a run."""

    threads: int
    repeats: int
    quick: bool = False
    limit: int | None = None  # documents per corpus; None for all
    folder: str | None = None  # where the real corpora lie; None for generated ones
    memory: bool = True  # measure peak memory, in processes of its own
    fresh: bool = True  # time single calls in fresh processes, where a workload asks for it
    modules: tuple[str, ...] = (FAMILIES,)  # what a fresh process imports to find the workload

    @property
    def partial(self) -> bool:
        """Whether less than the whole work is done: the marks do not apply then."""
        return self.quick or self.limit is not None

    def path(self, file: str) -> Path | None:
        """Where a file of real data lies; None when it is not there."""
        if self.folder is None:
            return None
        path = Path(self.folder) / file
        return path if path.is_file() else None


@dataclass(frozen=True)
class Data:
    """What a builder returns: the input of every side, and how the report names it."""

    description: str
    value: Any
    items: int = 1  # what a time "per item" is divided by


class SkipWorkload(Exception):
    """Raised by a workload that cannot run here through no fault: a package is not installed."""


@dataclass(frozen=True, kw_only=True)
class Workload(ABC):
    """One line of the report: something that can be measured by name."""

    name: str
    title: str

    @property
    def family(self) -> str:
        return self.name.partition(".")[0]

    @abstractmethod
    def measure(self, context: Context) -> Record:
        """Build the data, run, check, and return the figures."""


W = TypeVar("W", bound=Workload)
_known: dict[str, Workload] = {}


def register(workload: W) -> W:
    """Add a workload to the list; its name must be new."""
    if workload.name in _known:
        raise ValueError(f"Two workloads are named {workload.name!r}; rename one of them.")
    _known[workload.name] = workload
    return workload


def load(modules: Iterable[str]) -> None:
    """Import the modules that register workloads."""
    for module in modules:
        importlib.import_module(module)


def find(name: str) -> Workload:
    """Return the workload of that name."""
    return _known[name]


def choose(patterns: Sequence[str]) -> list[Workload]:
    """Return the workloads that match any pattern, in order of registration; all for no pattern.

    A pattern is a name, a family, or a shell pattern such as ``text.count*``.
    """
    for pattern in patterns:
        if not any(_matches(workload, pattern) for workload in _known.values()):
            raise ValueError(
                f"No workload matches {pattern!r}; known are: {', '.join(_known) or 'none'}."
            )
    return [
        workload
        for workload in _known.values()
        if not patterns or any(_matches(workload, pattern) for pattern in patterns)
    ]


def _matches(workload: Workload, pattern: str) -> bool:
    return workload.family == pattern or fnmatchcase(workload.name, pattern)
