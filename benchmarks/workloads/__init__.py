"""The families of workloads; importing this package registers them all."""

from benchmarks.workloads import (
    cluster,
    compare,
    discriminant,
    lasso,
    lda,
    lda_variational,
    least_squares,
    logistic,
    logistic_l1,
    mixture,
    naive_bayes,
    neighbors,
    ordinal,
    select,
    text,
    topics,
)

__all__ = [
    "cluster",
    "compare",
    "discriminant",
    "lasso",
    "lda",
    "lda_variational",
    "least_squares",
    "logistic",
    "logistic_l1",
    "mixture",
    "naive_bayes",
    "neighbors",
    "ordinal",
    "select",
    "text",
    "topics",
]
