"""Forests and bagging: bits, votes, out-of-bag figures, compact trees, quality."""

import pickle
import threading

import numpy as np
import pytest
import sklearn.ensemble
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

import quire
from quire.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quire.tree import DecisionTreeClassifier

FORESTS = [
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
]
CLASSIFIERS = [ExtraTreesClassifier, RandomForestClassifier]
BAGS = [BaggingClassifier, BaggingRegressor]
X_IRIS, Y_IRIS = load_iris(return_X_y=True)


def data(cls, kind="dense"):
    X, y = (X_IRIS, Y_IRIS) if "Classifier" in cls.__name__ else load_diabetes(return_X_y=True)
    X = X - X.mean(axis=0)
    if kind == "sparse":
        return sparse.csr_array(np.where(np.abs(X) > 0.02, X, 0)), y
    return X, y


@pytest.mark.parametrize("cls", [RandomForestRegressor, BaggingRegressor])
def test_weights_are_repetitions_on_average(cls):
    rng = np.random.default_rng(0)
    X = np.repeat(np.arange(6.0), 10)[:, None]
    y = rng.normal(size=60)
    weights = rng.integers(1, 4, 60)
    options = {"n_estimators": 400, "random_state": 0}
    weighted = cls(**options).fit(X, y, sample_weight=weights).predict(X)
    repeated = cls(**options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).predict(X)
    plain = cls(**options).fit(X, y).predict(X)
    assert np.abs(weighted - repeated).max() < 0.12
    assert np.abs(plain - repeated).max() > 0.15


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("cls", [*FORESTS, *BAGS])
def test_same_bits_with_any_number_of_threads(cls, kind):
    X, y = data(cls, kind)
    answers = []
    for n_jobs in (1, 2, None):
        model = cls(n_estimators=12, random_state=3, n_jobs=n_jobs).fit(X, y)
        answer = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
        trees = [pickle.dumps(tree._arrays) for tree in model.estimators_]
        answers.append((answer.tobytes(), trees))
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("cls", [*FORESTS, *BAGS])
def test_a_forest_is_the_mean_of_its_trees(cls, kind):
    X, y = data(cls, kind)
    model = cls(n_estimators=7, random_state=0).fit(X, y)
    ask = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    mean = np.mean([getattr(tree, ask)(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(getattr(model, ask)(X), mean)


@pytest.mark.parametrize("cls", FORESTS)
def test_trees_are_reachable(cls):
    X, y = data(cls)
    model = cls(n_estimators=4, random_state=0, max_depth=4).fit(X, y)
    leaves = model.apply(X)
    assert leaves.shape == (len(X), 4)
    for t, tree in enumerate(model.estimators_):
        np.testing.assert_array_equal(tree.apply(X), leaves[:, t])
        np.testing.assert_array_equal(tree.tree_.apply(X.astype(np.float32)), leaves[:, t])
        assert tree.get_params()["max_depth"] == 4
    paths, begin = model.decision_path(X)
    assert paths.shape[1] == begin[-1] == sum(len(t._arrays["nodes"]) for t in model.estimators_)
    mean = np.mean([tree.feature_importances_ for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.feature_importances_, mean / mean.sum())
    assert len(model) == 4
    assert model[0] is model.estimators_[0]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_hard_votes(cls):
    X, y = data(cls)
    model = cls(40, max_depth=2, voting="hard", bootstrap=True, oob_score=True, random_state=0)
    model.fit(X, y)
    votes = np.stack([tree.predict(X).astype(int) for tree in model.estimators_], axis=1)
    counts = np.stack([(votes == k).sum(axis=1) for k in range(3)], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), counts / 40)
    np.testing.assert_array_equal(model.predict(X), counts.argmax(axis=1))
    seen = model.oob_decision_function_
    np.testing.assert_allclose(seen.sum(axis=1), 1.0)
    unseen = [40 - sum(i in rows for rows in map(set, model.estimators_samples_)) for i in (0, 60)]
    for i, n in zip((0, 60), unseen, strict=True):
        np.testing.assert_allclose(seen[i] * n, np.round(seen[i] * n))
    with pytest.raises(ValueError, match="voting"):
        cls(voting="loud").fit(X, y)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_out_of_bag_figures_are_of_trees_that_have_not_seen_the_row(kind):
    X, y = data(RandomForestClassifier, kind)
    model = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    total, n = np.zeros((len(y), 3)), np.zeros(len(y))
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        unseen = np.setdiff1d(np.arange(len(y)), rows)
        total[unseen] += tree.predict_proba(X[unseen])
        n[unseen] += 1
    np.testing.assert_allclose(model.oob_decision_function_, total / n[:, None])
    assert model.oob_score_ == np.mean(total.argmax(axis=1) == y)
    theirs = sklearn.ensemble.RandomForestClassifier(60, random_state=0).fit(X, y)
    for a, b in zip(model.estimators_samples_, theirs.estimators_samples_, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("cls", FORESTS)
def test_warm_start_goes_on_where_it_stopped(cls):
    X, y = data(cls)
    whole = cls(n_estimators=8, random_state=1).fit(X, y)
    grown = cls(n_estimators=3, random_state=1, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=8).fit(X, y)
    assert len(grown.estimators_) == 8
    np.testing.assert_array_equal(grown.predict(X), whole.predict(X))
    with pytest.raises(ValueError, match="n_estimators"):
        grown.set_params(n_estimators=2).fit(X, y)


@pytest.mark.parametrize("cls", [*FORESTS, *BAGS])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_copies_answer_the_same(cls, kind, tmp_path):
    X, y = data(cls, kind)
    model = cls(n_estimators=5, random_state=0).fit(X, y)
    _ = model.estimators_[0].tree_  # made on demand, and left out of files
    loaded = quire.load(quire.save(model, tmp_path / "model.quire"))
    for copy in (pickle.loads(pickle.dumps(model)), loaded):
        assert copy.predict(X).tobytes() == model.predict(X).tobytes()
        assert len(copy.estimators_) == 5
        again = clone(copy).fit(X, y)
        assert again.predict(X).tobytes() == model.predict(X).tobytes()


def test_files_are_a_third_of_scikit_learns():
    X, y = load_digits(return_X_y=True)
    ours = RandomForestClassifier(10, random_state=0).fit(sparse.csr_array(X), y)
    theirs = sklearn.ensemble.RandomForestClassifier(10, random_state=0).fit(X, y)
    assert 3 * len(pickle.dumps(ours)) < len(pickle.dumps(theirs))


QUALITY = {"iris": load_iris, "cancer": load_breast_cancer, "digits": load_digits}


@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
@pytest.mark.parametrize("load", QUALITY.values(), ids=QUALITY)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_as_accurate_as_scikit_learns(name, load, kind):
    X, y = load(return_X_y=True)
    parts = train_test_split(X, y, test_size=0.4, random_state=0)
    scores = []
    for package in (quire.ensemble, sklearn.ensemble):
        model = getattr(package, name)(60, random_state=0).fit(kind(parts[0]), parts[2])
        scores.append(model.score(kind(parts[1]), parts[3]))
    assert abs(scores[0] - scores[1]) < 0.02 + 2 / np.sqrt(len(parts[3])) * 0.25


def test_class_weights_reach_the_trees():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + 2 * rng.normal(size=400) > 2.5).astype(int)
    options = {"n_estimators": 30, "min_samples_leaf": 15, "random_state": 0}
    shares = [
        RandomForestClassifier(**options, class_weight=w).fit(X, y).predict_proba(X)[:, 1].mean()
        for w in (None, "balanced", "balanced_subsample", {0: 1, 1: 5})
    ]
    assert shares[0] < min(shares[1:]) - 0.1


def test_permutation_importance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    model = RandomForestRegressor(20, random_state=0).fit(X, 3 * X[:, 2])
    found = permutation_importance(model, X, 3 * X[:, 2], n_repeats=3, random_state=0)
    assert found.importances_mean.argmax() == model.feature_importances_.argmax() == 2


def test_bagging_of_other_models_and_of_some_columns():
    X, y = data(BaggingClassifier)
    near = BaggingClassifier(KNeighborsClassifier(3), n_estimators=5, random_state=0).fit(X, y)
    assert near.score(X, y) > 0.9
    some = BaggingClassifier(n_estimators=8, max_features=2, random_state=0).fit(X, y)
    theirs = sklearn.ensemble.BaggingClassifier(
        DecisionTreeClassifier(), n_estimators=8, max_features=2, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(some.predict_proba(X), theirs.predict_proba(X))
    whole = BaggingClassifier(n_estimators=8, random_state=0).fit(X, y)
    assert isinstance(whole.estimators_[0], DecisionTreeClassifier)
    scored = BaggingRegressor(n_estimators=30, oob_score=True, random_state=0)
    assert scored.fit(*data(BaggingRegressor)).oob_score_ > 0.3


def test_several_outputs_are_scikit_learns():
    X, y = data(RandomForestClassifier)
    both = np.stack([y, y == 1], axis=1)
    model = RandomForestClassifier(8, random_state=0).fit(X, both)
    theirs = sklearn.ensemble.RandomForestClassifier(8, random_state=0).fit(X, both)
    assert model.engine_ == "scikit-learn"
    for a, b in zip(model.predict_proba(X), theirs.predict_proba(X), strict=True):
        np.testing.assert_allclose(a, b)
    np.testing.assert_array_equal(model.predict(X), theirs.predict(X))


def test_missing_values():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (np.isnan(X[:, 0]) | (X[:, 1] > 0)).astype(int)
    X[rng.uniform(size=X.shape) < 0.2] = np.nan
    y = (np.isnan(X[:, 0]) | (np.nan_to_num(X[:, 1]) > 0)).astype(int)
    for cls in CLASSIFIERS:
        model = cls(30, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.95
        assert model.predict(np.full((1, 3), np.nan)).shape == (1,)


@pytest.mark.parametrize("cls", [RandomForestClassifier, BaggingClassifier])
def test_rows_that_change_between_fits_while_another_forest_grows(cls):
    """Each fit makes its own data of the rows; that of others, or of an earlier one, is not met."""
    begun, done = threading.Event(), threading.Event()

    def wait_until_done(y, shares):
        begun.set()
        done.wait(60)
        return 0.0

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    y = (X[:, 0] > 0).astype(np.int64)
    other = RandomForestClassifier(20, oob_score=wait_until_done, random_state=0)
    thread = threading.Thread(target=other.fit, args=(X.copy(), y))
    thread.start()
    try:
        assert begun.wait(60)  # from here on the other fit goes on until it is told to end
        model = cls(n_estimators=5, random_state=0, n_jobs=2)
        model.fit(X, y)
        X *= -1
        changed = model.fit(X, y).predict_proba(X)
        expected = clone(model).fit(X.copy(), y).predict_proba(X)
    finally:
        done.set()
        thread.join()
    np.testing.assert_array_equal(changed, expected)
    assert model.score(X, y) > 0.9


def test_nothing_of_the_rows_is_left_after_a_fit():
    X, y = load_iris(return_X_y=True)
    for model in (RandomForestClassifier(3), BaggingClassifier(n_estimators=3)):
        model.fit(X, y)
        assert not any("_growth" in vars(part) for part in (model, *model.estimators_))
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.fit(X, y[:-1])
        assert "_growth" not in vars(model)
