"""Mixtures: `quire.mixture.GaussianMixture` against scikit-learn's class, from the same start."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sklearn.mixture
from sklearn.exceptions import ConvergenceWarning

import quire.mixture
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import newsgroups_train
from quire.decomposition import TruncatedSVD

COMPONENTS, ROWS, COLUMNS, ITERATIONS = 20, 11_314, 100, 20


def clouds(context: Context) -> Data:
    """Draw rows from normal densities with covariances of their own; `value` is (X, means)."""
    rng = np.random.default_rng(0)
    n = 2_500 if context.quick else ROWS
    means = rng.normal(size=(COMPONENTS, COLUMNS))
    shapes = np.eye(COLUMNS) + rng.normal(size=(COMPONENTS, COLUMNS, COLUMNS)) / 10
    X = np.concatenate(
        [
            mean + rng.normal(size=(len(part), COLUMNS)) @ shape
            for mean, shape, part in zip(
                means, shapes, np.array_split(np.arange(n), COMPONENTS), strict=True
            )
        ]
    )
    X = X[rng.permutation(n)]
    return Data(f"{n:,} x {COLUMNS}, {COMPONENTS} components", (X, X[:COMPONENTS].copy()))


def posts(context: Context) -> Data:
    """Take the first components of tf-idf of 20 newsgroups, scaled; `value` is (X, means)."""
    data = newsgroups_train(context)
    reduced = TruncatedSVD(COLUMNS, random_state=0).fit_transform(data.value[0])
    X = reduced / reduced.std(axis=0)
    rows = np.random.default_rng(0).choice(len(X), COMPONENTS, replace=False)
    return Data(f"{COLUMNS} components of {data.description}", (X, X[rows].copy()))


def first_precisions(kind: str) -> Any:
    """Return the same precision for all components and columns, in the shape of the kind."""
    if kind == "full":
        return np.stack([0.3 * np.eye(COLUMNS)] * COMPONENTS)
    if kind == "tied":
        return 0.3 * np.eye(COLUMNS)
    return np.full((COMPONENTS, COLUMNS) if kind == "diag" else COMPONENTS, 0.3)


def fit(cls: Any, kind: str) -> Callable[[Any, int], Any]:
    """Return a run of a fixed number of iterations from the given start."""

    def run(data: Any, n_jobs: int) -> Any:
        X, means = data
        own = {"n_jobs": n_jobs} if cls is quire.mixture.GaussianMixture else {}
        model = cls(
            COMPONENTS,
            covariance_type=kind,
            means_init=means,
            weights_init=np.full(COMPONENTS, 1 / COMPONENTS),
            precisions_init=first_precisions(kind),
            reg_covar=1e-3,
            tol=0.0,
            max_iter=ITERATIONS,
            **own,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(X)

    return run


def same_likelihoods(results: Mapping[str, Any]) -> Quality:
    """Expect the log-likelihood of every iteration to be equal to 1e-8."""
    bounds = {name: np.array(model.lower_bounds_) for name, model in results.items()}
    ours, theirs = bounds["quire"], bounds["scikit-learn"]
    gap = float(np.max(np.abs(ours / theirs - 1))) if len(ours) == len(theirs) else np.inf
    summary = f"log-likelihoods of {len(ours)} iterations differ by {gap:.1e} at most"
    return Quality(gap < 1e-8, summary, {name: float(b[-1]) for name, b in bounds.items()})


for name, kind, data, mark in (
    ("full", "full", clouds, 4),
    ("newsgroups", "full", posts, 4),
    ("tied", "tied", clouds, 1),
    ("diag", "diag", clouds, 1),
    ("spherical", "spherical", clouds, 1),
):
    register(
        Comparison(
            name=f"mixture.{name}",
            title=f"GaussianMixture({COMPONENTS}, {kind}, max_iter={ITERATIONS}).fit",
            data=data,
            sides={
                "quire": Side(fit(quire.mixture.GaussianMixture, kind)),
                "scikit-learn": Side(fit(sklearn.mixture.GaussianMixture, kind)),
            },
            check=same_likelihoods,
            mark=mark,
        )
    )
