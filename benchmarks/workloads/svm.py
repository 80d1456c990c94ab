"""Support vector machines: quire against liblinear and LIBSVM in scikit-learn.

Linear machines are compared by their primal objective, kernel machines by that of the dual: ours
may not be worse by more than a hundred-thousandth (linear) or a thousandth, which is the tolerance
of both (kernels).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import sklearn.svm
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel

import quire.svm
from benchmarks.comparison import Comparison, Side
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.tfidf import imdb_train, newsgroups_train

ROWS = 6_000
BLOCK = 1_000  # rows of the kernel at a time


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
    missing = float((np.maximum(1 - signs * scores, 0) ** 2).sum())
    return 0.5 * weights + float(model.C) * missing


def not_above(results: Mapping[str, Any]) -> Quality:
    """Ours is not above liblinear's."""
    values = {name: primal(result) for name, result in results.items()}
    first, *others = values.values()
    summary = ", ".join(f"{name} {value:.5f}" for name, value in values.items())
    return Quality(first <= min(others) * (1 + 1e-5), f"objective: {summary}", values)


def dual(fitted: Any) -> float:
    """Return the sum of the dual objectives of all pairs of classes.

    With the multipliers times signs in `beta`, it is the sum of their sizes less half of
    beta' K beta, where K is computed here, in double precision, alike for all libraries.
    """
    model, _ = fitted
    coef = model.dual_coef_.toarray() if sparse.issparse(model.dual_coef_) else model.dual_coef_
    edges = np.concatenate([[0], np.cumsum(model.n_support_)])
    of_class = [slice(first, last) for first, last in pairwise(edges)]
    vectors, total = model.support_vectors_, 0.0
    for i, j in combinations(range(len(of_class)), 2):
        mine, other = coef[j - 1, of_class[i]], coef[i, of_class[j]]
        rows = np.concatenate([edges[i] + np.flatnonzero(mine), edges[j] + np.flatnonzero(other)])
        beta = np.concatenate([mine[mine != 0], other[other != 0]])
        total += float(np.abs(beta).sum())
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            K = rbf_kernel(vectors[rows[part]], vectors[rows], gamma=model._gamma)
            total -= 0.5 * float(beta[part] @ (K @ beta))
    return total


def same_machine(results: Mapping[str, Any]) -> Quality:
    """Our dual objective is not below LIBSVM's, and nearly all predictions agree."""
    objectives = {name: dual(result) for name, result in results.items()}
    first, *others = objectives.values()
    labels = [model.predict(X[:300]) for model, (X, _) in results.values()]
    agree = min(float((labels[0] == other).mean()) for other in labels[1:])
    said = ", ".join(f"{name} {value:.4f}" for name, value in objectives.items())
    return Quality(
        first >= max(others) * (1 - 1e-3) and agree >= 0.99,
        f"dual objective: {said}; {agree:.2%} equal predictions",
        {**objectives, "agreement": agree},
    )


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

# Where it is installed: scikit-learn's classes with Intel's library below them.
with suppress(ImportError):
    intel = import_module("sklearnex.svm")
    register(
        Comparison(
            name="svm.rbf-dense-intelex",
            title="SVC(rbf), 2 classes, dense",
            data=dense,
            sides={
                "quire": side(quire.svm, "SVC", threads=True),
                "scikit-learn-intelex": side(intel, "SVC", threads=True),
            },
            check=same_machine,
            mark=1.0,
        )
    )
