"""What a process holds, as Linux tells it; zeros elsewhere."""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path

__all__ = ["forget_peak", "held", "is_sanitized", "limit_data", "peak"]

_KILOBYTE = 1024


def _status(field: str, process: int | str = "self") -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * _KILOBYTE
    return 0


def held(process: int | str = "self") -> int:
    """Return the bytes that a process holds now."""
    return _status("VmRSS", process)


def peak() -> int:
    """Return the most bytes that this process has held since `forget_peak`."""
    return _status("VmHWM")


def forget_peak() -> None:
    """Let the peak be what is held now."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def is_sanitized() -> bool:
    """Return whether this process runs under AddressSanitizer."""
    with suppress(OSError):
        return "libasan" in Path("/proc/self/maps").read_text()
    return False


def limit_data(n_bytes: int) -> None:
    """Refuse this process more than so many bytes beyond what it has; not under a sanitizer."""
    if not is_sanitized():
        limit = _status("VmData") + n_bytes
        with suppress(OSError, ValueError):
            resource.setrlimit(
                resource.RLIMIT_DATA, (limit, resource.getrlimit(resource.RLIMIT_DATA)[1])
            )
