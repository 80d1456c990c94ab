"""Naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire.kinds._language import Mismatch, Spec, state_of
from quire.kinds._schema import Schema
from quire.kinds._schemas._common import of_columns, same_width

__all__ = ["TABLE", "TABLES", "as_many_categories", "tables_fit"]


def tables_fit(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """There are as many shares as counts of categories, in each column."""
    wanted = state["category_count_"], state["feature_log_prob_"]
    for i, (counts, shares) in enumerate(zip(*wanted, strict=True)):
        if counts.shape != shares.shape:
            raise Mismatch(f"column {i} has counts {counts.shape} and shares {shares.shape}")


def as_many_categories(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    numbers = [shares.shape[1] for shares in state["feature_log_prob_"]]
    if numbers != state["n_categories_"].tolist():
        raise Mismatch("n_categories_ is not how many shares there are")


def _categories_have_names(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    for i, names in enumerate(state["categories_"]):
        if len(names) != state["category_count_"][i].shape[1]:
            raise Mismatch(f"column {i} has {len(names)} names of categories")


def _parts_read_columns(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    for part in state["parts_"]:
        columns = state_of(part)["columns"]
        if any(not 0 <= one < sizes["P"] for one in columns):
            raise Mismatch(f"parts_ read columns beyond the {sizes['P']} that there are")


def _one_for_each_class(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    if len(state_of(state["classes"])["count"]) != sizes["K"]:
        raise Mismatch(f"smoothing of {sizes['K']} classes is not of those that were counted")


_CLASSES: dict[str, Spec] = {"classes_": "label[K]", "class_count_": "float[K]"}
_COUNTS: dict[str, Spec] = {
    **_CLASSES,
    "_feature_count?": "number[K, P]",
    "feature_count_?": "number[K, P]",
    "_is_smooth?": "bool",
    "feature_log_prob_": "float[K, P]",
    "class_log_prior_": "float[K]",
    "vectorizer_?": "estimator",
    "_text_counts?": "ClassCounts",
}
TABLES: dict[str, Spec] = {
    "category_count_": "list[P] of float[K, _]",
    "feature_log_prob_": "list[P] of float[K, _]",
}
_PART: dict[str, Spec] = {"columns": "list[P] of int >= 0", "labels": "list[P] of str"}
_EACH_CLASS = "float64[K, P]"

TABLE: dict[str, Schema] = {
    "naive_bayes.MultinomialNB": of_columns(_COUNTS, same_width("vectorizer_")),
    "naive_bayes.ComplementNB": of_columns(
        {**_COUNTS, "feature_all_": "float[P]"}, same_width("vectorizer_")
    ),
    "naive_bayes.BernoulliNB": of_columns(
        {
            **_COUNTS,
            "_alpha?": "float | float[1] | float[P]",
            "_counted?": "float[K, P]",
            "_presence?": "_Presence",
        },
        same_width("vectorizer_"),
    ),
    "naive_bayes._Presence": Schema(),
    "naive_bayes.GaussianNB": of_columns(
        {
            **_CLASSES,
            "epsilon_": "float",
            "_sums?": "Sums",
            "theta_": "float[K, P]",
            "var_": "float[K, P]",
            "class_prior_": "float[K]",
        }
    ),
    "naive_bayes.CategoricalNB": of_columns(
        {
            **_CLASSES,
            **TABLES,
            "n_categories_": "int[P]",
            "class_log_prior_": "float[K]",
        },
        tables_fit,
        as_many_categories,
    ),
    "naive_bayes.MixedNB": of_columns(
        {
            **_CLASSES,
            "_entries": "list of Entry",
            "columns_": "list of tuple(str, str, list of label)",
            "parts_": "list of (ContinuousPart | CategoricalPart | MatrixPart | TextPart)",
            "class_log_prior_": "float[K]",
        },
        _parts_read_columns,
    ),
    "naive_bayes.Entry": Schema(
        {
            "name": "str",
            "kind": "str",
            "columns": "list of int >= 0",
            "settings": "dict of str to plain",
            "words": "str",
            "vectorizer": "estimator | none",
        }
    ),
    "naive_bayes.ContinuousPart": Schema(
        {
            **_PART,
            "var_smoothing": "float",
            "moments_": "list[P] of Moments",
            "whole_": "list[P] of Moments",
            "epsilon_": "float | float64[P]",
            "theta_": _EACH_CLASS,
            "known_": "bool[P]",
            "var_": _EACH_CLASS,
            "densities_": "NormalDensities",
        }
    ),
    "naive_bayes.CategoricalPart": Schema(
        {
            **_PART,
            **TABLES,
            "alpha": "float",
            "unseen": "str",
            "categories_": "list[P] of list of label",
        },
        (tables_fit, _categories_have_names),
    ),
    "naive_bayes.MatrixPart": Schema(
        {**_PART, "kind": "str", "distribution": "Multinomial | Bernoulli"}
    ),
    "naive_bayes.TextPart": Schema(
        {
            "columns": "list[1] of int >= 0",
            "label": "str",
            "n_classes": "int >= 1",
            "distribution": "Multinomial | Bernoulli",
            "vectorizer_": "estimator",
            "is_started": "bool",
        }
    ),
    "naive_bayes.Multinomial": Schema(
        {"alpha": "float", "feature_count_": _EACH_CLASS, "feature_log_prob_": _EACH_CLASS}
    ),
    "naive_bayes.Bernoulli": Schema(
        {
            "alpha": "float",
            "binarize": "float | none",
            "class_count_": "float64[K]",
            "feature_count_": _EACH_CLASS,
            "feature_log_prob_": _EACH_CLASS,
            "absent_log_prob_": _EACH_CLASS,
        }
    ),
    "naive_bayes.Moments": Schema(
        {
            "count": "float[K]",
            "mean": "float[K, P]",
            "low": "float[K, P]",
            "ssd": "float[K, P]",
        }
    ),
    "naive_bayes.Sums": Schema(
        {"classes": "Moments", "columns": "Moments", "smoothing": "float[K]"},
        (_one_for_each_class,),
    ),
    "naive_bayes.NormalDensities": Schema(
        {"mean": "float[K, P]", "scale": "float[K, P]", "log_peak": "float[K, P]"}
    ),
}
