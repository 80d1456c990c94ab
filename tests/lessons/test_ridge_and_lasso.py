"""The lesson on ridge and lasso: both by their formulas, and the columns of a file."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.lessons import lesson, numbers

from quire.datasets import load_icu
from quire.lessons import ridge_and_lasso


def test_ridge_by_its_formula():
    made = lesson("ridge_and_lasso")
    X, y = made.given["X"], made.given["y"]
    run = next(r for r in made.runs if r.values == {"penalty": "ridge", "correlation": 0.6})
    for step in run.steps:
        strength = step.numbers["lambda"]
        by_hand = np.linalg.solve(X.T @ X + len(y) * strength * np.eye(2), X.T @ y)
        np.testing.assert_allclose(step.numbers["coefficients"], by_hand, atol=1e-9)
        assert step.numbers["error"] == pytest.approx(np.mean((y - X @ by_hand) ** 2))


def test_lasso_is_the_soft_threshold_of_columns_that_do_not_go_together():
    made = lesson("ridge_and_lasso")
    run = next(r for r in made.runs if r.values == {"penalty": "lasso", "correlation": 0.0})
    for step in run.steps:
        by_hand = np.maximum(np.array([1.2, 0.7]) - step.numbers["lambda"] / 2, 0)
        np.testing.assert_allclose(step.numbers["coefficients"], by_hand, atol=1e-8)


def test_lasso_meets_its_conditions():
    made = lesson("ridge_and_lasso")
    X, y = made.given["X"], made.given["y"]
    run = made.start
    assert run.values == {"penalty": "lasso", "correlation": 0.6}
    for step in run.steps:
        w, strength = step.numbers["coefficients"], step.numbers["lambda"]
        gradient = 2 * X.T @ (X @ w - y) / len(y)
        for slope, one in zip(gradient, w, strict=True):
            if one != 0:
                assert slope == pytest.approx(-strength * np.sign(one), abs=1e-6)
            else:
                assert abs(slope) <= strength + 1e-9
    assert (run.steps[-1].numbers["coefficients"] == 0).all()


def test_elastic_net_meets_its_conditions():
    made = lesson("ridge_and_lasso")
    X, y = made.given["X"], made.given["y"]
    run = next(r for r in made.runs if r.values == {"penalty": "elastic net", "correlation": 0.6})
    for step in run.steps:
        w, strength = step.numbers["coefficients"], step.numbers["lambda"]
        assert step.numbers["penalty"] == pytest.approx((np.abs(w).sum() + w @ w) / 2)
        gradient = 2 * X.T @ (X @ w - y) / len(y) + strength * w
        for slope, one in zip(gradient, w, strict=True):
            if one != 0:
                assert slope == pytest.approx(-strength / 2 * np.sign(one), abs=1e-6)
            else:
                assert abs(slope) <= strength / 2 + 1e-9


def test_ridge_makes_none_zero():
    for run in lesson("ridge_and_lasso").runs:
        if run.values["penalty"] == "ridge":
            assert all((step.numbers["coefficients"] != 0).all() for step in run.steps)
            assert "never" in run.result.values()
    assert numbers("ridge_and_lasso", "No penalty")["coefficients"] == pytest.approx([1.2, 0.7])


def test_a_file():
    icu = load_icu()
    made = ridge_and_lasso(icu, columns=["creatinine", "urea"], label="heart_rate")
    assert [setting.name for setting in made.settings] == ["penalty"]
    assert "What is predicted is heart_rate, from creatinine and urea" in made.html
    guessed = ridge_and_lasso(icu.select("age", "urea", "glucose"))
    assert "What is predicted is glucose, from age and urea" in guessed.html
    with pytest.raises(ValueError, match="one more to predict"):
        ridge_and_lasso(icu.select("age", "urea"))
    with pytest.raises(ValueError, match="one more to predict"):
        ridge_and_lasso(pl.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 3, 2]}), label="c")
    with pytest.raises(ValueError, match="nothing to predict"):
        ridge_and_lasso(pl.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 3, 2], "c": [5.0, 5, 5]}))
