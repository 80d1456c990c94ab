"""The instability of trees: it falls with the size of a forest."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression

from quire.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quire.model_selection import tree_instability
from quire.model_selection._experiments.tree_instability import _by_size, _changes
from quire.tree import DecisionTreeClassifier

CLASSES = make_classification(
    300, 12, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.2, random_state=1
)
NUMBERS = make_regression(200, 6, noise=20.0, random_state=0)


def test_changes_are_means_over_pairs():
    answers = np.array([["a", "b", "c"], ["a", "b", "d"], ["a", "c", "e"]])
    pairs = np.array([[np.mean(one != other) for other in answers] for one in answers])
    np.testing.assert_allclose(_changes(answers), pairs.sum(axis=1) / 2)


def test_instability_falls_with_the_size_of_a_forest():
    found = tree_instability(*CLASSES, n_resamples=10)
    changed = found.changed.mean(axis=1)
    assert found.sizes.tolist() == [1, 3, 10, 30, 100]
    assert np.all(np.diff(changed[1:]) < 0)
    assert changed[-1] < 0.6 * changed[0]
    errors = found.errors.mean(axis=1)
    assert errors[-1] < errors[0]
    assert sum(found.roots.values()) == found.n_resamples == 10
    assert 0 < found.same_root <= 1


def test_a_certain_root_and_pure_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    sure = tree_instability(
        X, X[:, 3] > 0, sizes=[1, 5], n_resamples=5, feature_names=list("abcde")
    )
    assert sure.roots == {"d": 5}
    assert sure.same_root == 1.0
    assert sure.changed[0].mean() < 0.1
    noise = tree_instability(X, rng.random(300) > 0.5, sizes=[1], n_resamples=5)
    assert noise.changed[0].mean() > 0.3
    nothing = tree_instability(np.zeros((30, 2)), [0, 1] * 15, sizes=[2], n_resamples=3)
    assert nothing.roots == {None: 3}
    assert "none 3" in str(nothing)


def test_numbers():
    found = tree_instability(*NUMBERS, sizes=[1, 10, 50], n_resamples=6)
    assert found.task == "numbers"
    assert np.all(np.diff(found.changed[1:].mean(axis=1)) < 0)
    assert found.changed[-1].mean() < found.changed[0].mean()
    assert "spread" in str(found)


def test_same_bits_and_sparse_rows():
    X, y = CLASSES
    X = np.where(X < 0, 0.0, X)
    options = {"sizes": [1, 4], "n_resamples": 3, "random_state": 5}
    first = tree_instability(sparse.csr_array(X), y, n_jobs=1, **options)
    second = tree_instability(sparse.csr_array(X), y, n_jobs=2, **options)
    np.testing.assert_array_equal(first.changed, second.changed)
    assert first.roots == second.roots
    other = tree_instability(sparse.csr_array(X), y, **{**options, "random_state": 6})
    assert not np.array_equal(first.errors, other.errors)


def test_own_trees_forests_and_groups():
    X, y = CLASSES
    found = tree_instability(
        X,
        y.astype(str),
        sizes=(3, 1, 3),
        n_resamples=3,
        tree=DecisionTreeClassifier(max_depth=2),
        forest=ExtraTreesClassifier(max_depth=3),
        groups=np.arange(300) // 5,
        test_size=12,
    )
    assert found.sizes.tolist() == [1, 3]
    assert found.n_test == 12 * 5


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_the_last_size_is_the_whole_forest(voting):
    X, y = CLASSES
    forest = RandomForestClassifier(7, max_depth=3, voting=voting, random_state=0).fit(X, y)
    *_, whole = _by_size(forest, X, np.array([1, 7]), True)
    np.testing.assert_array_equal(whole, forest.predict(X))


def test_table_and_plot():
    found = tree_instability(*CLASSES, sizes=[1, 20], n_resamples=4)
    frame = found.to_frame()
    assert frame.columns == ["model", "n_trees", "resample", "changed", "error"]
    assert frame.height == 3 * 4
    assert frame["model"].to_list().count("tree") == 4
    assert "forest of 20 trees" in str(found)
    assert repr(found).startswith("TreeInstability(sizes=[1, 20]")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = found.plot()
    assert ax.get_xlabel() == "Trees of the forest"
    assert len(ax.get_lines()) == 4
    pyplot.close("all")


def test_bad_arguments():
    X, y = CLASSES
    with pytest.raises(ValueError, match="expected numbers of trees"):
        tree_instability(X, y, sizes=[0])
    with pytest.raises(ValueError, match="expected numbers of trees"):
        tree_instability(X, y, sizes=5)
    with pytest.raises(ValueError, match="n_resamples"):
        tree_instability(X, y, n_resamples=1)
    with pytest.raises(TypeError, match="forest is LogisticRegression"):
        tree_instability(X, y, forest=LogisticRegression())
    with pytest.raises(TypeError, match="takes a tree, got RandomForestClassifier"):
        tree_instability(X, y, tree=RandomForestClassifier())
    with pytest.raises(ValueError, match="the tree predicts classes"):
        tree_instability(X, y, forest=RandomForestRegressor())
    with pytest.raises(ValueError, match="feature_names has 2 names; X has 12 columns"):
        tree_instability(X, y, feature_names=["a", "b"])


@pytest.mark.parametrize("data", [CLASSES, NUMBERS], ids=["classes", "numbers"])
def test_bagged_trees_are_steadier_than_one(data):
    found = tree_instability(*data, sizes=[1, 30], n_resamples=5, forest="bagging")
    assert found.ensemble == "bagging"
    assert found.changed[2].mean() < min(found.changed[0].mean(), found.changed[1].mean())
    assert "bagging of 30 trees" in str(found)
    assert set(found.to_frame()["model"]) == {"tree", "bagging"}


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_bagging_of_all_trees_predicts_as_it_does_itself(voting):
    X, y = CLASSES
    names = np.array(["a", "b", "c"])[y]
    few = np.flatnonzero(names != "c")[:60].tolist() + np.flatnonzero(names == "c")[:1].tolist()
    settings = {"n_estimators": 7, "random_state": 0, "max_features": 0.5, "voting": voting}
    for rows in (slice(None), few):  # of one row of a class some trees see none
        model = BaggingClassifier(DecisionTreeClassifier(max_depth=3), **settings)
        model.fit(X[rows], names[rows])
        (found,) = _by_size(model, X, np.array([7]), True)
        assert np.array_equal(found, model.predict(X))
    (found,) = _by_size(model, sparse.csr_array(X), np.array([7]), True)
    assert np.array_equal(found, model.predict(X))


def test_only_trees_are_bagged_here():
    with pytest.raises(TypeError, match="forest is BaggingClassifier; expected a forest"):
        tree_instability(*CLASSES, forest=BaggingClassifier(LogisticRegression()))
    with pytest.raises(TypeError, match="bagged trees, or 'bagging'"):
        tree_instability(*CLASSES, forest="boosting")
