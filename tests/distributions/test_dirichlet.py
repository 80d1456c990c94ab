"""The Dirichlet distribution against SciPy, by its definition and at the edges."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, sparse, stats

from quire.distributions import Dirichlet

ALPHAS = [
    [2.0, 3.0, 5.0],
    [0.2, 0.7, 1.0, 4.0],
    [1.0, 1.0],
    [1e-3, 2e-3, 5e-3],
    [1e6, 2e6, 3e6],
    [7.5],
]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_moments_and_density_are_scipys(alpha):
    ours, theirs = Dirichlet(alpha), stats.dirichlet(alpha)
    np.testing.assert_allclose(ours.mean(), theirs.mean(), rtol=1e-14)
    np.testing.assert_allclose(ours.var(), theirs.var(), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(ours.cov(), theirs.cov(), rtol=1e-12, atol=1e-22)
    np.testing.assert_allclose(ours.entropy(), theirs.entropy(), rtol=1e-8, atol=1e-10)
    points = np.random.default_rng(0).dirichlet(np.ones(len(alpha)), 5)
    expected = [theirs.logpdf(point) for point in points]
    np.testing.assert_allclose(ours.logpdf(points), expected, rtol=1e-13, atol=1e-9)
    np.testing.assert_allclose(ours.pdf(points[0]), theirs.pdf(points[0]), rtol=1e-8)


def test_draws_are_scipys_with_the_same_seed():
    alpha = [0.5, 1.0, 4.0]
    for size in (1, 4, (2, 3)):
        theirs = stats.dirichlet(alpha).rvs(size, random_state=3)
        np.testing.assert_array_equal(Dirichlet(alpha).rvs(size, random_state=3), theirs)
    np.testing.assert_array_equal(
        Dirichlet(alpha).sample(4, random_state=3), Dirichlet(alpha).rvs(4, random_state=3)
    )


@given(st.lists(st.floats(1e-2, 1e3), min_size=2, max_size=8), st.integers(0, 2**31))
def test_density_is_scipys_for_any_parameters(alpha, seed):
    points = np.random.default_rng(seed).dirichlet(np.ones(len(alpha)), 3)
    expected = [stats.dirichlet.logpdf(x / x.sum(), alpha) for x in points]
    np.testing.assert_allclose(Dirichlet(alpha).logpdf(points), expected, rtol=1e-9, atol=1e-8)


def test_density_integrates_to_one():
    density = Dirichlet([1.5, 2.0, 3.5])
    total, _ = integrate.dblquad(lambda y, x: density.pdf([x, y]), 0, 1, 0, lambda x: 1 - x)
    assert total == pytest.approx(1, abs=1e-6)


def test_two_categories_are_a_beta_distribution():
    x = np.linspace(0.05, 0.95, 7)
    beta = stats.beta(2.5, 0.5)
    ours = Dirichlet([2.5, 0.5])
    np.testing.assert_allclose(ours.pdf(np.column_stack([x, 1 - x])), beta.pdf(x), rtol=1e-12)
    np.testing.assert_allclose(ours.pdf(x[:, None]), beta.pdf(x), rtol=1e-12)
    assert ours.entropy() == pytest.approx(beta.entropy())
    assert ours.marginal(0).mean() == pytest.approx(beta.mean())
    assert Dirichlet([1, 2, 3]).marginal(1).args == (2.0, 4.0)


def test_zeros_on_the_boundary():
    density = Dirichlet([0.5, 1.0, 2.0])
    assert density.logpdf([0.0, 0.5, 0.5]) == np.inf
    assert density.logpdf([0.5, 0.0, 0.5]) == pytest.approx(
        density.logpdf([0.5, 1e-12, 0.5 - 1e-12])
    )
    assert density.logpdf([0.5, 0.5, 0.0]) == -np.inf
    assert density.pdf([0.5, 0.5, 0.0]) == 0
    assert np.isnan(density.logpdf([0.0, 1.0, 0.0]))


def test_mode():
    np.testing.assert_allclose(Dirichlet([2, 3, 5]).mode(), np.array([1, 2, 4]) / 7)
    np.testing.assert_allclose(Dirichlet([1, 3, 5]).mode(), np.array([0, 2, 4]) / 6)
    np.testing.assert_array_equal(Dirichlet([0.5]).mode(), [1.0])
    with pytest.raises(ValueError, match=r"alpha\[1\] is 0.5.*no mode. Use mean"):
        Dirichlet([2, 0.5]).mode()
    with pytest.raises(ValueError, match="the same everywhere"):
        Dirichlet([1, 1, 1]).mode()


def test_a_larger_concentration_means_a_smaller_variance():
    small, large = Dirichlet([0.2, 0.3, 0.5]), Dirichlet([20, 30, 50])
    np.testing.assert_allclose(small.mean(), large.mean())
    np.testing.assert_allclose(small.var() * 2, large.var() * 101)
    assert large.concentration == 100


@pytest.mark.parametrize("alpha", [[1e-3] * 4, [1e-3, 0.5, 2.0], [0.05] * 10])
def test_draws_with_small_parameters_have_the_right_moments(alpha):
    ours = Dirichlet(alpha)
    draws = ours.rvs(40_000, random_state=0)
    np.testing.assert_allclose(draws.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(draws.mean(axis=0), ours.mean(), atol=0.01)
    np.testing.assert_allclose(draws.var(axis=0), ours.var(), atol=0.01)
    again = ours.rvs(3, random_state=np.random.default_rng(1))
    np.testing.assert_array_equal(again, ours.rvs(3, random_state=np.random.default_rng(1)))


def test_expected_logarithms():
    ours = Dirichlet([0.5, 2.0, 4.0])
    draws = ours.rvs(100_000, random_state=0)
    np.testing.assert_allclose(ours.mean_log(), np.log(draws).mean(axis=0), atol=0.02)


def test_fifty_thousand_categories():
    alpha = np.random.default_rng(0).uniform(0.01, 2, 50_000)
    ours = Dirichlet(alpha)
    draw = ours.rvs(2, random_state=0)
    assert draw.shape == (2, 50_000)
    assert np.isfinite(ours.logpdf(np.maximum(draw, 1e-300) / draw.sum(axis=1)[:, None])).all()
    assert ours.entropy() == pytest.approx(stats.dirichlet.entropy(alpha), rel=1e-9)
    row = sparse.csr_array(([3.0, 1.0], ([0, 0], [7, 40_000])), shape=(1, 50_000))
    expected = stats.dirichlet_multinomial.logpmf(row.toarray()[0].astype(int), alpha, 4)
    assert ours.counts_logpmf(row)[0] == pytest.approx(expected, abs=1e-6)


def test_entropy_of_large_parameters():
    # Nearly normal: half the log determinant of 2 pi e times the covariance of K - 1 proportions.
    alpha = np.array([1e9, 2e9, 3e9])
    covariance = Dirichlet(alpha).cov()[:2, :2]
    normal = 0.5 * np.linalg.slogdet(2 * np.pi * np.e * covariance)[1]
    assert Dirichlet(alpha).entropy() == pytest.approx(normal, abs=1e-7)
    near = [Dirichlet(np.full(3, 1e3 + shift)).entropy() for shift in (-1e-6, 1e-6)]
    assert near[0] == pytest.approx(near[1], abs=1e-8)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_probability_of_counts(as_sparse):
    alpha = np.array([0.5, 2.0, 1e-3, 1e6])
    counts = np.random.default_rng(0).integers(0, 6, (7, 4))
    counts[2] = 0
    ours = Dirichlet(alpha)
    expected = [stats.dirichlet_multinomial.logpmf(row, alpha, row.sum()) for row in counts]
    given_counts = sparse.csr_matrix(counts) if as_sparse else counts
    np.testing.assert_allclose(ours.counts_logpmf(given_counts), expected, rtol=1e-9, atol=1e-8)
    assert ours.counts_logpmf(counts[0]) == pytest.approx(expected[0])
    assert isinstance(ours.counts_logpmf(counts[0]), float)


def test_probability_of_one_order_of_draws():
    # Polya's urn: 1/2 of the first colour, then 2/3 of it again, then 1/4 of the other.
    assert np.exp(Dirichlet([1, 1]).counts_logpmf([2, 1], coefficient=False)) == pytest.approx(
        1 / 2 * 2 / 3 * 1 / 4
    )


def test_posterior_adds_counts():
    prior = Dirichlet([1, 2, 3])
    assert prior.posterior([1, 0, 4]) == Dirichlet([2, 2, 7])
    assert prior.posterior(sparse.csr_array([[1, 0, 0], [0, 0, 4]])) == Dirichlet([2, 2, 7])
    one, two = prior.counts_logpmf([1, 0, 0]), prior.posterior([1, 0, 0]).counts_logpmf([0, 1, 0])
    both = prior.counts_logpmf([1, 1, 0], coefficient=False)
    assert one + two == pytest.approx(both)


def test_parameters_are_kept_safe():
    given_alpha = np.array([1.0, 2.0])
    ours = Dirichlet(given_alpha)
    given_alpha[0] = 9
    np.testing.assert_array_equal(ours.alpha, [1, 2])
    with pytest.raises(ValueError, match="read-only"):
        ours.alpha[0] = 3
    assert pickle.loads(pickle.dumps(ours)) == ours
    assert hash(ours) == hash(Dirichlet([1, 2]))
    assert ours != Dirichlet([1, 3])
    assert repr(ours) == "Dirichlet([1., 2.])"


@pytest.mark.parametrize(
    ("alpha", "message"),
    [
        ([1, 0], r"alpha\[1\] is 0.0"),
        ([1, np.nan], r"alpha\[1\] is nan"),
        ([np.inf, 1], "positive and finite"),
        (3.0, r"shape \(\); expected one positive number"),
        ([], "expected one positive number"),
        ([[1, 2]], r"numpy.full\(K, value\)"),
    ],
)
def test_wrong_parameters(alpha, message):
    with pytest.raises(ValueError, match=message):
        Dirichlet(alpha)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([0.5, 0.2, 0.2], "sum to 0.9; expected 1. Divide"),
        ([1.5, -0.5, 0.0], "x contains -0.5"),
        ([np.nan, 0.5, 0.5], "x contains NaN"),
        ([0.1, 0.2, 0.3, 0.4], "expected 3 proportions"),
        (0.3, "expected 3 proportions"),
    ],
)
def test_wrong_proportions(x, message):
    with pytest.raises(ValueError, match=message):
        Dirichlet([1, 2, 3]).pdf(x)


def test_wrong_counts():
    ours = Dirichlet([1, 2])
    with pytest.raises(ValueError, match=r"counts contain 0.5; expected whole numbers"):
        ours.counts_logpmf([0.5, 1])
    with pytest.raises(ValueError, match="counts contain -1"):
        ours.posterior([-1, 1])
    with pytest.raises(ValueError, match="3 columns; expected 2"):
        ours.posterior([1, 1, 1])


def test_float32_proportions_are_close_enough():
    points = np.random.default_rng(0).dirichlet(np.ones(5), 3).astype(np.float32)
    assert np.isfinite(Dirichlet([2] * 5).logpdf(points)).all()


def test_plot_of_three_categories():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    axes = Dirichlet([0.5, 1.0, 2.0]).plot(labels=["a", "b", "c"], n_steps=20)
    assert [text.get_text() for text in axes.texts] == ["a", "b", "c"]
    assert Dirichlet([2, 2, 2]).plot(axes) is axes
    with pytest.raises(ValueError, match="4 categories; the plot is for three"):
        Dirichlet([1, 1, 1, 1]).plot()
    with pytest.raises(ValueError, match="labels has 2 names"):
        Dirichlet([1, 1, 1]).plot(labels="ab")
    pyplot.close("all")
