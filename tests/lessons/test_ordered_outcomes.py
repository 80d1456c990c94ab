"""The lesson on ordered outcomes: probabilities by the formula, and the estimator's fit."""

import numpy as np
import pytest
from scipy.stats import logistic, norm
from tests.helpers.lessons import lesson

from quire.linear_model import OrdinalRegression


def test_probabilities_by_the_formula():
    for run in lesson("ordered_outcomes").runs:
        F = (logistic if run.values["link"] == "logit" else norm).cdf
        fitted = [step for step in run.steps if step.title.startswith("Iteration")][-1].numbers
        regimes = [step for step in run.steps if step.title.startswith("A regime")]
        assert len(regimes) == 3
        for step in regimes:
            up_to = F(np.array([*fitted["thresholds"], np.inf]) - step.numbers["score"])
            by_hand = np.diff([0.0, *up_to])
            np.testing.assert_allclose(step.numbers["probabilities"], by_hand, atol=1e-9)
        scores = [step.numbers["score"] for step in regimes]
        assert scores == sorted(scores)


def test_the_fit_is_that_of_the_estimator():
    made = lesson("ordered_outcomes")
    X, y = made.given["X"], made.given["y"]
    for run in made.runs:
        model = OrdinalRegression(**run.values).fit(X, y)
        steps = [step.numbers for step in run.steps if step.title.startswith("Iteration")]
        np.testing.assert_allclose(steps[-1]["weights"], model.coef_, atol=1e-2)
        np.testing.assert_allclose(steps[-1]["thresholds"], model.thresholds_, atol=1e-2)
        assert all((np.diff(step["thresholds"]) > 0).all() for step in steps)
        objectives = [step["objective"] for step in steps]
        assert objectives == sorted(objectives, reverse=True)
        chances = model.predict_proba(X)[np.arange(len(y)), y - 1]
        assert steps[-1]["loss"] == pytest.approx(-np.log(chances).mean(), abs=1e-3)


def test_regimes_kept_out_are_counted_once():
    last = lesson("ordered_outcomes").start.steps[-1].numbers
    assert last["counts"].sum() == 180
    assert np.trace(last["counts"]) / 180 == pytest.approx(last["right"])
    assert last["near"] > last["right"]
