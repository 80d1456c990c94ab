"""Variational Bayes against scikit-learn: the same topics, whatever the number of threads."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation as Sklearn
from sklearn.exceptions import NotFittedError

from quire.decomposition import _variational_steps
from quire.decomposition._lda_variational import VariationalLDA
from quire.decomposition._variational_steps import Topics, dirichlet_bound


def make_counts(n_documents=150, n_words=80, n_topics=4, seed=0, dtype=np.float64):
    """Documents of known topics, two of them empty, one word unused."""
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(n_words, 0.1), n_topics)
    theta = rng.dirichlet(np.full(n_topics, 0.3), n_documents)
    lengths = rng.integers(1, 60, n_documents)
    X = np.array([rng.multinomial(n, p) for n, p in zip(lengths, theta @ phi, strict=True)])
    X[3] = X[-1] = 0
    X[:, 5] = 0
    return sparse.csr_array(X.astype(dtype))


def assert_same(ours, theirs, X, rtol=1e-8):
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=rtol)
    np.testing.assert_allclose(
        ours.exp_dirichlet_component_, theirs.exp_dirichlet_component_, rtol=1e-6, atol=1e-12
    )
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-7)
    np.testing.assert_allclose(
        ours.transform(X, normalize=False), theirs.transform(X, normalize=False), rtol=1e-7
    )
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-8)
    assert ours.perplexity(X) == pytest.approx(theirs.perplexity(X), rel=1e-7)
    assert ours.perplexity(X, sub_sampling=True) == pytest.approx(
        theirs.perplexity(X, sub_sampling=True), rel=1e-7
    )
    assert (ours.n_batch_iter_, ours.n_iter_) == (theirs.n_batch_iter_, theirs.n_iter_)
    assert ours.doc_topic_prior_ == theirs.doc_topic_prior_
    assert ours.topic_word_prior_ == theirs.topic_word_prior_
    assert ours.get_feature_names_out().shape == theirs.get_feature_names_out().shape


CASES = [
    {},
    {"learning_method": "online", "batch_size": 40},
    {"learning_method": "online", "batch_size": 1000, "learning_decay": 0.0},
    {"learning_method": "online", "batch_size": 7, "learning_decay": 1.0, "learning_offset": 1.0},
    {"n_components": 1},
    {"n_components": 90, "max_iter": 4},
    {"n_components": 90, "learning_method": "online", "batch_size": 30, "max_iter": 3},
    {"doc_topic_prior": 0.9, "topic_word_prior": 1e-3},
    {"evaluate_every": 2, "perp_tol": 1.0, "max_iter": 30},
    {"max_doc_update_iter": 3, "mean_change_tol": 0.0},
    {"max_doc_update_iter": 0},
    {"max_iter": 0},
]


@pytest.mark.parametrize("options", CASES, ids=str)
def test_results_are_scikit_learns(options):
    X = make_counts()
    options = {"n_components": 5, "random_state": 0, "total_samples": 200, **options}
    ours, theirs = VariationalLDA(**options).fit(X), Sklearn(**options).fit(X)
    assert_same(ours, theirs, X)
    assert ours.bound_ == pytest.approx(theirs.bound_, rel=1e-8)


def test_partial_fit_is_scikit_learns():
    X = make_counts()
    options = {"n_components": 6, "random_state": 0, "batch_size": 32, "total_samples": 500}
    ours, theirs = VariationalLDA(**options), Sklearn(**options)
    for rows in (slice(0, 50), slice(50, 51), slice(51, 150)):
        ours.partial_fit(X[rows])
        theirs.partial_fit(X[rows])
        assert_same(ours, theirs, X)
    after_fit = clone(ours).fit(X).partial_fit(X[:40])
    np.testing.assert_allclose(
        after_fit.components_, clone(theirs).fit(X).partial_fit(X[:40]).components_, rtol=1e-8
    )


@pytest.mark.parametrize("method", ["batch", "online"])
def test_single_precision(method):
    X = make_counts(dtype=np.float32)
    options = {"n_components": 4, "random_state": 0, "learning_method": method, "max_iter": 3}
    ours, theirs = VariationalLDA(**options).fit(X), Sklearn(**options).fit(X)
    for found in (ours.components_, ours.exp_dirichlet_component_, ours.transform(X)):
        assert found.dtype == np.float32
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-2)
    assert ours.bound_ == pytest.approx(theirs.bound_, rel=1e-4)
    assert ours.perplexity(X.astype(np.float64)) == pytest.approx(ours.perplexity(X))


@pytest.mark.parametrize("method", ["batch", "online"])
@pytest.mark.parametrize("n_components", [5, 90])
def test_same_bits_at_any_number_of_threads(method, n_components):
    X = make_counts()
    options = {"learning_method": method, "random_state": 0, "max_iter": 3, "batch_size": 64}
    one = VariationalLDA(n_components, n_jobs=1, **options).fit(X)
    for n_jobs in (2, 3, 8):
        many = VariationalLDA(n_components, n_jobs=n_jobs, **options).fit(X)
        np.testing.assert_array_equal(many.components_, one.components_)
        np.testing.assert_array_equal(many.transform(X), one.transform(X))
        assert many.bound_ == one.bound_
        assert many.score(X) == one.score(X)


def test_kinds_of_matrices_give_the_same_bits():
    X = make_counts()
    fitted = VariationalLDA(3, random_state=0).fit(X)
    long_index = sparse.csr_matrix(X)
    long_index.indices = long_index.indices.astype(np.int64)
    long_index.indptr = long_index.indptr.astype(np.int64)
    for other in (X.toarray(), X.tocsc(), sparse.csr_matrix(X), long_index, X.astype(np.int64)):
        found = VariationalLDA(3, random_state=0).fit(other)
        np.testing.assert_array_equal(found.components_, fitted.components_)
        np.testing.assert_array_equal(fitted.transform(other), fitted.transform(X))


@pytest.mark.parametrize("n_documents", [1, 7, 64, 149])
def test_documents_are_taken_in_parts(monkeypatch, n_documents):
    X = make_counts()
    options = {"n_components": 4, "random_state": 0, "max_iter": 3}
    theirs = Sklearn(**options).fit(X)
    monkeypatch.setattr(_variational_steps, "_PART", 4 * n_documents + 1)
    for kind in (X, X.toarray()):
        ours = VariationalLDA(**options).fit(kind)
        assert_same(ours, theirs, X)
        assert ours.bound_ == pytest.approx(theirs.bound_, rel=1e-8)


def test_documents_without_words():
    X = make_counts()
    fitted = VariationalLDA(4, random_state=0).fit(X)
    np.testing.assert_allclose(fitted.transform(X)[3], 0.25)
    one = fitted.transform(X[:1])
    np.testing.assert_array_equal(one, fitted.transform(X)[:1])
    empty = sparse.csr_array((3, 80))
    np.testing.assert_allclose(fitted.transform(empty), 0.25)
    nothing = VariationalLDA(2, random_state=0).fit(empty)
    np.testing.assert_allclose(nothing.components_, 0.5)
    assert np.isnan(nothing.bound_)
    assert np.isnan(nothing.perplexity(empty))


def test_a_fitted_model_survives_pickling_and_other_layouts():
    X = make_counts()
    fitted = VariationalLDA(4, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    again.exp_dirichlet_component_ = np.ascontiguousarray(again.exp_dirichlet_component_)
    np.testing.assert_array_equal(again.transform(X[:5]), fitted.transform(X[:5]))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))


def test_an_interrupted_fit_keeps_what_was_there(monkeypatch):
    X = make_counts()
    fitted = VariationalLDA(4, random_state=0).fit(X)
    components, calls = fitted.components_.copy(), []
    blend = Topics.blend

    def interrupted(self, *arguments):
        calls.append(0)
        if len(calls) == 2:
            raise KeyboardInterrupt
        blend(self, *arguments)

    monkeypatch.setattr(Topics, "blend", interrupted)
    fitted.set_params(batch_size=30)
    with pytest.raises(KeyboardInterrupt):
        fitted.partial_fit(X)
    np.testing.assert_array_equal(fitted.components_, components)
    assert fitted.n_batch_iter_ == 11


def test_a_prior_for_each_word_of_each_topic():
    # A prior of equal numbers is that number, in both ways of learning.
    X = make_counts()
    for method in ("batch", "online"):
        options = {"n_components": 3, "random_state": 0, "learning_method": method}
        plain = VariationalLDA(**options, topic_word_prior=0.2, batch_size=40).fit(X)

        class Seeded(VariationalLDA):
            def _set_priors(self):
                super()._set_priors()
                self.topic_word_prior_ = np.full((3, 80), 0.2)

        seeded = Seeded(**options, batch_size=40).fit(X)
        np.testing.assert_allclose(seeded.components_, plain.components_, rtol=1e-9)
        assert seeded.bound_ == pytest.approx(plain.bound_)


def test_bound_of_dirichlet_distributions():
    rng = np.random.default_rng(0)
    q = rng.gamma(2.0, 1.0, (3, 4))
    assert dirichlet_bound(q, q) == pytest.approx(0, abs=1e-12)
    assert dirichlet_bound(0.5, q) == pytest.approx(dirichlet_bound(np.full((3, 4), 0.5), q))
    assert dirichlet_bound(0.5, q) == pytest.approx(dirichlet_bound(np.full(4, 0.5), q))
    assert dirichlet_bound(0.5, q) < 0


def test_errors():
    X = make_counts()
    with pytest.raises(NotFittedError):
        VariationalLDA().transform(X)
    with pytest.raises(ValueError, match="Negative values"):
        VariationalLDA().fit(-X)
    fitted = VariationalLDA(2, random_state=0).fit(X)
    for method in (fitted.transform, fitted.score, fitted.perplexity, fitted.partial_fit):
        with pytest.raises(ValueError, match="79 features"):
            method(X[:, 1:])
    with pytest.raises(ValueError, match="'n_components' parameter"):
        VariationalLDA(0).fit(X)
