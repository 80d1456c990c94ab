"""The topic sampler: its twin, the exact posterior, counts that agree, threads and instructions."""

import numpy as np
import pytest
from scipy import sparse, stats
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.topics import lda_gibbs as reference

from quire import _core

NO_SEEDS = (np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))


def make(n_docs, n_words, length, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(length / n_words, (n_docs, n_words))


def arrays(X):
    X = sparse.csr_array(X)
    return X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.int32)


def sampler(X, n_topics, *, n_parts=0, storage="auto", alpha=None, beta=0.1, seeds=NO_SEEDS):
    found = _core.topics.LdaGibbs(*arrays(X), X.shape[1], n_topics, n_parts, storage)
    alpha = np.linspace(0.1, 0.5, n_topics) if alpha is None else np.asarray(alpha, float)
    if np.ndim(beta):
        found.set_word_priors(alpha, beta, *seeds)
    else:
        found.set_priors(alpha, beta, *seeds)
    return found


def start(n_tokens, n_topics, seed=3):
    return np.random.default_rng(seed).integers(0, n_topics, n_tokens).astype(np.uint16)


def tokens(X):
    rows, columns = np.nonzero(X)
    n = X[rows, columns]
    return np.repeat(rows, n), np.repeat(columns, n)


@pytest.mark.parametrize("n_topics", [1, 2, 15, 16, 17, 40])
@pytest.mark.parametrize("from_nothing", [True, False])
@pytest.mark.parametrize("beta", [0.1, np.geomspace(0.01, 3.0, 20)], ids=["one", "each"])
def test_rows_draw_what_the_twin_draws(n_topics, from_nothing, beta):
    X = make(12, 20, 15)
    ours = sampler(X, n_topics, n_parts=1, storage="rows", beta=beta)
    topics = np.full(ours.n_tokens, reference.NO_TOPIC, np.uint16)
    if not from_nothing:
        topics = start(ours.n_tokens, n_topics)
        ours.set_assignments(topics)
    alpha = np.linspace(0.1, 0.5, n_topics)
    for sweep in range(2):
        ours.run(9, sweep + 1)
        topics = reference.lda_gibbs(X, topics, alpha, beta, 9, sweep)
        np.testing.assert_array_equal(ours.assignments(), topics)


@pytest.mark.parametrize("storage", ["rows", "lists"])
@pytest.mark.parametrize("n_parts", [1, 3])
def test_equal_priors_of_all_words_are_one_prior(storage, n_parts):
    X = make(30, 25, 40)
    one = sampler(X, 20, n_parts=n_parts, storage=storage, beta=0.125)
    each = sampler(X, 20, n_parts=n_parts, storage=storage, beta=np.full(25, 0.125))
    for found in (one, each):
        found.set_assignments(start(found.n_tokens, 20))
        found.run(5, 20, 2)
    np.testing.assert_array_equal(each.assignments(), one.assignments())


def check_counts(found, X, n_topics):
    topics = found.assignments()
    doc, word = tokens(X)
    n_dk, n_wk = np.zeros((X.shape[0], n_topics)), np.zeros((X.shape[1], n_topics))
    np.add.at(n_dk, (doc, topics), 1)
    np.add.at(n_wk, (word, topics), 1)
    indptr, columns, counts = found.doc_topics()
    ours = sparse.csr_array((counts, columns, indptr), shape=n_dk.shape).toarray()
    np.testing.assert_array_equal(ours, n_dk)
    table = np.zeros_like(n_wk)
    found.add_word_topics(table)
    np.testing.assert_array_equal(table, n_wk)
    np.testing.assert_array_equal(found.word_topics(np.array([3, 0], np.int32)), n_wk[[3, 0]])
    np.testing.assert_array_equal(found.totals, n_dk.sum(axis=0))
    begin, tails = found.topic_tails(2)
    for k in range(n_topics):
        column = n_dk[:, k]
        expected = [(column > n).sum() for n in range(int(column.max()))]
        assert tails[begin[k] : begin[k + 1]].tolist() == expected
    histogram = found.word_histogram()
    assert histogram[1:].tolist() == np.bincount(n_wk.ravel().astype(int))[1:].tolist()


@pytest.mark.parametrize("storage", ["rows", "lists"])
@pytest.mark.parametrize(("n_topics", "n_parts"), [(3, 1), (20, 4), (70, 7)])
def test_counts_agree_with_assignments(storage, n_topics, n_parts):
    X = make(60, 50, 40)
    X[7] = 0  # an empty document
    X[:, 9] = 0  # a word that does not occur
    found = sampler(X, n_topics, n_parts=n_parts, storage=storage)
    found.run(5, 4, 2)
    assert (found.sweep, found.epoch) == (4, 0)
    assert found.has_lists == (storage == "lists")
    check_counts(found, X, n_topics)
    again = sampler(X, n_topics, n_parts=n_parts, storage=storage)
    again.set_assignments(found.assignments(), 4, 0)
    check_counts(again, X, n_topics)


@pytest.mark.parametrize("storage", ["rows", "lists"])
@pytest.mark.parametrize("n_topics", [5, 33])
def test_same_bits_at_any_number_of_threads_and_for_every_instruction_set(storage, n_topics):
    X = make(80, 60, 50)

    def run(n_threads):
        found = sampler(X, n_topics, n_parts=8, storage=storage)
        found.set_assignments(start(found.n_tokens, n_topics))
        found.run(1, 5, n_threads)
        return found.assignments()

    one = run(1)
    for n_threads in (2, 3, 8):
        np.testing.assert_array_equal(run(n_threads), one)
    for level in SIMD_LEVELS:
        with simd(level):
            np.testing.assert_array_equal(run(2), one)


@pytest.mark.parametrize("storage", ["rows", "lists"])
@pytest.mark.parametrize("n_parts", [1, 2])
def test_long_documents_have_wide_counts(storage, n_parts):
    X = np.array([[70_000, 3], [5, 9]])
    found = sampler(X, 2, n_parts=n_parts, storage=storage)
    found.run(0, 2)
    check = found.assignments()
    assert len(check) == X.sum()
    _, _, counts = found.doc_topics()
    assert counts.sum() == X.sum()
    np.testing.assert_array_equal(found.totals, np.bincount(check, minlength=2))


@pytest.mark.parametrize("storage", ["rows", "lists"])
@pytest.mark.parametrize("seeded", [False, True])
@pytest.mark.parametrize("own", [0.4, np.array([0.2, 1.5, 0.7])], ids=["one", "each"])
def test_states_have_the_posterior_probabilities(storage, seeded, own):
    X = np.array([[2, 1, 0], [0, 1, 1]])
    doc, word = tokens(X)
    alpha, beta = np.array([0.6, 0.3, 0.9]), np.broadcast_to(own, (3, 3)).copy()
    seeds = NO_SEEDS
    if seeded:
        beta[1, 2] += 2.0
        beta[0, 0] += 1.0
        begin = np.array([0, 1, 1, 2], np.int32)
        seeds = (begin, np.array([0, 1], np.int32), np.array([1.0, 2.0]))
    found = sampler(X, 3, n_parts=1, storage=storage, alpha=alpha, beta=own, seeds=seeds)
    states, p = reference.posterior(doc, word, alpha, beta)
    number = {tuple(state): i for i, state in enumerate(states.tolist())}
    seen = np.zeros(len(states))
    n_draws, thinning = 12_000, 4
    for draw in range(n_draws):
        found.run(2, (draw + 1) * thinning)
        seen[number[tuple(found.assignments().tolist())]] += 1
    order = np.argsort(p)
    rare = order[np.cumsum(p[order]) * n_draws < 20]  # joined, for the test's sake
    common = np.setdiff1d(order, rare)
    observed = np.append(seen[common], seen[rare].sum())
    expected = np.append(p[common], p[rare].sum()) * n_draws
    keep = expected > 0
    assert stats.chisquare(observed[keep], expected[keep]).pvalue > 1e-3


def test_interrupted_between_epochs_goes_on_as_if_it_had_not_been():
    X = make(60, 50, 40)
    whole = sampler(X, 12, n_parts=4, storage="rows")
    whole.set_assignments(start(whole.n_tokens, 12))
    whole.run(4, 6)
    first = sampler(X, 12, n_parts=4, storage="rows")
    first.set_assignments(start(first.n_tokens, 12))
    first.run(4, 2)
    second = sampler(X, 12, n_parts=4, storage="rows")
    second.set_assignments(first.assignments(), first.sweep, first.epoch)
    second.run(4, 6)
    np.testing.assert_array_equal(second.assignments(), whole.assignments())


def test_bad_arrays_are_refused():
    X = make(5, 6, 10)
    indptr, indices, counts = arrays(X)
    with pytest.raises(ValueError, match="outside"):
        _core.topics.LdaGibbs(indptr, indices, counts, 3, 2)
    with pytest.raises(ValueError, match="negative"):
        _core.topics.LdaGibbs(indptr, indices, -counts, 6, 2)
    with pytest.raises(ValueError, match="between 1 and 65000"):
        _core.topics.LdaGibbs(indptr, indices, counts, 6, 0)
    with pytest.raises(ValueError, match="storage"):
        _core.topics.LdaGibbs(indptr, indices, counts, 6, 2, 0, "columns")
    found = _core.topics.LdaGibbs(indptr, indices, counts, 6, 2)
    with pytest.raises(ValueError, match="priors first"):
        found.run(0, 1)
    with pytest.raises(ValueError, match="n_topics entries"):
        found.set_priors(np.ones(3), 0.1, *NO_SEEDS)
    with pytest.raises(ValueError, match="one for each word"):
        found.set_word_priors(np.ones(2), np.ones(5), *NO_SEEDS)
    with pytest.raises(ValueError, match="n_tokens entries"):
        found.set_assignments(np.zeros(3, np.uint16))
    with pytest.raises(ValueError, match="not there"):
        found.set_assignments(np.full(found.n_tokens, 7, np.uint16))


def test_no_documents_and_no_tokens():
    for X in (np.zeros((0, 3), int), np.zeros((4, 3), int)):
        found = sampler(X, 2)
        found.run(0, 2, 2)
        assert found.assignments().size == 0
        assert found.totals.tolist() == [0, 0]
