"""Processes forked after polars had begun its threads: there, reading would wait for ever.

Threads are not in a forked process, but polars still counts on its own. What needs them asks here
first, and says so.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["check_threads_are_here"]

_TASKS = Path("/proc/self/task")
_THREADS_OF_POLARS = "polars-"
_IDLE = "polars-ooc"  # begins with the import and is nothing that work waits for


class _Fork:
    """Whether polars was at work when this process, or one before it, was forked."""

    was_at_work = False  # here, or where this process comes from, just before forking
    is_stranded = False


def _before() -> None:
    _Fork.was_at_work = _is_at_work()


def _in_child() -> None:
    _Fork.is_stranded |= _Fork.was_at_work


def _is_at_work() -> bool:
    """Return whether polars has begun its threads, or may have where they cannot be listed."""
    if "polars" not in sys.modules:
        return False
    with suppress(OSError):
        for task in _TASKS.iterdir():
            with suppress(OSError):  # it has ended
                name = (task / "comm").read_text()
                if name.startswith(_THREADS_OF_POLARS) and not name.startswith(_IDLE):
                    return True
        return False
    return True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)


def check_threads_are_here() -> None:
    """Raise an error in a forked process where polars would wait for threads that are not there.

    Raises
    ------
    RuntimeError
        If polars had begun its threads before this process was forked.
    """
    if _Fork.is_stranded:
        raise RuntimeError(
            "this process was forked after polars had begun its threads, which are not here, so "
            "that it would wait for ever. Start processes with "
            "multiprocessing.get_context('spawn'), or with joblib."
        )
