"""The lesson on support vector machines: the dual by hand, and the states of the estimator."""

import numpy as np
import pytest
from tests.helpers.lessons import lesson

from quire.datasets import load_credit_cards, load_icu
from quire.lessons import support_vector_machine
from quire.svm import SVC


@pytest.fixture(scope="module")
def given():
    made = lesson("support_vector_machine")
    return made.given["X"], np.where(made.given["y"] == "upper", 1.0, -1.0)


def test_objective_and_slack_by_hand(given):
    X, sign = given
    for run in lesson("support_vector_machine").runs:
        if run.values["kernel"] != "linear":
            continue
        for step in run.steps[1:]:
            alpha = step.numbers["alpha"]
            signed = alpha * sign
            w = signed @ X
            by_hand = alpha.sum() - w @ w / 2
            assert step.numbers["objective"] == pytest.approx(by_hand, abs=1e-3)
            assert abs(signed.sum()) < 1e-4
            assert 0 <= alpha.min()
            assert alpha.max() <= run.values["C"] + 1e-9
            slack = np.maximum(0, 1 - sign * (X @ w + step.numbers["intercept"]))
            np.testing.assert_allclose(step.numbers["slack"], slack, atol=1e-3)


def test_the_states_are_those_of_the_estimator(given):
    X, sign = given
    for run in lesson("support_vector_machine").runs:
        model = SVC(**run.values, degree=2, coef0=1.0, keep_steps=True).fit(X, sign)
        np.testing.assert_allclose(run.steps[-1].numbers["alpha"], model.alpha_, atol=1e-6)
        assert run.result["Support vectors"] == len(model.support_)
        objectives = [step.numbers["objective"] for step in run.steps]
        assert objectives == sorted(objectives)
        kept = {step.objective for step in model.steps_}
        assert set(objectives) <= kept


def test_a_file_is_scaled_and_has_two_classes(tmp_path):
    path = tmp_path / "cards.csv"
    load_credit_cards().write_csv(path)
    made = support_vector_machine(
        path, columns=["annual_salary", "outstanding_debts"], label="work"
    )
    assert "of 5 classes the 2 most frequent" in made.html.lower()
    assert "scaled to mean 0" in made.html
    np.testing.assert_allclose(made.given["X"].std(axis=0), 1)
    icu = support_vector_machine(load_icu(), label="risk")
    assert "age, scaled" in icu.html
