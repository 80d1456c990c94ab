"""Odds, outliers, Fisher's projections, margins, feature maps: what is drawn is what was fitted."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
from matplotlib.contour import QuadContourSet

from quire.linear_model import LeastSquaresClassifier, LogisticRegression
from quire.pictures import (
    feature_map,
    fisher_projections,
    least_squares_and_outliers,
    margin_with_slack,
    odds_logit_sigmoid,
)
from quire.pictures._feature_map import squares_and_product
from quire.svm import SVC, LinearSVC


def lines(ax):
    return {line.get_label(): line for line in ax.lines}


def blobs(seed=0, n=30, far=2.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * n, 2)) @ [[1, 0.5], [0, 1]]
    y = np.repeat(["a", "b"], n)
    X[y == "b"] += [far, 0.5]
    return X, y


def test_odds_logit_and_sigmoid_are_their_formulas():
    odds, logit, sigmoid = (ax.lines[0].get_xydata().T for ax in odds_logit_sigmoid())
    np.testing.assert_allclose(odds[1], odds[0] / (1 - odds[0]))
    np.testing.assert_allclose(logit[1], np.log(logit[0] / (1 - logit[0])), atol=1e-12)
    np.testing.assert_allclose(sigmoid[1], 1 / (1 + np.exp(-sigmoid[0])))
    np.testing.assert_allclose(1 / (1 + np.exp(-logit[1])), logit[0])  # one leads back


def score_on(line, model):
    """Scores at two points of a drawn line."""
    first = np.asarray(line.get_xy1())
    second = np.asarray(line.get_xy2())
    return np.ravel(model.decision_function(np.array([first, second])))


def test_lines_are_where_scores_are_zero():
    X, y = blobs()
    extra = (np.array([[9.0, -8.0], [9.5, -8.5]]), ["b", "b"])
    left, right = least_squares_and_outliers(X, y, outliers=extra, C=2.0)
    for ax, rows, labels in (
        (left, X, y),
        (right, np.vstack([X, extra[0]]), np.append(y, extra[1])),
    ):
        for name, model in (
            ("least squares", LeastSquaresClassifier()),
            ("logistic regression", LogisticRegression(C=2.0)),
        ):
            model.fit(rows, labels)
            np.testing.assert_allclose(score_on(lines(ax)[name], model), 0, atol=1e-3)


def test_outliers_turn_least_squares_and_not_the_other():
    left, right = least_squares_and_outliers()
    turned = {}
    for name in ("least squares", "logistic regression"):
        ways = []
        for ax in (left, right):
            line = lines(ax)[name]
            way = np.subtract(line.get_xy2(), line.get_xy1())
            ways.append(way / np.linalg.norm(way))
        turned[name] = np.degrees(np.arccos(min(1, abs(ways[0] @ ways[1]))))
    assert turned["least squares"] > 8
    assert turned["logistic regression"] < 2


def test_outliers_that_do_not_fit():
    X, y = blobs()
    assert len(least_squares_and_outliers(X, y)) == 1
    with pytest.raises(ValueError, match="one of a, b"):
        least_squares_and_outliers(X, y, outliers=([[0, 0]], ["c"]))
    with pytest.raises(ValueError, match="3 classes"):
        least_squares_and_outliers(X, np.arange(60) % 3)


def test_directions_of_fisher_and_of_the_means():
    X, y = blobs(3)
    axes = fisher_projections(X, y)
    first, second = X[y == "a"], X[y == "b"]
    between = second.mean(axis=0) - first.mean(axis=0)
    within = sum(np.cov(part.T, bias=True) * len(part) for part in (first, second))
    for ax, below, direction in (
        (axes[0], axes[2], between),
        (axes[1], axes[3], np.linalg.solve(within, between)),
    ):
        ends = lines(ax)["w"].get_xydata()
        way = ends[1] - ends[0]
        way /= np.linalg.norm(way)
        unit = direction / np.linalg.norm(direction)
        np.testing.assert_allclose(way, unit, atol=1e-6)
        J = (unit @ between) ** 2 / (unit @ within @ unit)
        assert below.get_title() == f"J(w) = {J:.3g}"
    counted = [sum(patch.get_height() for patch in axes[2].patches)]
    assert counted == [len(X)]


def test_slack_is_drawn_to_the_edge():
    X, y = blobs(1)
    model = SVC(kernel="linear", C=0.5, tol=1e-6).fit(X, y)
    ax = margin_with_slack(X, y, model=model)
    signs = np.where(y == "b", 1, -1)
    slack = np.maximum(0, 1 - signs * model.decision_function(X))
    drawn = [line.get_xydata() for line in ax.lines if line.get_label() in ("slack", "_slack")]
    assert len(drawn) == (slack > 1e-3).sum() > 2
    lengths = []
    for start, end in drawn:
        row = np.flatnonzero((X == start).all(axis=1))[0]
        assert signs[row] * model.decision_function([end])[0] == pytest.approx(1, abs=1e-6)
        lengths.append(np.linalg.norm(end - start) * np.linalg.norm(model.coef_))
        assert lengths[-1] == pytest.approx(slack[row], rel=1e-6)
    texts = [float(t.get_text().split("=")[1]) for t in ax.texts if "xi" in t.get_text()]
    assert sorted(texts)[::-1] == pytest.approx(np.sort(slack)[::-1][:4].round(2).tolist())
    width = 2 / np.linalg.norm(model.coef_)
    assert f"= {width:.2f}, slack in all {slack.sum():.2f}" in ax.get_title()


def test_other_machines():
    X, y = blobs(1)
    margin_with_slack(X, y, model=LinearSVC(random_state=0).fit(X, y))
    ax = margin_with_slack(*blobs(far=12.0), C=np.inf)
    assert "slack" not in lines(ax)  # a hard margin has none
    with pytest.raises(ValueError, match="expected a linear machine"):
        margin_with_slack(X, y, model=SVC().fit(X, y))


def test_the_curve_and_the_plane_are_one():
    left, right = feature_map()
    (curve,) = (c for c in left.collections if isinstance(c, QuadContourSet))
    middle = dict(zip(curve.levels, curve.get_paths(), strict=True))[0.0].vertices
    (surface,) = (c for c in right.collections if "varphi" in str(c.get_label()))
    corners = np.asarray(surface._faces[0])
    normal = np.linalg.svd(corners - corners.mean(axis=0))[2][2]
    lifted = squares_and_product(middle)[:, [0, 2, 1]]
    np.testing.assert_allclose((lifted - corners[0]) @ normal, 0, atol=0.02)


def test_features_multiply_to_the_kernel():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(2, 20, 2))
    np.testing.assert_allclose(
        (squares_and_product(X) * squares_and_product(Z)).sum(axis=1), (X * Z).sum(axis=1) ** 2
    )


def test_squares_are_separated_by_a_line():
    left, right = feature_map(lift="squares")
    (curve,) = (c for c in left.collections if isinstance(c, QuadContourSet))
    (line,) = right.lines
    start, end = np.asarray(line.get_xy1()), np.asarray(line.get_xy2())
    way = end - start
    squares = curve.get_paths()[0].vertices ** 2 - start
    np.testing.assert_allclose(squares @ [-way[1], way[0]], 0, atol=0.02)
    with pytest.raises(ValueError, match="'space' or 'squares'"):
        feature_map(lift="up")
    with pytest.raises(ValueError, match="projection='3d'"):
        feature_map(axes=matplotlib.pyplot.subplots(1, 2)[1])
