"""Support vector machines: quire against liblinear and LIBSVM in scikit-learn.

Linear machines are compared by their primal objective, kernel machines by that of the dual: ours
may not be worse by more than a hundred-thousandth (linear) or a thousandth, which is the tolerance
of both (kernels).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sklearn.svm
from scipy import sparse
from sklearn.datasets import make_classification

import quire.svm
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import imdb_train, newsgroups_train

ROWS = 6_000


def reviews(context: Context) -> Data:
    """IMDB; `value` is (X, y) with two classes."""
    data = imdb_train(context)
    X, y, _ = data.value
    return Data(data.description, (X, y))


def some_groups(context: Context) -> Data:
    """Keep the first 6,000 posts of 20 newsgroups."""
    data = newsgroups_train(context)
    X, y = data.value
    n = min(ROWS, X.shape[0])
    return Data(f"{data.description}, {n:,} rows", (X[:n], y[:n]))


def dense(context: Context) -> Data:
    """20,000 generated samples with 40 columns and two classes."""
    n = 1_000 if context.quick else 20_000
    X, y = make_classification(n, 40, n_informative=20, flip_y=0.05, random_state=0)
    return Data(f"generated, {n:,} x 40", (X, y))


def side(library: Any, name: str, *, threads: bool, repeats: int | None = None) -> Side:
    """Fit a class of a library."""

    def run(data: Any, n_jobs: int) -> Any:
        options: dict[str, Any] = {"n_jobs": n_jobs} if threads else {}
        return getattr(library, name)(random_state=0, **options).fit(*data), data

    return Side(run, repeats=repeats)


def primal(fitted: Any) -> float:
    """Return the sum of the objectives of all one-vs-rest problems."""
    model, (X, y) = fitted
    classes = model.classes_[1:] if len(model.coef_) == 1 else model.classes_
    signs = np.where(np.asarray(y)[:, None] == classes, 1.0, -1.0)
    scores = X @ model.coef_.T + model.intercept_
    weights = float((model.coef_**2).sum() + (model.intercept_**2).sum())
    return 0.5 * weights + model.C * float((np.maximum(1 - signs * scores, 0) ** 2).sum())


def not_above(results: Mapping[str, Any]) -> Quality:
    """Ours is not above liblinear's."""
    values = {name: primal(result) for name, result in results.items()}
    first, *others = values.values()
    summary = ", ".join(f"{name} {value:.5f}" for name, value in values.items())
    return Quality(first <= min(others) * (1 + 1e-5), f"objective: {summary}", values)


def same_machine(results: Mapping[str, Any]) -> Quality:
    """Decisions of some samples agree, and so do nearly all predictions."""
    decisions, labels = [], []
    for model, (X, _) in results.values():
        rows = X[:300]
        decisions.append(np.atleast_2d(model.decision_function(rows)))
        labels.append(model.predict(rows))
    worst = max(float(np.abs(decisions[0] - other).max()) for other in decisions[1:])
    agree = min(float((labels[0] == other).mean()) for other in labels[1:])
    kind = "sparse" if sparse.issparse(next(iter(results.values()))[1][0]) else "dense"
    summary = f"{kind}: largest difference of decisions {worst:.1e}, {agree:.2%} equal predictions"
    return Quality(agree >= 0.99, summary, {"difference": worst, "agreement": agree})


for name, title, data, kind, check, mark in (
    ("linear-20", "LinearSVC, 20 classes", newsgroups_train, "LinearSVC", not_above, 5.0),
    ("linear-2", "LinearSVC, 2 classes", reviews, "LinearSVC", not_above, 1.5),
    ("rbf-sparse", "SVC(rbf), 20 classes, sparse", some_groups, "SVC", same_machine, 10.0),
    ("rbf-dense", "SVC(rbf), 2 classes, dense", dense, "SVC", same_machine, 2.0),
):
    slow = 1 if kind == "SVC" else 3
    register(
        Comparison(
            name=f"svm.{name}",
            title=title,
            data=data,
            sides={
                "quire": side(quire.svm, kind, threads=True),
                "scikit-learn": side(sklearn.svm, kind, threads=False, repeats=slow),
            },
            check=check,
            mark=mark,
        )
    )
