"""Linear discriminant analysis: `quire.discriminant_analysis` against scikit-learn.

scikit-learn takes no sparse X. On all terms of 20 newsgroups it would need a dense matrix of 5 GB
and a covariance of 25 GB, so the peer there is what one would write with SciPy: its conjugate
gradients, class by class, with the covariance as an operator and its diagonal divided out. The
check is that both solved the system. On the 1,000 most frequent terms scikit-learn gets the dense
matrix, made before the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import sklearn.discriminant_analysis
from scipy.sparse.linalg import LinearOperator, cg

import quire.discriminant_analysis
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import newsgroups_train
from quire._shared.class_sums import class_sums
from quire._shared.design import Design
from quire.discriminant_analysis._scatter import within_scatter

ROWS, COLUMNS, CLASSES, TERMS = 20_000, 200, 10, 1_000

SUBJECT = quire.discriminant_analysis.LinearDiscriminantAnalysis
PEER = sklearn.discriminant_analysis.LinearDiscriminantAnalysis


def frequent_terms(context: Context) -> Data:
    """Keep the columns with the most entries; `value` is (X, y)."""
    data = newsgroups_train(context)
    X, y = data.value
    most = np.sort(np.argsort(-np.bincount(X.indices, minlength=X.shape[1]))[:TERMS])
    return Data(f"the {TERMS:,} most frequent terms of {data.description}", (X[:, most], y))


def measurements(context: Context) -> Data:
    """Draw correlated normal numbers around a centre for each class."""
    rng = np.random.default_rng(0)
    n = 2_000 if context.quick else ROWS
    y = rng.integers(0, CLASSES, n)
    X = rng.normal(size=(n, COLUMNS)) @ rng.normal(size=(COLUMNS, COLUMNS))
    X += rng.normal(size=(CLASSES, COLUMNS))[y]
    return Data(f"{n:,} x {COLUMNS} normal numbers, {CLASSES} classes", (X, y))


def system(data: Any, shrinkage: float | str, n_jobs: int) -> tuple[Any, np.ndarray]:
    """Return the covariance within the classes as an operator, and the means of the classes."""
    X, y = data
    design, codes = Design(X, n_jobs), y.astype(np.int32)
    counts = np.bincount(codes)
    sums, _ = class_sums(X, codes, len(counts), None, None, n_jobs)
    means = sums / counts[:, None]
    return within_scatter(design, codes, means, counts / len(y), shrinkage), means


def fitted(solver: str, shrinkage: float | str, data: Any, n_jobs: int) -> Any:
    """Fit quire's class."""
    return SUBJECT(solver, shrinkage, n_jobs=n_jobs).fit(*data).coef_, data


def by_scipy(shrinkage: float | str, data: Any, n_jobs: int) -> Any:
    """Solve for the weights of one class after the other."""
    within, means = system(data, shrinkage, n_jobs)
    p = means.shape[1]
    operator = LinearOperator((p, p), lambda v: within.dot(v.reshape(-1, 1))[:, 0], dtype=float)
    scaled = LinearOperator((p, p), lambda v: v / within.diagonal, dtype=float)
    return np.array([cg(operator, mean, rtol=1e-6, M=scaled)[0] for mean in means]), data


def solved(shrinkage: float | str) -> Callable[[Mapping[str, Any]], Quality]:
    """Check that the shrunk covariance times the weights gives the means."""

    def check(results: Mapping[str, Any]) -> Quality:
        (_, data), *_ = results.values()
        within, means = system(data, shrinkage, 1)
        missed = {
            name: float(np.linalg.norm(within.dot(weights.T) - means.T) / np.linalg.norm(means))
            for name, (weights, _) in results.items()
        }
        summary = ", ".join(f"{name} {value:.1e}" for name, value in missed.items())
        return Quality(max(missed.values()) < 1e-5, f"relative residuals: {summary}", {**missed})

    return check


def same_weights(results: Mapping[str, Any]) -> Quality:
    """Compare weights and intercepts."""
    first, other = (np.column_stack([m.coef_, m.intercept_]) for m in results.values())
    largest = float(np.abs(first - other).max() / np.abs(other).max())
    figures = {"largest_relative_difference": largest}
    return Quality(largest < 1e-6, f"weights differ by up to {largest:.1e} of the largest", figures)


for solver in ("lsqr", "eigen"):
    for shrinkage in (0.5, "auto"):
        register(
            Comparison(
                name=f"discriminant.{solver}-{shrinkage}",
                title=f"LinearDiscriminantAnalysis({solver!r}, {shrinkage!r}).fit(X, y), sparse",
                data=newsgroups_train,
                sides={
                    "quire": Side(partial(fitted, solver, shrinkage)),
                    "scipy": Side(partial(by_scipy, shrinkage), repeats=1),
                },
                check=solved(shrinkage),
            )
        )

register(
    Comparison(
        name="discriminant.frequent-terms",
        title="LinearDiscriminantAnalysis('lsqr', 0.5).fit(X, y), sparse against dense",
        data=frequent_terms,
        sides={
            "quire": Side(lambda data, n_jobs: SUBJECT("lsqr", 0.5, n_jobs=n_jobs).fit(*data)),
            "scikit-learn": Side(
                lambda data, n_jobs: PEER("lsqr", 0.5).fit(*data),
                prepare=lambda data, n_jobs: (data[0].toarray(), data[1]),
            ),
        },
        check=same_weights,
        mark=1.5,
    )
)
register(
    Comparison(
        name="discriminant.dense-svd",
        title="LinearDiscriminantAnalysis().fit(X, y), dense",
        data=measurements,
        sides={
            "quire": Side(lambda data, n_jobs: SUBJECT(n_jobs=n_jobs).fit(*data)),
            "scikit-learn": Side(lambda data, n_jobs: PEER().fit(*data)),
        },
        check=same_weights,
        mark=1.5,
    )
)
