"""Trees, and ensembles of them and of other models.

The nodes of a tree are looked at by the function that guards the kernels: each node is the child of
one node before it, asks about a column that there is, and has what belongs to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quire.kinds._language import Mismatch, Spec, class_of, has_object, state_of
from quire.kinds._schema import Rule, Schema, check_state
from quire.kinds._schemas._common import of_columns

__all__ = ["OF_ENSEMBLE", "TABLE", "columns_of_models"]

_MOST_CATEGORIES = 64  # the bits of a node's set

_SUMS: dict[str, Spec] = {
    "sum_begin": "int64[N+1] sorted >= 0",
    "sum_class": "int32[S] >= 0",
    "sum_weight": "float64[S] finite",
}
_VALUES: dict[str, Spec] = {
    "value": "float64[N] finite | float64[N, _, _] finite",
    "impurity": "float64[N]",
    "weight": "float64[N]",
}
_ONE: dict[str, Spec] = {"nodes": "anything[N]", "depth": "int >= 0", "criterion": "str"}
_MANY: dict[str, Spec] = {
    "begin": "int64[E+1] sorted >= 0",
    "nodes": "anything[N]",
    "depth": "int64[E] >= 0",
    "criterion": "str",
}
_ARRAYS: Spec = ({**_ONE, **_SUMS}, {**_ONE, **_VALUES})
_PACKED: Spec = ({**_MANY, **_SUMS}, {**_MANY, **_VALUES})
_CLASSES: dict[str, Spec] = {
    "classes_": "label[_] | list[O] of label[_]",
    "n_classes_": "int >= 1 | index[O] >= 1 | list[O] of int >= 1",
}


_MOST_OUTPUTS = 1 << 20  # numbers that a tree predicts at once


def _numbers_of_classes(state: Mapping[str, Any]) -> list[int]:
    """Return how many classes each output has; 1 for numbers."""
    if "classes_" not in state:
        if state["n_outputs_"] > _MOST_OUTPUTS:
            raise Mismatch(f"n_outputs_ is more than {_MOST_OUTPUTS}")
        return [1] * int(state["n_outputs_"])
    classes = state["classes_"]
    found = [len(one) for one in classes] if isinstance(classes, list) else [len(classes)]
    if np.atleast_1d(np.asarray(state["n_classes_"])).tolist() != found:
        raise Mismatch(f"n_classes_ is not {found}")
    if len(found) != state["n_outputs_"]:
        raise Mismatch(f"classes_ are of {len(found)} outputs and not of {state['n_outputs_']}")
    return found


def _check_arrays(packed: Mapping[str, Any], state: Mapping[str, Any], n_features: int) -> None:
    """Look at the arrays of one tree or of many."""
    from quire._shared.trees.arrays import NODE, check_trees, native

    numbers = _numbers_of_classes(state)
    arrays = native(dict(packed))
    if arrays["nodes"].dtype != NODE:
        raise Mismatch("nodes are not of the type of nodes")
    begin = arrays.get("begin")
    if begin is None:
        begin = np.array([0, len(arrays["nodes"])], dtype=np.int64)
    if "value" in arrays:
        whole = (len(numbers), max(numbers))
        if arrays["value"].shape[1:] not in ((), whole) or (max(whole) > 1) > arrays["value"].ndim:
            raise Mismatch(f"value has the shape {arrays['value'].shape}")
    elif len(numbers) != 1 or "classes_" not in state:
        raise Mismatch("sums of classes are of one output")
    depths = check_trees(arrays | {"begin": begin}, n_features, numbers[0])
    if not np.array_equal(np.atleast_1d(arrays["depth"]), depths):
        raise Mismatch(f"depth is not {depths.tolist()}")


def _check_categories(state: Mapping[str, Any], n_features: int) -> None:
    categories = state.get("_categories")
    if categories is not None and len(state_of(categories)["mask"]) != n_features:
        raise Mismatch(f"_categories are not of {n_features} columns")


def _tree_is_sound(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    _check_categories(state, sizes["P"])
    _check_arrays(state["_arrays"], state, sizes["P"])


def _forest_is_sound(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """All trees are sound, and so is what they have in common when they are taken out."""
    from quire._shared.trees.arrays import unpack
    from quire.kinds._schemas import schema_of

    if "_mismatch" in state:  # what the forest says itself when it is asked
        raise Mismatch(state["_mismatch"])
    _check_categories(state, sizes["P"])
    _check_arrays(state["_packed"], state, sizes["P"])
    tree = class_of(state["estimator_"])
    schema = schema_of(tree)
    if schema is None or sizes["E"] < 1:
        raise Mismatch("there is no tree")
    arrays = unpack(state["_packed"], 0)
    one = {**state["_tree_state"], "random_state": 0, "_arrays": arrays}
    check_state(tree, schema, one)
    for name in ("n_features_in_", "n_outputs_"):
        if one[name] != state[name]:
            raise Mismatch(f"_tree_state has another {name}")
    if _numbers_of_classes(one) != _numbers_of_classes(state):
        raise Mismatch("_tree_state has other classes")


def _few_categories(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    encoder = state_of(state["_encoder"])
    known = encoder.get("categories_")
    if known is None or len(known) != int(np.count_nonzero(state["mask"])):
        raise Mismatch("_encoder does not know the columns of mask")
    if any(len(values) > _MOST_CATEGORIES + 1 for values in known):  # and one for missing values
        raise Mismatch(f"a column has more than {_MOST_CATEGORIES} categories")


def columns_of_models(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Every model of a bag takes the columns that it was given."""
    for model, columns in zip(state["estimators_"], state["estimators_features_"], strict=True):
        known = state_of(model).get("n_features_in_", len(columns))
        if known != len(columns):
            raise Mismatch(f"a model of {known} columns is given {len(columns)}")


def _classes_inside(model: Any) -> Any:
    """Return the classes of a model, which a pipeline or a search leaves to another one."""
    state = state_of(model)
    while "classes_" not in state:
        inside = state.get("best_estimator_", state.get("estimator"))
        if has_object(model, "pipeline.Pipeline") and state["steps"]:
            inside = state["steps"][-1][1]
        if inside is None or isinstance(inside, str):
            return None
        model, state = inside, state_of(inside)
    return state["classes_"]


def _members_agree(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Refuse an average whose models have other names or other classes."""
    named = list(state["named_estimators_"].values())
    models = state["estimators_"]
    if len(named) != len(models) or any(a is not b for a, b in zip(named, models, strict=True)):
        raise Mismatch("named_estimators_ are not estimators_")
    classes = state["classes_"].tolist()
    if len(classes) < 2 or not models:
        raise Mismatch("there are no models between classes")
    for model in models:
        found = _classes_inside(model)
        if not isinstance(found, np.ndarray) or found.tolist() != classes:
            raise Mismatch(f"a {class_of(model).__name__} has other classes")


def _tree(fitted: dict[str, Spec], *rules: Rule) -> Schema:
    return of_columns(
        {
            "_categories?": "Categories | none",
            "n_outputs_": "int = O >= 1",
            "max_features_?": "int >= 1",
            "_arrays": _ARRAYS,
            "engine_?": "str",
            **fitted,
        },
        _tree_is_sound,
        *rules,
    )


def _forest(tree: str, fitted: dict[str, Spec]) -> Schema:
    return of_columns(
        {
            "_categories?": "Categories | none",
            "estimator?": "estimator",
            "estimator_params?": "sequence of str",
            "_n_samples?": "int >= 0",
            "_n_samples_bootstrap?": "int >= 0 | none",
            "_sample_weight?": "number[_] | none",
            "n_outputs_": "int = O >= 1",
            "estimator_": tree,
            "_packed": _PACKED,
            "_seeds": "int64[E]",
            "_tree_state": "dict of str to anything",
            "_mismatch?": "str",
            "oob_score_?": "float",
            **fitted,
        },
        _forest_is_sound,
    )


_CLASS_TREE = _tree(_CLASSES)
_NUMBER_TREE = _tree({"class_weight?": "none"})
_OF_CLASSES: dict[str, Spec] = {**_CLASSES, "oob_decision_function_?": "float[...]"}
_OF_NUMBERS: dict[str, Spec] = {"class_weight?": "none", "oob_prediction_?": "float[...]"}
OF_ENSEMBLE: dict[str, Spec] = {
    "estimator_params?": "sequence of str",
    "_n_samples?": "int >= 0",
    "estimator_": "estimator",
    "_max_samples?": "int >= 0",
    "_max_features?": "int >= 1",
    "_sample_weight?": "number[_] | none",
    "estimators_": "list[E] of estimator",
    "estimators_features_": "list[E] of index[_] >= 0 < P",
    "_seeds?": "int[E]",
    "oob_score_?": "float",
}
_BAG_OF_CLASSES: dict[str, Spec] = {
    **OF_ENSEMBLE,
    "classes_": "label[K]",
    "n_classes_": "int = K",
    "oob_decision_function_?": "float[...]",
}

TABLE: dict[str, Schema] = {
    "Categories": Schema({"mask": "bool[_]", "_encoder": "OrdinalEncoder"}, (_few_categories,)),
    "tree.DecisionTreeClassifier": _CLASS_TREE,
    "tree.ExtraTreeClassifier": _CLASS_TREE,
    "tree.DecisionTreeRegressor": _NUMBER_TREE,
    "tree.ExtraTreeRegressor": _NUMBER_TREE,
    "ensemble.RandomForestClassifier": _forest("DecisionTreeClassifier", _OF_CLASSES),
    "ensemble.ExtraTreesClassifier": _forest("ExtraTreeClassifier", _OF_CLASSES),
    "ensemble.RandomForestRegressor": _forest("DecisionTreeRegressor", _OF_NUMBERS),
    "ensemble.ExtraTreesRegressor": _forest("ExtraTreeRegressor", _OF_NUMBERS),
    "ensemble.AveragedClassifier": Schema(
        {
            "n_features_in_?": "int = P",
            "feature_names_in_?": "str[P]",
            "classes_": "label[K]",
            "estimators_": "list[E] of estimator",
            "named_estimators_": "dict of str to estimator",
            "weights_": "float64[E] finite >= 0",
        },
        (_members_agree,),
        {
            "estimators": "sequence of tuple(str, estimator | str)",
            "weights": "none | number[_] | sequence of (int | float)",
        },
    ),
    "ensemble.BaggingClassifier": of_columns(_BAG_OF_CLASSES, columns_of_models),
    "ensemble.BaggingRegressor": of_columns(
        {**OF_ENSEMBLE, "oob_prediction_?": "float[...]"}, columns_of_models
    ),
}
