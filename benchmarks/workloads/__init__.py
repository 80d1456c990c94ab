"""The families of workloads; importing this package registers them all."""

from benchmarks.workloads import naive_bayes, select, text

__all__ = ["naive_bayes", "select", "text"]
