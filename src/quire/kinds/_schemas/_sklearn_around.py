"""What scikit-learn puts around models: pipelines, searches, votes, calibration, scorers, folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quire._shared.class_names import public_name
from quire.kinds._language import Mismatch, Spec
from quire.kinds._schema import Schema
from quire.kinds._schemas._common import COLUMNS
from quire.kinds._schemas._trees import OF_ENSEMBLE, columns_of_models

__all__ = ["TABLE"]

_ANY_COLUMNS: dict[str, Spec] = {"n_features_in_?": "int = P", "feature_names_in_?": "str[P]"}
_STEP = "tuple(str, estimator | str | none)"
_PLACES = "int | str | slice | list of (int | str | bool) | int[_] | bool[_] | str[_] | function"
_PLACED = f"tuple(str, estimator | str, {_PLACES})"
_SCORING = "str | function | none | sequence of str | set of str | dict of str to (str | function)"
_SCORER = "_PassthroughScorer | _Scorer | _MultimetricScorer | function"
_NAMED = "dict of str to (estimator | str)"


def _slopes_of_classes(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    if len(state["calibrators"]) not in (1, sizes["K"]):
        raise Mismatch(f"{len(state['calibrators'])} calibrators do not fit {sizes['K']} classes")


def _repeats_folds(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    known = ("sklearn.model_selection.KFold", "sklearn.model_selection.StratifiedKFold")
    if not isinstance(state["cv"], type) or public_name(state["cv"]) not in known:
        raise Mismatch("cv is not a kind of folds")


def _order_is_complete(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    if sorted(state["order_"]) != list(range(sizes["E"])):
        raise Mismatch("order_ is not an order of the models")


def _best_is_one_of_them(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    results = state.get("cv_results_")
    if results is None:
        return
    n = len(results["params"]) if isinstance(results.get("params"), list) else None
    for name, values in results.items():
        masked = np.ma.MaskedArray if name.startswith("param_") else np.ndarray
        plain = type(values) in (np.ndarray, masked) and values.ndim == 1 and len(values) == n
        if not plain and not (isinstance(values, list) and len(values) == n):
            raise Mismatch(f"cv_results_ has {name} of another length")


def _model_around(fitted: Mapping[str, Spec], *rules: Any, **parameters: Spec) -> Schema:
    return Schema({**_ANY_COLUMNS, **fitted}, rules, parameters)


_SEARCH: dict[str, Spec] = {
    "_checked_cv_orig?": "anything",
    "n_splits_": "int",
    "multimetric_": "bool",
    "best_index_?": "int",
    "best_score_?": "float",
    "best_params_?": "dict of str to anything",
    "best_estimator_?": "estimator",
    "refit_time_?": "float",
    "scorer_": f"{_SCORER} | dict of str to ({_SCORER})",
    "cv_results_?": "dict of str to anything",
}
_FOLDS: dict[str, Spec] = {
    "n_splits?": "int",
    "shuffle?": "bool",
    "random_state?": "none | int | random",
    "test_size?": "float | none",
    "train_size?": "float | none",
    "_default_test_size?": "float",
    "n_groups?": "int",
    "p?": "int",
    "max_train_size?": "int | none",
    "gap?": "int",
}
_REPEATED: dict[str, Spec] = {
    "cv": "function",
    "n_repeats": "int",
    "random_state": "none | int | random",
    "cvargs": "dict of str to plain",
}
_SCORED: dict[str, Spec] = {
    "_score_func": "function",
    "_sign": "int",
    "_kwargs": "dict of str to anything",
    "_response_method": "str | sequence of str",
    "_metadata_request?": "requests",
}
_TWO_CLASSES: dict[str, Spec] = {"classes_": "label[_]"}
_VOTES: dict[str, Spec] = {"estimators_": "list of estimator", "named_estimators_": _NAMED}
_STACK: dict[str, Spec] = {
    **_VOTES,
    "final_estimator_": "estimator",
    "stack_method_": "list of str",
    "stack_method?": "str",
    "_n_feature_outs?": "list of int >= 0",
}
_BOOSTED: dict[str, Spec] = {
    "estimator_params?": "sequence of str",
    "estimator_": "estimator",
    "estimators_": "list of estimator",
    "estimator_weights_": "float[_]",
    "estimator_errors_": "float[_]",
}
_CHAIN: dict[str, Spec] = {
    "order_": "int[E] | list[E] of int",
    "estimators_": "list[E] of estimator",
    "chain_method_?": "str | list of str",
    "classes_?": "list[E] of label[_]",
}
_VOTED = {"estimators": f"sequence of {_STEP}"}

TABLE: dict[str, Schema] = {
    "pipeline.Pipeline": Schema({}, (), {"steps": f"sequence of {_STEP}", "memory": "anything"}),
    "pipeline.FeatureUnion": Schema(
        _ANY_COLUMNS,
        (),
        {
            "transformer_list": f"sequence of {_STEP}",
            "transformer_weights": "none | dict of str to float",
            "verbose": "bool | int",
            "verbose_feature_names_out": "bool | str | function",
        },
    ),
    "compose.ColumnTransformer": Schema(
        {
            **COLUMNS,
            "_columns": f"list of ({_PLACES})",
            "_transformer_to_input_indices": "dict of str to (list of int >= 0 < P)",
            "_remainder": f"tuple(str, estimator | str, {_PLACES})",
            "_n_features?": "int",
            "sparse_output_": "bool",
            "transformers_": f"list of {_PLACED}",
            "output_indices_": "dict of str to plain",
            "_name_to_fitted_passthrough?": "dict of str to estimator",
        },
        (),
        {"transformers": f"sequence of {_PLACED}"},
    ),
    "compose.TransformedTargetRegressor": _model_around(
        {"_training_dim": "int", "transformer_": "estimator", "regressor_": "estimator"}
    ),
    "compose.make_column_selector": Schema(
        {"pattern": "str | none", "dtype_include": "anything", "dtype_exclude": "anything"}
    ),
    "frozen.FrozenEstimator": Schema({}, (), {"estimator": "estimator"}),
    # searches, thresholds, calibration
    "model_selection.GridSearchCV": _model_around(_SEARCH, _best_is_one_of_them, scoring=_SCORING),
    "model_selection.RandomizedSearchCV": _model_around(
        _SEARCH, _best_is_one_of_them, scoring=_SCORING
    ),
    "model_selection.FixedThresholdClassifier": _model_around({"estimator_": "estimator"}),
    "model_selection.TunedThresholdClassifierCV": _model_around(
        {
            "_curve_scorer": "_CurveScorer",
            "estimator_": "estimator",
            "best_score_": "float",
            "best_threshold_": "float",
            "cv_results_?": "dict of str to float[_]",
        }
    ),
    "calibration.CalibratedClassifierCV": _model_around(
        {"calibrated_classifiers_": "list of _CalibratedClassifier", "classes_": "label[_]"}
    ),
    "calibration._CalibratedClassifier": Schema(
        {
            "estimator": "estimator",
            "calibrators": (
                "list of (_SigmoidCalibration | IsotonicRegression | _TemperatureScaling)"
            ),
            "classes": "label[K]",
            "method": "str",
        },
        (_slopes_of_classes,),
    ),
    "calibration._SigmoidCalibration": Schema({"a_": "float", "b_": "float"}),
    "calibration._TemperatureScaling": Schema({"beta_": "float"}),
    # several classes, several outputs
    "multiclass.OneVsRestClassifier": _model_around(
        {
            **_TWO_CLASSES,
            "label_binarizer_": "LabelBinarizer",
            "estimators_": "list of estimator",
        }
    ),
    "multiclass.OneVsOneClassifier": _model_around(
        {
            **_TWO_CLASSES,
            "estimators_": "sequence of estimator",
            "pairwise_indices_": "none | list of int[_]",
        },
        lambda state, sizes: _pairs(state),
    ),
    "multiclass.OutputCodeClassifier": _model_around(
        {
            "classes_": "label[K]",
            "code_book_": "float[K, E]",
            "estimators_": "list[E] of estimator",
        }
    ),
    "multiclass._ConstantPredictor": _model_around({"y_": "int[_] | bool[_]"}),
    "multioutput.ClassifierChain": _model_around(_CHAIN, _order_is_complete),
    "multioutput.RegressorChain": _model_around(_CHAIN, _order_is_complete),
    "multioutput.MultiOutputClassifier": _model_around(
        {"estimators_": "list[E] of estimator", "classes_?": "list[E] of label[_]"}
    ),
    "multioutput.MultiOutputRegressor": _model_around({"estimators_": "list of estimator"}),
    # ensembles of any models
    "ensemble.VotingClassifier": _model_around(
        {**_VOTES, "le_": "LabelEncoder", "classes_": "label[_]"}, **_VOTED
    ),
    "ensemble.VotingRegressor": _model_around(_VOTES, **_VOTED),
    "ensemble.StackingClassifier": _model_around(
        {
            **_STACK,
            "_label_encoder?": "LabelEncoder | list of LabelEncoder",
            "classes_": "label[_] | list of label[_]",
        },
        **_VOTED,
    ),
    "ensemble.StackingRegressor": _model_around(_STACK, **_VOTED),
    "ensemble.AdaBoostClassifier": _model_around(
        {**_BOOSTED, "classes_": "label[K]", "n_classes_": "int = K"}
    ),
    "ensemble.AdaBoostRegressor": _model_around(_BOOSTED),
    "ensemble.BaggingClassifier": _model_around(
        {
            **OF_ENSEMBLE,
            "classes_": "label[K]",
            "n_classes_": "int = K",
            "oob_decision_function_?": "float[...]",
        },
        columns_of_models,
    ),
    "ensemble.BaggingRegressor": _model_around(
        {**OF_ENSEMBLE, "oob_prediction_?": "float[...]"}, columns_of_models
    ),
    # scorers
    "metrics._Scorer": Schema(_SCORED),
    "metrics._CurveScorer": Schema({**_SCORED, "_thresholds": "int | float[_] | list of float"}),
    "metrics._MultimetricScorer": Schema(
        {"_scorers": f"dict of str to ({_SCORER})", "_raise_exc": "bool"}
    ),
    "metrics._PassthroughScorer": Schema(
        {"_estimator": "estimator", "_metadata_request?": "requests"}
    ),
    # folds
    **{
        f"model_selection.{name}": Schema(_FOLDS)
        for name in (
            "GroupKFold",
            "GroupShuffleSplit",
            "KFold",
            "LeaveOneGroupOut",
            "LeaveOneOut",
            "LeavePGroupsOut",
            "LeavePOut",
            "ShuffleSplit",
            "StratifiedGroupKFold",
            "StratifiedKFold",
            "StratifiedShuffleSplit",
            "TimeSeriesSplit",
        )
    },
    "model_selection.PredefinedSplit": Schema({"test_fold": "int[_]", "unique_folds": "int[_]"}),
    "model_selection.RepeatedKFold": Schema(_REPEATED, (_repeats_folds,)),
    "model_selection.RepeatedStratifiedKFold": Schema(_REPEATED, (_repeats_folds,)),
    "model_selection._CVIterableWrapper": Schema(
        {"cv": "list of tuple(int[_] | list of int, int[_] | list of int)"}
    ),
}


def _pairs(state: Mapping[str, Any]) -> None:
    n = len(state["classes_"])
    if len(state["estimators_"]) != n * (n - 1) // 2:
        raise Mismatch(f"{len(state['estimators_'])} models are not one for each pair of {n}")
