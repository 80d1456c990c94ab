"""The counter-based generator: NumPy's words, any split of the work, sound distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.reference.base import random as reference

from quire import _core

words = st.integers(0, 2**64 - 1)
LARGE = 100_000  # several parts of the parallel loop


@given(seed=words, stream=words, position=st.integers(0, 2**64 - 40), n=st.integers(0, 30))
def test_philox_raw_is_numpy_s(seed, stream, position, n):
    ours = _core.base.philox_raw(seed, stream, position, n)
    assert ours.dtype.type is np.uint64
    np.testing.assert_array_equal(ours, reference.philox_raw(seed, stream, position, n))


def test_philox_raw_known_answer():
    # The authors' own test vector: key and counter zero (Random123, kat_vectors, philox4x64-10).
    expected = [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
    assert _core.base.philox_raw(0, 0, 0, 4).tolist() == expected


@given(seed=words, stream=words, position=st.integers(0, 10**12), n=st.integers(0, 30))
def test_philox_uniform(seed, stream, position, n):
    ours = _core.base.philox_uniform(seed, stream, position, n)
    np.testing.assert_array_equal(ours, reference.philox_uniform(seed, stream, position, n))


@given(seed=words, stream=words, position=st.integers(0, 10**12), n=st.integers(0, 30))
def test_philox_normal(seed, stream, position, n):
    ours = _core.base.philox_normal(seed, stream, position, n)
    twin = reference.philox_normal(seed, stream, position, n)
    np.testing.assert_allclose(ours, twin, rtol=1e-13, atol=1e-15)


@given(
    seed=words,
    stream=words,
    position=st.integers(0, 10**12),
    # Near 2**63 about half of the words are rejected; the other range is what programs ask for.
    bound=st.one_of(
        st.integers(1, 1000), st.integers(2**63 - 5, 2**63 + 5), words.map(lambda w: w | 1)
    ),
    n=st.integers(0, 20),
)
def test_philox_integers(seed, stream, position, bound, n):
    ours = _core.base.philox_integers(seed, stream, position, bound, n)
    assert np.all(ours < bound)
    twin = reference.philox_integers(seed, stream, position, bound, n)
    np.testing.assert_array_equal(ours, twin)


def test_bound_zero_is_refused():
    with pytest.raises(ValueError, match="bound must be at least 1"):
        _core.base.philox_integers(1, 2, 0, 0, 5)


KINDS = {
    "raw": _core.base.philox_raw,
    "uniform": _core.base.philox_uniform,
    "normal": _core.base.philox_normal,
    "integers": lambda seed, stream, position, n, n_threads=1: _core.base.philox_integers(
        seed, stream, position, 3 << 62, n, n_threads
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_bits_do_not_depend_on_threads_nor_on_where_one_starts(kind):
    draw = KINDS[kind]
    whole = draw(7, 3, 0, LARGE, 1)
    np.testing.assert_array_equal(draw(7, 3, 0, LARGE, 4), whole)
    for position in (1, 2, 3, 4, 33_333):
        np.testing.assert_array_equal(draw(7, 3, position, LARGE - position, 2), whole[position:])


def test_seeds_and_streams_differ():
    draws = np.stack(
        [
            _core.base.philox_uniform(seed, stream, 0, 5000)
            for seed in range(4)
            for stream in range(4)
        ]
    )
    correlations = np.corrcoef(draws) - np.eye(16)
    assert np.abs(correlations).max() < 0.07  # five standard errors


def test_uniform_distribution():
    u = _core.base.philox_uniform(11, 0, 0, LARGE, 2)
    assert u.min() >= 0
    assert u.max() < 1
    assert stats.kstest(u, "uniform").pvalue > 1e-3


def test_normal_distribution():
    z = _core.base.philox_normal(12, 0, 0, LARGE, 2)
    assert stats.kstest(z, "norm").pvalue > 1e-3
    moments = [np.mean(z**power) for power in (1, 2, 3, 4)]
    errors = np.sqrt(np.array([1, 2, 15, 96]) / LARGE)  # standard errors of the four means
    assert np.all(np.abs(np.array(moments) - [0, 1, 0, 3]) < 4 * errors)


def test_integer_distribution():
    counts = np.bincount(
        _core.base.philox_integers(13, 0, 0, 7, LARGE).astype(np.int64), minlength=7
    )
    assert stats.chisquare(counts).pvalue > 1e-3
