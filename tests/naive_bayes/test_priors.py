"""Priors that come from counts, smoothed: P(k) = (N_k + lambda) / (N + K lambda)."""

import numpy as np
import pytest

import quire
from quire.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
)

X = np.array([[2, 0, 1], [1, 1, 0], [0, 3, 4], [1, 0, 0], [2, 2, 0]])
Y = np.array(["a", "a", "a", "b", "b"])
DOCUMENTS = np.array([3.0, 2.0])
TOKENS = np.array([12.0, 5.0])
PRESENT = np.array([6.0, 3.0])  # different terms in the documents of a class

ALL = [BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MixedNB, MultinomialNB]
COUNTED = [BernoulliNB, ComplementNB, MultinomialNB]


def prior_of(model):
    if isinstance(model, GaussianNB):
        return np.asarray(model.class_prior_)
    return np.exp(model.class_log_prior_)


def smoothed(counts, alpha):
    return (counts + alpha) / (counts.sum() + len(counts) * alpha)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1, 20.0])
def test_priors_by_documents(kind, alpha):
    model = kind(prior_alpha=alpha).fit(X, Y)
    np.testing.assert_allclose(prior_of(model), smoothed(DOCUMENTS, alpha))
    if alpha == 0:
        np.testing.assert_array_equal(prior_of(model), prior_of(kind().fit(X, Y)))


@pytest.mark.parametrize("kind", COUNTED)
def test_priors_by_tokens(kind):
    model = kind(prior_alpha=0.7, class_prior="tokens").fit(X, Y)
    counts = PRESENT if kind is BernoulliNB else TOKENS
    np.testing.assert_allclose(prior_of(model), smoothed(counts, 0.7))


@pytest.mark.parametrize("kind", ALL)
def test_weights_count(kind):
    model = kind(prior_alpha=2.0).fit(X, Y, sample_weight=[0.5, 0.5, 1, 3, 0])
    np.testing.assert_allclose(prior_of(model), smoothed(np.array([2.0, 3.0]), 2.0))


@pytest.mark.parametrize("kind", ALL)
def test_a_class_without_documents_has_a_finite_prior(kind):
    expected = smoothed(np.array([3.0, 2.0, 0.0]), 1.0)
    with np.errstate(all="raise", under="ignore"):
        model = kind(prior_alpha=1.0).partial_fit(X, Y, classes=["a", "b", "c"])
        np.testing.assert_allclose(prior_of(model), expected)
        assert np.isfinite(model.predict_proba(X)).all()
        weightless = kind(prior_alpha=1.0).fit(
            np.vstack([X, X[:1]]), [*Y, "c"], sample_weight=[1, 1, 1, 1, 1, 0]
        )
        np.testing.assert_allclose(prior_of(weightless), expected)
    assert prior_of(kind().partial_fit(X, Y, classes=["a", "b", "c"]))[2] == 0


@pytest.mark.parametrize("kind", ALL)
def test_parts_and_files_agree_with_one_fit(kind, tmp_path):
    whole = kind(prior_alpha=1.5).fit(X, Y)
    batches = kind(prior_alpha=1.5).partial_fit(X[:2], Y[:2], classes=["a", "b"])
    batches.partial_fit(X[2:], Y[2:])
    np.testing.assert_allclose(prior_of(batches), prior_of(whole))
    merged = kind(prior_alpha=1.5).fit(X[:3], Y[:3]).merge(kind(prior_alpha=1.5).fit(X[3:], Y[3:]))
    np.testing.assert_allclose(prior_of(merged), prior_of(whole))
    quire.save(whole, tmp_path / "model.quire")
    loaded = quire.load(tmp_path / "model.quire")
    assert loaded.prior_alpha == 1.5
    np.testing.assert_array_equal(prior_of(loaded), prior_of(whole))
    again = loaded.partial_fit(X, Y)
    np.testing.assert_allclose(prior_of(again), smoothed(2 * DOCUMENTS, 1.5))


@pytest.mark.parametrize("kind", COUNTED)
def test_smooth_takes_up_a_change(kind):
    model = kind().fit(X, Y).set_params(prior_alpha=3.0).smooth()
    np.testing.assert_allclose(prior_of(model), smoothed(DOCUMENTS, 3.0))


@pytest.mark.parametrize("kind", ALL)
def test_given_and_uniform_priors_are_not_smoothed(kind):
    name = "priors" if kind is GaussianNB else "class_prior"
    for given, expected in (([0.9, 0.1], [0.9, 0.1]), ("uniform", [0.5, 0.5])):
        model = kind(prior_alpha=5.0, **{name: given}).fit(X, Y)
        np.testing.assert_allclose(prior_of(model), expected)


@pytest.mark.parametrize("kind", ALL)
def test_below_zero_is_refused(kind):
    with pytest.raises(ValueError, match="prior_alpha"):
        kind(prior_alpha=-1).fit(X, Y)
