"""Distances in many dimensions: all pairs by hand."""

import matplotlib
import numpy as np
import pytest
from scipy.spatial.distance import cdist

matplotlib.use("Agg")
from quire.pictures import distance_contrast


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_nearest_and_farthest_are_those_of_all_pairs(metric):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8)) + 1
    found = distance_contrast(X, dimensions=[8], n_queries=10, n_points=50, metric=metric)
    names = {"manhattan": "cityblock"}
    distances = cdist(X, X, names.get(metric, metric))
    # every query is a row of X: its nearest and farthest are among its distances to the others
    for near, far in zip(found.nearest[0], found.farthest[0], strict=True):
        assert np.isclose(distances, near, atol=1e-6).any()
        assert np.isclose(distances, far, atol=1e-6).any()
        assert near < far
    np.testing.assert_allclose(found.contrast, (found.farthest - found.nearest) / found.nearest)


def test_all_queries_by_hand():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    found = distance_contrast(X, dimensions=[1], n_queries=1, n_points=3)
    rows = {0: (1, 7), 1: (1, 6), 3: (2, 4), 7: (4, 7)}
    assert (found.nearest[0, 0], found.farthest[0, 0]) in rows.values()
    assert found.n_points == 3


@pytest.mark.parametrize("distribution", ["uniform", "normal"])
def test_contrast_is_lost(distribution):
    found = distance_contrast(
        dimensions=[1, 10, 100, 1000], n_points=200, n_queries=30, distribution=distribution
    )
    medians = found.to_frame()["contrast"].to_numpy()
    assert (np.diff(medians) < 0).all()
    assert medians[0] > 50
    assert medians[-1] < 0.3
    (line,) = found.plot().lines
    np.testing.assert_allclose(line.get_ydata(), medians)
    np.testing.assert_array_equal(line.get_xdata(), found.dimensions)


def test_few_directions_keep_it():
    rng = np.random.default_rng(0)
    flat = rng.uniform(size=(400, 2)) @ rng.normal(size=(2, 200))
    wide = rng.uniform(size=(400, 200))
    contrasts = [
        distance_contrast(X, dimensions=[200], n_queries=50).to_frame()["contrast"][0]
        for X in (flat, wide)
    ]
    assert contrasts[0] > 10 * contrasts[1]


def test_the_seed_decides():
    settings = {"dimensions": [5], "n_points": 30, "n_queries": 5}
    one, same, other = (
        distance_contrast(**settings, random_state=seed).nearest for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dimensions": [0]}, "whole numbers from 1"),
        ({"dimensions": []}, "whole numbers from 1"),
        ({"n_points": 1}, "expected 2 and 1 or more"),
        ({"distribution": "cauchy"}, "'uniform' or 'normal'"),
        ({"metric": "hamming"}, "expected 'euclidean'"),
        ({"X": np.zeros((5, 2)), "dimensions": [3]}, "X has 2 columns"),
        ({"X": np.zeros((2, 2))}, "three or more"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        distance_contrast(**settings)
