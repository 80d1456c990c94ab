"""Models for all settings of a grid at once, where that takes less work than one after another.

Each function is given a model, the values of its one setting and training documents, and yields a
fitted model for each value, in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone

__all__ = ["logistic_path", "neighbors_path", "ridge_path", "smoothing_path"]

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
    from quire._shared.labels import class_codes
    from quire._shared.threads import effective_threads
    from quire.linear_model._logistic_fit import Fitter

    classes, codes = class_codes(np.asarray(y))
    fitter = Fitter(
        X,
        codes,
        len(classes),
        None,
        solver=model.solver if model.l1_ratio == 0 else "auto",
        fit_intercept=model.fit_intercept,
        intercept_scaling=model.intercept_scaling,
        tol=min(model.tol, 1e-3),
        max_iter=model.max_iter,
        verbose=0,
        n_threads=effective_threads(model.n_jobs),
        name=type(model).__name__,
        path_tol=_PATH_TOL if X.shape[0] >= _FEW else _PATH_TOL_FEW,
    )
    start = None
    for C in Cs:
        start = fitter.fit(C, model.l1_ratio, start)
        one = clone(model).set_params(C=C)
        one.classes_, one.n_features_in_ = classes, X.shape[1]
        one.coef_, one.intercept_ = np.ascontiguousarray(start.coef.T), start.intercept
        yield one


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
