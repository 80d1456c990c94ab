"""The lesson on least-squares classification: W by its formula, outliers, logistic regression."""

import numpy as np
import pytest
from tests.helpers.lessons import lesson, numbers

from quire.linear_model import LogisticRegression


def test_weights_by_the_formula():
    made = lesson("least_squares_classification")
    X = np.column_stack([made.given["X"], np.ones(len(made.given["y"]))])
    t = np.where(made.given["y"] == "squares", 1.0, -1.0)
    W = np.linalg.solve(X.T @ X, X.T @ t)
    found = numbers("least_squares_classification", "Fit a plane")
    assert [*found["weights"][0], *found["intercepts"]] == pytest.approx(W.tolist())
    assert found["squared_error"] == pytest.approx(float(np.sum((X @ W - t) ** 2)))
    model = LogisticRegression().fit(made.given["X"], t)
    beside = numbers("least_squares_classification", "Logistic regression beside it")
    assert beside["weights"][1] == pytest.approx(model.coef_[0].tolist())


def test_outliers_on_the_right_side_turn_least_squares_only():
    made = lesson("least_squares_classification")
    for run in made.runs:
        if run.values["side"] == "right":
            first, last = run.steps[2].numbers, run.steps[-1].numbers
            np.testing.assert_allclose(first["weights"][1], last["weights"][1], atol=0.05)
            assert np.linalg.norm(first["weights"][0] - last["weights"][0]) > 0.1
            assert run.result["Logistic turned by"] in ("0°", "1°")
    far = next(run for run in made.runs if run.values == {"distance": 9, "side": "right"})
    assert far.result["Least squares wrong"] > far.result["Logistic wrong"]
