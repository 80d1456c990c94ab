"""Parameters of naive Bayes from counts, against the formulas."""

import numpy as np
import pytest
from tests.reference.counts import naive_bayes as reference

from quire import _core

SIZES = [(1, 1), (2, 7), (20, 300), (3, 5000), (130, 70)]
ALPHAS = ["one", "each", "small", "zero"]


def make(n_classes, n_cols, alpha, whole=True, seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.0, (n_classes, n_cols)) * rng.integers(0, 400, (n_classes, n_cols))
    counts = counts.astype(np.float64) if whole else counts * 0.37
    counts[:, rng.random(n_cols) < 0.3] = 0
    alphas = {
        "one": np.array([1.0]),
        "each": rng.random(n_cols) + 0.01,
        "small": np.array([1e-9]),
        "zero": np.array([0.0]),
    }
    return counts, alphas[alpha]


def documents(counts):
    """Sizes of classes that hold the counts, one of them exactly."""
    n = counts.max(axis=1, initial=0.0) + 3.0
    n[0] -= 3.0
    return n


def both(name, *arguments):
    counts, *others = arguments
    ours = getattr(_core.counts, name)(*arguments)
    if (counts == counts.astype(np.uint32)).all():
        for mine, again in zip(
            ours, getattr(_core.counts, name)(counts.astype(np.uint32), *others), strict=True
        ):
            np.testing.assert_array_equal(mine, again)
    return ours, getattr(reference, name)(*arguments)


def both_with_totals(name, counts, alpha):
    kernel, totals = getattr(_core.counts, name), counts.sum(axis=1)
    ours = kernel(counts, totals, alpha)
    if (counts == counts.astype(np.uint32)).all():
        for mine, again in zip(ours, kernel(counts.astype(np.uint32), totals, alpha), strict=True):
            np.testing.assert_array_equal(mine, again)
    return ours, getattr(reference, name)(counts, alpha)


@pytest.mark.parametrize(("n_classes", "n_cols"), SIZES)
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("whole", [True, False])
def test_multinomial_log_prob(n_classes, n_cols, alpha, whole):
    ours, twin = both_with_totals("multinomial_log_prob", *make(n_classes, n_cols, alpha, whole))
    np.testing.assert_allclose(ours, twin, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("n_classes", "n_cols"), SIZES)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_bernoulli(n_classes, n_cols, alpha):
    counts, alpha = make(n_classes, n_cols, alpha)
    n = documents(counts)
    ours, twin = both("bernoulli_log_prob", counts, n, alpha)
    np.testing.assert_allclose(ours, twin, rtol=1e-12, atol=1e-12)
    (weights, base), (twin_weights, twin_base) = both("bernoulli_weights", counts, n, alpha)
    exact = min(alpha) > 1e-6 or max(alpha) == 0  # else 1 - p is rounded in the twin
    np.testing.assert_allclose(weights, twin_weights, rtol=1e-9 if exact else 1e-2, atol=1e-9)
    np.testing.assert_allclose(base, twin_base, rtol=1e-9 if exact else 1e-2, atol=1e-9)


@pytest.mark.parametrize(("n_classes", "n_cols"), SIZES)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_complement_weights(n_classes, n_cols, alpha):
    (ours, everything), (twin, twin_everything) = both_with_totals(
        "complement_weights", *make(n_classes, n_cols, alpha)
    )
    np.testing.assert_allclose(ours, twin, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(everything, twin_everything)


def test_a_class_without_counts_has_the_limit_of_a_vanishing_alpha():
    counts, n = np.array([[1.0, 3.0, 0.0], [0.0, 0.0, 0.0]]), np.array([3.0, 0.0])
    totals = counts.sum(axis=1)
    for alpha in (0.0, 1e-200):
        alpha = np.array([alpha])
        np.testing.assert_allclose(
            np.exp(_core.counts.multinomial_log_prob(counts, totals, alpha)[:, 1]), 1 / 3
        )
        np.testing.assert_allclose(
            np.exp(_core.counts.bernoulli_log_prob(counts, n, alpha)[:, 1]), 0.5
        )
        weights, base = _core.counts.bernoulli_weights(counts, n, alpha)
        np.testing.assert_allclose(weights[:, 1], 0, atol=1e-12)
        np.testing.assert_allclose(base[1], 3 * np.log(0.5))
        weights, _ = _core.counts.complement_weights(counts, totals, alpha)
        np.testing.assert_allclose(weights[:, 0], np.log(3))


@pytest.mark.parametrize("alpha", ["one", "each"])
def test_same_bits_at_any_number_of_threads(alpha):
    counts, alpha = make(7, 9000, alpha, whole=False)
    n, totals = documents(counts), counts.sum(axis=1)
    calls = [
        lambda t: (_core.counts.multinomial_log_prob(counts, totals, alpha, t),),
        lambda t: (_core.counts.bernoulli_log_prob(counts, n, alpha, t),),
        lambda t: _core.counts.bernoulli_weights(counts, n, alpha, t),
        lambda t: _core.counts.complement_weights(counts, totals, alpha, t),
    ]
    for call in calls:
        one = call(1)
        for n_threads in (2, 3, 8):
            for ours, bits in zip(call(n_threads), one, strict=True):
                np.testing.assert_array_equal(ours, bits)


def test_sizes_that_do_not_fit_are_refused():
    counts = np.ones((2, 3))
    with pytest.raises(ValueError, match="alpha must have one entry or n_cols"):
        _core.counts.multinomial_log_prob(counts, np.ones(2), np.ones(2))
    for kernel in (_core.counts.multinomial_log_prob, _core.counts.complement_weights):
        with pytest.raises(ValueError, match="totals must have n_classes entries"):
            kernel(counts, np.ones(3), np.ones(1))
    for kernel in (_core.counts.bernoulli_log_prob, _core.counts.bernoulli_weights):
        with pytest.raises(ValueError, match="must have n_classes entries"):
            kernel(counts, np.ones(3), np.ones(1))
