"""Columns of categories: best sets, codes, missing and new categories, names, files, words."""

import itertools
import pickle

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

import quire
from quire.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quire.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    export_text,
    tree_picture,
)

pd = pytest.importorskip("pandas")
COLOURS = np.array(["red", "green", "blue", "black", "white", "grey"], dtype=object)
EVERY = [
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
]


def table(n=200, seed=0):
    """Colours in no order decide, with some noise; sizes are of no use."""
    rng = np.random.default_rng(seed)
    colours = COLOURS[rng.integers(0, 6, n)]
    y = np.isin(colours, ["red", "blue", "grey"]) ^ (rng.uniform(size=n) < 0.1)
    return pd.DataFrame({"colour": colours, "size": rng.normal(size=n)}), y.astype(int)


def make(cls, **options):
    options = {"categorical_features": [0], "random_state": 0, **options}
    if "Forest" in cls.__name__ or "Trees" in cls.__name__:
        options["n_estimators"] = 8
    return cls(**options)


def impurity(criterion, y, w):
    if criterion == "squared_error":
        mean = np.average(y, weights=w)
        return np.sum(w * (y - mean) ** 2)
    shares = np.bincount(y, w) / w.sum()
    if criterion == "gini":
        return w.sum() * (1 - np.sum(shares**2))
    return -w.sum() * np.sum(shares * np.log2(shares, where=shares > 0, out=np.zeros_like(shares)))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_all_sets_is_found(seed, criterion):
    rng = np.random.default_rng(seed)
    n = 80
    codes = rng.integers(0, 7, n)
    is_class = criterion != "squared_error"
    y = rng.integers(0, 2, n) if is_class else rng.normal(size=n)
    w = rng.uniform(0.5, 2, n) if seed % 2 else np.ones(n)
    cls = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    tree = cls(criterion=criterion, max_depth=1, categorical_features=[True])
    tree.fit(codes[:, None], y, sample_weight=w)
    left = tree.apply(codes[:, None]) == 1
    found = sum(impurity(criterion, y[s], w[s]) for s in (left, ~left))
    best = np.inf
    for size in range(1, 7):
        for some in itertools.combinations(range(7), size):
            side = np.isin(codes, some)
            best = min(best, sum(impurity(criterion, y[s], w[s]) for s in (side, ~side)))
    assert found == pytest.approx(best)


def test_three_classes_are_told_apart():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9, 300)
    y = np.array([0, 1, 2, 0, 1, 2, 2, 1, 0])[codes]
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(codes[:, None], y)
    assert tree.score(codes[:, None], y) == 1
    assert tree.n_leaves_ == 3


@pytest.mark.parametrize("cls", EVERY)
def test_colours_beat_their_alphabet(cls):
    X, y = table()
    Q, z = table(seed=1)
    model = make(cls, min_samples_leaf=10, max_features=None).fit(X, y)
    drawn = "Extra" in cls.__name__  # sets at random
    assert np.mean((model.predict(Q) > 0.5) == z) > (0.65 if drawn else 0.85)
    np.testing.assert_array_equal(model.feature_names_in_, ["colour", "size"])
    assert model.feature_importances_[0] > 0.6


@pytest.mark.parametrize("given", [[0], [True, False], ["colour"], "from_dtype", (0,)])
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_ways_to_say_which(given, kind):
    X, y = table()
    X = X.astype({"colour": "category"})
    if kind == "polars":
        X = pl.DataFrame(
            {
                "colour": pl.Series(X["colour"].astype(str).tolist(), dtype=pl.Categorical),
                "size": X["size"].tolist(),
            }
        )
    model = DecisionTreeClassifier(categorical_features=given, random_state=0, max_depth=1)
    assert "colour is one of" in tree_picture(model.fit(X, y)).svg
    assert model.score(X, y) > 0.85


def test_no_categories_is_the_tree_as_it_was():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 3, 90)
    whole = DecisionTreeClassifier(random_state=0).fit(X, y)
    for given in ("from_dtype", [], [False] * 3):
        other = DecisionTreeClassifier(random_state=0, categorical_features=given).fit(X, y)
        np.testing.assert_array_equal(other.tree_.threshold, whole.tree_.threshold)


@pytest.mark.parametrize("cls", EVERY)
def test_new_and_missing_categories_go_with_the_larger_side(cls):
    X, y = table()
    y = y + (X["colour"] == "green") * (y + 1)
    model = make(cls).fit(X, y)
    new = pd.DataFrame({"colour": ["mauve", None, np.nan], "size": 0.0})
    answers = model.predict(new)
    assert answers[0] == answers[1] == answers[2]
    stump = DecisionTreeRegressor(categorical_features=[0], max_depth=1).fit(X, y)
    nodes = stump.tree_
    larger = 1 if nodes.n_node_samples[1] > nodes.n_node_samples[2] else 2
    np.testing.assert_array_equal(stump.apply(new), larger)


def test_missing_values_are_a_category_where_there_are_some():
    colours = np.array(["red", "blue", None, np.nan, "red", None] * 10, dtype=object)
    y = np.array([value is None or value != value for value in colours]).astype(int)
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(colours[:, None], y)
    assert tree.get_depth() == 1
    assert tree.predict([["red"], [None], ["mauve"]]).tolist() == [0, 1, 1]


def test_a_column_that_is_all_missing_is_never_asked_about():
    X, y = table()
    X["nothing"] = np.nan
    model = DecisionTreeClassifier(categorical_features=[0, 2], random_state=0).fit(X, y)
    assert 2 not in model.tree_.feature
    forest = RandomForestClassifier(5, categorical_features=[2], random_state=0)
    assert forest.fit(X.assign(colour=0.0), y).feature_importances_[2] == 0


@pytest.mark.parametrize("cls", EVERY)
def test_saved_and_loaded(cls, tmp_path):
    X, y = table()
    model = make(cls).fit(X, y)
    quire.save(model, tmp_path / "model.quire")
    new = pd.concat([X, pd.DataFrame({"colour": ["mauve"], "size": [0.0]})])
    for again in (pickle.loads(pickle.dumps(model)), quire.load(tmp_path / "model.quire")):
        np.testing.assert_array_equal(again.predict(new), model.predict(new))


@pytest.mark.parametrize("cls", [ExtraTreesClassifier, RandomForestRegressor])
def test_forests_answer_as_their_trees(cls):
    X, y = table(400)
    model = make(cls, n_jobs=2).fit(X, y)
    trees = [tree.predict(X.to_numpy()) for tree in model.estimators_]
    np.testing.assert_array_equal(np.mean(trees, axis=0) > 0.5, model.predict(X) > 0.5)
    few = np.concatenate([model.apply(X[i : i + 1]) for i in range(40)])  # by another loop
    np.testing.assert_array_equal(few, model.apply(X)[:40])
    alone = clone(model).set_params(n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(alone.predict(X), model.predict(X))


def test_a_warm_start_keeps_the_codes():
    X, y = table()
    model = RandomForestClassifier(
        6, categorical_features=["colour"], random_state=0, warm_start=True
    ).fit(X, y)
    before = model.estimators_[0].predict(X.to_numpy())
    some = X["colour"] != "black"
    model.set_params(n_estimators=12).fit(X[some], y[some])
    np.testing.assert_array_equal(model.estimators_[0].predict(X.to_numpy()), before)
    assert model.score(X, y) > 0.85


def test_out_of_bag_bagging_paths_and_pruning():
    X, y = table(400)
    forest = RandomForestClassifier(30, categorical_features=[0], oob_score=True, random_state=0)
    assert forest.fit(X, y).oob_score_ > 0.75
    codes = pd.DataFrame({"colour": X["colour"].map({c: i for i, c in enumerate(COLOURS)})})
    bag = BaggingClassifier(DecisionTreeClassifier(categorical_features=[0]), random_state=0)
    assert bag.fit(codes, y).score(codes, y) > 0.85
    tree = DecisionTreeClassifier(categorical_features=[0], ccp_alpha=0.02, random_state=0)
    assert tree.fit(X, y).n_leaves_ == 2
    assert tree.score(X, y) > 0.85
    path = forest.estimators_[0].decision_path(X.to_numpy())
    leaves = forest.estimators_[0].apply(X.to_numpy())
    assert path[np.arange(len(X)), leaves].all()
    assert path.sum(axis=1).max() == forest.estimators_[0].get_depth() + 1
    assert forest.decision_path(X)[0].shape[0] == len(X)


def test_a_limit_on_leaves():
    X, y = table(400)
    tree = DecisionTreeClassifier(categorical_features=[0], max_leaf_nodes=2).fit(X, y)
    assert tree.n_leaves_ == 2
    assert tree.tree_.n_node_samples.tolist()[0] == 400
    assert np.isnan(tree.tree_.threshold[0])


def test_words():
    X, y = table()
    tree = DecisionTreeClassifier(categorical_features=[0], max_depth=2, random_state=0).fit(X, y)
    text = export_text(tree, feature_names=list(X.columns))
    assert "colour is one of black, green, white\n" in text
    assert "colour is one of blue, grey, red\n" in text
    assert "nan" not in text
    short = export_text(tree, feature_names=list(X.columns), max_depth=0)
    assert short.count("is one of") == 2
    picture = tree_picture(tree)
    assert "colour is one of blue, grey, red?" in picture.svg


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([5], "has the column 5; the columns of X are 0 to 1"),
        ([-1], "has the column -1"),
        ([True], "a mask of shape"),
        (["shape"], "'shape'; X has"),
        ([0.5], "its values are of type float64"),
    ],
)
@pytest.mark.parametrize("cls", [DecisionTreeClassifier, RandomForestClassifier])
def test_wrong_columns(cls, given, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        cls(categorical_features=given).fit(X, y)


@pytest.mark.parametrize("cls", [DecisionTreeClassifier, RandomForestClassifier])
def test_what_does_not_fit(cls):
    X, y = table()
    with pytest.raises(ValueError, match="X has none"):
        cls(categorical_features=["colour"]).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match="'categorical_features' parameter"):
        cls(categorical_features="all").fit(X, y)
    many = np.arange(200)[:, None] % 65
    with pytest.raises(ValueError, match="Column 0 has 65 categories; trees take at most 64"):
        cls(categorical_features=[0]).fit(many, y)
    with pytest.raises(TypeError, match="takes dense rows"):
        cls(categorical_features=[0]).fit(sparse.csr_array(many), y)
    with pytest.raises(ValueError, match="needs one output"):
        cls(categorical_features=[0]).fit(X, np.stack([y, y], axis=1))
    model = cls(categorical_features=[0]).fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[["colour"]])


def test_sixty_four_categories():
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.repeat(np.arange(64), 5))
    y = rng.normal(size=64)[codes]
    tree = DecisionTreeRegressor(categorical_features=[0]).fit(codes[:, None], y)
    np.testing.assert_allclose(tree.predict(codes[:, None]), y)
