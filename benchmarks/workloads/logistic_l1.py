"""Logistic regression with an L1 penalty: two classes, and many.

The sides minimise the same objective, the sum of losses plus |W|_1 / C, and are compared by it:
quire's may be above no other's by more than rounding. liblinear penalises its intercept a little,
and celer has none; the objective is taken without that penalty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

import quire.linear_model
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import imdb_train, newsgroups_train

TOLERANCE = 1e-4
SAGA_EPOCHS = 300  # at 100, its default, it is still far from the minimum


def reviews(context: Context) -> Data:
    """IMDB; `value` is (X, y) with y 0 or 1."""
    data = imdb_train(context)
    X, y, _ = data.value
    return Data(data.description, (X, y))


def quire_side(C: float) -> Side:
    """Fit quire's class."""

    def run(data: Any, n_jobs: int) -> Any:
        X, y = data
        model = quire.linear_model.LogisticRegression(
            l1_ratio=1, C=C, solver="auto", tol=TOLERANCE, n_jobs=n_jobs
        ).fit(X, y)
        return X, y, C, model.coef_, model.intercept_

    return Side(run)


def peer_side(C: float, make: Callable[[int], Any], **options: Any) -> Side:
    """Fit the model that `make(n_samples)` returns."""

    def run(data: Any, n_jobs: int) -> Any:
        X, y = data
        model = make(len(y)).fit(X, y)
        return X, y, C, np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)

    return Side(run, **options)


def liblinear(C: float) -> Side:
    """Scikit-learn's fastest solver for two classes."""
    return peer_side(
        C, lambda n: LogisticRegression(l1_ratio=1, C=C, solver="liblinear", tol=TOLERANCE)
    )


def celer(C: float) -> Side:
    """Working sets and dual extrapolation, without intercept."""

    def make(n: int) -> Any:
        from celer import LogisticRegression as Celer

        return Celer(C=C, tol=TOLERANCE, fit_intercept=False)

    return peer_side(C, make, requires="celer", repeats=2)


def skglm(C: float) -> Side:
    """Working sets and proximal Newton."""

    def make(n: int) -> Any:
        from skglm import SparseLogisticRegression

        # at C=10 it stops three per cent above the minimum with the tolerance of the others
        return SparseLogisticRegression(alpha=1 / (C * n), tol=TOLERANCE if C <= 1 else 1e-6)

    return peer_side(C, make, requires="skglm", repeats=3)


def saga(C: float) -> Side:
    """Scikit-learn's only solver for many classes."""

    def make(n: int) -> Any:
        return LogisticRegression(
            l1_ratio=1, C=C, solver="saga", tol=TOLERANCE, max_iter=SAGA_EPOCHS, random_state=0
        )

    return peer_side(C, make, repeats=1)


def objective(X: Any, y: Any, C: float, coef: Any, intercept: Any) -> float:
    """Sum of the losses and the penalty."""
    z = X @ coef.T + intercept
    if z.shape[1] == 1:
        z = np.hstack([np.zeros_like(z), z])
    losses = logsumexp(z, axis=1) - z[np.arange(len(y)), y]
    return float(losses.sum() + np.abs(coef).sum() / C)


def lowest_objective(results: Mapping[str, Any]) -> Quality:
    """Nobody may be lower than the subject by more than a millionth."""
    values = {name: objective(*result) for name, result in results.items()}
    (_, own), *others = values.items()
    summary = "objective " + ", ".join(f"{name} {value:.4f}" for name, value in values.items())
    return Quality(own <= min(value for _, value in others) * (1 + 1e-6), summary, values)


for C in (0.1, 1.0, 10.0):
    register(
        Comparison(
            name=f"logistic-l1.binary-C{C:g}",
            title=f"two classes, C={C:g}, tol=1e-4",
            data=reviews,
            sides={
                "quire": quire_side(C),
                "liblinear": liblinear(C),
                **({"celer": celer(C)} if C <= 1 else {}),
                "skglm": skglm(C),
            },
            check=lowest_objective,
            mark=2,
            memory=False,
        )
    )
register(
    Comparison(
        name="logistic-l1.multinomial",
        title=f"twenty classes, C=1, tol=1e-4; saga stops after {SAGA_EPOCHS} epochs",
        data=newsgroups_train,
        sides={"quire": quire_side(1.0), "saga": saga(1.0)},
        check=lowest_objective,
        mark=50,
        memory=False,
    )
)
