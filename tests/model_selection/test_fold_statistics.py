"""Intervals and tests over folds against the formula, by hand."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

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
