"""Bad input to machines, trees and forests: each kind of it, for every class that it concerns."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import quire
from quire.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quire.inspection import explain
from quire.model_selection import pruning_curve
from quire.svm import SVC, SVR, LinearSVC, LinearSVR
from quire.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    export_text,
    tree_picture,
)

MACHINES = [SVC, SVR, LinearSVC, LinearSVR]
KERNEL_MACHINES = [SVC, SVR]
TREES = [DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor]
FORESTS = [
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
]
BAGS = [BaggingClassifier, BaggingRegressor]
EVERY = [*TREES, *FORESTS, *BAGS]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = (X[:, 0] > 0).astype(int)


def small(cls, **options):
    if cls not in TREES:
        options = {"n_estimators": 4, **options}
    return cls(random_state=0, **options)


def bagged(cls, **options):
    """Return a bag of trees with these options."""
    kind = DecisionTreeClassifier if cls is BaggingClassifier else DecisionTreeRegressor
    return cls(kind(**options), n_estimators=4, random_state=0)


@pytest.mark.parametrize("C", [0.0, -1.0, np.nan, -np.inf, None, "large"])
@pytest.mark.parametrize("cls", MACHINES)
def test_c_out_of_range(cls, C):
    with pytest.raises(ValueError, match=f"'C' parameter of {cls.__name__} must be a float"):
        cls(C=C).fit(X, Y)


@pytest.mark.parametrize("cls", [LinearSVC, LinearSVR])
def test_linear_machines_have_no_hard_margin(cls):
    with pytest.raises(ValueError, match="'C' parameter"):
        cls(C=np.inf).fit(X, Y)


@pytest.mark.parametrize("gamma", [-1.0, np.nan, np.inf, None, "large"])
@pytest.mark.parametrize("cls", KERNEL_MACHINES)
def test_gamma_out_of_range(cls, gamma):
    with pytest.raises(ValueError, match=f"'gamma' parameter of {cls.__name__} must be"):
        cls(gamma=gamma).fit(X, Y)


@pytest.mark.parametrize("epsilon", [-0.1, np.nan, None])
@pytest.mark.parametrize("cls", [SVR, LinearSVR])
def test_epsilon_out_of_range(cls, epsilon):
    with pytest.raises(ValueError, match=f"'epsilon' parameter of {cls.__name__} must be a float"):
        cls(epsilon=epsilon).fit(X, X[:, 0])


@pytest.mark.parametrize("cls", KERNEL_MACHINES)
def test_kernels_that_are_none(cls):
    K = X @ X.T
    K[0, 1] += 1
    with pytest.raises(ValueError, match=r"X is not a symmetric kernel matrix: .* up to 1"):
        cls(kernel="precomputed").fit(K, Y)
    with pytest.raises(ValueError, match="must be a square matrix"):
        cls(kernel="precomputed").fit(K[:, :5], Y)
    with pytest.raises(ValueError, match="NaN"):
        cls(kernel="precomputed").fit(np.where(K > 3, np.nan, K), Y)
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        cls(kernel="precomputed").fit(sparse.csr_array(K), Y)
    with pytest.raises(ValueError, match="The kernel function is not a symmetric"):
        cls(kernel=lambda a, b: a[:, :1] - b[:, :1].T).fit(X, Y)
    nearly = X @ X.T
    nearly[0, 1] *= 1 + 1e-12  # rounding is no reason to refuse
    assert np.isfinite(cls(kernel="precomputed").fit(nearly, Y).dual_coef_).all()


@pytest.mark.parametrize(
    ("cls", "message"), [(SVC, "greater than one; got 1 class"), (LinearSVC, "only one class")]
)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_machines_of_one_class(cls, message, kind):
    with pytest.raises(ValueError, match=message):
        cls().fit(kind(X), np.zeros(len(X)))


@pytest.mark.parametrize("cls", [SVR, LinearSVR])
def test_one_number_is_learned(cls):
    found = cls().fit(X, np.full(len(X), 3.0)).predict(X)
    np.testing.assert_allclose(found, 3.0, atol=1e-3)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("cls", EVERY)
def test_trees_of_one_class_ask_nothing(cls, kind):
    model = small(cls).fit(kind(X), np.full(len(X), 3))
    assert set(model.predict(kind(X))) == {3}
    trees = [model] if cls in TREES else model.estimators_
    assert {tree.n_leaves_ for tree in trees} == {1}
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(model.predict_proba(kind(X)), 1.0)


def with_nothing():
    """Return rows whose third column is missing throughout."""
    rows = X.copy()
    rows[:, 2] = np.nan
    return rows


@pytest.mark.parametrize("cls", EVERY)
def test_a_column_that_is_all_missing_is_never_asked_about(cls):
    model = small(cls).fit(with_nothing(), Y)
    trees = [model] if cls in TREES else model.estimators_
    assert all(2 not in tree.tree_.feature for tree in trees)
    assert model.score(with_nothing(), Y) > 0.6
    np.testing.assert_array_equal(model.predict(with_nothing()), model.predict(X))
    nothing = np.full((40, 2), np.nan)
    assert len(set(small(cls).fit(nothing, Y).predict(nothing).tolist())) == 1


@pytest.mark.parametrize("cls", MACHINES)
def test_machines_refuse_missing_values(cls):
    with pytest.raises(ValueError, match="contains NaN"):
        cls().fit(with_nothing(), Y)
    model = cls().fit(X, Y)
    with pytest.raises(ValueError, match="contains NaN"):
        model.predict(with_nothing())


@pytest.mark.parametrize("cls", EVERY)
def test_sparse_rows_have_no_missing_values(cls):
    with pytest.raises(ValueError, match="NaN"):
        small(cls).fit(sparse.csr_array(with_nothing()), Y)


COLOURS = np.array([["red"], ["blue"], ["green"], ["red"]] * 10, dtype=object)
IS_RED = (COLOURS[:, 0] == "red").astype(int)


@pytest.mark.parametrize("cls", [*TREES, *FORESTS])
def test_unseen_categories_count_as_missing(cls):
    model = small(cls, categorical_features=[0]).fit(COLOURS, IS_RED)
    answers = model.predict(np.array([["mauve"], [None], ["🟣"]], dtype=object))
    assert np.isfinite(answers).all()
    assert answers[0] == answers[1] == answers[2]
    np.testing.assert_array_equal(model.predict(COLOURS), IS_RED)


@pytest.mark.parametrize("cls", BAGS)
def test_unseen_categories_of_bags(cls):
    codes = np.unique(COLOURS, return_inverse=True)[1].reshape(-1, 1).astype(float)
    model = bagged(cls, categorical_features=[0]).fit(codes, IS_RED)
    np.testing.assert_array_equal(model.predict(codes), IS_RED)
    new, missing = model.predict([[99.0]]), model.predict([[np.nan]])
    assert np.isfinite(new).all()
    assert new == missing


HUGE = [2**31, 2**63, 10**30]
BOUNDS = ["max_depth", "max_leaf_nodes"]


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("cls", EVERY)
def test_trees_are_no_larger_than_their_rows(cls, bound, huge):
    """A bound that no memory could hold is as good as the largest that rows can reach."""
    make = bagged if cls in BAGS else small
    model, enough = (make(cls, **{bound: value}).fit(X, Y) for value in (huge, len(X)))
    assert pickle.dumps(model.predict(X)) == pickle.dumps(enough.predict(X))


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("bound", ["min_samples_leaf", "min_samples_split"])
@pytest.mark.parametrize("cls", TREES)
def test_more_samples_than_there_are_leave_a_leaf(cls, bound, huge):
    assert cls(**{bound: huge}).fit(X, Y).n_leaves_ == 1


@pytest.mark.parametrize("bound", [{"max_depth": 0}, {"max_depth": -1}, {"max_leaf_nodes": 1}])
@pytest.mark.parametrize("cls", EVERY)
def test_bounds_out_of_range(cls, bound):
    make = bagged if cls in BAGS else small
    with pytest.raises(ValueError, match=f"'{next(iter(bound))}' parameter"):
        make(cls, **bound).fit(X, Y)


def chain(n=3000):
    """Return rows on a line whose classes alternate: a tree takes them off one by one."""
    return np.arange(n, dtype=np.float32)[:, None], np.arange(n) % 2


def test_a_tree_as_deep_as_it_has_rows(tmp_path):
    """Nothing that is done with a tree calls itself once for each level."""
    line, y = chain()
    tree = DecisionTreeClassifier(random_state=0).fit(line, y)
    assert tree.get_depth() == len(y) - 1 == tree.tree_.max_depth
    for copy in (
        pickle.loads(pickle.dumps(tree)),
        quire.load(quire.save(tree, tmp_path / "tree.quire")),
    ):
        np.testing.assert_array_equal(copy.predict(line), y)
    assert "truncated branch of depth" in export_text(tree, max_depth=3)
    assert export_text(tree, max_depth=10**6).count("class:") == len(y)
    assert "more below" in tree_picture(tree, max_depth=3).svg
    assert tree.decision_path(line).shape == (len(y), 2 * len(y) - 1)
    assert explain(tree, line[-1:])[0].headline.startswith("share of")
    assert DecisionTreeClassifier(random_state=0, ccp_alpha=0.1).fit(line, y).n_leaves_ == 1
    curve = pruning_curve(line, y, cv=2, n_alphas=3)
    assert (curve.n_leaves[0], curve.n_leaves[-1]) == (len(y), 1)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_forest_of_deep_trees(kind):
    line, y = chain(1500)
    forest = RandomForestClassifier(3, bootstrap=False, random_state=0).fit(kind(line), y)
    np.testing.assert_array_equal(forest.predict(kind(line)), y)
    assert max(tree.get_depth() for tree in forest.estimators_) == len(y) - 1
