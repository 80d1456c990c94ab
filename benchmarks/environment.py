"""Where the figures come from: processor, cores, versions; nothing that names a machine or path."""

from __future__ import annotations

import importlib
import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

__all__ = ["allowed_cores", "environment"]

PACKAGES = (
    "quire",
    "scikit-learn",
    "numpy",
    "scipy",
    "polars",
    "pyarrow",
    "joblib",
    "threadpoolctl",
)


def environment() -> dict[str, Any]:
    """Describe processor, system and versions, as plain data."""
    return {
        "cpu": _cpu_model(),
        "cores": allowed_cores(),
        "memory_gb": _memory_gb(),
        "simd": importlib.import_module("quire._core").base.simd_level(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "blas": sorted(
            {f"{pool['internal_api']} {pool['version']}" for pool in _blas_pools()},
        ),
        "packages": {name: found for name in PACKAGES if (found := _version(name)) is not None},
    }


def allowed_cores() -> int:
    """Count the cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _blas_pools() -> list[dict[str, Any]]:
    return [pool for pool in threadpool_info() if pool["user_api"] == "blas"]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu_model() -> str:
    if sys.platform == "linux":
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in lines if ":" in line)
        named = {key.strip(): value.strip() for key, value in fields.items()}
        if "model name" in named:
            return named["model name"]
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return platform.processor() or platform.machine()


def _memory_gb() -> int | None:
    if sys.platform == "win32":
        return None
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
