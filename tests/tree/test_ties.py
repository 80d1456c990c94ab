"""Divisions that are equally good, weights that cancel out, and trees that predict unchanged."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse

from quire.ensemble import RandomForestClassifier
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier


def same_tree(first, second):
    first, second = first.tree_, second.tree_
    return (
        np.array_equal(first.feature, second.feature)
        and np.array_equal(first.threshold, second.threshold)
        and np.array_equal(first.children_left, second.children_left)
    )


def small_set(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 40)), int(rng.integers(1, 6))
    X = rng.integers(0, 4, (n, p)).astype(float)
    return X, rng.integers(0, int(rng.integers(2, 5)), n), rng.integers(0, 5, n)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_whole_weights_are_repeated_rows(criterion, form):
    differ = 0
    for seed in range(300):
        X, y, weight = small_set(seed)
        if not weight.any():
            continue
        order = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(y)), weight))
        options = {"criterion": criterion, "random_state": 0}
        weighted = DecisionTreeClassifier(**options).fit(form(X), y, sample_weight=weight)
        repeated = DecisionTreeClassifier(**options).fit(form(X[order]), y[order])
        differ += not same_tree(weighted, repeated)
    assert differ == 0


def test_divisions_that_are_equally_good_are_as_likely():
    """Four parts of eight, or two and six, that leave the shares of the classes as they are.

    That is a gain of zero for all three columns, however it is computed.
    """
    a = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    b = np.array([0, 0, 1, 1, 1, 1, 1, 1])
    c = np.array([0, 1, 1, 1, 1, 1, 1, 0])
    X, y = np.column_stack([a, b, c]), np.array([0, 1, 0, 1, 0, 1, 0, 1])
    chosen = {
        int(
            DecisionTreeClassifier(criterion="entropy", max_depth=1, random_state=seed)
            .fit(X, y)
            .tree_.feature[0]
        )
        for seed in range(40)
    }
    assert chosen == {0, 1, 2}


@pytest.mark.parametrize("n", [3, 1000, 70_000])
def test_entropy_of_many_samples_is_that_of_its_definition(n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = (rng.uniform(size=n) < 1 / (1 + np.exp(-3 * x))).astype(int) if n > 3 else [0, 1, 1]
    y = np.asarray(y)
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(x[:, None], y)
    order = np.argsort(x.astype(np.float32), kind="stable")
    ones = np.cumsum(y[order])[:-1].astype(float)
    left = np.arange(1, n).astype(float)

    def bits(k, m):
        with np.errstate(divide="ignore", invalid="ignore"):
            p = k / m
            return -m * np.nan_to_num(p * np.log2(p)) - m * np.nan_to_num((1 - p) * np.log2(1 - p))

    best = (bits(ones, left) + bits(y.sum() - ones, n - left)).min()
    impurity, weight = tree.tree_.impurity[1:], tree.tree_.weighted_n_node_samples[1:]
    assert impurity @ weight == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("model", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_one_column_of_categories_is_pruned(model):
    X = np.array(["a", "b", "c", "a", "b", "d"] * 10, dtype=object)[:, None]
    y = np.array([0, 1, 1, 0, 1, 0] * 10)
    y[::7] = 1
    whole = model(categorical_features=[0], random_state=0).fit(X, y)
    pruned = model(categorical_features=[0], ccp_alpha=0.01, random_state=0).fit(X, y)
    assert 2 <= pruned.n_leaves_ <= whole.n_leaves_
    np.testing.assert_array_equal(pruned.predict(X) > 0.5, np.isin(X[:, 0], ["b", "c"]))
    stump = model(categorical_features=[0], ccp_alpha=10.0, random_state=0).fit(X, y)
    assert stump.n_leaves_ == 1


@pytest.mark.parametrize(
    "settings", [{"criterion": "absolute_error"}, {"monotonic_cst": [1, 0]}, {}], ids=str
)
def test_predicting_changes_nothing(settings):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    model = DecisionTreeRegressor(**settings).fit(X, y)
    before = pickle.dumps(vars(model))
    names = set(vars(model))
    model.predict(X)
    model.apply(X)
    model.decision_path(X)
    assert set(vars(model)) == names
    assert pickle.dumps(vars(model)) == before


def test_a_loaded_forest_predicts_and_changes_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), np.arange(50) % 2
    model = pickle.loads(pickle.dumps(RandomForestClassifier(3).fit(X, y)))
    before = dict(vars(model))
    model.predict(X)
    model.apply(X)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("model", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_weights_that_cancel_out_warn_of_nothing(model, criterion):
    """scikit-learn takes weights below zero in silence, too."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 3
    for weight in (rng.normal(size=60), np.where(np.arange(60) % 2, 1.0, -1.0)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = model(criterion=criterion, random_state=0).fit(X, y, sample_weight=weight)
            assert tree.predict(X).shape == (60,)
            assert tree.tree_.node_count >= 1
            assert tree.feature_importances_.shape == (4,)
            DecisionTreeRegressor().fit(X, y, sample_weight=weight).feature_importances_  # noqa: B018


def test_forests_by_entropy_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (300, 6)).astype(float), rng.integers(0, 3, 300)
    shares = [
        RandomForestClassifier(10, criterion="entropy", random_state=0, n_jobs=n_jobs)
        .fit(X, y)
        .predict_proba(X)
        for n_jobs in (1, 2)
    ]
    np.testing.assert_array_equal(*shares)
