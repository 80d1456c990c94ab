"""The families of workloads; importing this package registers them all."""

from benchmarks.workloads import least_squares, naive_bayes, ordinal, select, text

__all__ = ["least_squares", "naive_bayes", "ordinal", "select", "text"]
