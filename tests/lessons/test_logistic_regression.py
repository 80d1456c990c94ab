"""The lesson on logistic regression: its objective by hand, and the estimator's iterations."""

import numpy as np
import pytest
from tests.helpers.lessons import lesson

from quire.datasets import load_icu
from quire.lessons import logistic_regression
from quire.lessons._logistic_regression import _Walk
from quire.lessons._points import card_points
from quire.linear_model import LogisticRegression


def test_objective_and_gradient_by_hand():
    made = lesson("logistic_regression")
    X = np.column_stack([made.given["X"], np.ones(len(made.given["y"]))])
    sign = np.where(made.given["y"] == "not approved", 1.0, -1.0)
    for run in made.runs:
        for step in run.steps:
            w = np.append(step.numbers["weights"], step.numbers["intercept"])
            lost = np.log1p(np.exp(-sign * (X @ w))).sum()
            penalised = np.append(w[:2], 0.0)
            by_hand = lost + penalised @ penalised / (2 * run.values["C"])
            assert step.numbers["objective"] == pytest.approx(by_hand)
            gradient = X.T @ (-sign / (1 + np.exp(sign * (X @ w)))) + penalised / run.values["C"]
            assert step.numbers["gradient_norm"] == pytest.approx(
                np.linalg.norm(gradient), abs=1e-8
            )


def test_both_solvers_reach_the_estimator():
    made = lesson("logistic_regression")
    for run in made.runs:
        model = LogisticRegression(C=run.values["C"], tol=1e-10)
        model.fit(made.given["X"], made.given["y"])
        np.testing.assert_allclose(run.steps[-1].numbers["weights"], model.coef_[0], atol=2e-3)
        fallen = [step.numbers["objective"] for step in run.steps]
        assert fallen == sorted(fallen, reverse=True)
    iterations = {str(run.values): run.result["Iterations"] for run in made.runs}
    assert (
        iterations["{'solver': 'newton', 'C': 1.0}"]
        < iterations["{'solver': 'gradient-descent', 'C': 1.0}"]
    )


def test_a_file():
    made = logistic_regression(load_icu(), columns=["heart_rate", "creatinine"], label="risk")
    assert "P(low)" in made.html
    assert "creatinine, scaled" in made.html
    assert made.start.result["Right, of those kept out"].endswith("%")


def test_the_way_down_is_drawn_over_the_objective():
    walk = _Walk(
        LogisticRegression(C=1.0, solver="newton", keep_steps=True).fit(
            lesson("logistic_regression").given["X"], lesson("logistic_regression").given["y"]
        ),
        card_points(60).standardised(),
    )
    _, _, xs, ys, values = walk._surface()
    last = walk.model.steps_[-1]
    row, column = np.unravel_index(values.argmin(), values.shape)
    assert values.min() >= last.value - 1e-9
    assert values.min() <= last.value * 1.02
    assert abs(xs[column] - last.point[0, 0]) <= xs[1] - xs[0]
    assert abs(ys[row] - last.point[0, 1]) <= ys[1] - ys[0]
