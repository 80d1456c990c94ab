"""A warning before a file is read that will not fit into memory."""

import os
import warnings
from pathlib import Path


def warn_if_too_large(path: Path) -> None:
    """Warn if the file is larger than the memory that is free, and name the way out."""
    size, free = path.stat().st_size, available_memory()
    if free is not None and size > free:
        warnings.warn(
            f"{path} is {size / 1e9:.1f} GB and {free / 1e9:.1f} GB of memory are free. "
            "quire.io.read_batches reads it in parts.",
            UserWarning,
            stacklevel=3,
        )


def available_memory() -> int | None:
    """Bytes of memory that a new program can use, or None where the system does not say."""
    try:
        fields = Path("/proc/meminfo").read_text().split()
        return int(fields[fields.index("MemAvailable:") + 1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
