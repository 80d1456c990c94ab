"""The models that `compare` knows for tables without texts, each with columns as it wants them.

Naive Bayes is given the table, trees plain columns, in which missing values stay missing, and all
others scaled ones.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from quire.model_selection._compare.models import Candidate, register_model
from quire.model_selection._compare.paths import neighbors_path, neighbors_regression_path

__all__ = ["missing_values_in_words"]

_CLASSES = ("binary", "multiclass", "ordered")
_UNORDERED = ("binary", "multiclass")
_NUMBERS = ("continuous",)
_NEIGHBORS = (5, 15, 45)
_ALPHAS = (1.0, 0.1, 10.0, 100.0)
_BASELINES = ("majority", "mean")
_SETTLED = {
    "table": "left out by",
    "plain": "sent to the better side by",
    "scaled": "replaced by the median and marked for",
}


def _class(path: str, **parameters: Any) -> Any:
    module, name = path.rsplit(".", 1)

    def make() -> Any:
        return getattr(import_module(f"quire.{module}"), name)(**parameters)

    return make


def _dummy(name: str, **parameters: Any) -> Any:
    def make() -> Any:
        return getattr(import_module("sklearn.dummy"), name)(**parameters)

    return make


for _candidate in (
    Candidate(
        "majority",
        "Most frequent class",
        _dummy("DummyClassifier", strategy="prior"),
        _CLASSES,
        "plain",
    ),
    Candidate(
        "mixed-nb", "Naive Bayes over columns", _class("naive_bayes.MixedNB"), _CLASSES, "table"
    ),
    Candidate(
        "logistic",
        "Logistic regression",
        _class("linear_model.LogisticRegression", max_iter=1000),
        _UNORDERED,
        "scaled",
        {"C": (1.0, 0.1, 10.0)},
    ),
    Candidate(
        "logistic-unordered",
        "Logistic regression, order ignored",
        _class("linear_model.LogisticRegression", max_iter=1000),
        ("ordered",),
        "scaled",
        {"C": (1.0, 0.1, 10.0)},
    ),
    Candidate(
        "logistic-l1",
        "Logistic regression, L1 penalty",
        _class("linear_model.LogisticRegression", l1_ratio=1.0, solver="auto", max_iter=1000),
        _UNORDERED,
        "scaled",
        {"C": (1.0, 0.1, 10.0)},
        is_default=False,
    ),
    Candidate(
        "ordered-logit",
        "Ordered logit",
        _class("linear_model.OrdinalRegression"),
        ("ordered",),
        "scaled",
        {"C": (1.0, 10.0)},
    ),
    Candidate(
        "ordered-probit",
        "Ordered probit",
        _class("linear_model.OrdinalRegression", link="probit"),
        ("ordered",),
        "scaled",
        {"C": (1.0, 10.0)},
        is_default=False,
    ),
    Candidate(
        "least-squares",
        "Least squares classifier, ridge penalty",
        _class("linear_model.LeastSquaresClassifier"),
        _UNORDERED,
        "scaled",
        {"alpha": _ALPHAS},
        is_default=False,
    ),
    Candidate(
        "discriminant",
        "Linear discriminant analysis",
        _class("discriminant_analysis.LinearDiscriminantAnalysis", solver="lsqr", shrinkage="auto"),
        _UNORDERED,
        "scaled",
    ),
    Candidate(
        "tree",
        "Decision tree",
        _class("tree.DecisionTreeClassifier", random_state=0),
        _CLASSES,
        "plain",
        {"ccp_alpha": (0.003, 0.0, 0.01), "min_samples_leaf": (1, 5)},
    ),
    Candidate(
        "nearest-neighbors",
        "Nearest neighbours",
        _class("neighbors.KNeighborsClassifier"),
        _UNORDERED,
        "scaled",
        {"n_neighbors": _NEIGHBORS},
        path=neighbors_path,
    ),
    Candidate(
        "linear-svm",
        "Linear support vector machine",
        _class("svm.LinearSVC", random_state=0, max_iter=10_000),
        _UNORDERED,
        "scaled",
        {"C": (1.0, 0.1, 0.01)},
        is_default=False,
    ),
    Candidate(
        "kernel-svm",
        "Support vector machine, Gaussian kernel",
        _class("svm.SVC"),
        _UNORDERED,
        "scaled",
        {"C": (1.0, 10.0)},
        max_documents=10_000,  # kernel values grow with the square of their number
    ),
    Candidate(
        "random-forest",
        "Random forest",
        _class("ensemble.RandomForestClassifier", random_state=0),
        _CLASSES,
        "plain",
        {"min_samples_leaf": (1, 5)},
    ),
    Candidate(
        "extra-trees",
        "Extremely randomised trees",
        _class("ensemble.ExtraTreesClassifier", random_state=0),
        _CLASSES,
        "plain",
        {"min_samples_leaf": (1, 5)},
        is_default=False,
    ),
    Candidate("mean", "Mean", _dummy("DummyRegressor"), _NUMBERS, "plain"),
    Candidate(
        "ridge",
        "Ridge regression",
        _class("linear_model.Ridge"),
        _NUMBERS,
        "scaled",
        {"alpha": _ALPHAS},
    ),
    Candidate(
        "lasso",
        "Lasso",
        _class("linear_model.LassoCV", cv=3),
        _NUMBERS,
        "scaled",
    ),
    Candidate(
        "tree-regression",
        "Regression tree",
        _class("tree.DecisionTreeRegressor", random_state=0),
        _NUMBERS,
        "plain",
        {"min_samples_leaf": (5, 1, 20), "max_depth": (None, 5)},
    ),
    Candidate(
        "nearest-neighbors-regression",
        "Nearest neighbours",
        _class("neighbors.KNeighborsRegressor"),
        _NUMBERS,
        "scaled",
        {"n_neighbors": _NEIGHBORS},
        path=neighbors_regression_path,
    ),
    Candidate(
        "random-forest-regression",
        "Random forest",
        _class("ensemble.RandomForestRegressor", max_features=0.33, random_state=0),
        _NUMBERS,
        "plain",
        {"min_samples_leaf": (1, 5)},
    ),
    Candidate(
        "extra-trees-regression",
        "Extremely randomised trees",
        _class("ensemble.ExtraTreesRegressor", max_features=0.33, random_state=0),
        _NUMBERS,
        "plain",
        {"min_samples_leaf": (1, 5)},
        is_default=False,
    ),
):
    register_model(replace(_candidate, reads_codes=True))


def missing_values_in_words(table: Any, candidates: list[Candidate]) -> list[str]:
    """Say where values are missing, and what becomes of them; nothing if none are.

    Parameters
    ----------
    table : polars.DataFrame
        The columns.
    candidates : list of Candidate
        The models that take part.
    """
    counts = {}
    for column in table.iter_columns():
        n = column.null_count()
        if column.dtype.is_float():
            n += int(column.is_nan().sum())
        elif str(column.dtype) == "String":
            n += int((column.str.strip_chars() == "").sum())
        if n:
            counts[column.name] = n
    if not counts:
        return []
    shown = [f"{name} ({n:,})" for name, n in list(counts.items())[:8]]
    if len(counts) > 8:
        shown.append(f"{len(counts) - 8} more")
    models = {
        kind: [one.name for one in candidates if one.kind == kind and one.name not in _BASELINES]
        for kind in _SETTLED
    }
    what = [f"{_SETTLED[kind]} {', '.join(names)}" for kind, names in models.items() if names]
    return [f"missing values in {', '.join(shown)}: " + "; ".join(what)] if what else []
