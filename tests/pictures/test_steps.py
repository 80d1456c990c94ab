"""k-means, EM and descent, step by step: panels are the steps that the estimators kept."""

import matplotlib
import numpy as np
import pytest
from scipy import stats

matplotlib.use("Agg")
from quire.cluster import KMeans
from quire.mixture import GaussianMixture
from quire.optimize import gradient_descent, newton
from quire.pictures import (
    descent_paths,
    k_means_steps,
    mixture_density,
    mixture_ellipses,
    mixture_steps,
)
from quire.pictures._shown_steps import shown_steps


def labelled(ax, label):
    return [line.get_xydata() for line in ax.lines if line.get_label() == label]


def clouds(seed=0):
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(c, 1, size=(30, 2)) for c in ((0, 0), (5, 1), (1, 6))])


def test_which_steps_are_shown():
    assert shown_steps([5, 4, 3], 6) == [0, 1, 2]
    assert shown_steps([5, 4, 3, 3, 3], 6) == [0, 1, 2]
    assert shown_steps([1], 2) == [0]
    assert shown_steps(range(100), 2) == [0, 99]
    for n_panels in range(2, 9):
        shown = shown_steps(range(60), n_panels)
        assert len(shown) == n_panels
        assert shown == sorted(set(shown))
        assert (shown[0], shown[-1]) == (0, 59)
    with pytest.raises(ValueError, match="2 or more"):
        shown_steps([1, 2, 3], 1)


def test_centres_are_means_of_the_step_before():
    X = clouds()
    model = KMeans(3, init="random", n_init=1, random_state=1, keep_steps=True).fit(X)
    axes = k_means_steps(X, model=model, n_panels=50)
    assert len(axes) >= 3
    before = None
    for number, ax in enumerate(axes):
        centers = np.concatenate(labelled(ax, "_center"))
        np.testing.assert_allclose(centers, model.steps_[number].centers)
        members = [np.asarray(drawn.get_offsets()) for drawn in ax.collections]
        assert sum(map(len, members)) == len(X)
        for cluster, part in enumerate(members):  # everyone is with the nearest centre
            distances = np.linalg.norm(part[:, None] - centers[None], axis=2)
            assert (distances.argmin(axis=1) == cluster).all()
        if before is not None:
            np.testing.assert_allclose(centers, [part.mean(axis=0) for part in before], atol=1e-9)
        squares = [
            ((part - center) ** 2).sum() for part, center in zip(members, centers, strict=True)
        ]
        assert f"inertia {sum(squares):,.3g}" in ax.get_title()
        before = members


def test_k_means_errors():
    X = clouds()
    with pytest.raises(ValueError, match="keep_steps=True"):
        k_means_steps(X, model=KMeans(2, n_init=1).fit(X))
    with pytest.raises(ValueError, match="X is not"):
        k_means_steps(model=KMeans(2))
    with pytest.raises(ValueError, match="fitted to 90 rows, and X has 5"):
        k_means_steps(X[:5], model=KMeans(2, n_init=1, keep_steps=True).fit(X))


def test_bells_add_up_to_the_density_of_the_model():
    x = np.concatenate(
        [np.random.default_rng(0).normal(m, s, size=80) for m, s in ((0, 1), (6, 2))]
    )
    model = GaussianMixture(2, random_state=0).fit(x[:, None])
    for ax in (mixture_density(x, model=model), mixture_density(x[:, None], model=model)):
        at, total = labelled(ax, "sum")[0].T
        np.testing.assert_allclose(total, np.exp(model.score_samples(at[:, None])), rtol=1e-6)
        shares = model.predict_proba(at[:, None]).T
        for line, share in zip(ax.lines, shares, strict=False):
            np.testing.assert_allclose(line.get_ydata(), share * total, rtol=1e-6, atol=1e-12)
        assert sum(bar.get_height() * bar.get_width() for bar in ax.patches) == pytest.approx(1)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_ellipses_are_at_one_and_two_standard_deviations(kind):
    X = clouds() @ [[1, 0.3], [0, 0.6]]
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    ax = mixture_ellipses(X, model=model)
    rings = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) > 1]
    full = {
        "full": model.covariances_,
        "tied": [model.covariances_] * 3,
        "diag": [np.diag(row) for row in model.covariances_] if kind == "diag" else None,
        "spherical": [v * np.eye(2) for v in model.covariances_] if kind == "spherical" else None,
    }[kind]
    for number, ring in enumerate(rings):
        component, distance = divmod(number, 2)
        away = ring - model.means_[component]
        squares = (away @ np.linalg.inv(full[component]) * away).sum(axis=1)
        np.testing.assert_allclose(squares, (distance + 1) ** 2)
    labels = model.predict(X)
    for number, drawn in enumerate(ax.collections):
        assert len(drawn.get_offsets()) == (labels == number).sum()


def test_em_steps_are_those_of_the_model():
    x = np.concatenate([np.random.default_rng(1).normal(m, 1, size=60) for m in (0, 4)])[:, None]
    model = GaussianMixture(2, random_state=0, keep_steps=True, tol=1e-8, max_iter=200).fit(x)
    axes = mixture_steps(x, model=model, n_panels=4)
    numbers = shown_steps([step.log_likelihood for step in model.steps_], 4)
    for ax, number in zip(axes, numbers, strict=True):
        step = model.steps_[number]
        at, total = labelled(ax, "sum")[0].T
        expected = sum(
            w * stats.norm(m[0], np.sqrt(c[0, 0])).pdf(at)
            for w, m, c in zip(step.weights, step.means, step.covariances, strict=True)
        )
        np.testing.assert_allclose(total, expected)
        likelihood = np.mean(np.log(np.interp(x[:, 0], at, total)))
        assert float(ax.get_title().split()[-1]) == pytest.approx(likelihood, abs=0.01)


def test_the_likelihood_never_falls():
    for rows in (None, clouds()):
        axes = mixture_steps(rows, n_components=2 if rows is None else 3)
        values = [float(ax.get_title().split()[-1]) for ax in axes]
        assert values == sorted(values)
        assert len(axes) == 6


def test_mixture_errors():
    X = clouds()
    with pytest.raises(ValueError, match="one or of two"):
        mixture_steps(np.zeros((5, 3)))
    with pytest.raises(ValueError, match="keep_steps=True"):
        mixture_steps(X, model=GaussianMixture(2).fit(X))
    with pytest.raises(ValueError, match="other rows"):
        mixture_steps(X[:9], model=GaussianMixture(2, keep_steps=True).fit(X))
    with pytest.raises(ValueError, match="X is not"):
        mixture_steps(model=GaussianMixture(2))
    with pytest.raises(ValueError, match="2 columns, and X has 1"):
        mixture_density(X[:, 0], model=GaussianMixture(2).fit(X))


def bowl(x):
    return (x[0] - 1) ** 2 + 6 * (x[1] + 1) ** 2


def bowl_gradient(x):
    return np.array([2 * (x[0] - 1), 12 * (x[1] + 1)])


def bowl_hessian(x):
    return np.diag([2.0, 12.0])


def test_ways_are_those_of_the_solvers():
    ax = descent_paths(bowl, bowl_gradient, bowl_hessian, [4.0, 1.0])
    descent = gradient_descent(bowl, bowl_gradient, [4.0, 1.0], max_iter=200, keep_steps=True)
    straight = newton(bowl, bowl_gradient, bowl_hessian, [4.0, 1.0], keep_steps=True)
    for line, way in zip(ax.lines, (descent, straight), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), [step.point for step in way.steps])
        assert f": {len(way.steps) - 1} step" in line.get_label()
    np.testing.assert_allclose(ax.lines[1].get_xydata()[-1], [1, -1], atol=1e-9)
    levels = next(drawn.levels for drawn in ax.collections if hasattr(drawn, "levels"))
    assert (np.diff(levels) > 0).all()


def test_contours_are_those_of_the_function():
    ax = descent_paths(bowl, bowl_gradient, x0=[4.0, 1.0])
    assert len(ax.lines) == 1  # no Hessian, no Newton
    (contours,) = (drawn for drawn in ax.collections if hasattr(drawn, "levels"))
    for level, path in zip(contours.levels, contours.get_paths(), strict=True):
        for point in path.vertices[::7]:
            assert bowl(point) == pytest.approx(level, rel=0.05, abs=0.05)


def test_the_example_needs_fewer_steps_by_newton():
    descent, straight = (line.get_xydata() for line in descent_paths().lines)
    assert len(straight) < len(descent) / 2
    np.testing.assert_allclose(descent[-1], straight[-1], atol=1e-4)


def test_descent_errors():
    with pytest.raises(ValueError, match="without grad"):
        descent_paths(bowl)
    with pytest.raises(ValueError, match="without f"):
        descent_paths(grad=bowl_gradient)
    with pytest.raises(ValueError, match="two finite numbers"):
        descent_paths(bowl, bowl_gradient, x0=[1.0, 2.0, 3.0])
