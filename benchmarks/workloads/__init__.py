"""The families of workloads; importing this package registers them all."""

from benchmarks.workloads import select, text

__all__ = ["select", "text"]
