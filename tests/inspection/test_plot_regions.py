"""Pictures of classifiers in the plane: lines are where the decision function says."""

import matplotlib
import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_moons
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.collections import PathCollection
from matplotlib.contour import QuadContourSet

from quire.inspection import plot_decision_regions, plot_margin
from quire.naive_bayes import GaussianNB
from quire.svm import SVC, LinearSVC
from quire.tree import DecisionTreeClassifier


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def separable():
    return make_blobs(60, centers=[[-3, 0], [3, 1]], cluster_std=0.7, random_state=0)


def lines(ax):
    (contours,) = (c for c in ax.collections if isinstance(c, QuadContourSet))
    return dict(zip(contours.levels.tolist(), contours.get_paths(), strict=True))


def rings(ax):
    (found,) = (
        c
        for c in ax.collections
        if isinstance(c, PathCollection) and c.get_label() == "support vectors"
    )
    return np.asarray(found.get_offsets())


@pytest.mark.parametrize(
    "model",
    [
        SVC(kernel="linear", C=np.inf),
        SVC(kernel="linear", C=0.05),
        SVC(kernel="rbf", gamma=0.3),
        SVC(kernel="poly", degree=2, coef0=1.0),
        LinearSVC(C=0.1, random_state=0),
        make_pipeline(StandardScaler(), SVC()),
    ],
    ids=["hard", "soft", "rbf", "poly", "LinearSVC", "pipeline"],
)
def test_lines_are_where_the_decision_function_says(model):
    X, y = separable()
    model.fit(X, y)
    ax = plot_margin(model, X, y, resolution=300)
    found = lines(ax)
    assert 0.0 in found
    for level, path in found.items():
        decisions = model.decision_function(path.vertices)
        np.testing.assert_allclose(decisions, level, atol=0.02)


def test_the_hard_margin_touches_its_support_vectors():
    X, y = separable()
    model = SVC(kernel="linear", C=np.inf, tol=1e-6).fit(X, y)
    ax = plot_margin(model, X, y)
    assert sorted(lines(ax)) == [-1.0, 0.0, 1.0]
    np.testing.assert_allclose(rings(ax), X[model.support_])
    np.testing.assert_allclose(np.abs(model.decision_function(rings(ax))), 1, atol=1e-3)
    edges = [lines(ax)[level].vertices for level in (-1.0, 1.0)]
    apart = np.linalg.norm(edges[0][:, None] - edges[1][None], axis=2).min()
    assert apart == pytest.approx(model.margin_width_[0], rel=0.02)


def test_soft_margins_are_wider():
    X, y = make_moons(80, noise=0.2, random_state=0)
    n_rings = []
    for C in (100.0, 0.1):
        model = SVC(kernel="rbf", C=C).fit(X, y)
        n_rings.append(len(rings(plot_margin(model, X, y))))
        assert n_rings[-1] == len(model.support_)
    assert n_rings[1] > n_rings[0]


def test_rings_without_support_vectors():
    X, y = separable()
    model = LinearSVC(C=1.0, random_state=0).fit(X, y)
    margins = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert len(rings(plot_margin(model, X, y))) == (margins <= 1 + 1e-3).sum() > 0
    assert plot_margin(model, X).get_legend() is None


def test_regions_are_predictions():
    X, y = make_blobs(90, centers=4, random_state=1)
    labels = np.array(["a", "b", "c", "d"])[y]
    for model in (DecisionTreeClassifier(random_state=0), GaussianNB(), SVC()):
        model.fit(X, labels)
        ax = plot_decision_regions(model, X, labels, resolution=40)
        mesh = ax.collections[0]
        codes = np.asarray(mesh.get_array()).ravel()
        corners = mesh.get_coordinates()
        middles = (corners[:-1, :-1] + corners[1:, 1:]) / 2
        predicted = model.predict(middles.reshape(-1, 2))
        np.testing.assert_array_equal(model.classes_[codes], predicted)
        assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b", "c", "d"]


def test_axes_names_and_kinds_of_input():
    X, y = separable()
    _, mine = pyplot.subplots()
    assert plot_margin(SVC().fit(X, y), X, y, ax=mine) is mine
    rows = sparse.csr_array(X)
    plot_margin(SVC().fit(rows, y), rows, y)
    frame = pl.DataFrame({"length": X[:, 0], "width": X[:, 1]})
    ax = plot_decision_regions(SVC().fit(frame, y), frame, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")
    one = plot_decision_regions(SVC().fit(X, y), X[:1])
    assert np.isfinite(one.get_xlim()).all()


def test_no_line_in_the_picture():
    X, y = separable()
    model = SVC(kernel="linear").fit(X, y)
    far = np.array([[100.0, 0.0], [101.0, 1.0]])
    with pytest.raises(ValueError, match="Pass the samples of its fit"):
        plot_margin(model, far)
    model = LinearSVC(random_state=0).fit(X, y)
    assert not [c for c in plot_margin(model, far).collections if isinstance(c, QuadContourSet)]


def test_errors():
    X, y = separable()
    model = SVC().fit(X, y)
    with pytest.raises(ValueError, match="two columns"):
        plot_margin(SVC().fit(np.hstack([X, X]), y), np.hstack([X, X]), y)
    with pytest.raises(ValueError, match="one class for 60 rows"):
        plot_decision_regions(model, X, y[:5])
    with pytest.raises(ValueError, match="finite"):
        plot_decision_regions(model, np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="resolution=1"):
        plot_decision_regions(model, X, y, resolution=1)
    with pytest.raises(TypeError, match="not a classifier"):
        plot_decision_regions(LinearRegression().fit(X, y), X)
    with pytest.raises(TypeError, match="no decision_function"):
        plot_margin(GaussianNB().fit(X, y), X, y)
    three = SVC().fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="this model has 3"):
        plot_margin(three, X)
