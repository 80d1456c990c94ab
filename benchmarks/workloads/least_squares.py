"""Least squares and ridge on sparse tf-idf, with the twenty newsgroups as twenty 0/1 targets.

Every side stops by its own rule, so the objective is compared: quire's must not be above any
peer's, by more than a millionth. With several peers the mark is about the fastest.
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
from benchmarks.tfidf import newsgroups_train

TERMS = 2_000
ALPHAS = (0.1, 1.0, 10.0)
SLACK = 1e-6


def groups(context: Context) -> Data:
    """Read 20 newsgroups; `value` is (X, Y) with a column of 0 and 1 for each group."""
    data = newsgroups_train(context)
    X, y = data.value
    Y = (y[:, None] == np.unique(y)).astype(np.float64)
    return Data(f"{data.description}, {Y.shape[1]} targets", (X, Y))


def frequent_terms(context: Context) -> Data:
    """Keep the most frequent terms only, so that least squares has one solution."""
    data = groups(context)
    X, Y = data.value
    n_terms = min(TERMS, X.shape[0] // 3, X.shape[1])
    columns = np.sort(np.argsort(-X.getnnz(axis=0), kind="stable")[:n_terms])
    return Data(f"{data.description}, {n_terms:,} terms", (X[:, columns].tocsr(), Y))


def objective(fitted: tuple[Any, Any], alpha: float) -> float:
    """Return ||Y - XW - c||^2 + alpha ||W||^2."""
    model, (X, Y) = fitted
    residual = Y - X @ model.coef_.T - model.intercept_
    return float(np.sum(residual**2) + alpha * np.sum(model.coef_**2))


def not_above(alpha: float) -> Callable[[Mapping[str, Any]], Quality]:
    """Compare objectives; the subject's may not be above a peer's."""

    def check(results: Mapping[str, Any]) -> Quality:
        values = {name: objective(result, alpha) for name, result in results.items()}
        first, *others = values.values()
        listed = ", ".join(f"{name} {value:.5f}" for name, value in values.items())
        return Quality(
            all(first <= other * (1 + SLACK) for other in others), f"objective: {listed}", values
        )

    return check


def same_choice(results: Mapping[str, Any]) -> Quality:
    """Compare the chosen penalty and its score."""
    (first, _), *others = results.values()
    same = all(
        first.alpha_ == other.alpha_ and np.isclose(first.best_score_, other.best_score_, rtol=1e-9)
        for other, _ in others
    )
    summary = f"alpha {first.alpha_}, score {first.best_score_:.8f}"
    return Quality(same, summary, {"alpha": first.alpha_, "score": float(first.best_score_)})


def ridge(solver: str) -> Side:
    """Fit scikit-learn's Ridge by that solver."""
    return Side(
        lambda data, n_jobs: (sklearn.linear_model.Ridge(solver=solver).fit(*data), data),
        repeats=3,
    )


register(
    Comparison(
        name="least-squares.ridge",
        title="Ridge(alpha=1).fit(X, Y); scikit-learn: each solver that takes sparse X",
        data=groups,
        sides={
            "quire": Side(
                lambda data, n_jobs: (quire.linear_model.Ridge(n_jobs=n_jobs).fit(*data), data)
            ),
            "scikit-learn sparse_cg": ridge("sparse_cg"),
            "scikit-learn lsqr": ridge("lsqr"),
            "scikit-learn sag": ridge("sag"),
        },
        check=not_above(1.0),
        mark=5,
    )
)
register(
    Comparison(
        name="least-squares.linear-regression",
        title="LinearRegression().fit(X, Y), X sparse",
        data=frequent_terms,
        sides={
            "quire": Side(
                lambda data, n_jobs: (
                    quire.linear_model.LinearRegression(n_jobs=n_jobs).fit(*data),
                    data,
                )
            ),
            "scikit-learn": Side(
                lambda data, n_jobs: (
                    sklearn.linear_model.LinearRegression(n_jobs=n_jobs).fit(*data),
                    data,
                ),
                repeats=3,
            ),
        },
        check=not_above(0.0),
        mark=3,
    )
)
register(
    Comparison(
        name="least-squares.ridge-cv",
        title="RidgeCV(alphas).fit(X, Y), X sparse, each sample left out once",
        data=frequent_terms,
        sides={
            "quire": Side(
                lambda data, n_jobs: (
                    quire.linear_model.RidgeCV(ALPHAS, n_jobs=n_jobs).fit(*data),
                    data,
                )
            ),
            "scikit-learn": Side(
                lambda data, n_jobs: (sklearn.linear_model.RidgeCV(ALPHAS).fit(*data), data),
                repeats=3,
            ),
        },
        check=same_choice,
    )
)
