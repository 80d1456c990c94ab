"""The triangle shows differences of the density wherever there are any."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.tri import TriContourSet

from quire.distributions import Dirichlet


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def shares_of_colours(ax):
    """How much of the triangle each colour has, by the areas of the filled contours."""
    (drawn,) = (c for c in ax.collections if isinstance(c, TriContourSet))
    areas = []
    for path in drawn.get_paths():
        area = 0.0
        for ring in path.to_polygons(closed_only=True):
            x, y = np.asarray(ring).T
            area += 0.5 * float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))
        areas.append(abs(area))
    return np.array(areas) / (np.sqrt(3) / 4)


@pytest.mark.parametrize("alpha", [(0.2, 0.2, 0.2), (0.5, 1.0, 3.0), (0.05, 0.05, 0.9)])
def test_densities_without_bound_have_many_colours(alpha):
    ax = Dirichlet(alpha).plot()
    shares = shares_of_colours(ax)
    assert shares.sum() == pytest.approx(1, abs=0.03)
    assert shares.max() < 0.6
    assert (shares > 0.01).sum() >= 5


def test_a_bounded_density_has_equal_steps():
    ax = Dirichlet([5, 5, 5]).plot()
    (drawn,) = (c for c in ax.collections if isinstance(c, TriContourSet))
    steps = np.diff(drawn.levels)
    np.testing.assert_allclose(steps, steps[0])
    middle = Dirichlet([5, 5, 5]).pdf([1 / 3, 1 / 3, 1 / 3])
    assert drawn.levels[-1] == pytest.approx(middle, rel=0.01)


def test_a_flat_density_says_so():
    ax = Dirichlet([1, 1, 1]).plot(labels=["a", "b", "c"])
    assert "2\neverywhere" in [text.get_text() for text in ax.texts]
