"""Peak memory of one call: how far the resident set rose above where it stood before the call.

Linux lets a process reset its own high-water mark, which makes the figure exact. Elsewhere the
peak since the start of the process is used if the call raised it, and otherwise a thread of psutil
samples; the record says which way it was.
"""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

__all__ = ["Peak", "peak_during"]

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
_SAMPLE_SECONDS = 0.001


@dataclass(frozen=True)
class Peak:
    """Rise of the resident set during a call, in millions of bytes; None if nothing could tell."""

    megabytes: float | None
    method: str


def peak_during(call: Callable[[], Any]) -> Peak:
    """Run the call once and return how much memory it needed at most."""
    _settle()
    if _reset_high_water_mark():
        before = _from_status("VmRSS")
        result = call()
        after = _from_status("VmHWM")
        del result
        return Peak((after - before) / 1e6, "high-water mark")
    if importlib.util.find_spec("psutil") is not None:
        return _peak_by_samples(call)
    return Peak(None, "not measured: pip install 'quire[bench]'")


def _settle() -> None:
    """Give freed memory back to the system, so that the call cannot reuse it unseen."""
    gc.collect()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # glibc only
            ctypes.CDLL("libc.so.6").malloc_trim(0)


def _reset_high_water_mark() -> bool:
    try:
        _CLEAR_REFS.write_text("5")
    except OSError:
        return False
    return True


def _from_status(field: str) -> int:
    """Read a size in bytes out of /proc/self/status."""
    found = re.search(rf"^{field}:\s+(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


def _peak_by_samples(call: Callable[[], Any]) -> Peak:
    import psutil

    process = psutil.Process()
    highest = before = process.memory_info().rss
    highest_ever = _highest_ever()
    stop = Event()

    def watch() -> None:
        nonlocal highest
        while not stop.wait(_SAMPLE_SECONDS):
            highest = max(highest, process.memory_info().rss)

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        result = call()
        highest = max(highest, process.memory_info().rss)
        del result
    finally:
        stop.set()
        watcher.join()
    raised = _highest_ever()
    if raised > highest_ever:
        return Peak((raised - before) / 1e6, "peak of the process")
    return Peak((highest - before) / 1e6, "samples")


def _highest_ever() -> int:
    """Peak resident set since the process began, in bytes; 0 where the system does not say."""
    if sys.platform == "win32":
        return 0
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
