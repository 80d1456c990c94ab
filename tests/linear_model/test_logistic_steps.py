"""The steps of a logistic regression: those of the solver that ran, and no others."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

import quire
from quire.linear_model import LogisticRegression
from quire.optimize import DescentStep

SOLVERS = [
    {"solver": "lbfgs"},
    {"solver": "newton"},
    {"solver": "gradient-descent", "max_iter": 10_000},
    {"solver": "saga", "l1_ratio": 1.0},
    {"solver": "saga", "l1_ratio": 0.5, "fit_intercept": False},
    {"solver": "lbfgs", "class_weight": "balanced", "fit_intercept": False},
]


def data(n_classes):
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return X, y if n_classes == 3 else y == 1


def objective(model, X, y, point):
    """By hand: the sum of -log P(y) times the weights, and the penalty over C."""
    W, b = (point[:, :-1], point[:, -1]) if model.fit_intercept else (point, 0.0)
    scores = X @ W.T + b
    if len(W) == 1:
        scores = np.column_stack([np.zeros(len(X)), scores])
    codes = np.searchsorted(model.classes_, y)
    weights = np.ones(len(X))
    if model.class_weight == "balanced":
        weights = len(X) / (len(model.classes_) * np.bincount(codes))[codes]
    losses = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(X)), codes]
    rho = model.l1_ratio
    penalty = rho * np.abs(W).sum() + (1 - rho) / 2 * (W**2).sum()
    return weights @ losses + penalty / model.C


@pytest.mark.parametrize("options", SOLVERS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_steps_lead_from_the_start_to_the_weights(options, n_classes, as_sparse):
    X, y = data(n_classes)
    rows = sparse.csr_array(X) if as_sparse else X
    model = LogisticRegression(C=0.5, keep_steps=True, **options).fit(rows, y)
    steps = model.steps_
    assert all(isinstance(step, DescentStep) for step in steps)
    assert len(steps) == model.n_iter_[0] + 1 > 3
    for step in steps:
        np.testing.assert_allclose(step.value, objective(model, X, y, step.point), rtol=1e-9)
    values = [step.value for step in steps]
    assert values == sorted(values, reverse=True)
    assert steps[-1].gradient_norm < 0.02 * steps[0].gradient_norm
    last = steps[-1].point
    np.testing.assert_array_equal(last[:, : X.shape[1]], model.coef_)
    if model.fit_intercept:
        np.testing.assert_array_equal(last[:, -1], model.intercept_)
    np.testing.assert_array_equal(steps[0].point[:, : X.shape[1]], 0)


@pytest.mark.parametrize(
    "options",
    [{}, {"solver": "gradient-descent", "max_iter": 10_000}, {"solver": "auto", "l1_ratio": 1.0}],
)
def test_steps_with_a_reference(options):
    X, y = data(3)
    model = LogisticRegression(keep_steps=True, reference=1, **options).fit(X, y)
    assert len(model.steps_) == model.n_iter_[0] + 1 > 2
    for step in model.steps_:
        np.testing.assert_array_equal(step.point[1], 0)
        np.testing.assert_allclose(step.value, objective(model, X, y, step.point), rtol=1e-9)
    last = model.steps_[-1].point
    np.testing.assert_array_equal(last, np.column_stack([model.coef_, model.intercept_]))


@pytest.mark.parametrize("options", SOLVERS)
def test_keeping_steps_changes_nothing(options):
    X, y = data(3)
    plain = LogisticRegression(**options).fit(X, y)
    watched = LogisticRegression(keep_steps=True, **options).fit(X, y)
    np.testing.assert_array_equal(plain.coef_, watched.coef_)
    np.testing.assert_array_equal(plain.n_iter_, watched.n_iter_)
    assert not hasattr(plain, "steps_")


@pytest.mark.parametrize("options", SOLVERS[:3])
def test_gradient_norms_are_those_of_differences(options):
    X, y = data(2)
    model = LogisticRegression(keep_steps=True, **options).fit(X, y)
    for step in model.steps_[:3]:
        gradient = np.empty(step.point.size)
        for j in range(step.point.size):
            shift = np.zeros_like(step.point)
            shift.flat[j] = 1e-5
            up, down = (objective(model, X, y, step.point + s) for s in (shift, -shift))
            gradient[j] = (up - down) / 2e-5
        np.testing.assert_allclose(step.gradient_norm, np.linalg.norm(gradient), rtol=1e-5)


def test_gradient_descent_goes_against_the_gradient():
    X, y = data(2)
    model = LogisticRegression(solver="gradient-descent", keep_steps=True, tol=0.1).fit(X, y)
    assert np.isnan(model.steps_[0].step_size)
    for before, after in zip(model.steps_, model.steps_[1:], strict=False):
        length = np.linalg.norm(after.point - before.point)
        np.testing.assert_allclose(length, after.step_size * before.gradient_norm)


def test_a_penalised_intercept_is_shown_as_it_is():
    X, y = data(2)
    model = LogisticRegression(
        solver="liblinear", l1_ratio=1.0, intercept_scaling=2.0, keep_steps=True
    ).fit(X, y)
    np.testing.assert_allclose(model.steps_[-1].point[0, -1], model.intercept_[0])


def test_a_fit_without_steps_forgets_those_before_and_files_hold_none(tmp_path):
    X, y = data(3)
    model = LogisticRegression(keep_steps=True).fit(X, y)
    quire.save(model, tmp_path / "model.quire")
    loaded = quire.load(tmp_path / "model.quire")
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    assert not hasattr(loaded, "steps_")
    assert hasattr(model, "steps_")
    assert not hasattr(model.set_params(keep_steps=False).fit(X, y), "steps_")
