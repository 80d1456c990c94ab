"""SVC: multipliers and slack of all training rows, the conditions at the optimum, and the steps."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_moons

from quire.persistence import load, save
from quire.svm import SVC, _machine

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0},
    {"kernel": "rbf", "gamma": 0.7},
]


def overlapping(seed=0):
    X, labels = make_moons(120, noise=0.3, random_state=seed)
    return X, labels


def gram(model, X):
    if model.kernel == "linear":
        return X @ X.T
    if model.kernel == "poly":
        return (model.gamma * X @ X.T + model.coef0) ** model.degree
    return np.exp(-model.gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
def test_the_conditions_of_the_optimum_hold_for_every_row(kernel, C) -> None:
    X, labels = overlapping()
    model = SVC(C=C, tol=1e-6, **kernel).fit(X, labels)
    y = np.where(labels == model.classes_[1], 1.0, -1.0)
    alpha, slack = model.alpha_, model.slack_
    assert alpha.shape == slack.shape == (len(X),)
    assert (alpha >= 0).all()
    assert (alpha <= C).all()
    assert alpha @ y == pytest.approx(0.0, abs=1e-9)
    # f(x) = sum_d alpha_d y_d k(x_d, x) + b, and xi_d = max(0, 1 - y_d f(x_d))
    f = gram(model, X) @ (alpha * y) + model.intercept_[0]
    np.testing.assert_allclose(f, model.decision_function(X), atol=1e-8)
    np.testing.assert_allclose(slack, np.maximum(0, 1 - y * f), atol=1e-5 * max(C, 1))
    # Complementary slackness: alpha_d (y_d f_d - 1 + xi_d) = 0 and (C - alpha_d) xi_d = 0.
    np.testing.assert_allclose(alpha * (y * f - 1 + slack), 0, atol=1e-4 * max(C, 1))
    np.testing.assert_allclose((C - alpha) * slack, 0, atol=1e-4 * max(C, 1))
    # Strong duality: the primal objective is the dual one.
    square = (alpha * y) @ gram(model, X) @ (alpha * y)
    dual = alpha.sum() - square / 2
    assert square / 2 + C * slack.sum() == pytest.approx(dual, rel=1e-4)
    assert model.dual_objective_[0] == pytest.approx(dual, rel=1e-5)


def test_weights_of_a_linear_machine_are_sums_of_rows() -> None:
    X, labels = overlapping()
    model = SVC(kernel="linear", C=2.0).fit(X, labels)
    y = np.where(labels == 1, 1.0, -1.0)
    np.testing.assert_allclose(model.coef_[0], (model.alpha_ * y) @ X, atol=1e-12)


def test_slack_by_hand_on_a_line() -> None:
    # With C = 0.05 all rows are inside: every alpha is C, and w = 0.05 (3 + 4 - 0 - 1) = 0.3.
    model = SVC(kernel="linear", C=0.05).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    np.testing.assert_allclose(model.alpha_, 0.05)
    np.testing.assert_allclose(model.coef_, [[0.3]])
    np.testing.assert_allclose(model.intercept_, [-0.6])  # by symmetry about 2
    np.testing.assert_allclose(model.slack_, [0.4, 0.7, 0.7, 0.4], atol=1e-7)
    hard = SVC(kernel="linear", C=np.inf).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    np.testing.assert_allclose(hard.alpha_, [0, 0.5, 0.5, 0], atol=1e-6)
    np.testing.assert_allclose(hard.slack_, 0, atol=1e-6)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_more_classes_have_a_row_for_each_pair(layout) -> None:
    X, labels = make_blobs(90, centers=3, cluster_std=3.0, random_state=1)
    model = SVC(kernel="linear", C=0.5, tol=1e-6, decision_function_shape="ovo")
    model.fit(layout(X), labels)
    assert model.alpha_.shape == model.slack_.shape == (3, 90)
    decisions = model.decision_function(layout(X))
    for pair, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        mine = np.isin(labels, (i, j))
        y = np.where(labels == i, 1.0, -1.0)
        missed = np.where(mine, np.maximum(0, 1 - y * decisions[:, pair]), 0)
        np.testing.assert_allclose(model.slack_[pair], missed, atol=1e-4)
        assert (model.alpha_[pair][~mine] == 0).all()
        assert (model.alpha_[pair] * y)[mine].sum() == pytest.approx(0, abs=1e-9)
        two = SVC(kernel="linear", C=0.5, tol=1e-6).fit(layout(X[mine]), labels[mine])
        np.testing.assert_allclose(model.alpha_[pair][mine], two.alpha_, atol=1e-6)


def test_bounds_follow_weights_and_rows_without_weight_have_none() -> None:
    X, labels = overlapping()
    weights = np.tile([0.0, 1.0, 3.0], 40)
    model = SVC(kernel="linear", C=0.1, class_weight={0: 2.0}).fit(X, labels, weights)
    bounds = 0.1 * weights * np.where(labels == 0, 2.0, 1.0)
    assert (model.alpha_ <= bounds + 1e-15).all()
    assert np.isclose(model.alpha_, bounds).mean() > 0.5
    assert (model.slack_[weights == 0] == 0).all()


def test_large_problems_in_working_sets_have_the_same_slack(monkeypatch) -> None:
    X, labels = make_moons(1500, noise=0.3, random_state=0)
    whole = SVC(tol=1e-5).fit(X, labels)
    monkeypatch.setattr(_machine, "_WHOLE", 100)
    parts = SVC(tol=1e-5).fit(X, labels)
    with pytest.raises(ValueError, match="keep_steps=True is for at most 100 samples"):
        SVC(keep_steps=True).fit(X, labels)
    np.testing.assert_allclose(parts.slack_, whole.slack_, atol=1e-3)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
def test_steps_lead_to_the_solution_and_change_no_bit(kernel) -> None:
    X, labels = overlapping(1)
    y = np.where(labels == 1, 1.0, -1.0)
    plain = SVC(**kernel).fit(X, labels)
    model = SVC(keep_steps=True, **kernel).fit(X, labels)
    assert np.array_equal(plain.alpha_, model.alpha_)
    assert np.array_equal(plain.intercept_, model.intercept_)
    start, *updates = model.steps_
    assert start.pair == ()
    assert not start.alpha.any()
    assert start.gap == 2.0  # all slacks are +1 or -1
    assert len(updates) == model.n_iter_[0] == plain.n_iter_[0]
    before = start
    K = gram(model, X)
    for step in updates:
        changed = np.flatnonzero(step.alpha != before.alpha)
        assert set(changed) <= set(step.pair)
        assert step.alpha @ y == pytest.approx(0, abs=1e-9)
        signed = step.alpha * y
        dual = step.alpha.sum() - signed @ K @ signed / 2
        assert step.objective == pytest.approx(dual, abs=1e-4)
        assert step.objective >= before.objective - 1e-12
        before = step
    assert before.gap <= model.tol
    assert np.array_equal(before.alpha, model.alpha_)
    assert before.intercept == model.intercept_[0]
    assert before.objective == pytest.approx(model.dual_objective_[0], rel=1e-6)


@pytest.mark.filterwarnings("ignore:Solver terminated early")
def test_a_fit_that_stops_early_ends_in_that_step() -> None:
    X, labels = overlapping()
    steps = SVC(keep_steps=True).fit(X, labels).steps_
    for n in (1, 5, 20):
        stopped = SVC(max_iter=n).fit(X, labels)
        assert np.array_equal(stopped.alpha_, steps[n].alpha)
        assert stopped.intercept_[0] == steps[n].intercept


def test_steps_of_several_classes_and_at_most_a_thousand_of_a_pair() -> None:
    X, labels = make_blobs(60, centers=3, cluster_std=3.0, random_state=1)
    model = SVC(keep_steps=True, kernel="linear", C=100.0).fit(X, labels)
    starts = [k for k, step in enumerate(model.steps_) if step.pair == ()]
    assert [model.steps_[k].problem for k in starts] == [0, 1, 2]
    counts = np.bincount([step.problem for step in model.steps_])
    assert counts.tolist() == [min(1001, n + 1) for n in model.n_iter_]
    assert counts.max() == 1001
    np.testing.assert_array_equal(SVC(kernel="linear", C=100.0).fit(X, labels).alpha_, model.alpha_)


def test_steps_are_kept_on_request_only(tmp_path) -> None:
    X, labels = overlapping()
    model = SVC(keep_steps=True).fit(X, labels)
    save(model, tmp_path / "machine.quire")
    for copy in (load(tmp_path / "machine.quire"), pickle.loads(pickle.dumps(model))):
        assert not hasattr(copy, "steps_")
        assert np.array_equal(copy.alpha_, model.alpha_)
        assert np.array_equal(copy.slack_, model.slack_)
    assert not hasattr(model.set_params(keep_steps=False).fit(X, labels), "steps_")
    for name in ("alpha_", "slack_"):
        with pytest.raises(AttributeError, match=f"no {name} before it is fitted"):
            getattr(SVC(), name)


@pytest.mark.parametrize("kernel", ["linear", "precomputed", lambda A, B: A @ B.T])
def test_steps_of_hard_margins_of_given_kernels_and_of_weights(kernel) -> None:
    rows = np.array([[1, 1], [2, 1], [2, 3], [4, 4], [5, 2], [6, 5]], dtype=float)
    X = rows @ rows.T if kernel == "precomputed" else rows
    y = [-1, -1, -1, 1, 1, 1]
    weights = [1, 0, 1, 1, 2, 1]
    model = SVC(kernel=kernel, C=np.inf, keep_steps=True, tol=1e-6).fit(X, y, weights)
    # The points (2, 3) and (4, 4) are nearest: w = 2 (2, 1) / 5, and both have alpha = 0.4.
    np.testing.assert_allclose(model.alpha_, [0, 0, 0.4, 0.4, 0, 0], atol=1e-6)
    np.testing.assert_allclose(model.steps_[-1].alpha, model.alpha_)
    assert len(model.steps_) == model.n_iter_[0] + 1
    assert all(step.alpha[1] == 0 and 1 not in step.pair for step in model.steps_)
    np.testing.assert_allclose(model.slack_, 0, atol=1e-6)
