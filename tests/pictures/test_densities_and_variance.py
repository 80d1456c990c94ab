"""Dirichlet, beta, principal components, bias and variance: against their formulas."""

import matplotlib
import numpy as np
import pytest
from scipy import stats

matplotlib.use("Agg")
from matplotlib.tri import TriContourSet

from quire.decomposition import PCA
from quire.distributions import Dirichlet
from quire.linear_model import Ridge
from quire.model_selection import complexity_curve
from quire.pictures import (
    beta_curves,
    bias_and_variance,
    dirichlet_triangles,
    projected_variance,
    variance_kept,
)


def test_beta_curves_are_beta_densities():
    ax = beta_curves([(2, 6), (0.5, 0.5)])
    for line, (a, b) in zip(ax.lines, [(2, 6), (0.5, 0.5)], strict=True):
        x, density = line.get_xydata().T
        np.testing.assert_allclose(density, stats.beta(a, b).pdf(x))
    with pytest.raises(ValueError, match="one pair or more"):
        beta_curves([(1, 2, 3)])


def test_triangles_are_dirichlet_densities():
    axes = dirichlet_triangles([(2, 3, 9), Dirichlet([5, 5, 5])], labels=["a", "b", "c"])
    for ax, alpha in zip(axes, [(2, 3, 9), (5, 5, 5)], strict=True):
        (drawn,) = (c for c in ax.collections if isinstance(c, TriContourSet))
        mode = (np.array(alpha) - 1) / (sum(alpha) - 3)
        assert drawn.levels[-1] == pytest.approx(stats.dirichlet(alpha).pdf(mode), rel=0.01)
        height = np.sqrt(3) / 2
        mean = np.array(alpha) / sum(alpha)
        (cross,) = (line for line in ax.lines if line.get_marker() == "P")
        np.testing.assert_allclose(
            cross.get_xydata()[0], [mean[1] + mean[2] / 2, mean[2] * height], atol=1e-12
        )
    with pytest.raises(ValueError, match="triangle is of three"):
        dirichlet_triangles([(1, 2)])
    with pytest.raises(ValueError, match="empty"):
        dirichlet_triangles([])


def test_variance_by_angle():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2)) @ [[2, 1], [0, 0.5]]
    left, right = projected_variance(X)
    degrees, variance = right.lines[0].get_xydata().T
    at = np.deg2rad(degrees)
    covariance = np.cov(X.T)
    w = np.array([np.cos(at), np.sin(at)])
    np.testing.assert_allclose(variance, (w * (covariance @ w)).sum(axis=0))
    tops = [line.get_ydata()[0] for line in right.lines[1:]]
    np.testing.assert_allclose(tops, np.linalg.eigvalsh(covariance)[::-1])
    assert variance.max() <= tops[0] + 1e-9
    feet = np.asarray(left.collections[1].get_offsets())
    assert np.linalg.matrix_rank(feet - feet.mean(axis=0), tol=1e-8) == 1
    with pytest.raises(ValueError, match="two or more"):
        projected_variance([[1, 2]])


def test_variance_kept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) * [5, 3, 1, 1, 0.1]
    ax = variance_kept(X, share=0.5)
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    shares = values / values.sum()
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], shares)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), np.cumsum(shares))
    assert ax.get_title() == "1 component keeps 50 % of the variance"
    few = variance_kept(model=PCA(2).fit(X), share=0.999)
    assert few.get_title().startswith("2 components keep 9")
    with pytest.raises(ValueError, match="both given"):
        variance_kept(X, model=PCA(2).fit(X))
    with pytest.raises(ValueError, match="between 0 and 1"):
        variance_kept(X, share=90)


def test_parts_add_up_and_trade():
    low, high, right = bias_and_variance(n_resamples=20)
    drawn = {line.get_label(): line.get_ydata() for line in right.lines}
    np.testing.assert_allclose(drawn["squared error"], drawn["bias²"] + np.array(drawn["variance"]))
    assert drawn["bias²"][0] > 10 * drawn["bias²"][4]
    assert drawn["variance"][-1] > 3 * drawn["variance"][0]
    assert np.argmin(drawn["squared error"]) not in (0, len(drawn["variance"]) - 1)
    fits = [line.get_ydata() for line in low.lines if line.get_label() in ("fits", "_fit")]
    (mean,) = (line.get_ydata() for line in low.lines if line.get_label() == "mean of fits")
    np.testing.assert_allclose(mean, np.mean(fits, axis=0))
    np.testing.assert_allclose(np.diff(fits[0], 2), 0, atol=1e-9)  # of degree 1
    assert len([line for line in high.lines if "fit" in line.get_label()]) == 21


def test_a_curve_of_ones_own():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    curve = complexity_curve(
        Ridge(), X, X @ [1, 2, 3], param="alpha", values=[0.1, 1.0], random_state=0,
        decompose={"n_resamples": 3},
    )  # fmt: skip
    (ax,) = bias_and_variance(curve=curve)
    losses = [one.loss for one in curve.decompositions]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), losses)
    with pytest.raises(ValueError, match="two degrees"):
        bias_and_variance(degrees=(0, 3))
