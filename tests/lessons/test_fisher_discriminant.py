"""The lesson on Fisher's discriminant: its formulas by hand, and the estimator's boundary."""

import numpy as np
import pytest
from tests.helpers.lessons import lesson, numbers

from quire.datasets import load_icu
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.lessons import fisher_discriminant


@pytest.fixture(scope="module")
def by_hand():
    made = lesson("fisher_discriminant")
    X, y = made.given["X"], made.given["y"]
    parts = [X[y == name] for name in ("first", "second")]
    means = [part.mean(axis=0) for part in parts]
    within = sum((part - mean).T @ (part - mean) for part, mean in zip(parts, means, strict=True))
    return X, y, means, within


def test_matrices_and_direction_by_hand(by_hand):
    _, _, (m1, m2), within = by_hand
    between = np.outer(m2 - m1, m2 - m1)
    name = "fisher_discriminant"
    np.testing.assert_allclose(numbers(name, "Scatter within")["within"], within)
    np.testing.assert_allclose(numbers(name, "Scatter between")["between"], between)
    w = np.linalg.solve(within, m2 - m1)
    w /= np.linalg.norm(w)
    found = numbers(name, "Find the direction")
    np.testing.assert_allclose(found["w"], w)
    assert found["criterion"] == pytest.approx(w @ between @ w / (w @ within @ w))
    means = numbers(name, "Find the direction", direction="means")
    np.testing.assert_allclose(means["w"], (m2 - m1) / np.linalg.norm(m2 - m1))
    assert means["criterion"] < found["criterion"]
    assert max(numbers(name, "Look in every")["criterion"]) <= found["criterion"] + 1e-12


def test_the_boundary_is_that_of_the_estimator(by_hand):
    X, y, _, _ = by_hand
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    found = numbers("fisher_discriminant", "Choose a threshold")
    w = np.array(numbers("fisher_discriminant", "Find the direction")["w"])
    length = np.linalg.norm(model.coef_[0])
    np.testing.assert_allclose(model.coef_[0] / length, w)
    assert -model.intercept_[0] / length == pytest.approx(found["threshold"])
    assert found["right"] == pytest.approx(model.score(X, y))


def test_round_classes_need_no_turn():
    runs = {str(run.values): run.result["Right"] for run in lesson("fisher_discriminant").runs}
    gain = [
        float(runs[f"{{'direction': 'fisher', 'correlation': {r}}}"][:-2])
        - float(runs[f"{{'direction': 'means', 'correlation': {r}}}"][:-2])
        for r in (0.0, 0.9)
    ]
    assert gain[1] > gain[0] + 5


def test_a_file():
    made = fisher_discriminant(load_icu(), columns=["heart_rate", "creatinine"], label="risk")
    assert [setting.name for setting in made.settings] == ["direction"]
    assert "heart_rate, scaled" in made.html
