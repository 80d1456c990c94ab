"""GaussianMixture: scikit-learn's results, a likelihood that never falls, collapse, bad input."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
import sklearn.mixture
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

import quire
from quire.mixture import GaussianMixture

KINDS = ["full", "tied", "diag", "spherical"]


def rows(n=700, n_cols=6, n_components=3, seed=0):
    rng = np.random.default_rng(seed)
    means = 3 * rng.normal(size=(n_components, n_cols))
    shapes = rng.normal(size=(n_components, n_cols, n_cols)) / 2
    labels = rng.integers(0, n_components, n)
    return means[labels] + np.einsum("ij,ijk->ik", rng.normal(size=(n, n_cols)), shapes[labels])


@pytest.mark.filterwarnings("ignore:Best performing")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("start", ["random_from_data", "random", "kmeans", "k-means++"])
def test_same_start_same_likelihood_in_every_iteration(start, kind):
    X = rows()
    options = {
        "n_components": 4,
        "covariance_type": kind,
        "init_params": start,
        "random_state": 1,
        "max_iter": 15,
        "reg_covar": 1e-3,
    }
    ours = GaussianMixture(**options).fit(X)
    theirs = sklearn.mixture.GaussianMixture(**options).fit(X)
    np.testing.assert_allclose(ours.trace_, theirs.lower_bounds_, rtol=1e-9)
    assert ours.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(ours.covariances_, theirs.covariances_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.bic(X) == pytest.approx(theirs.bic(X))
    assert ours.aic(X) == pytest.approx(theirs.aic(X))
    for one, other in zip(ours.sample(5), theirs.sample(5), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:Best performing")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_likelihood_never_falls(seed, kind):
    X = rows(300, 3, 4, seed)
    model = GaussianMixture(
        3, covariance_type=kind, init_params="random", random_state=seed, reg_covar=0, tol=0
    ).fit(X)
    assert len(model.trace_) == model.n_iter_ > 10
    assert np.all(np.diff(model.trace_) >= -1e-10)
    assert model.trace_[-1] > model.trace_[0]


@pytest.mark.parametrize("kind", KINDS)
def test_same_bits_at_any_number_of_threads(kind):
    X = rows(5000)
    one = GaussianMixture(3, covariance_type=kind, random_state=0, n_jobs=1).fit(X)
    for n_jobs in (2, 3, 8):
        other = GaussianMixture(3, covariance_type=kind, random_state=0, n_jobs=n_jobs).fit(X)
        np.testing.assert_array_equal(other.trace_, one.trace_)
        np.testing.assert_array_equal(other.covariances_, one.covariances_)


@pytest.mark.filterwarnings("ignore:Best performing")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_cols", [7, 8, 9, 41, 60])
def test_components_that_are_given_up_change_nothing(n_cols, dtype):
    X = rows(900, n_cols, 5).astype(dtype)  # so far apart that most shares vanish
    options = {"random_state": 1, "max_iter": 8, "reg_covar": 1e-2, "tol": 0.0}
    options["init_params"] = "random_from_data"
    ours = GaussianMixture(6, **options).fit(X)
    theirs = sklearn.mixture.GaussianMixture(6, **options).fit(X)
    accuracy = 1e-9 if dtype is np.float64 else 1e-3
    np.testing.assert_allclose(ours.trace_, theirs.lower_bounds_, rtol=accuracy)
    assert ours.means_.dtype == ours.covariances_.dtype == dtype
    if dtype is np.float64:
        np.testing.assert_allclose(ours.covariances_, theirs.covariances_, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-9)
    labels = GaussianMixture(6, **options).fit_predict(X)
    np.testing.assert_array_equal(labels, ours.predict(X))
    assert np.isfinite(ours._estimate_log_prob_resp(X)[1]).all()  # not left out here
    assert not hasattr(ours, "_likely")


@pytest.mark.parametrize("kind", KINDS)
def test_fewer_rows_than_a_tile_and_saved_models(kind, tmp_path):
    X = rows(5, 2)
    model = GaussianMixture(1, covariance_type=kind, reg_covar=0).fit(X)
    np.testing.assert_allclose(model.means_[0], X.mean(axis=0))
    quire.save(model, tmp_path / "mixture.quire")
    loaded = quire.load(tmp_path / "mixture.quire")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.score_samples(X), model.score_samples(X))


def test_an_error_leaves_no_guesses_behind():
    model = GaussianMixture(2, reg_covar=0, random_state=0)
    with pytest.raises(ValueError, match="increase reg_covar"):
        model.fit(np.vstack([rows(50, 2), np.full((20, 2), 100.0)]))
    assert not hasattr(model, "_likely")


def test_far_from_zero():
    X = rows()
    near = GaussianMixture(3, random_state=0).fit(X)
    far = GaussianMixture(3, random_state=0).fit(X + 1e6)
    np.testing.assert_allclose(far.trace_, near.trace_, rtol=1e-5)


@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
def test_collapse_onto_a_point_is_said(kind):
    X = np.vstack([rows(200, 2), np.full((20, 2), 100.0)])
    with pytest.warns(ConvergenceWarning, match=r"1 of 2 components have collapsed .* reg_covar"):
        model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    assert np.isfinite(model.trace_).all()
    assert model.weights_.min() == pytest.approx(20 / 220)


def test_without_regularisation_collapse_is_an_error_with_a_remedy():
    X = np.vstack([rows(50, 2), np.full((20, 2), 100.0)])
    with pytest.raises(ValueError, match="increase reg_covar"):
        GaussianMixture(2, reg_covar=0, random_state=0).fit(X)


def test_warm_start_goes_on():
    X = rows()
    model = GaussianMixture(3, warm_start=True, max_iter=2, random_state=0, tol=0)
    with pytest.warns(ConvergenceWarning):
        first = model.fit(X).trace_[-1]
    with pytest.warns(ConvergenceWarning):
        second = model.fit(X).trace_[0]
    assert second >= first


def test_bad_input():
    with pytest.raises(ValueError, match="n_samples >= n_components"):
        GaussianMixture(5).fit(np.eye(3))
    with pytest.raises(ValueError, match="minimum of 2"):
        GaussianMixture(1).fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="NaN"):
        GaussianMixture(1).fit([[1.0, np.nan], [2.0, 3.0]])
    with pytest.raises(ValueError, match="infinity"):
        GaussianMixture(1).fit([[1.0, np.inf], [2.0, 3.0]])
    with pytest.raises(ValueError, match="n_jobs"):
        GaussianMixture(1, n_jobs=0).fit(np.eye(3))


def test_duplicates_only_and_constant_columns():
    same = GaussianMixture(1).fit(np.ones((10, 2)))
    np.testing.assert_allclose(same.covariances_[0], np.eye(2) * 1e-6, atol=1e-20)
    X = np.column_stack([np.ones(100), np.random.default_rng(0).normal(size=100)])
    model = GaussianMixture(2, random_state=0).fit(X)
    np.testing.assert_allclose(model.means_[:, 0], 1)


def test_trace_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    model = GaussianMixture(2, random_state=0).fit(rows())
    ax = model.plot_trace()
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.trace_)
    pyplot.close(ax.figure)


def _densities(X, step, kind):
    """Log-densities of all components by SciPy, from the covariances of a step."""
    found = []
    for k, mean in enumerate(step.means):
        covariance = step.covariances if kind == "tied" else step.covariances[k]
        if kind == "diag":
            covariance = np.diag(covariance)
        elif kind == "spherical":
            covariance = covariance * np.eye(X.shape[1])
        found.append(multivariate_normal(mean, covariance).logpdf(X))
    return np.log(step.weights) + np.column_stack(found)


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_steps_are_those_of_em(kind, given):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(3, [0.5, 1.5], (40, 2))])
    start = {"random_state": 1, "n_init": 3, "init_params": "random"}
    if given:
        full = np.array([[[2.0, 0.3], [0.3, 1.0]], [[1.0, -0.2], [-0.2, 0.5]]])
        shape = {
            "full": full,
            "tied": full[0],
            "diag": full[:, [0, 1], [0, 1]],
            "spherical": [2, 1],
        }
        start = {
            "weights_init": [0.3, 0.7],
            "means_init": X[[0, -1]],
            "precisions_init": shape[kind],
        }
    model = GaussianMixture(
        2, covariance_type=kind, reg_covar=0, tol=1e-6, keep_steps=True, **start
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    steps = model.steps_
    assert len(steps) == model.n_iter_ + 1 > 2
    np.testing.assert_allclose([step.log_likelihood for step in steps[:-1]], model.trace_)
    for step in steps:
        joint = _densities(X, step, kind)
        norms = logsumexp(joint, axis=1)
        assert step.log_likelihood == pytest.approx(norms.mean())
        np.testing.assert_allclose(step.responsibilities, np.exp(joint - norms[:, None]), atol=1e-9)
    for step, after in pairwise(steps):
        n = step.responsibilities.sum(axis=0)
        np.testing.assert_allclose(after.weights, n / len(X), atol=1e-9)
        np.testing.assert_allclose(after.means, step.responsibilities.T @ X / n[:, None], atol=1e-9)
        assert after.log_likelihood >= step.log_likelihood - 1e-9
    np.testing.assert_array_equal(steps[-1].means, model.means_)
    np.testing.assert_array_equal(steps[-1].covariances, model.covariances_)
    np.testing.assert_allclose(steps[-1].responsibilities, model.predict_proba(X), atol=1e-9)


def test_steps_are_kept_only_on_request():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = GaussianMixture(2, random_state=0, keep_steps=True).fit(X)
    assert len(model.steps_) == model.n_iter_ + 1
    model.set_params(warm_start=True, max_iter=5, tol=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(X)
    assert len(model.steps_) == 6
    model.set_params(keep_steps=False, warm_start=False, max_iter=100, tol=1e-3).fit(X)
    assert not hasattr(model, "steps_")


@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_moments_of_the_model(kind):
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(rows())
    X, y = model.sample(20_000, random_state=5)
    np.testing.assert_allclose(np.bincount(y) / len(y), model.weights_, atol=0.02)
    for k, mean in enumerate(model.means_):
        np.testing.assert_allclose(X[y == k].mean(axis=0), mean, atol=0.15)
    again, _ = model.sample(20_000, random_state=5)
    np.testing.assert_array_equal(again, X)
    other, _ = model.sample(20_000, random_state=6)
    assert not np.array_equal(other, X)
    np.testing.assert_array_equal(model.sample(5)[0], model.sample(5)[0])  # that of the model
    assert model.random_state == 0
