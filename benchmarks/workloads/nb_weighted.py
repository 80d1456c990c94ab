"""Features weighted by classes: quire against the same by hand with scikit-learn.

`NBSVM` and `NBLogistic` against log-count ratios in NumPy and scikit-learn's linear models, a
binary one for each class. Quality is the accuracy on the other half of the corpus: ours may be two
thousandths below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sklearn.linear_model
import sklearn.svm
from scipy import sparse

import quire.linear_model
import quire.svm
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import imdb_halves, newsgroups_halves


def presence(halves: Callable[[Context], Data]) -> Callable[[Context], Data]:
    """Return the maker of presence in both halves; `value` is (X, y, X_test, y_test)."""

    def make(context: Context) -> Data:
        data = halves(context)
        X, y, held_out, y_test = data.value
        ones = (sparse.csr_array((part > 0).astype(np.float64)) for part in (X, held_out))
        X, held_out = ones
        return Data(data.description.replace("tf-idf", "presence", 1), (X, y, held_out, y_test))

    return make


def by_hand(X: Any, y: Any, model: Callable[[], Any]) -> tuple[Any, Any]:
    """Return the weights and intercepts of each class against the rest."""
    classes = np.unique(y)
    coefs, intercepts = [], []
    for label in classes[1:] if len(classes) == 2 else classes:
        second = y == label
        p, q = (1.0 + np.asarray(X[rows].sum(axis=0)).ravel() for rows in (second, ~second))
        r = np.log(p / p.sum()) - np.log(q / q.sum())
        fitted = model().fit(X.multiply(r[None, :]).tocsr(), second)
        coefs.append(r * fitted.coef_[0])
        intercepts.append(fitted.intercept_[0])
    return np.array(coefs), np.array(intercepts)


def accuracy(result: Any) -> float:
    """Return the share of the other half that is right."""
    (coef, intercept), y, held_out, y_test = result
    scores = held_out @ coef.T + intercept
    best = (scores[:, 0] > 0).astype(int) if len(coef) == 1 else scores.argmax(axis=1)
    return float((np.unique(y)[best] == y_test).mean())


def not_below(results: Mapping[str, Any]) -> Quality:
    """Ours is as accurate as the same by hand."""
    values = {name: accuracy(result) for name, result in results.items()}
    first, *others = values.values()
    summary = ", ".join(f"{name} {value:.4f}" for name, value in values.items())
    return Quality(first >= max(others) - 0.002, f"accuracy: {summary}", values)


def ours(kind: type, **options: Any) -> Side:
    """Fit a class of quire's."""

    def run(data: Any, n_jobs: int) -> Any:
        X, y, *rest = data
        model = kind(n_jobs=n_jobs, **options).fit(X, y)
        return (model.coef_, model.intercept_), y, *rest

    return Side(run)


def theirs(kind: type, **options: Any) -> Side:
    """Fit scikit-learn's class to weighted features."""

    def run(data: Any, n_jobs: int) -> Any:
        X, y, *rest = data
        return by_hand(X, y, lambda: kind(**options)), y, *rest

    return Side(run, repeats=1)


for number, halves in ((2, imdb_halves), (20, newsgroups_halves)):
    for name, title, own, their, options in (
        ("svm", "NBSVM", quire.svm.NBSVM, sklearn.svm.LinearSVC, {"C": 0.03, "random_state": 0}),
        (
            "logistic",
            "NBLogistic",
            quire.linear_model.NBLogistic,
            sklearn.linear_model.LogisticRegression,
            {"C": 1.0, "max_iter": 1000},
        ),
    ):
        register(
            Comparison(
                name=f"nb-weighted.{name}-{number}",
                title=f"{title}, {number} classes",
                data=presence(halves),
                sides={"quire": ours(own, **options), "scikit-learn": theirs(their, **options)},
                check=not_below,
                mark=1.0 if name == "svm" else 5.0,
            )
        )
