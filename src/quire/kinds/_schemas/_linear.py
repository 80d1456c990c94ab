"""Linear models."""

from __future__ import annotations

from quire.kinds._language import Spec
from quire.kinds._schema import Schema
from quire.kinds._schemas._common import of_columns, rows_of_classes

__all__ = ["ADDED", "OF_CLASSES", "OF_TARGETS", "TABLE"]

ADDED: Spec = "float | float[R] | float[1]"
COUNTS: Spec = "none | int | int[...] | list of (int | none)"
OF_CLASSES: dict[str, Spec] = {
    "classes_": "label[K]",
    "coef_": "float[R, P] | sparse float[R, P]",
    "intercept_": ADDED,
}
OF_TARGETS: dict[str, Spec] = {
    "coef_": "float[P] | float[R, P] | sparse float[1, P] | sparse float[R, P]",
    "intercept_": ADDED,
}
_PENALIZED: dict[str, Spec] = {
    **OF_TARGETS,
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
    "linear_model.LinearRegression": of_columns(
        {**OF_TARGETS, "rank_?": "int", "singular_?": "float[_]"}
    ),
    "linear_model.Ridge": of_columns({**OF_TARGETS, "n_iter_?": COUNTS, "solver_?": "str"}),
    "linear_model.RidgeCV": of_columns(
        {
            **OF_TARGETS,
            "alpha_": "float | float[_]",
            "best_score_": "float | float[_]",
            "cv_results_?": "float[...]",
        }
    ),
    "linear_model.ElasticNet": of_columns(_PENALIZED),
    "linear_model.Lasso": of_columns(_PENALIZED),
    "linear_model.ElasticNetCV": of_columns(_PATH),
    "linear_model.LassoCV": of_columns(_PATH),
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
    "linear_model.OrdinalRegression": of_columns(
        {
            "classes_": "label[K]",
            "coef_": "float[P]",
            "thresholds_": "float[K-1]",
            "n_iter_": "int",
        }
    ),
}
