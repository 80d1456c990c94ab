"""Intervals of calibration errors, and what chance makes of them, against drawn truths."""

import numpy as np
import pytest

from quire._shared.calibration_chance import known_calibration_error
from quire._shared.reliability import calibration_error


def _truth(p):
    return p**1.5


def _true_error(n=400_000):
    """Return the error that as many documents as one likes would have: chance has no part in it."""
    rng = np.random.default_rng(99)
    p = rng.random(n)
    places = np.argsort(np.argsort(p)) * 10 // n
    gaps = np.bincount(places, p - _truth(p)) / np.bincount(places)
    return np.abs(gaps).mean()


@pytest.mark.parametrize(("n", "n_times"), [(300, 60), (8000, 60)])
def test_the_interval_covers_what_is_true(n, n_times):
    true, covered = _true_error(), 0
    for seed in range(n_times):
        rng = np.random.default_rng(seed)
        p = rng.random(n)
        found = known_calibration_error(p, rng.random(n) < _truth(p), random_state=seed)
        assert 0 <= found.low <= found.high <= 1
        covered += found.low <= true <= found.high
        if n > 1000:
            assert found.value > found.by_chance
    assert covered >= (0.8 if n < 1000 else 0.88) * n_times


@pytest.mark.parametrize("n", [200, 8000])
def test_right_probabilities_are_seldom_more_than_chance(n):
    beyond, near_zero = 0, 0
    for seed in range(60):
        rng = np.random.default_rng(1000 + seed)
        p = rng.random(n) ** 3
        found = known_calibration_error(p, rng.random(n) < p, random_state=seed)
        beyond += found.value > found.by_chance
        near_zero += found.low < 0.25 * found.value
    assert beyond <= 3
    assert near_zero >= 55


def test_both_ways_of_drawing_agree(monkeypatch):
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    is_so = rng.random(4000) < _truth(p)
    one = known_calibration_error(p, is_so)
    monkeypatch.setattr("quire._shared.calibration_chance._MOST_DRAWN", 10)
    other = known_calibration_error(p, is_so)
    assert one.value == other.value == calibration_error(p, is_so)
    np.testing.assert_allclose(one[1:], other[1:], atol=0.003)


def test_one_document_has_no_interval():
    found = known_calibration_error(np.array([0.3]), np.array([True]))
    assert found.value == pytest.approx(0.7)
    assert np.isnan(found[1:]).all()
