"""The lesson on word-vector maps: the descent by hand, and the maps of the estimator."""

import numpy as np
import pytest
from tests.helpers.lessons import lesson

from quire.alignment import VectorMap


def run_of(method, pairs):
    runs = lesson("word_vector_map").runs
    return next(run for run in runs if run.values == {"method": method, "pairs": pairs})


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_first_steps_by_hand():
    given = lesson("word_vector_map").given
    A = unit(np.asarray(given["source"][[a for a, _ in given["learn"]]], dtype=float))
    B = unit(np.asarray(given["target"][[b for _, b in given["learn"]]], dtype=float))
    steps = run_of("gradient", 75).steps
    R = np.zeros((20, 20))
    rate = steps[2].numbers["step_size"]
    assert rate <= 1 / (2 * np.linalg.norm(A, 2) ** 2) + 1e-12
    for step in steps[1:4]:
        assert step.numbers["loss"] == pytest.approx(np.sum((A @ R - B) ** 2), rel=1e-5)
        gradient = 2 * A.T @ (A @ R - B)
        assert step.numbers["gradient_norm"] == pytest.approx(np.linalg.norm(gradient), rel=1e-5)
        R = R - rate * gradient


def test_descent_ends_where_least_squares_is():
    for pairs in (25, 75):
        descent, at_once = run_of("gradient", pairs), run_of("least_squares", pairs)
        assert descent.steps[-2].numbers["loss"] == pytest.approx(
            at_once.steps[1].numbers["loss"], rel=1e-3
        )
        fallen = [step.numbers["loss"] for step in descent.steps[1:-1]]
        assert fallen == sorted(fallen, reverse=True)


def test_the_maps_are_those_of_the_estimator():
    given = lesson("word_vector_map").given
    for method in ("least_squares", "ridge", "orthogonal"):
        model = VectorMap(method).fit(given["source"], given["target"], given["learn"])
        step = run_of(method, 75).steps[1]
        assert step.numbers["loss"] == pytest.approx(model.loss_)
        assert step.numbers["precision"] == model.precision_at_k(given["judge"], ks=(1,))[1]
    assert len(given["judge"]) == 38
    assert not set(given["judge"]) & set(given["learn"])
