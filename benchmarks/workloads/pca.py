"""Principal components of sparse tf-idf, at equal residual.

The residual of a component is the norm of A'u - s v over the largest s: quire's may not be above
the peer's by more than a factor of ten, both being rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sklearn.decomposition

import quire.decomposition
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import newsgroups_train

COMPONENTS = 100


def matrix(context: Context) -> Data:
    """Read 20 newsgroups; `value` is X."""
    data = newsgroups_train(context)
    return Data(data.description, data.value[0])


def residual(fitted: tuple[Any, Any], center: bool) -> float:
    """Return the largest ||A'(Av) - s^2 v|| over the largest s^2."""
    model, X = fitted
    V, s = model.components_.T, model.singular_values_
    U = X @ V
    if center:
        U -= U.mean(axis=0)
    back = X.T @ (U - U.mean(axis=0) if center else U)
    return float(np.linalg.norm(back - V * s**2, axis=0).max() / s[0] ** 2)


def equal_residuals(center: bool) -> Any:
    """Compare residuals; the subject's may not be above a peer's but for rounding."""

    def check(results: Mapping[str, Any]) -> Quality:
        values = {name: residual(result, center) for name, result in results.items()}
        first, *others = values.values()
        listed = ", ".join(f"{name} {value:.1e}" for name, value in values.items())
        good = all(first <= max(10 * other, 1e-13) for other in others)
        return Quality(good, f"residual: {listed}", values)

    return check


register(
    Comparison(
        name="pca.sparse",
        title=f"PCA({COMPONENTS}).fit(X), X sparse",
        data=matrix,
        sides={
            "quire": Side(
                lambda X, n_jobs: (
                    quire.decomposition.PCA(COMPONENTS, random_state=0, n_jobs=n_jobs).fit(X),
                    X,
                )
            ),
            "scikit-learn arpack": Side(
                lambda X, n_jobs: (
                    sklearn.decomposition.PCA(COMPONENTS, random_state=0).fit(X),
                    X,
                ),
                repeats=3,
            ),
        },
        check=equal_residuals(center=True),
        mark=5,
    )
)
register(
    Comparison(
        name="pca.truncated-svd",
        title=f"TruncatedSVD({COMPONENTS}).fit(X), X sparse, default settings",
        data=matrix,
        sides={
            "quire": Side(
                lambda X, n_jobs: (
                    quire.decomposition.TruncatedSVD(COMPONENTS, random_state=0, n_jobs=n_jobs).fit(
                        X
                    ),
                    X,
                )
            ),
            "scikit-learn randomized": Side(
                lambda X, n_jobs: (
                    sklearn.decomposition.TruncatedSVD(COMPONENTS, random_state=0).fit(X),
                    X,
                ),
                repeats=3,
            ),
        },
        check=equal_residuals(center=False),
    )
)
