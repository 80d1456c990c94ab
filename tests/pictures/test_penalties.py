"""The diamond and the disc: solutions are where a contour of the error touches them."""

from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from scipy.optimize import minimize

matplotlib.use("Agg")
from matplotlib.contour import QuadContourSet

from quire.pictures import penalty_contours


def points(ax):
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def data(seed=1, n=50):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) @ [[1, 0.4], [0, 1]] + 3
    return X, X @ [0.3, 1.5] + rng.normal(size=n) + 7


def error(w, X, y):
    return np.mean(((y - y.mean()) - (X - X.mean(axis=0)) @ w) ** 2)


def test_points_minimise_the_penalised_errors():
    X, y = data()
    left, right = penalty_contours(X, y, lasso=0.8, ridge=0.5)
    for ax, name, penalty in (
        (left, "lasso", lambda w: 0.8 * np.abs(w).sum()),
        (right, "ridge", lambda w: 0.5 * (w**2).sum()),
    ):
        found = points(ax)[name][0]
        best = minimize(
            lambda w, p=penalty: error(w, X, y) + p(w),
            found + 0.1,
            method="Nelder-Mead",
            options={"xatol": 1e-7, "fatol": 1e-12},
        )
        np.testing.assert_allclose(found, best.x, atol=1e-3)
        np.testing.assert_allclose(
            points(ax)["least squares"][0],
            np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0],
        )


def test_edges_go_through_the_solutions_and_a_contour_touches_there():
    X, y = data()
    left, right = penalty_contours(X, y)
    lasso, ridge = points(left)["lasso"][0], points(right)["ridge"][0]
    diamond = points(left)["size of the lasso weights"]
    disc = points(right)["size of the ridge weights"]
    np.testing.assert_allclose(np.abs(diamond).sum(axis=1), np.abs(lasso).sum())
    np.testing.assert_allclose(np.linalg.norm(disc, axis=1), np.linalg.norm(ridge))
    for ax, solution, edge in ((left, lasso, diamond), (right, ridge, disc)):
        (drawn,) = (c for c in ax.collections if isinstance(c, QuadContourSet))
        level = error(solution, X, y)
        assert np.isclose(drawn.levels, level).sum() == 1
        along = np.concatenate([np.linspace(a, b, 50) for a, b in pairwise(edge)])
        assert min(error(w, X, y) for w in along) >= level - 1e-9  # it touches, and does not cut


def test_the_example_has_a_zero_on_the_left_alone():
    left, right = penalty_contours()
    assert points(left)["lasso"][0][0] == 0
    assert (points(right)["ridge"][0] != 0).all()


def test_errors():
    X, y = data()
    with pytest.raises(ValueError, match="0 or more"):
        penalty_contours(X, y, lasso=-1)
    with pytest.raises(ValueError, match="finite numbers"):
        penalty_contours(X, np.full(50, np.nan))
