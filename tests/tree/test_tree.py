"""Trees: scikit-learn's splits where none are equally good, its attributes, its tools."""

import pickle

import numpy as np
import pytest
import sklearn.tree
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import export_text

import quire
from quire.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

TREES = [DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor]
OURS = ("categorical_features", "keep_steps")  # parameters that scikit-learn does not have
OPTIONS = [
    {},
    {"max_depth": 3},
    {"max_leaf_nodes": 6},
    {"min_impurity_decrease": 0.01},
    {"min_weight_fraction_leaf": 0.08},
    {"min_samples_split": 0.2},
    {"ccp_alpha": 0.01},
]


def without_ties(seed, kind):
    """Weights that no sums agree by chance, and leaves so large that few splits are perfect."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(250, 5)).astype(np.float32)
    if kind == "missing":
        X[rng.uniform(size=X.shape) < 0.15] = np.nan
    if kind == "sparse":
        X = sparse.csr_array(X * (rng.uniform(size=X.shape) < 0.5))
    return X, rng.integers(0, 3, 250), rng.gamma(2.0, size=250), rng.uniform(0.5, 2.0, 250)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: next(iter(o), "default"))
@pytest.mark.parametrize("kind", ["dense", "missing", "sparse"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_same_tree_as_scikit_learn(criterion, kind, options):
    X, codes, numbers, weights = without_ties(len(options) + len(kind), kind)
    is_class = criterion in ("gini", "entropy")
    name, y = ("DecisionTreeClassifier", codes) if is_class else ("DecisionTreeRegressor", numbers)
    options = {"criterion": criterion, "min_samples_leaf": 12, "random_state": 0, **options}
    ours = getattr(quire.tree, name)(**options).fit(X, y, sample_weight=weights)
    theirs = getattr(sklearn.tree, name)(**options).fit(X, y, sample_weight=weights)
    assert ours.engine_ == "quire"
    a, b = ours.tree_, theirs.tree_
    for part in ("children_left", "children_right", "feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(a, part), getattr(b, part))
    for part in ("impurity", "value", "weighted_n_node_samples"):
        np.testing.assert_allclose(getattr(a, part), getattr(b, part), atol=1e-9)
    inner = a.children_left >= 0
    np.testing.assert_array_equal(a.missing_go_to_left[inner], b.missing_go_to_left[inner])
    np.testing.assert_allclose(
        ours.feature_importances_, theirs.feature_importances_, rtol=1e-6, atol=1e-9
    )
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    assert (ours.decision_path(X) != theirs.decision_path(X)).nnz == 0
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())
    assert ours.n_leaves_ == ours.get_n_leaves()


def test_pruning_path():
    X, codes, _, weights = without_ties(3, "dense")
    options = {"min_samples_leaf": 12, "random_state": 0}
    paths = [
        tree.DecisionTreeClassifier(**options).cost_complexity_pruning_path(X, codes, weights)
        for tree in (quire.tree, sklearn.tree)
    ]
    np.testing.assert_allclose(paths[0].ccp_alphas, paths[1].ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(paths[0].impurities, paths[1].impurities)
    leaves = [
        DecisionTreeClassifier(**options, ccp_alpha=max(alpha, 0.0))
        .fit(X, codes, weights)
        .n_leaves_
        for alpha in paths[0].ccp_alphas
    ]
    assert leaves[-1] == 1
    assert leaves == sorted(leaves, reverse=True)


def test_scikit_learns_tools_know_our_trees():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert export_text(tree).count("class:") == export_text(theirs).count("class:") == 3


@pytest.mark.parametrize(
    ("model", "multiple"),
    [
        (DecisionTreeRegressor(criterion="absolute_error"), False),
        (DecisionTreeRegressor(monotonic_cst=[1, 0, 0, 0, 0]), False),
        (DecisionTreeRegressor(), True),
        (DecisionTreeClassifier(), True),
    ],
)
def test_what_scikit_learn_grows(model, multiple):
    X, codes, numbers, _ = without_ties(1, "dense")
    y = codes if isinstance(model, DecisionTreeClassifier) else numbers
    y = np.stack([y, y[::-1]], axis=1) if multiple else y
    model.set_params(max_depth=3, random_state=0).fit(X, y)
    assert model.engine_ == "scikit-learn"
    params = {k: v for k, v in model.get_params().items() if k not in OURS}
    theirs = getattr(sklearn.tree, type(model).__name__)(**params).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), theirs.predict(X))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), theirs.predict(X))
    assert type(again.tree_).__name__ == "Tree"


def test_same_bits_for_a_seed_and_another_tree_for_another():
    X, y = load_diabetes(return_X_y=True)
    states = [
        pickle.dumps(ExtraTreeRegressor(max_features=2, random_state=s).fit(X, y)._arrays)
        for s in (0, 0, 1)
    ]
    assert states[0] == states[1] != states[2]


@pytest.mark.parametrize("cls", [ExtraTreeClassifier, ExtraTreeRegressor])
@pytest.mark.parametrize("kind", ["dense", "missing", "sparse"])
def test_random_splits_learn_everything_there_is(cls, kind):
    X, codes, numbers, _ = without_ties(2, kind)
    y = codes if cls is ExtraTreeClassifier else numbers
    model = cls(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.get_depth() > 5


def test_rows_of_zeros_one_class_and_empty_columns():
    X = sparse.csr_array(([1.0, 2.0], ([1, 3], [0, 0])), shape=(5, 4), dtype=np.float32)
    model = DecisionTreeClassifier().fit(X, ["a", "b", "a", "b", "a"])
    assert model.predict(X).tolist() == ["a", "b", "a", "b", "a"]
    alone = DecisionTreeClassifier().fit(X, ["a"] * 5)
    assert alone.predict_proba(X).tolist() == [[1.0]] * 5
    assert alone.feature_importances_.tolist() == [0.0] * 4
    missing = np.full((4, 2), np.nan)
    missing[:, 1] = [0, 0, 1, 1]
    model = DecisionTreeClassifier().fit(missing, [0, 0, 1, 1])
    assert model.predict(missing).tolist() == [0, 0, 1, 1]
    assert model.tree_.feature[0] == 1


def test_int64_indices_and_stored_zeros():
    X, codes, _, _ = without_ties(4, "sparse")
    wide = sparse.csr_array(
        (X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), X.shape
    )
    zeros = X.copy()
    zeros.data[::7] = 0
    for given, clean in [(wide, X), (zeros, sparse.csr_array(zeros.toarray()))]:
        a, b = (DecisionTreeClassifier(random_state=0).fit(M, codes) for M in (given, clean))
        assert pickle.dumps(a._arrays) == pickle.dumps(b._arrays)


@pytest.mark.parametrize(
    ("y", "weights", "message"),
    [
        ([0.5, 1.5, np.nan, 1.0], None, "NaN"),
        ([0, 1, 1], None, "does not match"),
        ([0, 1, 1, 0], [0, 0, 0, 0], "non-zero"),
        ([0, 1, 1, 0], [1, 1, 1], "sample_weight"),
    ],
)
def test_bad_targets(y, weights, message):
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match=message):
        DecisionTreeRegressor().fit(X, y, sample_weight=weights)


def test_bad_rows():
    with pytest.raises(ValueError, match="infinity"):
        DecisionTreeClassifier().fit([[np.inf], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="negative"):
        DecisionTreeRegressor(criterion="poisson").fit([[0.0], [1.0]], [-1.0, 1.0])
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="features"):
        model.predict([[0.0, 1.0]])
    with pytest.raises(AttributeError, match="before it is fitted"):
        _ = DecisionTreeClassifier().tree_


def test_a_chain_of_ten_thousand_nodes():
    """A tree as deep as it can be, which needs a stack of its own."""
    n = 10_000
    X = np.arange(n, dtype=np.float32).reshape(-1, 1)
    y = np.cumprod(np.full(n, 0.9999)) * np.where(np.arange(n) % 2, 1, -1)
    model = DecisionTreeRegressor(random_state=0).fit(X, y)
    assert model.n_leaves_ == n
    np.testing.assert_allclose(model.predict(X), y)


def test_a_forged_tree_is_refused():
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    model._arrays["nodes"]["left"][0] = 99
    with pytest.raises(ValueError, match="damaged"):
        pickle.loads(pickle.dumps(model)).predict([[0.0]])
