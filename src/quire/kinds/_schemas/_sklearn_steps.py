"""scikit-learn's vectorizers, scalers, encoders, imputers and selectors."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

import numpy as np

from quire.kinds._language import Mismatch, Spec, state_of
from quire.kinds._schema import Schema
from quire.kinds._schemas._common import of_columns
from quire.kinds._schemas._text import columns_are_numbered

__all__ = ["TABLE"]


def _vocabulary_is_numbered(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    columns_are_numbered(state.get("vocabulary_"))


def _weights_of_vocabulary(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    columns_are_numbered(state.get("vocabulary_"))
    weights = state.get("_tfidf")
    idf = None if weights is None else state_of(weights).get("idf_")
    known = state.get("vocabulary_")
    if idf is not None and known is not None and len(idf) != len(known):
        raise Mismatch(f"_tfidf has {len(idf)} weights for {len(known)} terms")


def _names_of_vocabulary(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    columns_are_numbered(state["vocabulary_"])
    if len(state["feature_names_"]) != len(state["vocabulary_"]):
        raise Mismatch("feature_names_ are not those of vocabulary_")


def _categories_are_sorted(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Numbers are looked up as in a sorted list, of which the last may be missing."""
    for i, values in enumerate(state["categories_"]):
        if values.dtype.kind in "biuf":
            known = values[:-1] if len(values) and values[-1] != values[-1] else values
            if not (known[1:] > known[:-1]).all():
                raise Mismatch(f"categories_[{i}] are not in order")


def _groups_of_categories(state: Mapping[str, Any]) -> list[int]:
    """Return how many categories columns have after rare ones were joined."""
    numbers = [len(values) for values in state["categories_"]]
    if not state["_infrequent_enabled"]:
        return numbers
    rare, maps = state["_infrequent_indices"], state["_default_to_infrequent_mappings"]
    for i, (joined, places) in enumerate(zip(rare, maps, strict=True)):
        if (joined is None) != (places is None):
            raise Mismatch(f"column {i} has rare categories without a place for them")
        if joined is None:
            continue
        if not len(joined) or joined.min() < 0 or joined.max() >= numbers[i]:
            raise Mismatch(f"column {i} has rare categories that it does not have")
        left = numbers[i] - len(joined) + 1
        if len(places) != numbers[i] or places.min() < 0 or places.max() >= left:
            raise Mismatch(f"column {i} has no place for each of its categories")
        numbers[i] = left
    return numbers


def _one_column_for_each(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    numbers = _groups_of_categories(state)
    dropped = state["_drop_idx_after_grouping"]
    for i, n in enumerate(numbers):
        place = None if dropped is None else dropped[i]
        if place is not None and not 0 <= place < n:
            raise Mismatch(f"column {i} drops a category that it does not have")
        if state["_n_features_outs"][i] != n - (place is not None):
            raise Mismatch(f"_n_features_outs of column {i} is not {n - (place is not None)}")


def _codes_of_categories(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    numbers = _groups_of_categories(state)
    for i, place in state["_missing_indices"].items():
        if not (0 <= i < len(numbers) and 0 <= place < len(state["categories_"][i])):
            raise Mismatch("_missing_indices are not of categories")


def _all_products(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """As many columns are made as there are products: memory for more would stay as it was."""
    n, least, most = sizes["P"], state["_min_degree"], state["_max_degree"]
    degree = state.get("degree", 2)
    if (least, most) != (tuple(degree) if isinstance(degree, list | tuple) else (0, degree)):
        raise Mismatch("_min_degree and _max_degree are not those of degree")
    bias = int(bool(state.get("include_bias", True)))
    if state.get("interaction_only", False):
        least_order = max(1, least)
        numbers = [
            sum(comb(n, i) for i in range(start, min(most, n) + 1)) for start in (1, least_order)
        ]
    else:
        whole = comb(n + most, most) - 1
        numbers = [whole, whole - (comb(n + least - 1, least - 1) - 1 if least > 0 else 0)]
    found = state["_n_out_full"] - bias, state["n_output_features_"] - bias
    if found != tuple(numbers):
        raise Mismatch(f"there are {numbers[1] + bias} products, not {found[1] + bias}")


def _bins_have_edges(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    for i, (edges, n_bins) in enumerate(zip(state["bin_edges_"], state["n_bins_"], strict=True)):
        if type(edges) is not np.ndarray or edges.dtype.kind != "f" or edges.ndim != 1:
            raise Mismatch(f"bin_edges_[{i}] are no numbers")
        if len(edges) != int(n_bins) + 1:
            raise Mismatch(f"bin_edges_[{i}] are not of {n_bins} bins")


_SCALED = "number[P] | none"
_VOCABULARY: dict[str, Spec] = {
    "fixed_vocabulary_?": "bool",
    "_stop_words_id?": "int",
    "stop_words_?": "set of str",
    "vocabulary_?": "dict of plain to int",
}
_CATEGORIES: dict[str, Spec] = {
    "_infrequent_enabled": "bool",
    "categories_": "list[P] of label[_]",
    "_infrequent_indices?": "list[P] of (none | int[_])",
    "_default_to_infrequent_mappings?": "list[P] of (none | int[_])",
}
_SCORED: dict[str, Spec] = {"scores_": "number[P]", "pvalues_?": "number[P] | none"}
_CHOSEN: dict[str, Spec] = {
    "estimator_": "estimator",
    "n_features_": "int",
    "support_": "bool[P]",
    "ranking_": "int[P]",
    "cv_results_?": "dict of str to (float[_] | int[_] | float[_, _] | int[_, _] | label[...])",
    "step_n_features_?": "list of int",
    "step_scores_?": "list of anything",
    "step_support_?": "list of bool[P]",
    "step_ranking_?": "list of int[P]",
}
_MISSING: dict[str, Spec] = {"indicator_?": "MissingIndicator | none"}

TABLE: dict[str, Schema] = {
    # texts and dictionaries
    "feature_extraction.text.CountVectorizer": Schema(_VOCABULARY, (_vocabulary_is_numbered,)),
    "feature_extraction.text.TfidfVectorizer": Schema(
        {**_VOCABULARY, "_tfidf?": "TfidfTransformer"}, (_weights_of_vocabulary,)
    ),
    "feature_extraction.text.HashingVectorizer": Schema({"_stop_words_id?": "int"}),
    "feature_extraction.text.TfidfTransformer": of_columns({"idf_?": "float[P]"}),
    "feature_extraction.FeatureHasher": Schema(),
    "feature_extraction.DictVectorizer": Schema(
        {"feature_names_": "list of plain", "vocabulary_": "dict of plain to int"},
        (_names_of_vocabulary,),
    ),
    # scalers
    "preprocessing.Binarizer": of_columns(),
    "preprocessing.Normalizer": of_columns(),
    "preprocessing.FunctionTransformer": Schema(
        {"n_features_in_?": "int", "feature_names_in_?": "str[_]"}
    ),
    "preprocessing.KernelCenterer": of_columns({"K_fit_rows_": "float[P]", "K_fit_all_": "float"}),
    "preprocessing.MaxAbsScaler": of_columns(
        {"n_samples_seen_": "float | int[P]", "max_abs_": "float[P]", "scale_": "float[P]"}
    ),
    "preprocessing.MinMaxScaler": of_columns(
        {
            "n_samples_seen_": "float | int[P]",
            "scale_": "float[P]",
            "min_": "float[P]",
            "data_min_": "float[P]",
            "data_max_": "float[P]",
            "data_range_": "float[P]",
        }
    ),
    "preprocessing.RobustScaler": of_columns({"center_": _SCALED, "scale_": _SCALED}),
    "preprocessing.StandardScaler": of_columns(
        {
            "n_samples_seen_": "float | number[P]",
            "mean_": _SCALED,
            "var_": _SCALED,
            "scale_": _SCALED,
        }
    ),
    "preprocessing.PowerTransformer": of_columns(
        {"lambdas_": "float[P]", "_scaler?": "StandardScaler"}
    ),
    "preprocessing.QuantileTransformer": of_columns(
        {"n_quantiles_": "int = D", "references_": "float[D]", "quantiles_": "float[D, P]"}
    ),
    "preprocessing.PolynomialFeatures": of_columns(
        {
            "_min_degree": "int >= 0",
            "_max_degree": "int >= 0",
            "n_output_features_": "int >= 0",
            "_n_out_full": "int >= 0",
        },
        _all_products,
    ),
    # encoders
    "preprocessing.KBinsDiscretizer": of_columns(
        {"bin_edges_": "object[P]", "n_bins_": "int[P] >= 1", "_encoder?": "OneHotEncoder"},
        _bins_have_edges,
    ),
    "preprocessing.OneHotEncoder": of_columns(
        {
            **_CATEGORIES,
            "drop_idx_": "label[P] | none",
            "_drop_idx_after_grouping": "label[P] | none",
            "_n_features_outs": "list[P] of int >= 0",
        },
        _categories_are_sorted,
        _one_column_for_each,
    ),
    "preprocessing.OrdinalEncoder": of_columns(
        {**_CATEGORIES, "_missing_indices": "dict of int to int"},
        _categories_are_sorted,
        _codes_of_categories,
    ),
    "preprocessing.TargetEncoder": of_columns(
        {
            **_CATEGORIES,
            "target_type_": "str",
            "classes_?": "label[_] | none",
            "target_mean_": "float | float[_]",
            "encodings_": "list of float[_]",
            "_label_encoder?": "LabelEncoder",
            "_label_binarizer?": "LabelBinarizer",
        },
        _categories_are_sorted,
        lambda state, sizes: _encodings_fit(state),
    ),
    "preprocessing.LabelEncoder": Schema({"classes_": "label[_]"}),
    "preprocessing.LabelBinarizer": Schema(
        {"y_type_": "str", "sparse_input_": "bool", "classes_": "label[_]"}
    ),
    "preprocessing.MultiLabelBinarizer": Schema(
        {"classes_": "label[_] | object[_]", "_cached_dict?": "dict of plain to int | none"},
        (lambda state, sizes: columns_are_numbered(state.get("_cached_dict")),),
    ),
    # gaps
    "impute.SimpleImputer": of_columns(
        {
            **_MISSING,
            "_fit_dtype?": "dtype",
            "_fill_dtype?": "dtype",
            "statistics_": "label[P]",
        }
    ),
    "impute.KNNImputer": of_columns(
        {
            **_MISSING,
            "_fit_X": "float[N, P]",
            "_mask_fit_X": "bool[N, P]",
            "_valid_mask": "bool[P]",
        }
    ),
    "impute.MissingIndicator": of_columns(
        {"_precomputed?": "bool", "_n_features": "int = P", "features_": "int[_] >= 0 < P"}
    ),
    # selectors
    **{
        f"feature_selection.{name}": of_columns(_SCORED)
        for name in (
            "GenericUnivariateSelect",
            "SelectFdr",
            "SelectFpr",
            "SelectFwe",
            "SelectKBest",
            "SelectPercentile",
        )
    },
    "feature_selection.RFE": of_columns(_CHOSEN),
    "feature_selection.RFECV": of_columns(_CHOSEN),
    "feature_selection.SelectFromModel": Schema(
        {
            "estimator_": "estimator",
            "max_features_?": "int | none",
            "threshold_?": "float",
            "n_features_in_?": "int",
            "feature_names_in_?": "str[_]",
        }
    ),
    "feature_selection.SequentialFeatureSelector": of_columns(
        {"n_features_to_select_": "int", "support_": "bool[P]"}
    ),
    "feature_selection.VarianceThreshold": of_columns({"variances_": "number[P]"}),
}


def _encodings_fit(state: Mapping[str, Any]) -> None:
    _groups_of_categories(state)
    numbers, encodings = [len(values) for values in state["categories_"]], state["encodings_"]
    if numbers and (not encodings or len(encodings) % len(numbers)):
        raise Mismatch("encodings_ are not of the columns")
    n_each = len(encodings) // len(numbers) if numbers else 0
    for i, encoding in enumerate(encodings):
        if len(encoding) != numbers[i // n_each]:
            raise Mismatch(f"encodings_[{i}] has {len(encoding)} numbers")
