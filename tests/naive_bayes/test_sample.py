"""Rows drawn from fitted models have the moments of the model."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from quire.feature_extraction.text import HashingVectorizer
from quire.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
)

N = 40_000
Y = np.array(["a"] * 3 + ["b"] * 2)
COUNTS = np.array([[2, 0, 1], [1, 1, 0], [0, 3, 4], [1, 0, 0], [2, 2, 0]])
GENERATIVE = [BernoulliNB, CategoricalNB, GaussianNB, MixedNB, MultinomialNB]


def assert_shares(found, expected, n):
    """Compare proportions of n draws with probabilities, within five standard errors."""
    error = np.sqrt(np.maximum(expected * (1 - expected), 1e-12) / n)
    assert (np.abs(found - expected) <= 5 * error).all()


def assert_classes(y, shares):
    assert_shares(np.array([np.mean(y == "a"), np.mean(y == "b")]), np.asarray(shares), len(y))


def test_tokens_of_the_multinomial_model():
    model = MultinomialNB(alpha=0.3, prior_alpha=1.0).fit(COUNTS, Y)
    lengths = np.random.default_rng(0).integers(0, 9, N)
    X, y = model.sample(N, length=lengths, random_state=1)
    assert sparse.issparse(X)
    assert X.shape == (N, 3)
    assert X.dtype == np.int64
    assert X.has_canonical_format
    np.testing.assert_array_equal(np.asarray(X.sum(axis=1)).ravel(), lengths)
    assert_classes(y, [4 / 7, 3 / 7])
    for k, label in enumerate(model.classes_):
        mine = X[y == label].toarray()
        n_tokens = mine.sum()
        shares = np.exp(model.feature_log_prob_[k])
        assert_shares(mine.sum(axis=0) / n_tokens, shares, n_tokens)
        # The covariance of counts, -n p_i p_j, for one length.
        same = mine[lengths[y == label] == 8]
        expected = 8 * (np.diag(shares) - np.outer(shares, shares))
        np.testing.assert_allclose(np.cov(same.T), expected, atol=0.15)


def test_documents_are_as_long_as_the_training_mean():
    model = MultinomialNB().fit(COUNTS, Y)  # 17 tokens in 5 documents
    X, _ = model.sample(10, random_state=0)
    assert set(np.asarray(X.sum(axis=1)).ravel()) == {3}
    few = MultinomialNB().fit(0.01 * COUNTS, Y).sample(2, random_state=0)[0]
    assert set(np.asarray(few.sum(axis=1)).ravel()) == {1}


def test_terms_of_the_bernoulli_model(monkeypatch):
    model = BernoulliNB(alpha=0.5).fit(COUNTS, Y)
    X, y = model.sample(N, random_state=2)
    assert set(X.data) == {1}
    assert_classes(y, [0.6, 0.4])
    for k, label in enumerate(model.classes_):
        mine = X[y == label].toarray()
        share = np.exp(model.feature_log_prob_[k])
        assert_shares(mine.mean(axis=0), share, len(mine))
        # independent given the class
        assert_shares((mine[:, 0] * mine[:, 1]).mean(), share[0] * share[1], len(mine))
    monkeypatch.setattr("quire._shared.drawn_documents._BLOCK", 100)
    again, _ = model.sample(N, random_state=2)
    np.testing.assert_array_equal(again.toarray(), X.toarray())


def test_certain_terms_are_certain():
    X = BernoulliNB(alpha=0).fit([[1, 0], [1, 0]], [0, 0]).sample(50, random_state=0)[0]
    np.testing.assert_array_equal(X.toarray(), np.tile([1, 0], (50, 1)))


def test_categories():
    model = CategoricalNB(min_categories=6).fit(COUNTS, Y)
    X, y = model.sample(N, random_state=3)
    assert X.shape == (N, 3)
    assert X.dtype.kind == "i"
    assert_classes(y, [0.6, 0.4])
    for k, label in enumerate(model.classes_):
        for j in range(3):
            shares = np.bincount(X[y == label, j], minlength=6) / np.sum(y == label)
            assert_shares(shares, np.exp(model.feature_log_prob_[j][k]), np.sum(y == label))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_measurements(dtype):
    rows = COUNTS.astype(dtype) + np.arange(5, dtype=dtype)[:, None]
    model = GaussianNB(priors=[0.25, 0.75], var_smoothing=0.1).fit(rows, Y)
    X, y = model.sample(N, random_state=4)
    assert X.dtype == dtype
    assert_classes(y, [0.25, 0.75])
    for k, label in enumerate(model.classes_):
        mine = X[y == label]
        error = np.sqrt(model.var_[k] / len(mine))
        assert (np.abs(mine.mean(axis=0) - model.theta_[k]) < 5 * error).all()
        np.testing.assert_allclose(mine.var(axis=0), model.var_[k], rtol=0.06)
        correlations = np.corrcoef(mine.T)[np.triu_indices(3, 1)]
        assert np.abs(correlations).max() < 0.05
    refitted = GaussianNB().fit(X, y)
    np.testing.assert_allclose(refitted.theta_, model.theta_, atol=0.1)


def test_a_class_without_rows_has_no_density():
    model = GaussianNB(prior_alpha=1.0).partial_fit(COUNTS, Y, classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="'c' has no rows"):
        model.sample(1000, random_state=0)
    X, y = GaussianNB().partial_fit(COUNTS, Y, classes=["a", "b", "c"]).sample(100, random_state=0)
    assert set(y) == {"a", "b"}
    assert np.isfinite(X).all()


def table(n=60):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return {
        "kind": np.where(rng.random(n) < 0.3 + 0.4 * y, "card", "cash"),
        "unused": np.arange(n),
        "size": rng.normal(3 * y, 1 + y),
        "goals": rng.poisson(2 + y),
        "cards": rng.poisson(1, n),
        "note": [("good trip to the sea" if one else "late bus in the rain") for one in y],
    }, np.array(["no", "yes"])[y]


COLUMNS = {
    "categorical": ["kind"], "continuous": ["size"], "counts": ["goals", "cards"], "text": ["note"]
}  # fmt: skip


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_mixed_columns(frame):
    columns, y = table()
    model = MixedNB(COLUMNS).fit(frame(columns), y)
    X, drawn = model.sample(5000, random_state=0)
    assert isinstance(X, pl.DataFrame)
    assert X.columns == ["kind", "size", "goals", "cards", "note"]
    by_kind = {part.kind: part for part in model.parts_}
    total = by_kind["counts"].distribution.feature_count_.sum() / 60
    assert set(X["goals"] + X["cards"]) == {round(total)}
    assert {len(note.split()) for note in X["note"]} == {5}
    for k, label in enumerate(model.classes_):
        mine = X.filter(pl.Series(drawn == label))
        share = np.exp(by_kind["categorical"].feature_log_prob_[0][k])
        assert by_kind["categorical"].categories_ == [["card", "cash"]]
        assert_shares(np.mean(mine["kind"].to_numpy() == "card"), share[0], len(mine))
        size = mine["size"].to_numpy()
        assert size.mean() == pytest.approx(by_kind["continuous"].theta_[k, 0], abs=0.2)
        assert size.var() == pytest.approx(by_kind["continuous"].var_[k, 0], rel=0.15)
        goals = np.exp(by_kind["counts"].distribution.feature_log_prob_[k, 0])
        n = len(mine) * round(total)
        assert_shares(mine["goals"].sum() / n, goals, n)
    assert (model.predict(X) == drawn).mean() > 0.9


def test_mixed_columns_without_names():
    columns, y = table()
    rows = np.array(list(columns.values()), dtype=object).T
    model = MixedNB({"categorical": [0], "continuous": [2], "text": [5]}).fit(rows, y)
    X, _ = model.sample(7, length=2, random_state=0)
    assert X.shape == (7, 6)
    assert X.dtype == object
    assert {len(text.split()) for text in X[:, 5]} == {2}
    assert model.predict(X).shape == (7,)
    numbers = MixedNB({"continuous": [0], "presence": [2]}).fit(COUNTS, Y)
    X, _ = numbers.sample(4, random_state=0)
    assert X.dtype == np.float64
    assert np.isnan(X[:, 1]).all()
    assert set(X[:, 2]) <= {0.0, 1.0}


def test_hashed_texts_cannot_be_written():
    hashed = HashingVectorizer(n_features=16, alternate_sign=False)
    rows = pl.DataFrame({"note": ["one two", "three four"]})
    model = MixedNB([("note", hashed, ["note"])]).fit(rows, ["a", "b"])
    with pytest.raises(ValueError, match="cannot be written"):
        model.sample()


@pytest.mark.parametrize("kind", GENERATIVE)
def test_seeds_and_errors(kind):
    with pytest.raises(NotFittedError):
        kind().sample()
    model = kind().fit(COUNTS, Y)

    def drawn(seed):
        X, y = model.sample(30, random_state=seed)
        return (X.toarray() if sparse.issparse(X) else X), y

    for one, other in zip(drawn(1), drawn(1), strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(drawn(1)[0], drawn(2)[0])
    assert model.sample()[0].shape == (1, 3)
    for n_samples in (0, -1, 2.5, True, None):
        with pytest.raises(ValueError, match="n_samples is"):
            model.sample(n_samples)


@pytest.mark.parametrize("length", [-1, 2.5, [1, 2], [[1]], "3"])
def test_bad_lengths(length):
    with pytest.raises(ValueError, match="length"):
        MultinomialNB().fit(COUNTS, Y).sample(3, length=length)


def test_the_complement_model_is_not_generative():
    assert not hasattr(ComplementNB(), "sample")
