"""Columns of unlike scale: what smoothing does to the small ones."""

import warnings

import numpy as np
import pytest
from sklearn import naive_bayes
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import quire
from quire.naive_bayes import GaussianNB, MixedNB


def applicants(n=2000, seed=0):
    """Incomes that say nothing, and shares that say much."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    income = rng.normal(60_000, 30_000, n)
    share = rng.normal(0.3 + 0.1 * y, 0.05)
    return np.column_stack([income, share]), y


def test_a_small_column_is_not_drowned_by_a_large_one():
    X, y = applicants()
    alone = cross_val_score(naive_bayes.GaussianNB(), X[:, 1:], y).mean()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = cross_val_score(MixedNB(), X, y).mean()
    assert alone > 0.8
    assert both == pytest.approx(alone, abs=0.01)


def test_units_change_no_prediction():
    X, y = applicants(300)
    model = MixedNB(var_smoothing=1e-3).fit(X, y)
    scaled = MixedNB(var_smoothing=1e-3).fit(X * [2.0**-20, 2.0**20], y)
    np.testing.assert_allclose(
        scaled.predict_proba(X * [2.0**-20, 2.0**20]), model.predict_proba(X), rtol=1e-10
    )


def test_each_column_has_its_own_smoothing():
    X, y = applicants(300)
    part = MixedNB(var_smoothing=0.1).fit(X, y).parts_[0]
    np.testing.assert_allclose(part.epsilon_, 0.1 * X.var(axis=0), rtol=1e-12)
    own = np.array([X[y == k].var(axis=0) for k in (0, 1)])
    np.testing.assert_allclose(part.var_, own + part.epsilon_, rtol=1e-12)


def test_parts_and_merged_models_equal_the_whole(tmp_path):
    X, y = applicants(300)
    whole = MixedNB().fit(X, y).predict_joint_log_proba(X)
    batches = MixedNB().partial_fit(X[:100], y[:100], classes=[0, 1])
    batches.partial_fit(X[100:], y[100:])
    merged = MixedNB().fit(X[:100], y[:100]).merge(MixedNB().fit(X[100:], y[100:]))
    quire.save(merged, tmp_path / "model.quire")
    loaded = quire.load(tmp_path / "model.quire")
    for model in (batches, merged, loaded):
        np.testing.assert_allclose(model.predict_joint_log_proba(X), whole, rtol=1e-9)


def test_a_constant_column_says_nothing():
    X, y = applicants(300)
    with_constant = np.column_stack([X, np.full(300, 7.0)])
    model, without = MixedNB().fit(with_constant, y), MixedNB().fit(X, y)
    for value in (7.0, 8.0, 1e12, -1.7e308):
        new = np.column_stack([X, np.full(300, value)])
        np.testing.assert_array_equal(
            model.predict_joint_log_proba(new), without.predict_joint_log_proba(X)
        )
    assert model.evidence(with_constant[:1])[0].terms[-1].contribution == 0.0
    drawn, _ = model.sample(5, random_state=0)
    np.testing.assert_array_equal(drawn[:, 2], 7.0)


def test_a_column_that_is_constant_in_a_class_is_smoothed():
    X, y = [[1.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    model = MixedNB(var_smoothing=0.1).fit(X, y)
    np.testing.assert_allclose(model.parts_[0].var_[0], 0.1 * np.var(X))


# GaussianNB --------------------------------------------------------------------------------------


DROWNED = "var_smoothing=1e-09 adds .*drowns the smaller variances of column .*StandardScaler"


@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian_nb_warns_and_does_what_scikit_learns_does(weighted):
    X, y = applicants()
    weights = np.ones(len(y)) if weighted else None
    with pytest.warns(UserWarning, match=DROWNED.replace("column ", "column 1")):
        ours = GaussianNB().fit(X, y, weights)
    theirs = naive_bayes.GaussianNB().fit(X, y, weights)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_gaussian_nb_names_the_columns_and_warns_in_batches_and_merges():
    X, y = applicants()
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["income", "share"])
    with pytest.warns(UserWarning, match="column 'share'"):
        GaussianNB().fit(frame, y)
    with pytest.warns(UserWarning, match=DROWNED):
        one = GaussianNB().partial_fit(X[:900], y[:900], classes=[0, 1])
    with pytest.warns(UserWarning, match=DROWNED):
        other = GaussianNB().fit(X[900:], y[900:])
    with pytest.warns(UserWarning, match=DROWNED):
        one.merge(other)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), GaussianNB()),  # the remedy
        GaussianNB(var_smoothing=0),
        GaussianNB(var_smoothing=0.5),  # asked for
        MixedNB([("all", GaussianNB(), [0, 1])]),
    ],
)
def test_no_warning_where_nothing_is_drowned_unasked(model):
    X, y = applicants()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)


def test_no_warning_about_columns_that_are_constant_in_classes():
    X, y = applicants()
    X = np.column_stack([X[:, 0], y, np.ones(len(y))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GaussianNB().fit(X, y)
