"""What quire puts around a classifier: calibration, and thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quire.kinds._language import Mismatch, Spec
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


TABLE: dict[str, Schema] = {
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
