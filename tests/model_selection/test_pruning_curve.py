"""Pruning curves: the pruned forms of a tree, their errors, and the choice among them."""

import numpy as np
import pytest
import sklearn.tree
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from quire.model_selection import PruningCurve, pruning_curve
from quire.model_selection._curves.weakest_link import PrunedTrees
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor

CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def noisy(n=400, seed=0):
    """Four boxes in the first two columns, and a tenth of the labels wrong."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 6))
    y = 2 * (X[:, 0] > 0.5) + (X[:, 1] > 0.5)
    wrong = rng.random(n) < 0.1
    return X, np.where(wrong, (y + 1) % 4, y)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (DecisionTreeClassifier(random_state=0), CANCER),
        (DecisionTreeClassifier(criterion="entropy", random_state=0), noisy()),
        (DecisionTreeClassifier(max_leaf_nodes=20, random_state=0), noisy()),
        (DecisionTreeRegressor(max_depth=7, random_state=0), DIABETES),
    ],
    ids=["gini", "entropy", "best first", "numbers"],
)
def test_steps_are_those_of_scikit_learn(kind, data):
    X, y = data
    pruned = PrunedTrees.of(kind.fit(X, y).tree_)
    assert pruned.n_leaves[0] == kind.n_leaves_
    assert pruned.n_leaves[-1] == 1
    assert np.all(np.diff(pruned.alphas) > 0)
    path = kind.cost_complexity_pruning_path(X, y).ccp_alphas
    for alpha in pruned.alphas[1:]:
        assert np.isclose(path, alpha, rtol=1e-6, atol=1e-12).any()
    between = np.sqrt(pruned.alphas[1:-1] * pruned.alphas[2:])
    for place in np.linspace(0, len(between) - 1, 6).astype(int):
        smaller = kind.__class__(**{**kind.get_params(), "ccp_alpha": between[place]}).fit(X, y)
        assert smaller.n_leaves_ == pruned.n_leaves[place + 1]
        (nodes,) = pruned.answers(kind.apply(X), between[[place]])
        value = kind.tree_.value[nodes, 0]
        if hasattr(kind, "classes_"):
            np.testing.assert_allclose(value, smaller.predict_proba(X), atol=1e-12)
        else:
            np.testing.assert_allclose(value[:, 0], smaller.predict(X), rtol=1e-12)


def test_scores_are_those_of_trees_grown_anew():
    X, y = noisy(200)
    folds = list(StratifiedKFold(3).split(X, y))
    curve = pruning_curve(X, y, cv=3, n_alphas=8)
    for place, alpha in enumerate(curve.alphas):
        for fold, (train, test) in enumerate(folds):
            tree = DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(X[train], y[train])
            assert curve.test_scores[place, fold] == pytest.approx(1 - tree.score(X[test], y[test]))
            errors = 1 - tree.score(X[train], y[train])
            assert curve.train_scores[place, fold] == pytest.approx(errors)


def test_the_truth_is_found():
    X, y = noisy()
    curve = pruning_curve(X, y, random_state=0)
    assert np.all(np.diff(curve.train_scores, axis=0) >= 0)  # more leaves, fewer training errors
    assert np.all(np.diff(curve.n_leaves) < 0)
    alpha, n_leaves, error = curve.one_standard_error()
    assert n_leaves == 4
    assert error == pytest.approx(0.1, abs=0.05)
    assert DecisionTreeClassifier(ccp_alpha=alpha, random_state=0).fit(X, y).n_leaves_ == 4
    assert curve.mean("test")[0] > error + 0.03  # the whole tree follows the noise
    assert curve.mean("train")[0] == 0.0


def test_the_tree_of_the_last_alpha_is_a_leaf():
    for data, kind in ((CANCER, DecisionTreeClassifier), (DIABETES, DecisionTreeRegressor)):
        curve = pruning_curve(*data, tree=kind(max_depth=4, random_state=0), cv=3)
        assert curve.n_leaves[-1] == 1
        assert kind(ccp_alpha=curve.alphas[-1], random_state=0).fit(*data).n_leaves_ == 1


def test_numbers():
    X, y = DIABETES
    curve = pruning_curve(X, y, tree=sklearn.tree.DecisionTreeRegressor(random_state=0), cv=3)
    assert curve.scoring == "squared error"
    assert np.all(np.diff(curve.train_scores, axis=0) >= -1e-9)
    assert curve.mean()[-1] == pytest.approx(np.var(y), rel=0.05)
    assert curve.best()[2] < 0.8 * np.var(y)
    assert len(curve.alphas) <= 40


def test_sparse_rows_threads_and_folds():
    X, y = noisy(150)
    X, y = np.where(X < 0.3, 0.0, X), y.astype(str)
    dense = pruning_curve(X, y, cv=3)
    lean = pruning_curve(sparse.csr_array(X), y, cv=3, n_jobs=2)
    np.testing.assert_allclose(lean.test_scores.mean(), dense.test_scores.mean(), atol=0.05)
    again = pruning_curve(sparse.csr_array(X), y, cv=3)
    np.testing.assert_array_equal(again.test_scores, lean.test_scores)
    assert pruning_curve(X, y, cv=3, n_alphas=1).n_leaves.tolist() == [1]


def test_table_plot_and_words():
    curve = pruning_curve(*noisy(150), cv=3, n_alphas=6)
    frame = curve.to_frame()
    assert frame.columns == ["alpha", "n_leaves", "fold", "train", "test"]
    assert frame.height == len(curve.alphas) * 3
    assert sum(line.endswith("  best") for line in str(curve).splitlines()) == 1
    assert repr(curve).startswith("PruningCurve(param='ccp_alpha', n_values=")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = curve.plot()
    assert ax.get_xlabel() == "Number of leaves"
    assert len(ax.get_lines()) == 4
    pyplot.close("all")
    one = PruningCurve(
        values=curve.alphas,
        n_leaves=curve.n_leaves,
        train_scores=curve.train_scores[:, :1],
        test_scores=curve.test_scores[:, :1],
        scoring="x",
        test_ratio=0.5,
    )
    assert one.one_standard_error() == one.best()
    assert "±" not in str(one)


def test_a_tree_that_cannot_be_divided():
    curve = pruning_curve(np.zeros((20, 2)), [0, 1] * 10, cv=2)
    assert curve.n_leaves.tolist() == [1]
    assert curve.best() == (0.0, 1, 0.5)


def test_bad_arguments():
    X, y = noisy(60)
    with pytest.raises(TypeError, match="takes a tree, got RandomForestClassifier"):
        pruning_curve(X, y, tree=RandomForestClassifier())
    with pytest.raises(ValueError, match="n_alphas"):
        pruning_curve(X, y, n_alphas=0)
    with pytest.raises(ValueError, match="expected one class, or one number"):
        pruning_curve(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="expected 'test' or 'train'"):
        pruning_curve(X, y, cv=2, n_alphas=2).mean("all")
