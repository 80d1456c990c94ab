"""How much memory a piece of work takes at most, seen from outside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

__all__ = ["Peak", "memory_peak"]

_STATM = Path("/proc/self/statm")
_EVERY = 0.005  # seconds


@dataclass
class Peak:
    """What was found; ``None`` where the system does not tell.

    Attributes
    ----------
    mb : float or None
        Most memory above that at the start, in millions of bytes.
    """

    mb: float | None = None


@contextmanager
def memory_peak() -> Iterator[Peak]:
    """Watch the resident memory of this process while a block runs.

    A thread looks every five milliseconds, so that shorter peaks may be missed. It sees the whole
    process: other threads at work count as well.

    Examples
    --------
    >>> with memory_peak() as peak:
    ...     block = bytearray(50_000_000)
    >>> peak.mb is None or peak.mb >= 0
    True
    """
    peak = Peak()
    start = _resident()
    if start is None:
        yield peak
        return
    most, done = [start], Event()

    def watch() -> None:
        while not done.wait(_EVERY):
            most[0] = max(most[0], _resident() or 0)

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()
        peak.mb = (max(most[0], _resident() or 0) - start) / 1e6


def _resident() -> int | None:
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
