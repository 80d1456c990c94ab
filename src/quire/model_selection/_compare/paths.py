"""Models for all settings of a grid at once, where that takes less work than one after another.

Each function is given a model, the values of its one setting and training documents, and yields a
fitted model for each value, in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from sklearn.base import clone

__all__ = [
    "logistic_path",
    "neighbors_path",
    "neighbors_regression_path",
    "ridge_path",
    "smoothing_path",
]

# How near the objective is to its minimum: enough to see which penalty is best. Among few documents
# a single one decides.
_PATH_TOL, _PATH_TOL_FEW = 3e-3, 1e-5
_RIDGE_TOL = 1e-2
_FEW = 2000


def smoothing_path(model: Any, alphas: Sequence[float], X: Any, y: Any) -> Iterator[Any]:
    """Naive Bayes of counts: they are counted once and smoothed anew.

    Parameters
    ----------
    model : estimator
        One that has `alpha`.
    alphas : sequence of float
        Its values.
    X : matrix
        Counts of the training documents.
    y : array
        Their labels.
    """
    fitted = clone(model).fit(X, y)
    for alpha in alphas:
        one = copy(fitted).set_params(alpha=alpha)
        one.smooth()
        yield one


def ridge_path(model: Any, alphas: Sequence[float], X: Any, y: Any) -> Iterator[Any]:
    """Least squares: one Krylov space serves all penalties.

    Parameters
    ----------
    model : LeastSquaresClassifier
        The model.
    alphas : sequence of float
        Its penalties.
    X : matrix
        Training documents.
    y : array
        Their labels.
    """
    if X.shape[0] >= _FEW:
        model = clone(model).set_params(tol=max(model.tol, _RIDGE_TOL))
    yield from model.fit_path(X, y, alphas)


def logistic_path(model: Any, Cs: Sequence[float], X: Any, y: Any) -> Iterator[Any]:
    """Logistic regression: each fit starts from the ones before, and is only as good as need be.

    Parameters
    ----------
    model : LogisticRegression
        The model.
    Cs : sequence of float
        Inverse penalties, from the smallest up.
    X : matrix
        Training documents.
    y : array
        Their labels.
    """
    near = _PATH_TOL if X.shape[0] >= _FEW else _PATH_TOL_FEW
    yield from model.fit_path(X, y, Cs, tol=near)


def neighbors_path(model: Any, ks: Sequence[int], X: Any, y: Any) -> Iterator[Any]:
    """Nearest neighbours: one search for the largest k serves the others.

    Parameters
    ----------
    model : KNeighborsClassifier
        The model.
    ks : sequence of int
        Numbers of neighbours; no more count than there are documents.
    X : matrix
        Training documents.
    y : array
        Their labels.
    """
    yield from model.fit_path(X, y, [min(k, X.shape[0]) for k in ks])


def neighbors_regression_path(model: Any, ks: Sequence[int], X: Any, y: Any) -> Iterator[Any]:
    """Nearest neighbours of numbers: no more count than there are rows.

    Parameters
    ----------
    model : KNeighborsRegressor
        The model.
    ks : sequence of int
        Numbers of neighbours.
    X : matrix
        Training rows.
    y : array
        Their numbers.
    """
    for k in ks:
        yield clone(model).set_params(n_neighbors=min(k, X.shape[0])).fit(X, y)
