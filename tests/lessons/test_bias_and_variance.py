"""The lesson on bias and variance: fits by hand, and parts that add up."""

import numpy as np
import pytest
from tests.helpers.lessons import lesson

from quire.lessons._bias_and_variance import _PLACES, _fitter, _sampler, _where


@pytest.mark.parametrize("degree", [1, 4, 9])
def test_polynomials_by_hand(degree):
    sample = _sampler(0.5)(np.random.default_rng(3))
    by_hand = np.polyval(np.polyfit(_where(), sample, degree), _PLACES)
    np.testing.assert_allclose(_fitter(f"degree {degree}")(sample), by_hand, atol=1e-6)


def test_neighbours_by_hand():
    sample = _sampler(0.5)(np.random.default_rng(3))
    far = np.abs(_PLACES[:, None] - _where()[None, :]).round(9)
    place = int(np.argmin(far.min(axis=1)))
    nearest = np.argsort(far[place], kind="stable")[0]
    assert _fitter("1 neighbour")(sample)[place] == pytest.approx(sample[nearest])


def test_the_parts_add_up():
    for run in lesson("bias_and_variance").runs:
        last = run.steps[-1].numbers
        assert last["bias_squared"] + last["variance"] == pytest.approx(last["squared_error"])
        assert last["noise"] == run.values["noise"] ** 2
        bias = next(step for step in run.steps if step.title == "Bias").numbers
        assert last["bias_squared"] == pytest.approx(np.mean(bias["bias"] ** 2))


def test_mean_of_the_fits_and_what_is_known_of_lines():
    run = next(
        r
        for r in lesson("bias_and_variance").runs
        if r.values == {"model": "degree 1", "noise": 0.5}
    )
    x = np.column_stack([np.ones(20), _where()])
    at = np.column_stack([np.ones(len(_PLACES)), _PLACES])
    hat = at @ np.linalg.solve(x.T @ x, x.T)
    expected = hat @ np.sin(np.pi * _where()) - np.sin(np.pi * _PLACES)
    bias = next(step for step in run.steps if step.title == "Bias").numbers["bias"]
    np.testing.assert_allclose(bias, expected, atol=0.15)  # the mean of 60 samples
    variance = next(step for step in run.steps if step.title == "Variance").numbers["variance"]
    assert variance == pytest.approx(0.25 * np.mean(np.sum(hat**2, axis=1)), rel=0.3)


def test_what_bends_more_has_less_bias_and_more_variance():
    runs = {str(r.values["model"]): r for r in lesson("bias_and_variance").runs}
    for stiff, bending in (("degree 1", "degree 9"), ("15 neighbours", "1 neighbour")):
        first, second = runs[stiff].steps[-1].numbers, runs[bending].steps[-1].numbers
        assert first["bias_squared"] > second["bias_squared"]
        assert first["variance"] < second["variance"]
