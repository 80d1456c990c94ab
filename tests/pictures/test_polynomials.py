"""Degree 15 over the penalty: the closed form of the notes, by hand."""

import matplotlib
import numpy as np
import pytest
from sklearn.model_selection import KFold

matplotlib.use("Agg")
from quire.pictures import polynomial_sweep


def data():
    rng = np.random.default_rng(3)
    x = rng.uniform(-3, 5, size=25)
    return x, np.cos(x) + 0.2 * rng.normal(size=25)


def closed_form(x, y, like, degree, penalty):
    scaled = 2 * (x - like.min()) / (like.max() - like.min()) - 1
    X = np.column_stack([scaled**k for k in range(degree + 1)])
    return np.linalg.solve(X.T @ X + len(x) * penalty * np.eye(degree + 1), X.T @ y), X


def test_coefficients_and_risks_are_those_of_the_formula():
    x, y = data()
    penalties = [1e-5, 1e-2, 1.0]
    sweep = polynomial_sweep(x, y, degree=7, penalties=penalties, cv=5, random_state=4)
    for number, penalty in enumerate(penalties):
        theta, X = closed_form(x, y, x, 7, penalty)
        np.testing.assert_allclose(sweep.coefs[number], theta, rtol=1e-6, atol=1e-8)
        risk = np.sum((y - X @ theta) ** 2) / (2 * len(y))
        assert sweep.empirical_risk[number] == pytest.approx(risk)
        squares = 0.0
        for train, test in KFold(5, shuffle=True, random_state=4).split(x):
            theta, _ = closed_form(x[train], y[train], x, 7, penalty)
            squares += np.sum((y[test] - X[test] @ theta) ** 2)
        assert sweep.held_out_risk[number] == pytest.approx(squares / (2 * len(y)))
    assert sweep.to_frame().columns == ["penalty", "empirical_risk", "held_out_risk", "norm"]


def test_curves_are_the_polynomials():
    sweep = polynomial_sweep(penalties=[1e-7, 1e-3, 1.0])
    left, right = sweep.plot(penalties=[1e-3])
    (curve,) = (line for line in left.lines if line.get_label() == "λ = 0.001")
    x = curve.get_xdata()
    theta, _ = closed_form(sweep.x, sweep.y, sweep.x, 15, 1e-3)
    scaled = 2 * (x - sweep.x.min()) / (sweep.x.max() - sweep.x.min()) - 1
    np.testing.assert_allclose(curve.get_ydata(), np.polyval(theta[::-1], scaled), atol=1e-5)
    drawn = {line.get_label(): line for line in right.lines}
    np.testing.assert_array_equal(drawn["empirical risk"].get_ydata(), sweep.empirical_risk)
    np.testing.assert_array_equal(drawn["held-out risk"].get_ydata(), sweep.held_out_risk)
    assert right.get_xscale() == "log"


def test_the_example_shows_both_kinds_of_failure():
    sweep = polynomial_sweep()
    assert (np.diff(sweep.empirical_risk) > -1e-12).all()
    best = int(np.argmin(sweep.held_out_risk))
    assert 0 < best < len(sweep.penalties) - 1
    assert sweep.held_out_risk[0] > 2 * sweep.held_out_risk[best] < sweep.held_out_risk[-1]
    assert sweep.best == sweep.penalties[best]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"degree": 0}, "degree=0"),
        ({"penalties": [0.0]}, "above 0"),
        ({"penalties": []}, "one number or more"),
        ({"cv": 100}, "no more folds"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        polynomial_sweep(*data(), **settings)
    with pytest.raises(ValueError, match="as many"):
        polynomial_sweep([1, 2, 3], [1, 2])
