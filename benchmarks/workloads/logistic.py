"""Logistic regression with L2 penalty: quire against the solvers of scikit-learn.

Sides are compared at their default tolerance. A run counts if the objective of ours is not above
that of any peer (by more than 1e-8 of it), so a peer that stops early is ahead in time alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sklearn.linear_model

import quire.linear_model
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import imdb_train, newsgroups_train

ALLOWED = 1e-8  # of the objective
CV = {
    "Cs": 10,
    "cv": 5,
    "l1_ratios": (0,),
    "scoring": "accuracy",
    "use_legacy_attributes": False,
}


def reviews(context: Context) -> Data:
    """IMDB; `value` is (X, y) with two classes."""
    data = imdb_train(context)
    X, y, _ = data.value
    return Data(data.description, (X, y))


def fit(*solvers: str) -> dict[str, Side]:
    """Fit with default options; the result is the model and its objective."""

    def with_solver(solver: str) -> Side:
        return Side(
            lambda data, n_jobs: (
                sklearn.linear_model.LogisticRegression(solver=solver).fit(*data),
                data,
            )
        )

    return {
        "quire": Side(
            lambda data, n_jobs: (
                quire.linear_model.LogisticRegression(n_jobs=n_jobs).fit(*data),
                data,
            )
        ),
        **{f"scikit-learn {solver}": with_solver(solver) for solver in solvers},
    }


def objective(model: Any, X: Any, y: Any, C: float) -> float:
    """C times the sum of losses, and half the squared weights (liblinear: that of b, too)."""
    scores = np.asarray(X @ model.coef_.T) + model.intercept_
    codes = np.searchsorted(model.classes_, y)
    if scores.shape[1] == 1:
        losses = np.logaddexp(0, scores[:, 0]) - codes * scores[:, 0]
    else:
        largest = scores.max(axis=1)
        sums = np.exp(scores - largest[:, None]).sum(axis=1)
        losses = np.log(sums) + largest - scores[np.arange(len(codes)), codes]
    return float(C * losses.sum() + 0.5 * (model.coef_**2).sum())


def objectives(C: Callable[[Any], float]) -> Callable[[Mapping[str, Any]], Quality]:
    """Return a check that the objective of the first side is as low as any."""

    def check(results: Mapping[str, Any]) -> Quality:
        values = {
            name: objective(model, X, y, C(model)) for name, (model, (X, y)) in results.items()
        }
        (_, ours), *others = values.items()
        best = min(value for _, value in others)
        summary = ", ".join(f"{name} {value:.6g}" for name, value in values.items())
        return Quality(ours <= best * (1 + ALLOWED), f"objective: {summary}", values)

    return check


def same_choice(results: Mapping[str, Any]) -> Quality:
    """Compare the best mean scores: accuracy may differ where a peer has not converged."""
    best = {name: float(model.scores_.mean(axis=0).max()) for name, model in results.items()}
    (_, ours), *others = best.items()
    summary = ", ".join(f"{name} {value:.4f}" for name, value in best.items())
    passed = all(ours >= value - 0.002 for _, value in others)
    return Quality(passed, f"best mean accuracy: {summary}", best)


register(
    Comparison(
        name="logistic.l2-multinomial",
        title="LogisticRegression().fit(X, y), 20 classes",
        data=newsgroups_train,
        sides=fit("newton-cg", "lbfgs"),
        check=objectives(lambda model: model.C),
        mark=5,
    )
)
register(
    Comparison(
        name="logistic.l2-binary",
        title="LogisticRegression().fit(X, y), 2 classes",
        data=reviews,
        sides=fit("newton-cg", "lbfgs"),
        check=objectives(lambda model: model.C),
        mark=2,
    )
)
register(
    Comparison(
        name="logistic.l2-binary-liblinear",
        title="LogisticRegression(solver='liblinear').fit(X, y), 2 classes",
        data=reviews,
        sides={
            "quire": Side(
                lambda data, n_jobs: quire.linear_model.LogisticRegression(
                    solver="liblinear", n_jobs=n_jobs
                ).fit(*data)
            ),
            "scikit-learn": Side(
                lambda data, n_jobs: sklearn.linear_model.LogisticRegression(
                    solver="liblinear"
                ).fit(*data)
            ),
        },
        check=lambda results: _close(results),
        mark=2,
    )
)
register(
    Comparison(
        name="logistic.cv",
        title="LogisticRegressionCV(Cs=10, cv=5).fit(X, y), 20 classes",
        data=newsgroups_train,
        sides={
            "quire": Side(
                lambda data, n_jobs: quire.linear_model.LogisticRegressionCV(
                    **CV, n_jobs=n_jobs
                ).fit(*data)
            ),
            "scikit-learn newton-cg": Side(
                lambda data, n_jobs: sklearn.linear_model.LogisticRegressionCV(
                    **CV, solver="newton-cg", n_jobs=n_jobs
                ).fit(*data)
            ),
        },
        check=same_choice,
        mark=10,
    )
)


def _close(results: Mapping[str, Any]) -> Quality:
    """Compare the weights: both minimise the same objective, with the intercept penalised."""
    first, second = (model.coef_ for model in results.values())
    difference = float(np.abs(first - second).max())
    figures = {"largest_difference": difference}
    return Quality(difference < 0.02, f"weights differ by up to {difference:.1e}", figures)
