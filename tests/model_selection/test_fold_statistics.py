"""Intervals and tests over folds against the formula, by hand."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from quire._shared.shares import wilson
from quire.model_selection._fold_statistics import mean_interval, p_value

FOLDS = [(np.arange(80), np.arange(20))] * 5


def test_the_interval_widens_for_overlapping_training_sets():
    scores = np.array([0.8, 0.82, 0.79, 0.85, 0.81])
    mean, low, high = mean_interval(scores, FOLDS)
    half = stats.t.ppf(0.975, 4) * np.sqrt((1 / 5 + 0.25) * scores.var(ddof=1))
    assert mean == pytest.approx(scores.mean())
    assert (low, high) == pytest.approx((mean - half, mean + half))


def test_the_p_value_is_that_of_the_corrected_test():
    first = np.array([0.8, 0.82, 0.79, 0.85, 0.81])
    second = first - np.array([0.02, 0.03, 0.01, 0.04, 0.02])
    d = first - second
    t = d.mean() / np.sqrt((1 / 5 + 0.25) * d.var(ddof=1))
    assert p_value(first, second, FOLDS) == pytest.approx(2 * stats.t.sf(t, 4))
    assert p_value(second, first, FOLDS) == pytest.approx(p_value(first, second, FOLDS))
    assert p_value(first, first, FOLDS) == 1.0
    assert p_value(first, first - 0.25, [(np.arange(8), np.arange(2))] * 5) < 1e-6


def test_all_right_is_a_share_of_so_many_documents():
    z = stats.norm.ppf(0.975)
    folds = [(np.arange(64), np.arange(16))] * 5
    found = mean_interval(np.ones(5), folds, scale=(0, 1), trials=80, is_share=True)
    assert found == pytest.approx((1, 1 / (1 + z**2 / 80), 1))
    assert found.high == 1.0
    none = mean_interval(np.zeros(5), folds, scale=(0, 1), trials=80, is_share=True)
    assert none == pytest.approx((0, 0, 1 - found.low))
    # The same for a score from -1 to 1 that is at its end, and none for one that is not.
    kappa = mean_interval(np.ones(5), folds, scale=(-1, 1), trials=80)
    assert kappa == pytest.approx((1, 2 * found.low - 1, 1))
    assert mean_interval(np.full(5, 0.5), folds, scale=(0, 1), trials=80) == (0.5, 0.5, 0.5)
    # One fold says nothing of its variance, but a share of its documents is a share.
    once = mean_interval(np.array([0.75]), folds[:1], scale=(0, 1), trials=16, is_share=True)
    assert once == pytest.approx((0.75, *wilson(12, 16)[1:]))


def test_between_two_ends_the_interval_has_the_means_that_fit():
    scores = np.array([0.95, 1.0, 0.98, 1.0, 0.9])
    mean, low, high = mean_interval(scores, FOLDS, scale=(0, 1))
    n = mean * (1 - mean) / ((1 / 5 + 0.25) * scores.var(ddof=1))
    t = stats.t.ppf(0.975, 4)
    for end in (low, high):
        assert abs(mean - end) == pytest.approx(t * np.sqrt(end * (1 - end) / n))
    assert 0 < low < mean < high < 1
    # By hand: scores 0.5 and 1 of two halves. v = (1/2 + 1) / 8 = 0.1875, m (1 - m) / v = 1.
    halves = [(np.arange(2), np.arange(2))] * 2
    found = mean_interval(np.array([0.5, 1.0]), halves, scale=(0, 1))
    t = stats.t.ppf(0.975, 1)
    spread = t * np.sqrt(0.1875 + t**2 / 4)
    assert found.low == pytest.approx((0.75 + t**2 / 2 - spread) / (1 + t**2))
    assert found.high == pytest.approx((0.75 + t**2 / 2 + spread) / (1 + t**2))


def test_with_one_end_the_distance_to_it_is_multiplied():
    scores = np.array([-0.2, -0.3, -0.1, -0.25, -0.4])
    mean, low, high = mean_interval(scores, FOLDS, scale=(-np.inf, 0))
    half = stats.t.ppf(0.975, 4) * np.sqrt(0.45 * scores.var(ddof=1))
    assert (mean, low, high) == pytest.approx(
        (-0.25, -0.25 * np.exp(half / 0.25), -0.25 * np.exp(-half / 0.25))
    )
    r2 = mean_interval(1 + scores, FOLDS, scale=(-np.inf, 1))
    assert r2 == pytest.approx((1 + mean, 1 + low, 1 + high))
    up = mean_interval(-scores, FOLDS, scale=(0, np.inf))
    assert up == pytest.approx((-mean, -high, -low))
    wild = mean_interval(np.array([-1e-3, -700.0]), FOLDS[:2], scale=(-np.inf, 0))
    assert np.isfinite(wild).all()
    assert wild.low < wild.mean < wild.high <= 0
    assert mean_interval(np.zeros(3), FOLDS[:3], scale=(-np.inf, 0)) == (0, 0, 0)


def test_a_share_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(0)
    folds = [(np.arange(160), np.arange(40))] * 5
    for p in (0.7, 0.97):
        inside = 0
        for _ in range(400):
            scores = rng.binomial(40, p, 5) / 40
            _, low, high = mean_interval(scores, folds, scale=(0, 1), trials=200, is_share=True)
            inside += low <= p <= high
        assert inside >= 0.94 * 400


def test_folds_that_are_missing_are_left_out():
    scores = np.array([0.8, np.nan, 0.79, np.nan, 0.81])
    kept = mean_interval(scores[::2], FOLDS[:3])
    assert mean_interval(scores, FOLDS) == pytest.approx(kept)
    assert np.isnan(mean_interval(np.array([0.5]), FOLDS[:1]).low)
    assert np.isnan(mean_interval(np.full(5, np.nan), FOLDS).mean)
    assert np.isnan(p_value(np.array([0.5]), np.array([0.4]), FOLDS[:1]))


WATCHED = """
import numpy as np
from quire.model_selection._compare.memory_meter import memory_peak

with memory_peak() as peak:
    block = np.ones(40_000_000 // 8)
    block += 1
print(peak.mb)
"""


def test_memory_is_seen():
    # Not in this process, which may have memory of other tests to use again or to give back.
    done = subprocess.run(
        [sys.executable, "-c", WATCHED], capture_output=True, text=True, check=True
    )
    if done.stdout.strip() == "None":
        pytest.skip("this system does not tell")
    assert 30 < float(done.stdout) < 200
