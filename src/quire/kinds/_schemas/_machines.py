"""Support vector machines, nearest neighbours, and several classes from two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire.kinds._language import Mismatch, Spec, state_of
from quire.kinds._schema import Schema
from quire.kinds._schemas._common import of_columns, rows_of_classes, same_width
from quire.kinds._schemas._linear import OF_CLASSES, of_targets

__all__ = ["TABLE"]


def _supports_of_classes(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Support vectors are those of the classes, one after the other."""
    counts = state["_n_support"]
    if int(counts.sum()) != sizes["S"]:
        raise Mismatch(f"_n_support says {counts.sum()}, and there are {sizes['S']}")


def _pairs_of_classes(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    n = sizes["K"]
    pairs = n * (n - 1) // 2
    if sizes["M"] != pairs or sizes["C"] not in (0, pairs):
        raise Mismatch(f"{sizes['M']} machines do not fit {pairs} pairs of classes")


def _supports_have_columns(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Support vectors have the columns of rows, or none where the kernel was given."""
    shape = state["support_vectors_"].shape
    is_given = state.get("kernel") == "precomputed" or callable(state.get("kernel"))
    if shape != (sizes["S"], sizes["P"]) and not (is_given and 0 in shape):
        raise Mismatch(f"support_vectors_ have the shape {shape}")
    if len(state["support_"]) and state["support_"].max() >= state["shape_fit_"][0]:
        raise Mismatch("support_ has numbers of rows that there were not")


def _machine(fitted: dict[str, Spec], *rules: Any) -> Schema:
    return of_columns(
        {
            "nu?": "float",
            "epsilon?": "float",
            "_sparse": "bool",
            "_effective_probability?": "bool",
            "_gamma": "float",
            "support_": "int32[S] >= 0",
            "support_vectors_": "float64[_, _] finite | sparse float64[_, _] finite",
            "fit_status_?": "int",
            "shape_fit_": "tuple(int, int)",
            "_BaseLibSVM__Xfit?": "float[...] | sparse float[_, _]",
            **fitted,
        },
        _supports_have_columns,
        *rules,
    )


def _points_are_of_columns(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    shape = state["_fit_X"].shape
    if len(shape) != 2 or shape[0] != sizes["N"]:
        raise Mismatch(f"_fit_X has the shape {shape} for {sizes['N']} rows")
    if shape[1] != sizes["P"]:
        raise Mismatch(f"_fit_X has the shape {shape} for {sizes['P']} columns")


def _answers_are_classes(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Answers are numbers of classes."""
    classes, codes = state["classes_"], state["_y"]
    each = classes if isinstance(classes, list) else [classes]
    columns = codes.reshape(len(codes), -1)
    if columns.shape[1] != len(each):
        raise Mismatch(f"_y has {columns.shape[1]} columns for {len(each)} outputs")
    for j, one in enumerate(each):
        if len(columns) and not 0 <= columns[:, j].min() <= columns[:, j].max() < len(one):
            raise Mismatch(f"_y is not of numbers below {len(one)}")


_POINTS: dict[str, Spec] = {
    "radius?": "float | none",
    "effective_metric_params_": {
        "p?": "float",
        "V?": "float[P]",
        "VI?": "float[P, P]",
        "w?": "float[P] | none",
    },
    "effective_metric_": "str | function",
    "_fit_method": "str",
    "_fit_X": "float[N, P] | sparse float[N, P] | number[N, P]",
    "n_samples_fit_": "int = N",
    "_tree": "none",
}


def _texts_are_indexed(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    index = state_of(state["index_"])
    if index.get("n_features_in_") != sizes["P"] or index.get("n_samples_fit_") != sizes["N"]:
        raise Mismatch("index_ is not of the texts")


def _all_classes_but_one(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    if sizes["K"] - sizes["R"] not in (0, 1):
        raise Mismatch(f"{sizes['R']} models do not fit {sizes['K']} classes")


_TWO_CLASSES: dict[str, Spec] = {
    "estimators_": "list[R] of estimator",
    "classes_": "label[K]",
    "claimants_": "label[R]",
    "otherwise_": "label",
}

TABLE: dict[str, Schema] = {
    "svm.SVC": _machine(
        {
            "class_weight_": "float64[K]",
            "classes_": "label[K]",
            "_slack?": "sparse float64[_, _]",
            "_n_support": "int32[K] >= 0",
            "_probA": "float64[C]",
            "_probB": "float64[C]",
            "dual_coef_": "float64[K-1, S] finite | sparse float64[K-1, S] finite",
            "_dual_coef_": "float64[K-1, S] finite | sparse float64[K-1, S] finite",
            "intercept_": "float64[M] finite",
            "_intercept_": "float64[M] finite",
            "dual_objective_?": "float64[M]",
            "margin_width_?": "float64[M]",
            "_num_iter?": "int32[M] >= 0",
            "n_iter_?": "int32[M] >= 0",
        },
        _supports_of_classes,
        _pairs_of_classes,
    ),
    "svm.SVR": _machine(
        {
            "probability?": "bool",
            "class_weight?": "none",
            "random_state?": "none",
            "_n_support": "int32[2] = S",
            "_probA?": "float64[_]",
            "_probB?": "float64[_]",
            "dual_coef_": "float64[1, S] finite | sparse float64[1, S] finite",
            "_dual_coef_": "float64[1, S] finite | sparse float64[1, S] finite",
            "intercept_": "float64[1]",
            "_intercept_": "float64[1]",
            "dual_objective_?": "float",
            "_num_iter?": "int32[_]",
            "n_iter_?": "int",
        }
    ),
    "svm.LinearSVC": of_columns(
        {**OF_CLASSES, "n_iter_": "int", "margin_width_?": "float64[R]"}, rows_of_classes
    ),
    "svm.LinearSVR": of_targets({"n_iter_": "int"}),
    "svm.NBSVM": of_columns({**OF_CLASSES, "n_iter_": "int"}, rows_of_classes),
    "svm.PolynomialMap": of_columns(
        {
            "exponents_": "int64[D, P] >= 0",
            "factors_": "float64[D] finite",
            "_n_features_out": "int = D",
        }
    ),
    "neighbors.NearestNeighbors": of_columns(_POINTS, _points_are_of_columns),
    "neighbors.KNeighborsClassifier": of_columns(
        {
            **_POINTS,
            "outputs_2d_": "bool",
            "classes_": "label[_] | list of label[_]",
            "_y": "int64[N] | int64[N, _]",
        },
        _points_are_of_columns,
        _answers_are_classes,
    ),
    "neighbors.KNeighborsRegressor": of_columns(
        {**_POINTS, "_y": "label[N] | label[N, _]"}, _points_are_of_columns
    ),
    "neighbors.TextSearch": of_columns(
        {
            "vectorizer_": "estimator",
            "index_": "NearestNeighbors",
            "texts_": "list[N] of str",
            "labels_": "list[N] of (label | list of label) | none",
        },
        _texts_are_indexed,
        same_width("vectorizer_"),
    ),
    "multiclass.OneVsAllClassifier": of_columns(_TWO_CLASSES, _all_classes_but_one),
}
