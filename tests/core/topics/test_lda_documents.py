"""Documents under known topics against enumeration, for all instruction sets and threads."""

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.topics import lda_documents as reference

from quire import _core
from quire._shared.lda_documents import count_arrays, word_major


def make(n_topics=3, n_words=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(n_words, 0.5), n_topics), rng.uniform(0.2, 0.9, n_topics)


def words_of(row):
    return np.repeat(np.arange(len(row)), row).tolist()


X = np.array([[2, 1, 0, 1, 0], [0, 0, 0, 0, 0], [0, 3, 0, 0, 2], [1, 0, 0, 0, 0]])


def test_left_to_right_is_the_likelihood():
    phi, alpha = make()
    arrays = count_arrays(X)
    found = _core.topics.lda_left_to_right(*arrays, *word_major(phi, alpha), 3, 20_000, 7, 2)
    exact = [reference.lda_left_to_right(words_of(row), phi, alpha) for row in X]
    np.testing.assert_allclose(found, exact, atol=0.01)
    assert found[1] == 0
    np.testing.assert_allclose(found[3], exact[3], rtol=1e-6)  # one token needs no sampling


def test_left_to_right_is_unbiased_with_one_particle():
    # The mean of exp(estimate) over many documents that are the same is p(words).
    phi, alpha = make(seed=4)
    row = np.array([2, 1, 1, 0, 1])
    same = np.tile(row, (20_000, 1))
    found = _core.topics.lda_left_to_right(*count_arrays(same), *word_major(phi, alpha), 3, 1, 3, 2)
    weights = np.exp(found)
    exact = np.exp(reference.lda_left_to_right(words_of(row), phi, alpha))
    error = weights.std() / np.sqrt(len(weights))
    assert abs(weights.mean() - exact) < 4 * error
    assert error < 0.02 * exact


def test_completion_is_the_predictive_probability():
    phi, alpha = make(seed=2)
    row = np.array([1, 1, 0, 1, 1])
    same = np.tile(row, (60, 1))
    found, n_scored = _core.topics.lda_completion(
        *count_arrays(same), *word_major(phi, alpha), 3, 5000, 1, 2
    )
    assert n_scored.tolist() == [2] * 60
    words = words_of(row)
    possible = []  # whichever two of the four tokens were seen
    for i in range(4):
        for j in range(i + 1, 4):
            seen, scored = [words[i], words[j]], [w for w in words if w not in (words[i], words[j])]
            possible.append(reference.lda_completion(seen, scored, phi, alpha))
    nearest = np.abs(found[:, None] - np.array(possible)).min(axis=1)
    assert nearest.max() < 0.03
    assert len({int(i) for i in np.abs(found[:, None] - possible).argmin(axis=1)}) == 6


def test_completion_of_short_documents():
    phi, alpha = make()
    short = np.array([[0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 1, 1, 0, 0]])
    found, n_scored = _core.topics.lda_completion(
        *count_arrays(short), *word_major(phi, alpha), 3, 10, 0, 1
    )
    assert n_scored.tolist() == [0, 1, 1]
    assert found[0] == 0
    np.testing.assert_allclose(found[1], np.log(alpha / alpha.sum() @ phi[:, 1]), rtol=1e-6)


@pytest.mark.parametrize("n_topics", [1, 3, 16, 37])
def test_infer_is_the_twin(n_topics):
    phi, alpha = make(n_topics, 30)
    rows = np.random.default_rng(1).poisson(0.4, (20, 30))
    rows[4] = 0
    ours = _core.topics.lda_infer(
        *count_arrays(rows), *word_major(phi, alpha), n_topics, 50, 1e-4, 2
    )
    twin = [reference.lda_infer(row, phi, alpha, 50, 1e-4) for row in rows]
    np.testing.assert_allclose(ours, twin, atol=2e-4)
    np.testing.assert_allclose(ours.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(ours[4], alpha / alpha.sum(), rtol=1e-6)


def test_infer_is_near_the_posterior_mean():
    phi, alpha = make(seed=5)
    row = np.array([3, 2, 0, 1, 0])
    ours = _core.topics.lda_infer(
        *count_arrays(row[None]), *word_major(phi, alpha), 3, 100, 1e-6, 1
    )
    exact = reference.posterior_mean(words_of(row), phi, alpha)
    np.testing.assert_allclose(ours[0], exact, atol=0.05)


def test_same_bits_for_threads_and_instruction_sets():
    phi, alpha = make(20, 40)
    rows = np.random.default_rng(1).poisson(0.5, (30, 40))
    arrays, known = count_arrays(rows), word_major(phi, alpha)

    def run(n_threads):
        return np.concatenate(
            [
                _core.topics.lda_infer(*arrays, *known, 20, 20, 1e-4, n_threads).ravel(),
                _core.topics.lda_left_to_right(*arrays, *known, 20, 3, 1, n_threads),
                _core.topics.lda_completion(*arrays, *known, 20, 5, 1, n_threads)[0],
            ]
        )

    one = run(1)
    for n_threads in (2, 3, 8):
        np.testing.assert_array_equal(run(n_threads), one)
    for level in SIMD_LEVELS:
        with simd(level):
            np.testing.assert_array_equal(run(2), one)


def test_sizes_that_do_not_fit_are_refused():
    phi, alpha = make()
    arrays = count_arrays(sparse.csr_array(np.ones((2, 9), dtype=int)))
    with pytest.raises(ValueError, match=r"column 5 is outside \[0, 5\)"):
        _core.topics.lda_infer(*arrays, *word_major(phi, alpha), 3, 10, 1e-3, 1)
    with pytest.raises(ValueError, match="width"):
        _core.topics.lda_infer(*arrays, *word_major(phi, alpha), 40, 10, 1e-3, 1)
