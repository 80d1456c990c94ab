"""What a target is: it makes inputs and checks them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path
from random import Random
from typing import ClassVar

__all__ = ["TARGETS", "Finding", "Target", "named_target"]

# By name: where the class is. Modules are imported by the workers, and each imports what it needs.
TARGETS = {
    "text": "fuzz.text:Text",
    "model-files": "fuzz.model_files:ModelFiles",
    "arrays": "fuzz.arrays:Arrays",
    "readers": "fuzz.readers:Readers",
    "cli": "fuzz.cli:CommandLine",
    "kills": "fuzz.kills:Kills",
}


class Finding(Exception):
    """Something that must not be: an answer that is wrong, or an error of the wrong kind."""


class Target(ABC):
    """One way into quire, and what must hold there.

    An input is bytes that stand for themselves: made from random numbers, kept in a file, checked
    again from it. ``check`` raises what must not be raised, and the runner sees crashes, hangs and
    memory.
    """

    unit: ClassVar[str] = "inputs"
    seconds: ClassVar[float] = 10.0  # for one input; beyond it hangs
    spare_memory: ClassVar[int] = 1 << 30  # bytes beyond the stated bound

    def prepare(self, folder: Path) -> None:  # noqa: B027  # most need nothing
        """Make what all inputs need, once in each worker; the folder is the worker's own."""

    @abstractmethod
    def make(self, random: Random) -> bytes:
        """Return an input."""

    @abstractmethod
    def check(self, content: bytes) -> int:
        """Return how many units were checked; raise a `Finding`, or anything, if one is wrong."""

    def describe(self, content: bytes) -> str:
        """Return which part of quire an input is for, to tell crashes apart."""
        return ""

    def memory_bound(self, content: bytes) -> int:
        """Return the bytes that checking an input may take, as the documentation states them."""
        return 0


def named_target(name: str) -> Target:
    """Return a target by its name, or by ``module:Class``."""
    module, _, cls = TARGETS.get(name, name).partition(":")
    target: Target = getattr(import_module(module), cls)()
    return target
