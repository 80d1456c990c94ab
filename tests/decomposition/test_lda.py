"""Topic models by sampling: what is recovered, what is kept, what is refused."""

import pickle
import signal
import threading
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.special import gammaln
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from quire.datasets import make_lda_corpus
from quire.decomposition import LatentDirichletAllocation
from quire.decomposition._lda_sampling import r_hat
from quire.distributions import Dirichlet
from quire.feature_extraction.text import CountVectorizer
from quire.topics import match_topics

TEXTS = ["cat dog cat", "dog cat dog", "tax vote law", "law tax vote"] * 5


@pytest.fixture(scope="module")
def corpus():
    return make_lda_corpus(
        400, n_topics=5, n_words=200, mean_length=80, alpha=0.1, beta=0.05, random_state=1
    )


@pytest.fixture(scope="module")
def model(corpus):
    return LatentDirichletAllocation(5, random_state=0, max_iter=200).fit(corpus.X)


def test_planted_topics_are_recovered(corpus, model):
    order, distances = match_topics(corpus.phi, model.phi_)
    assert distances.max() < 0.15
    apart = 0.5 * np.abs(corpus.theta - model.theta_[:, order]).sum(axis=1)
    assert apart.mean() < 0.08
    again = 0.5 * np.abs(corpus.theta - model.transform(corpus.X)[:, order]).sum(axis=1)
    assert again.mean() < 0.08


def test_many_topics_are_recovered_from_lists():
    corpus = make_lda_corpus(
        3000, n_topics=150, n_words=600, mean_length=60, alpha=0.02, beta=0.02, random_state=2
    )
    model = LatentDirichletAllocation(150, random_state=0, max_iter=100, doc_topic_prior=0.02)
    model.fit(corpus.X)
    assert np.median(match_topics(corpus.phi, model.phi_)[1]) < 0.2


def test_attributes(corpus, model):
    n_documents, n_words = corpus.X.shape
    assert model.components_.shape == model.phi_.shape == (5, n_words)
    np.testing.assert_allclose(model.phi_.sum(axis=1), 1)
    np.testing.assert_allclose(model.theta_.sum(axis=1), 1, rtol=1e-6)
    assert model.theta_.shape == (n_documents, 5)
    n_tokens = corpus.X.sum()
    np.testing.assert_allclose(model.components_.sum(), n_tokens + 5 * n_words * 0.01)
    assert model.topic_assignments_.shape == (n_tokens,)
    assert model.alpha_.shape == (5,)
    assert model.beta_ == 0.01
    trace = model.log_likelihood_trace_
    assert trace["log_likelihood"][-1] > trace["log_likelihood"][0]
    assert trace["iteration"][-1] == model.n_iter_
    assert model.vocabulary_terms_ is None
    assert model.theta_samples_ is None
    assert model.get_feature_names_out()[1] == "latentdirichletallocation1"
    assert model.n_samples_ == 5


def test_same_bits_at_any_number_of_threads():
    corpus = make_lda_corpus(
        3000, n_topics=10, n_words=500, mean_length=200, random_state=0
    )  # four parts

    def fit(n_jobs):
        model = LatentDirichletAllocation(20, random_state=3, max_iter=20, n_jobs=n_jobs)
        return model.fit(corpus.X)

    one = fit(1)
    for n_jobs in (2, 3, 8):
        other = fit(n_jobs)
        np.testing.assert_array_equal(other.components_, one.components_)
        np.testing.assert_array_equal(other.theta_, one.theta_)
        np.testing.assert_array_equal(other.alpha_, one.alpha_)
        np.testing.assert_array_equal(other.log_likelihood_trace_, one.log_likelihood_trace_)


def test_seeds_differ(corpus):
    a, b = (
        LatentDirichletAllocation(5, random_state=seed, max_iter=5).fit(corpus.X) for seed in (0, 1)
    )
    assert not np.array_equal(a.components_, b.components_)


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series, tuple])
def test_texts_of_any_kind(kind):
    model = LatentDirichletAllocation(2, random_state=0, max_iter=40).fit(kind(TEXTS))
    assert model.vocabulary_terms_.tolist() == ["cat", "dog", "law", "tax", "vote"]
    shares = model.transform(kind(["dog cat", "tax law", "", "unknown"]))
    assert shares[0].argmax() != shares[1].argmax()
    np.testing.assert_allclose(shares[2:], [model.alpha_ / model.alpha_.sum()] * 2)


def test_texts_are_counted_by_the_given_vectorizer():
    vectorizer = CountVectorizer(stop_words=["cat"])
    model = LatentDirichletAllocation(2, random_state=0, max_iter=20, vectorizer=vectorizer)
    model.fit(TEXTS)
    assert "cat" not in model.vocabulary_terms_
    assert not hasattr(vectorizer, "vocabulary_")
    counts = model.vectorizer_.transform(TEXTS)
    np.testing.assert_array_equal(model.transform(counts), model.transform(TEXTS))


def test_counts_of_any_kind(corpus):
    dense = corpus.X.toarray()
    kinds = (dense, dense.astype(float), sparse.csc_matrix(dense), sparse.coo_array(dense))
    first, *others = (
        LatentDirichletAllocation(3, random_state=0, max_iter=10).fit(X).components_ for X in kinds
    )
    for other in others:
        np.testing.assert_array_equal(other, first)


def test_names_of_columns(corpus):
    names = [f"word{i}" for i in range(corpus.X.shape[1])]
    frame = pd.DataFrame(corpus.X.toarray(), columns=names)
    model = LatentDirichletAllocation(3, random_state=0, max_iter=10).fit(frame)
    assert model.vocabulary_terms_.tolist() == names
    assert model.top_terms(2)[0][0].term in names
    assert model.set_output(transform="pandas").transform(frame).shape == (400, 3)
    pipeline = make_pipeline(CountVectorizer(), LatentDirichletAllocation(2, max_iter=5))
    assert pipeline.fit_transform(TEXTS).shape == (20, 2)


def test_transform_of_parts_is_that_of_the_whole(corpus, model):
    whole = model.transform(corpus.X)
    parts = [model.transform(corpus.X[i : i + 7]) for i in range(0, 400, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    expected = model.transform(corpus.X[:3], normalize=False)
    lengths = np.asarray(corpus.X[:3].sum(axis=1)).ravel()
    np.testing.assert_allclose(expected.sum(axis=1), lengths + model.alpha_.sum(), rtol=1e-6)


def test_fit_transform_is_fit_and_transform(corpus):
    """And not the shares of the chain, which a model would meet in no other document."""
    model = LatentDirichletAllocation(3, random_state=0, max_iter=10)
    for X in (corpus.X, TEXTS):
        for normalize in (True, False):
            found = model.fit_transform(X, normalize=normalize)
            np.testing.assert_array_equal(found, model.transform(X, normalize=normalize))
    assert np.abs(found - model.theta_).max() > 0.01
    with pytest.raises(ValueError, match="n_components"):
        LatentDirichletAllocation(0).fit_transform(corpus.X)


@pytest.mark.parametrize("method", ["gibbs", "batch"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32])
def test_single_precision_stays(corpus, dtype, method):
    """As scikit-learn has it: what is learned from single precision, and said of any documents."""
    X = corpus.X.astype(dtype)
    model = LatentDirichletAllocation(3, learning_method=method, random_state=0, max_iter=10)
    wanted = np.float32 if dtype == np.float32 else np.float64
    assert model.fit_transform(X).dtype == wanted
    assert model.components_.dtype == model.theta_.dtype == wanted
    assert model.transform(corpus.X).dtype == wanted
    twin = LatentDirichletAllocation(3, learning_method=method, random_state=0, max_iter=10)
    twin.fit(corpus.X.astype(np.float64))
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if method == "gibbs" else {"rtol": 0.1, "atol": 0.01}
    np.testing.assert_allclose(model.phi_, twin.phi_, **tolerance)
    np.testing.assert_allclose(model.transform(X), twin.transform(X), **tolerance)
    assert model.score(X) == pytest.approx(twin.score(X), rel=1e-3)


def test_pickle_and_clone(corpus, model):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(corpus.X), model.transform(corpus.X))
    assert clone(model).get_params() == model.get_params()


def test_learned_priors_are_near_those_of_the_corpus():
    alpha = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    corpus = make_lda_corpus(
        3000, n_topics=5, n_words=300, mean_length=100, alpha=alpha, beta=0.1, random_state=3
    )
    model = LatentDirichletAllocation(
        5,
        doc_topic_prior="asymmetric",
        topic_word_prior="symmetric",
        random_state=0,
        max_iter=200,
        n_chains=3,
        tol=0,
    ).fit(corpus.X)
    order, _ = match_topics(corpus.phi, model.phi_)
    np.testing.assert_allclose(model.alpha_[order], alpha, rtol=0.15)
    assert model.beta_ == pytest.approx(0.1, rel=0.2)
    model.set_params(
        doc_topic_prior="symmetric", topic_word_prior=None, n_chains=1, max_iter=40
    ).fit(corpus.X)
    assert np.ptp(model.alpha_) == 0
    model.set_params(doc_topic_prior=alpha).fit(corpus.X)
    np.testing.assert_array_equal(model.alpha_, alpha)


def test_seed_words_name_the_topics(corpus):
    best = np.argsort(-corpus.phi, axis=1)[:, :5]
    seeds = {4 - k: words.tolist() for k, words in enumerate(best)}
    model = LatentDirichletAllocation(5, random_state=0, max_iter=100, seed_words=seeds)
    model.fit(corpus.X)
    assert match_topics(corpus.phi, model.phi_)[0].tolist() == [4, 3, 2, 1, 0]
    assert model.beta_.shape == (5, 200)
    assert model.beta_[4, best[0, 0]] == pytest.approx(50.01)
    named = LatentDirichletAllocation(
        2, random_state=0, max_iter=30, seed_words={1: ["cat"], 0: {"tax": 5.0}}
    ).fit(TEXTS)
    assert named.top_terms(1)[1][0].term in ("cat", "dog")


def test_chains_are_compared(corpus):
    model = LatentDirichletAllocation(5, random_state=0, max_iter=100, n_chains=3, tol=0)
    model.fit(corpus.X)
    assert len(model.chain_traces_) == 3
    assert np.isfinite(model.r_hat_)
    means = [trace["log_likelihood"][-5:].mean() for trace in model.chain_traces_]
    assert model.log_likelihood_trace_["log_likelihood"][-5:].mean() == max(means)
    assert np.isnan(r_hat([np.arange(9.0)]))
    assert r_hat([np.zeros(8), np.ones(8)]) == np.inf


def test_burn_in_ends_when_the_trace_is_flat(corpus):
    model = LatentDirichletAllocation(5, random_state=0, tol=0.05).fit(corpus.X)
    assert model.converged_
    assert model.n_iter_ < 500
    model.set_params(max_iter=30, tol=0).fit(corpus.X)
    assert not model.converged_
    assert model.n_iter_ == 30


def test_samples_are_kept_and_averaged(corpus):
    model = LatentDirichletAllocation(
        3, random_state=0, burn_in=10, n_samples=4, thinning=2, keep_samples=True
    ).fit(corpus.X)
    assert model.n_iter_ == 18
    assert model.theta_samples_.shape == (4, 400, 3)
    np.testing.assert_allclose(model.theta_samples_.mean(axis=0), model.theta_, atol=1e-5)
    model.set_params(n_samples=0).fit(corpus.X)
    assert model.n_iter_ == 10
    counts = np.bincount(model.topic_assignments_, minlength=3)
    np.testing.assert_allclose(model.components_.sum(axis=1), counts + 2.0)


class Stop:
    """Interrupts at a sweep, once."""

    def __init__(self, sweep):
        self.sweep = sweep

    def __call__(self, state):
        if state["sweep"] >= self.sweep:
            self.sweep = np.inf
            raise KeyboardInterrupt


@pytest.mark.parametrize("at", [20, 55])
def test_an_interrupt_keeps_the_state_and_resume_goes_on(corpus, at):
    settings = {"random_state": 0, "max_iter": 60, "tol": 0}
    whole = LatentDirichletAllocation(5, **settings).fit(corpus.X)
    model = LatentDirichletAllocation(5, progress=Stop(at), **settings)
    with pytest.raises(KeyboardInterrupt):
        model.fit(corpus.X)
    assert not hasattr(model, "components_")
    assert not hasattr(model, "n_features_in_")
    early = pickle.loads(pickle.dumps(model.set_params(progress=False))).resume(stop=True)
    assert early.n_iter_ == at
    assert not early.converged_
    np.testing.assert_allclose(early.theta_.sum(axis=1), 1, rtol=1e-6)
    model.resume()
    np.testing.assert_array_equal(model.components_, whole.components_)
    with pytest.raises(ValueError, match="nothing to resume"):
        model.resume()


def test_ctrl_c_stops_the_sampler(corpus):
    model = LatentDirichletAllocation(5, random_state=0, burn_in=10**6, tol=0, evaluate_every=10**6)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(corpus.X)
    timer.join()
    model.resume(stop=True)
    assert 0 < model.n_iter_ < 10**6
    counts = np.bincount(model.topic_assignments_, minlength=5)
    np.testing.assert_allclose(model.components_.sum(axis=1), counts + 2.0)


def test_an_interrupted_model_goes_on_after_pickling(corpus):
    model = LatentDirichletAllocation(5, random_state=0, max_iter=40, tol=0)
    whole = clone(model).fit(corpus.X)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(progress=Stop(10)).fit(corpus.X)
    again = pickle.loads(pickle.dumps(model.set_params(progress=False))).resume()
    np.testing.assert_array_equal(again.components_, whole.components_)


@pytest.mark.parametrize("warm_start", [False, True])
def test_an_interrupt_leaves_a_fitted_model_as_it_was(corpus, warm_start):
    settings = {"random_state": 0, "max_iter": 40, "tol": 0, "warm_start": warm_start}
    model = LatentDirichletAllocation(5, **settings).fit(corpus.X)
    shares, n_iter = model.transform(corpus.X), model.n_iter_
    other = corpus.X[:100, :50]
    with pytest.raises(KeyboardInterrupt):
        model.set_params(progress=Stop(20)).fit(other)
    np.testing.assert_array_equal(model.transform(corpus.X), shares)
    assert model.n_iter_ == n_iter
    assert model.resume().n_features_in_ == 50
    whole = LatentDirichletAllocation(5, **settings).fit(other)
    np.testing.assert_array_equal(model.components_, whole.components_)


def test_partial_fit_on_a_default_object_is_that_of_online(corpus):
    model = LatentDirichletAllocation(5, random_state=0)
    online = LatentDirichletAllocation(5, random_state=0, learning_method="online")
    for rows in (slice(0, 50), slice(50, 120)):
        model.partial_fit(corpus.X[rows])
        online.partial_fit(corpus.X[rows])
    np.testing.assert_array_equal(model.components_, online.components_)
    np.testing.assert_array_equal(model.transform(corpus.X), online.transform(corpus.X))


def test_partial_fit_goes_on_from_sampled_topics(corpus):
    model = LatentDirichletAllocation(5, random_state=0, max_iter=40).fit(corpus.X)
    sampled = model.components_ / model.components_.sum(axis=1, keepdims=True)
    model.set_params(total_samples=corpus.X.shape[0]).partial_fit(corpus.X[:50])
    learned = model.components_ / model.components_.sum(axis=1, keepdims=True)
    overlap = np.minimum(sampled, learned).sum(axis=1)
    assert (overlap > 0.5).all()
    np.testing.assert_allclose(model.transform(corpus.X).sum(axis=1), 1)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_corpus_without_words_gives_the_prior(make):
    X = make(np.zeros((5, 4)))
    with pytest.warns(UserWarning, match="X has no words"):
        model = LatentDirichletAllocation(random_state=0).fit(X)
    np.testing.assert_allclose(model.components_.sum(axis=0), 1)
    np.testing.assert_allclose(model.transform(X), 0.1)


def test_warm_start_goes_on(corpus):
    model = LatentDirichletAllocation(5, random_state=0, max_iter=20, tol=0, warm_start=True)
    first = model.fit(corpus.X).log_likelihood_trace_["log_likelihood"][-1]
    model.fit(corpus.X)
    assert model.n_iter_ == 40
    assert model.log_likelihood_trace_["log_likelihood"][-1] > first
    assert model.fit(corpus.X[:100]).n_iter_ == 20  # other documents: from the start


def test_progress_and_verbose(corpus, capsys):
    seen = []
    LatentDirichletAllocation(2, max_iter=20, progress=seen.append, verbose=1).fit(corpus.X)
    assert [state["sweep"] for state in seen] == sorted(state["sweep"] for state in seen)
    assert seen[-1]["sweep"] == seen[-1]["n_sweeps"] == 20
    assert "log-likelihood" in capsys.readouterr().out
    LatentDirichletAllocation(2, max_iter=10, n_samples=1, progress=True).fit(corpus.X)
    assert "sweeps" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["batch", "online"])
def test_variational_methods_are_there(corpus, method):
    model = LatentDirichletAllocation(5, learning_method=method, random_state=0)
    shares = model.fit_transform(corpus.X)
    assert model.max_iter is None
    assert model.n_iter_ == 10
    np.testing.assert_allclose(shares, model.theta_)
    np.testing.assert_allclose(model.phi_.sum(axis=1), 1)
    assert np.isfinite(model.perplexity(corpus.X))
    model.partial_fit(corpus.X[:50])
    with pytest.raises(ValueError, match='needs learning_method="gibbs"'):
        model.set_params(doc_topic_prior="asymmetric").fit(corpus.X)


def test_score_is_better_for_a_better_model(corpus, model):
    rough = LatentDirichletAllocation(5, random_state=0, max_iter=1, n_samples=0)
    rough.fit(corpus.X)
    other = make_lda_corpus(30, n_topics=5, n_words=200, mean_length=30, random_state=9).X
    assert model.score(corpus.X[:30]) > rough.score(corpus.X[:30])
    assert model.perplexity(corpus.X[:30]) < model.perplexity(other)


def test_empty_documents_have_the_prior(corpus):
    X = corpus.X.toarray()
    X[[0, 5]] = 0
    model = LatentDirichletAllocation(3, random_state=0, max_iter=20).fit(X)
    np.testing.assert_allclose(model.theta_[[0, 5]], [model.alpha_ / model.alpha_.sum()] * 2)


def test_documents_that_are_all_the_same():
    model = LatentDirichletAllocation(3, random_state=0, max_iter=30).fit(np.full((50, 4), 3))
    assert np.isfinite(model.components_).all()
    assert (model.alpha_ > 0).all()
    np.testing.assert_allclose(model.theta_ @ model.phi_, 0.25, atol=0.12)


def test_more_topics_than_tokens_warns():
    with pytest.warns(UserWarning, match="7 topics for 3 tokens"):
        LatentDirichletAllocation(7, max_iter=5, random_state=0).fit(np.array([[1, 2]]))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1, 0], [0, -2]]), r"X\[1, 1\] is -2"),
        (np.array([[1, 0.5]]), r"X\[0, 1\] is 0.5, which is not a count"),
        (np.array([[1, np.nan]]), "NaN"),
        (np.array([[1, 3e9]]), "not a count"),
        (np.zeros((3, 0)), "0 feature"),
    ],
)
def test_bad_counts(X, message):
    with pytest.raises(ValueError, match=message):
        LatentDirichletAllocation(2).fit(X)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"doc_topic_prior": [0.1, 0.2, 0.3]}, r"shape \(3,\); expected a number or one for each"),
        ({"doc_topic_prior": 0.0}, "positive"),
        ({"topic_word_prior": -1.0}, "positive"),
        ({"topic_word_prior": [0.1, 0.2]}, r"shape \(2,\); expected a number or one for each of"),
        ({"topic_word_prior": [[0.1] * 5] * 2}, "expected a number or one for each of the 5"),
        ({"topic_word_prior": [0.1, 0.2, 0, 1, 1]}, "positive and finite"),
        ({"topic_word_prior": [0.1, 0.2, np.inf, 1, 1]}, "positive and finite"),
        ({"seed_words": {5: ["cat"]}}, "topics are numbers from 0 to 1"),
        ({"seed_words": {0: ["cow"]}}, "'cow' is not in the vocabulary of 5 words"),
        ({"seed_words": {0: "cat"}}, "expected a list of words"),
        ({"seed_words": {0: [99]}}, "not one of the columns 0 to 4"),
        ({"seed_words": {0: {"cat": -1}}}, "must be positive"),
        ({"seed_words": {0: ["cat"]}, "topic_word_prior": "symmetric"}, "cannot be learned"),
        ({"n_components": 0}, "n_components"),
        ({"learning_method": "gibs"}, "learning_method"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        LatentDirichletAllocation(**{"n_components": 2, **settings}).fit(TEXTS)


def test_other_misuse(corpus, model):
    with pytest.raises(ValueError, match="fitted to counts"):
        model.transform(TEXTS)
    with pytest.raises(ValueError, match="features"):
        model.transform(corpus.X[:, :7])
    with pytest.raises(ValueError, match="no names of columns"):
        LatentDirichletAllocation(2, seed_words={0: ["cat"]}).fit(corpus.X)
    with pytest.raises(ValueError, match="empty vocabulary"):
        LatentDirichletAllocation(2).fit(["", "?"])


def test_nothing_warns(corpus):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LatentDirichletAllocation(3, max_iter=10).fit(corpus.X).transform(corpus.X)


def test_steps_are_those_of_the_sampler():
    corpus = make_lda_corpus(30, n_topics=3, n_words=20, mean_length=15, random_state=0)
    options = {"n_components": 3, "random_state": 5, "max_iter": 40, "n_chains": 2, "n_samples": 3}
    plain = LatentDirichletAllocation(**options).fit(corpus.X)
    model = LatentDirichletAllocation(**options, keep_steps=True).fit(corpus.X)
    np.testing.assert_array_equal(model.components_, plain.components_)  # the same chain
    np.testing.assert_array_equal(model.topic_assignments_, plain.topic_assignments_)
    assert not hasattr(plain, "steps_")
    assert len(model.steps_) == model.n_iter_ + 1 == 41
    X = corpus.X.tocsr().astype(int)
    documents = np.repeat(np.arange(X.shape[0]), np.asarray(X.sum(axis=1)).ravel())
    words = np.repeat(X.indices, X.data)
    for step in model.steps_:
        by_document = np.zeros((X.shape[0], 3), dtype=int)
        np.add.at(by_document, (documents, step.assignments), 1)
        np.testing.assert_array_equal(step.document_topic_counts, by_document)
        by_word = np.zeros((3, X.shape[1]), dtype=int)
        np.add.at(by_word, (step.assignments, words), 1)
        np.testing.assert_array_equal(step.topic_term_counts, by_word)
    for iteration, value in model.log_likelihood_trace_:
        assert model.steps_[iteration].log_likelihood == value
    np.testing.assert_array_equal(model.steps_[-1].assignments, model.topic_assignments_)


def test_the_likelihood_of_a_step_is_that_of_the_formula():
    model = LatentDirichletAllocation(
        2,
        doc_topic_prior=[0.3, 0.8],
        topic_word_prior=0.1,
        max_iter=4,
        random_state=0,
        keep_steps=True,
    ).fit(TEXTS)

    def of_dirichlet(counts, prior):  # log B(counts + prior) - log B(prior), row by row
        both = counts + prior
        total = gammaln(both).sum(axis=1) - gammaln(both.sum(axis=1))
        return (total - gammaln(prior).sum() + gammaln(prior.sum())).sum()

    for step in model.steps_:
        expected = of_dirichlet(step.document_topic_counts, np.array([0.3, 0.8]))
        expected += of_dirichlet(step.topic_term_counts, np.full(5, 0.1))
        assert step.log_likelihood == pytest.approx(expected / len(step.assignments))


def test_steps_go_on_with_a_warm_start(corpus):
    model = LatentDirichletAllocation(
        3, random_state=0, max_iter=5, warm_start=True, keep_steps=True
    ).fit(corpus.X[:20])
    first = model.steps_
    model.fit(corpus.X[:20])
    assert len(first) == 6
    assert len(model.steps_) == 11
    assert model.steps_[5] is first[5]


@pytest.mark.parametrize("method", ["gibbs", "batch"])
def test_documents_are_drawn_from_the_model(corpus, method):
    model = LatentDirichletAllocation(
        3, learning_method=method, doc_topic_prior=0.5, random_state=0, max_iter=20
    ).fit(corpus.X)
    X, theta = model.sample(4000, random_state=1)
    assert set(np.asarray(X.sum(axis=1)).ravel()) == {round(corpus.X.sum() / corpus.X.shape[0])}
    prior = Dirichlet(model.alpha_)
    np.testing.assert_allclose(theta.mean(axis=0), prior.mean(), atol=0.03)
    np.testing.assert_allclose(theta.var(axis=0), prior.var(), atol=0.01)
    n_tokens = X.sum()
    expected = theta.mean(axis=0) @ model.phi_
    found = np.asarray(X.sum(axis=0)).ravel() / n_tokens
    assert (np.abs(found - expected) <= 5 * np.sqrt(expected / n_tokens) + 1e-9).all()
    # Given its own shares a document has n theta phi words.
    long, shares = model.sample(1, length=10**6, random_state=2)
    np.testing.assert_allclose(long.toarray()[0] / 10**6, (shares @ model.phi_)[0], atol=3e-3)
    lengths = [0, 3, 7]
    some, _ = model.sample(3, length=lengths, random_state=3)
    assert np.asarray(some.sum(axis=1)).ravel().tolist() == lengths


def test_lengths_must_be_known_to_draw_documents(corpus):
    model = LatentDirichletAllocation(3, learning_method="online", random_state=0)
    model.partial_fit(corpus.X)
    with pytest.raises(ValueError, match="Give length"):
        model.sample()
    assert model.sample(2, length=4, random_state=0)[0].sum() == 8


BETAS = np.array([0.05, 2.0, 0.3, 0.7, 0.1])


def test_a_prior_for_each_word():
    model = LatentDirichletAllocation(
        2, topic_word_prior=BETAS, n_samples=0, max_iter=10, random_state=0, keep_steps=True
    ).fit(TEXTS)
    counts = model.steps_[-1].topic_term_counts
    expected = (counts + BETAS) / (counts.sum(axis=1, keepdims=True) + BETAS.sum())
    np.testing.assert_allclose(model.phi_, expected)
    np.testing.assert_array_equal(model.beta_, BETAS)
    np.testing.assert_array_equal(model.topic_word_prior_, BETAS)
    assert model.transform(TEXTS).shape == (20, 2)
    for step in model.steps_:
        n_k = step.topic_term_counts.sum(axis=1)
        by_word = gammaln(step.topic_term_counts + BETAS).sum() - 2 * gammaln(BETAS).sum()
        by_topic = (gammaln(BETAS.sum()) - gammaln(n_k + BETAS.sum())).sum()
        found = step.log_likelihood * len(step.assignments) - by_word - by_topic
        n_dk, alpha = step.document_topic_counts, model.alpha_
        of_documents = gammaln(n_dk + alpha).sum() - 20 * gammaln(alpha).sum()
        of_documents += 20 * (gammaln(alpha.sum()) - gammaln(3 + alpha.sum()))
        assert found == pytest.approx(of_documents)


def test_a_prior_for_each_word_beside_seed_words():
    model = LatentDirichletAllocation(
        2, topic_word_prior=BETAS, seed_words={1: ["tax"]}, max_iter=10, random_state=0
    ).fit(TEXTS)
    expected = np.tile(BETAS, (2, 1))
    expected[1, list(model.vocabulary_terms_).index("tax")] += 50.0
    np.testing.assert_array_equal(model.beta_, expected)
    np.testing.assert_array_equal(model.topic_word_prior_, BETAS)


@pytest.mark.parametrize("method", ["gibbs", "batch", "online"])
def test_equal_priors_of_all_words_are_one_prior(corpus, method):
    n_words = corpus.X.shape[1]
    options = {"n_components": 4, "learning_method": method, "random_state": 0, "max_iter": 8}
    one = LatentDirichletAllocation(**options, topic_word_prior=0.1).fit(corpus.X)
    each = LatentDirichletAllocation(**options, topic_word_prior=[0.1] * n_words).fit(corpus.X)
    np.testing.assert_array_equal(each.components_, one.components_)
    np.testing.assert_array_equal(each.beta_, np.full(n_words, 0.1))
    assert one.beta_ == 0.1
    assert each.perplexity(corpus.X[:20]) == one.perplexity(corpus.X[:20])


@pytest.mark.parametrize("method", ["gibbs", "batch", "online"])
def test_words_with_a_large_prior_are_likely_without_being_seen(corpus, method):
    X = corpus.X.toarray()
    X[:, :3] = 0
    beta = np.full(X.shape[1], 0.05)
    beta[0] = 200.0
    model = LatentDirichletAllocation(
        4, learning_method=method, random_state=0, max_iter=8, topic_word_prior=beta
    ).fit(X)
    np.testing.assert_allclose(model.components_[:, 0], 200.0, rtol=0.05)
    if method != "online":  # which goes there step by step
        np.testing.assert_allclose(model.components_[:, 1:3], 0.05)
    assert np.isfinite(model.score(X[:10]))


def test_the_priors_of_words_are_part_of_the_variational_posterior(corpus):
    """lambda_kw = beta_w + the expected count of w in topic k, so that the sums are known."""
    beta = np.random.default_rng(0).uniform(0.1, 1.0, corpus.X.shape[1])
    model = LatentDirichletAllocation(
        4, learning_method="batch", random_state=0, max_iter=5, topic_word_prior=beta
    ).fit(corpus.X)
    counted = np.asarray(corpus.X.sum(axis=0)).ravel()
    np.testing.assert_allclose((model.components_ - beta).sum(axis=0), counted, rtol=1e-6)
    bound = -np.log(model.perplexity(corpus.X)) * corpus.X.sum()
    other = LatentDirichletAllocation(
        4, learning_method="batch", random_state=0, max_iter=5, topic_word_prior=5.0
    ).fit(corpus.X)
    assert bound > -np.log(other.perplexity(corpus.X)) * corpus.X.sum()
    with pytest.raises(ValueError, match="expected a number or one for each"):
        model.set_params(topic_word_prior=beta[1:]).fit(corpus.X)
    with pytest.raises(ValueError, match="needs learning_method"):
        model.set_params(topic_word_prior="symmetric").fit(corpus.X)
