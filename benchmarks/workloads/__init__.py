"""The families of workloads; importing this package registers them all."""

from benchmarks.workloads import (
    discriminant,
    lasso,
    least_squares,
    logistic,
    logistic_l1,
    naive_bayes,
    ordinal,
    select,
    text,
)

__all__ = [
    "discriminant",
    "lasso",
    "least_squares",
    "logistic",
    "logistic_l1",
    "naive_bayes",
    "ordinal",
    "select",
    "text",
]
