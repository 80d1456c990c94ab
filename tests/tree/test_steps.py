"""The steps of a tree: the divisions in the order in which it grew."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

from quire.persistence import load, save
from quire.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    SplitStep,
)

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def impurity(y, is_classes):
    if is_classes:
        return 1 - ((np.bincount(y) / len(y)) ** 2).sum()
    return ((y - y.mean()) ** 2).mean()


def risk(y, leaves, is_classes):
    """Mean Gini index, or squared error, of the rows by the leaf they are in."""
    groups = [y[leaves == leaf] for leaf in np.unique(leaves)]
    return sum(len(group) * impurity(group, is_classes) for group in groups) / len(y)


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 7}, {"max_depth": 3}])
@pytest.mark.parametrize(
    ("model", "data"), [(DecisionTreeClassifier, IRIS), (DecisionTreeRegressor, DIABETES)]
)
def test_steps_divide_the_rows_one_leaf_after_another(model, data, limits) -> None:
    X, y = data
    tree = model(random_state=0, keep_steps=True, **limits).fit(X, y)
    start, *divisions = tree.steps_
    leaves = np.zeros(len(y), dtype=int)
    assert (start.node, start.feature, start.left, start.right, start.n_leaves) == (
        -1,
        -1,
        -1,
        -1,
        1,
    )
    assert np.isnan(start.threshold)
    assert start.impurity == pytest.approx(risk(y, leaves, data is IRIS))
    single = X.astype(np.float32)
    for number, step in enumerate(divisions, start=2):
        here = leaves == step.node
        assert here.any()  # what is divided was a leaf before
        leaves[here] = np.where(single[here, step.feature] <= step.threshold, step.left, step.right)
        assert step.n_leaves == number == len(set(leaves))
        if number < 12 or number == len(divisions) + 1:
            assert step.impurity == pytest.approx(risk(y, leaves, data is IRIS), abs=1e-10)
    assert np.array_equal(leaves, tree.apply(X))
    assert len(tree.steps_) == tree.n_leaves_


def test_best_first_growth_takes_the_largest_gain_of_all_leaves_each_time() -> None:
    X, y = DIABETES
    tree = DecisionTreeRegressor(max_leaf_nodes=12, keep_steps=True).fit(X, y)
    risks = [step.impurity for step in tree.steps_]
    gains = -np.diff(risks)
    # A division can gain more than the one above it, but never than one that waited beside it.
    waiting = {0: 0}  # node: since when
    by_node = {step.node: gain for step, gain in zip(tree.steps_[1:], gains, strict=True)}
    for number, step in enumerate(tree.steps_[1:]):
        others = [by_node[node] for node in waiting if node != step.node and node in by_node]
        assert all(gains[number] >= gain - 1e-9 for gain in others)
        del waiting[step.node]
        waiting |= {step.left: number, step.right: number}
    assert risks == sorted(risks, reverse=True)


def test_fewer_leaves_are_the_first_steps_of_more() -> None:
    X, y = IRIS
    few, many = (
        DecisionTreeClassifier(max_leaf_nodes=n, random_state=0, keep_steps=True).fit(X, y).steps_
        for n in (4, 8)
    )
    assert few[1:] == many[1:4]


@pytest.mark.parametrize("model", [ExtraTreeClassifier, ExtraTreeRegressor])
def test_random_trees_have_steps_too(model) -> None:
    X, y = IRIS
    tree = model(random_state=0, keep_steps=True).fit(X, y)
    assert [step.n_leaves for step in tree.steps_] == list(range(1, tree.n_leaves_ + 1))


def test_steps_are_those_before_pruning() -> None:
    X, y = DIABETES
    for settings in ({}, {"criterion": "absolute_error", "max_depth": 4}):  # the other engine, too
        whole = DecisionTreeRegressor(random_state=0, keep_steps=True, **settings).fit(X, y)
        pruned = DecisionTreeRegressor(random_state=0, keep_steps=True, ccp_alpha=1.0, **settings)
        pruned.fit(X, y)
        assert pruned.n_leaves_ < whole.n_leaves_ == len(pruned.steps_)
        assert pruned.steps_[1:] == whole.steps_[1:]


def test_a_question_about_categories_has_no_threshold() -> None:
    X = [["red", 1.0], ["blue", 2.0], ["green", 1.0], ["red", 5.0]]
    tree = DecisionTreeClassifier(categorical_features=[0], keep_steps=True).fit(X, [1, 1, 0, 1])
    assert tree.steps_[1].feature == 0
    assert np.isnan(tree.steps_[1].threshold)


def test_steps_change_nothing_and_are_kept_on_request_only(tmp_path) -> None:
    X, y = IRIS
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    watched = DecisionTreeClassifier(random_state=0, keep_steps=True).fit(X, y)
    assert not hasattr(tree, "steps_")
    assert tree.tree_.threshold.tolist() == watched.tree_.threshold.tolist()
    assert all(isinstance(step, SplitStep) for step in watched.steps_)
    save(watched, tmp_path / "tree.quire")
    for copy in (load(tmp_path / "tree.quire"), pickle.loads(pickle.dumps(watched))):
        assert not hasattr(copy, "steps_")
        assert np.array_equal(copy.predict(X), tree.predict(X))
    assert not hasattr(watched.set_params(keep_steps=False).fit(X, y), "steps_")
