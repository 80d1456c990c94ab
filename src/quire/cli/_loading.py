"""Imports of what a command works with, without the garbage collector.

What is imported stays. The collector would look at all of it again and again while it is made, and
once more when the process ends, which takes a third of the time of the imports.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from quire._shared.progress import named

__all__ = ["loading", "own_process"]

_is_own = False


def own_process() -> None:
    """Say that the process is there for this command alone: what it imports may stay for good."""
    global _is_own
    _is_own = True


@contextmanager
def loading() -> Iterator[None]:
    """Say that something is imported while it is, on a terminal only."""
    with named("Loading"):
        if not (_is_own and gc.isenabled()):
            yield
            return
        gc.disable()
        try:
            yield
        finally:
            gc.freeze()
            gc.enable()
