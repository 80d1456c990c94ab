"""k-means: `KMeans` and `MiniBatchKMeans` of `quire.cluster` and scikit-learn, from the same start.

They run until their labels settle or the centres do, so that labels and inertia can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sklearn.cluster

import quire.cluster
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import newsgroups_train

CLUSTERS, ROWS, COLUMNS = 100, 200_000, 100


def newsgroups(context: Context) -> Data:
    """20 newsgroups; `value` is (X, first centres)."""
    data = newsgroups_train(context)
    X = data.value[0]
    chosen = np.random.default_rng(0).choice(X.shape[0], CLUSTERS, replace=False)
    return Data(f"{data.description}, {CLUSTERS} clusters", (X, X[chosen].toarray()))


def blobs(context: Context) -> Data:
    """Draw overlapping normal clouds."""
    rng = np.random.default_rng(0)
    n = 5_000 if context.quick else ROWS
    centres = rng.normal(size=(CLUSTERS, COLUMNS))
    X = centres[rng.integers(0, CLUSTERS, n)] + 2 * rng.normal(size=(n, COLUMNS))
    description = f"{n:,} x {COLUMNS} normal numbers around {CLUSTERS} centres"
    return Data(description, (X, X[:CLUSTERS].copy()))


def noise(context: Context) -> Data:
    """Draw one normal cloud: no clusters, so that bounds rule little out."""
    n = 5_000 if context.quick else ROWS
    X = np.random.default_rng(0).normal(size=(n, COLUMNS))
    description = f"{n:,} x {COLUMNS} normal numbers, {CLUSTERS} clusters"
    return Data(description, (X, X[:CLUSTERS].copy()))


def fit(cls: Any, **parameters: Any) -> Callable[[Any, int], Any]:
    """Return a run that fits the class from the given start."""

    def run(data: Any, n_jobs: int) -> Any:
        X, start = data
        own = {"n_jobs": n_jobs} if cls.__module__.startswith("quire.") else {}
        return cls(CLUSTERS, init=start, n_init=1, **{**own, **parameters}).fit(X)

    return run


def same_clusters(results: Mapping[str, Any], least: float = 0.9999) -> Quality:
    """Expect nearly all labels to be equal, and the inertia to 1e-6."""
    ours, theirs = results["quire"], results["scikit-learn"]
    share = float(np.mean(ours.labels_ == theirs.labels_))
    values = {"quire": float(ours.inertia_), "scikit-learn": float(theirs.inertia_)}
    passed = share > least and abs(values["quire"] / values["scikit-learn"] - 1) < 1e-6
    summary = (
        f"{share:.2%} of labels equal after {ours.n_iter_} and {theirs.n_iter_} iterations; "
        f"inertia {values['quire']:,.6f} and {values['scikit-learn']:,.6f}"
    )
    return Quality(passed, summary, values)


for name, data, mark in (
    ("newsgroups", newsgroups, 10),
    ("dense", blobs, 1.5),
    ("noise", noise, 1.8),
):
    register(
        Comparison(
            name=f"cluster.k-means-{name}",
            title=f"KMeans({CLUSTERS}, init=rows).fit",
            data=data,
            sides={
                "quire": Side(fit(quire.cluster.KMeans)),
                "scikit-learn": Side(fit(sklearn.cluster.KMeans), repeats=1),
            },
            check=same_clusters,
            mark=mark,
        )
    )


def same_batches(results: Mapping[str, Any]) -> Quality:
    """Leave room for centres that were put onto one row, between which rounding decides."""
    return same_clusters(results, 0.99)


for name, data in (("newsgroups", newsgroups), ("dense", blobs)):
    register(
        Comparison(
            name=f"cluster.mini-batches-{name}",
            title=f"MiniBatchKMeans({CLUSTERS}, init=rows).fit",
            data=data,
            sides={
                "quire": Side(fit(quire.cluster.MiniBatchKMeans, random_state=0)),
                "scikit-learn": Side(
                    fit(sklearn.cluster.MiniBatchKMeans, random_state=0), repeats=3
                ),
            },
            check=same_batches,
            mark=1,
        )
    )
