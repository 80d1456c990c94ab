"""Regions of several classes: where the rule has no answer there is no colour."""

import matplotlib
import numpy as np
import pytest
from sklearn.multiclass import OneVsOneClassifier

matplotlib.use("Agg")
from matplotlib.collections import QuadMesh

from quire.linear_model import LeastSquaresClassifier, LogisticRegression
from quire.multiclass import OneVsAllClassifier, undecided
from quire.pictures import undecided_regions
from quire.pictures._several_classes import _example


def grid_of(ax):
    """Return the middles of the cells of the coloured grid, and their values."""
    (mesh,) = (drawn for drawn in ax.collections if isinstance(drawn, QuadMesh))
    corners = mesh.get_coordinates()
    return ((corners[:-1, :-1] + corners[1:, 1:]) / 2).reshape(-1, 2), np.ma.ravel(mesh.get_array())


def test_colours_are_predictions_and_gaps_are_undecided():
    X, y = _example()
    models = {
        "all": OneVsAllClassifier(LogisticRegression()).fit(X, y),
        "pairs": OneVsOneClassifier(LogisticRegression()).fit(X, y),
        "scores": LeastSquaresClassifier().fit(X, y),
    }
    axes = undecided_regions(X, y, models=models, resolution=60)
    for ax, (title, model) in zip(axes, models.items(), strict=True):
        points, codes = grid_of(ax)
        gaps = undecided(model, points)
        np.testing.assert_array_equal(np.ma.getmaskarray(codes), gaps)
        decided = ~gaps
        np.testing.assert_array_equal(
            np.array(["a", "b", "c"])[codes.data[decided].astype(int)],
            model.predict(points[decided]),
        )
        assert ax.get_title() == f"{title}: {100 * gaps.mean():.1f} % undecided"


def test_by_hand_two_lines_claim_and_pairs_disagree():
    X, y = _example()
    all_, pairs, scores = undecided_regions(resolution=81)
    points, codes = grid_of(all_)
    lines = [LogisticRegression(C=10).fit(X, y == label) for label in "ab"]
    both = np.logical_and(*(line.decision_function(points) > 0 for line in lines))
    np.testing.assert_array_equal(np.ma.getmaskarray(codes), both)
    points, codes = grid_of(pairs)
    wins = np.zeros((len(points), 3))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        rows = np.isin(y, ["abc"[one], "abc"[other]])
        chosen = LogisticRegression(C=10).fit(X[rows], y[rows]).predict(points)
        for k in (one, other):
            wins[:, k] += chosen == "abc"[k]
    np.testing.assert_array_equal(np.ma.getmaskarray(codes), (wins == 1).all(axis=1))
    assert both.any()
    assert (wins == 1).all(axis=1).any()
    assert not np.ma.getmaskarray(grid_of(scores)[1]).any()


def test_errors():
    X = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.raises(ValueError, match="three or more"):
        undecided_regions(X, [0, 1, 0, 1, 0, 1])
    with pytest.raises(ValueError, match="resolution is 1"):
        undecided_regions(X, [0, 1, 2, 0, 1, 2], resolution=1)
