"""What quire puts around a classifier: calibration, thresholds, and several labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quire.kinds._language import Mismatch, Spec, state_of
from quire.kinds._schema import Schema

__all__ = ["TABLE"]

_ANY_COLUMNS: dict[str, Spec] = {"n_features_in_?": "int = P", "feature_names_in_?": "str[P]"}
_MAPS = {
    "sigmoid": ("slopes_", "intercepts_"),
    "isotonic": ("map_scores_", "map_shares_"),
    "temperature": ("inverse_temperature_",),
}


def _judged(size: str) -> dict[str, Spec]:
    return {
        "brier": "float >= 0",
        "log_loss": "float >= 0",
        "calibration_error": "float >= 0 <= 1",
        "predicted": f"float64[{size}] >= 0 <= 1",
        "observed": f"float64[{size}] >= 0 <= 1",
        "documents": f"int[{size}] >= 0",
    }


def _one_method(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    there = [name for names in _MAPS.values() for name in names if name in state]
    if not any(there == list(names) for names in _MAPS.values()):
        raise Mismatch(f"the maps {there} are not those of one method")


def _one_map_for_each_class(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    wanted = 1 if sizes["K"] == 2 else sizes["K"]
    if sizes.get("M", wanted) != wanted:
        raise Mismatch(f"{sizes['M']} maps do not fit {sizes['K']} classes")


def _corners_rise(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    for x, y in zip(state.get("map_scores_", ()), state.get("map_shares_", ()), strict=True):
        if not len(x) or x.shape != y.shape or (np.diff(x) < 0).any():
            raise Mismatch("the corners of a map are not in order")
        if y.min() < 0 or y.max() > 1:
            raise Mismatch("a map has shares below 0 or above 1")


def _two_classes(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    if sizes["K"] != 2:
        raise Mismatch(f"a threshold is for two classes, and there are {sizes['K']}")
    if state["pos_label_"] not in state["classes_"].tolist():
        raise Mismatch("pos_label_ is not among the classes")
    if state["default_threshold_"] not in (0.0, 0.5):
        raise Mismatch("default_threshold_ is neither 0 nor 0.5")


def _a_model_for_each_label(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    constants = state["constants_"]
    if not np.isin(constants, (-1, 0, 1)).all():
        raise Mismatch("constants_ has other numbers than -1, 0 and 1")
    asked = int((constants == 0).sum())
    wanted = 1 if not state["multilabel_"] and sizes["K"] == 2 else asked
    if sizes["E"] != wanted:
        raise Mismatch(f"{sizes['E']} models do not fit {wanted} labels that have one")
    if state["default_threshold_"] not in (0.0, 0.5):
        raise Mismatch("default_threshold_ is neither 0 nor 0.5")
    if not state["multilabel_"] and constants.any():
        raise Mismatch("a class that all samples have, or none, is no class")
    for one in state["estimators_"]:
        _knows(one, 2, "a model of a label")


def _a_class_for_each_set(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    sets, model = state["sets_"], state["estimator_"]
    n_sets = sets.shape[0]
    if n_sets < 1 or (n_sets > 1) != (model is not None):
        raise Mismatch(f"{n_sets} sets do not fit {'a model' if model is not None else 'no model'}")
    if len(sets.data) and not (sets.data == 1).all():
        raise Mismatch("sets_ has other numbers than 0 and 1")
    for start, stop in zip(sets.indptr[:-1], sets.indptr[1:], strict=True):
        if (np.diff(sets.indices[start:stop]) <= 0).any():
            raise Mismatch("the labels of a set are not in order")
    if not state["multilabel_"] and n_sets != sizes["K"]:
        raise Mismatch(f"{n_sets} sets do not fit {sizes['K']} classes")
    if model is not None:
        _knows(model, n_sets, "the model of the sets")


def _knows(model: Any, n: int, what: str) -> None:
    """Refuse a model that does not tell the classes 0 to n - 1 apart, if it says which it does."""
    classes = state_of(model).get("classes_")
    if isinstance(classes, np.ndarray) and classes.tolist() != list(range(n)):
        raise Mismatch(f"{what} does not tell the classes 0 to {n - 1} apart")


TABLE: dict[str, Schema] = {
    "multilabel.BinaryRelevance": Schema(
        {
            **_ANY_COLUMNS,
            "classes_": "label[K]",
            "multilabel_": "bool",
            "estimators_": "list[E] of estimator",
            "constants_": "int8[K]",
            "thresholds_": "float64[K] finite",
            "default_threshold_": "float",
            "best_score_": "float",
            "separator_": "str",
            "_is_sparse": "bool",
        },
        (_a_model_for_each_label,),
    ),
    "multilabel.LabelPowerset": Schema(
        {
            **_ANY_COLUMNS,
            "classes_": "label[K]",
            "multilabel_": "bool",
            "sets_": "sparse int8[S, K]",
            "n_folded_": "int >= 0",
            "estimator_": "estimator | none",
            "separator_": "str",
            "_is_sparse": "bool",
        },
        (_a_class_for_each_set,),
    ),
    "calibration.CalibratedClassifier": Schema(
        {
            **_ANY_COLUMNS,
            "classes_": "label[K]",
            "estimator_": "estimator",
            "slopes_?": "float64[M] finite",
            "intercepts_?": "float64[M] finite",
            "map_scores_?": "list[M] of float64[_] finite",
            "map_shares_?": "list[M] of float64[_] finite",
            "inverse_temperature_?": "float finite",
            "reliability_": {"before?": _judged("B"), "after?": _judged("A")},
        },
        (_one_method, _one_map_for_each_class, _corners_rise),
    ),
    "model_selection.ThresholdClassifier": Schema(
        {
            **_ANY_COLUMNS,
            "classes_": "label[K]",
            "pos_label_": "label",
            "estimator_": "estimator",
            "best_threshold_": "float",
            "default_threshold_": "float",
            "best_score_": "float",
            "default_score_": "float",
            "held_out_score_": "float",
            "thresholds_": "float64[T]",
            "scores_": "float64[T]",
        },
        (_two_classes,),
    ),
}
