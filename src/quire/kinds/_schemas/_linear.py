"""Linear models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quire.kinds._language import Mismatch, Spec
from quire.kinds._schema import Schema
from quire.kinds._schemas._common import of_columns, rows_of_classes

__all__ = ["ADDED", "COUNTS", "OF_CLASSES", "TABLE", "of_targets"]

ADDED: Spec = "float finite | float[R] finite | float[1] finite"
COUNTS: Spec = "none | int | int[...] | list of (int | none)"
OF_CLASSES: dict[str, Spec] = {
    "classes_": "label[K]",
    "coef_": "float[R, P] finite | sparse float[R, P] finite",
    "intercept_": ADDED,
}
OF_TARGETS: dict[str, Spec] = {
    "coef_": "float[P] finite | float[R, P] finite | sparse float[R, P] finite",
    "intercept_": ADDED,
}


def one_for_each_target(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """There is one number to add for each row of coefficients, or one for all."""
    shape = state["coef_"].shape
    if np.size(state["intercept_"]) not in (1, 1 if len(shape) == 1 else shape[0]):
        raise Mismatch(f"intercept_ does not fit coef_ of the shape {shape}")


def of_targets(fitted: Mapping[str, Spec]) -> Schema:
    """Return the schema of a regression with these attributes besides its coefficients."""
    return of_columns({**OF_TARGETS, **fitted}, one_for_each_target)


_PENALIZED: dict[str, Spec] = {
    "n_iter_": COUNTS,
    "dual_gap_": "float | float[R]",
    "l1_ratio?": "float",
}
_PATH: dict[str, Spec] = {
    **_PENALIZED,
    "mse_path_": "float[...]",
    "alpha_": "float",
    "alphas_": "float[...]",
    "l1_ratio_?": "float",
}
_LOGISTIC: dict[str, Spec] = {
    **OF_CLASSES,
    "n_iter_": COUNTS,
    "gap_?": "float | float[...]",
    "solver_?": "str",
}
_BY_CLASS = "dict of label to float[...]"

TABLE: dict[str, Schema] = {
    "linear_model.LinearRegression": of_targets({"rank_?": "int", "singular_?": "float[_]"}),
    "linear_model.Ridge": of_targets({"n_iter_?": COUNTS, "solver_?": "str"}),
    "linear_model.RidgeCV": of_targets(
        {
            "alpha_": "float | float[_]",
            "best_score_": "float | float[_]",
            "cv_results_?": "float[...]",
        }
    ),
    "linear_model.ElasticNet": of_targets(_PENALIZED),
    "linear_model.Lasso": of_targets(_PENALIZED),
    "linear_model.ElasticNetCV": of_targets(_PATH),
    "linear_model.LassoCV": of_targets(_PATH),
    "linear_model.LeastSquaresClassifier": of_columns(OF_CLASSES, rows_of_classes),
    "linear_model.LogisticRegression": of_columns(_LOGISTIC, rows_of_classes),
    "linear_model.LogisticRegressionCV": of_columns(
        {
            **_LOGISTIC,
            "Cs_": "float[_]",
            "C_": "float | float[_]",
            "l1_ratio_": "label | label[_]",
            "l1_ratios_": "label[_]",
            "coefs_paths_": f"float[...] | {_BY_CLASS}",
            "scores_": f"float[...] | {_BY_CLASS}",
        },
        rows_of_classes,
    ),
    "linear_model.NBLogistic": of_columns({**OF_CLASSES, "n_iter_": "int"}, rows_of_classes),
    "linear_model.OrdinalRegression": of_columns(
        {
            "classes_": "label[K]",
            "coef_": "float[P]",
            "thresholds_": "float[K-1]",
            "n_iter_": "int",
        }
    ),
}
