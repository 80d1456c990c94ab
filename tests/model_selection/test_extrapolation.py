"""Learning curves drawn further: laws are found again, and intervals cover and admit ignorance."""

import numpy as np
import pytest

from quire.model_selection import LearningCurve

SIZES = np.array([250, 500, 1000, 2000, 4000, 8000])


def curve(scores, sizes=SIZES, test_ratio=0.0):
    scores = np.asarray(scores, dtype=np.float64)
    return LearningCurve(
        values=np.asarray(sizes),
        train_scores=None,
        test_scores=scores,
        fit_times=None,
        score_times=None,
        scoring="accuracy",
        test_ratio=test_ratio,
    )


def drawn(limit, slope, exponent, *, n_folds=5, fold=0.004, noise=0.006, seed=0, sizes=SIZES):
    """Scores by a law, with an error of each fold and one of each fit that falls with the size."""
    rng = np.random.default_rng(seed)
    means = limit - slope * np.asarray(sizes, dtype=float) ** -exponent
    errors = rng.normal(0, noise, (len(sizes), n_folds)) * (sizes[-1] / sizes)[:, None] ** 0.25
    return np.minimum(means[:, None] + errors + rng.normal(0, fold, n_folds), 1.0)


LAWS = [(0.95, 2.0, 0.5, 0.93), (0.9, 1.0, 0.35, 0.85), (0.99, 3.0, 0.6, 0.97)]


@pytest.mark.parametrize(("limit", "slope", "exponent", "target"), LAWS)
def test_a_law_without_noise_is_found_again(limit, slope, exponent, target):
    scores = drawn(limit, slope, exponent, fold=1e-6, noise=1e-6)
    true = (slope / (limit - target)) ** (1 / exponent)
    needed = curve(scores).needed(target)
    assert needed.documents == pytest.approx(true, rel=0.02)
    assert needed.low <= true <= needed.high
    expected = curve(scores).expected(64_000)
    assert expected.score == pytest.approx(limit - slope * 64_000.0**-exponent, abs=1e-3)


@pytest.mark.parametrize("n_folds", [3, 5, 10])
def test_intervals_cover(n_folds):
    covered, covered_score, n = 0, 0, 0
    for limit, slope, exponent, target in LAWS:
        true = (slope / (limit - target)) ** (1 / exponent)
        for seed in range(12):
            one = curve(drawn(limit, slope, exponent, n_folds=n_folds, seed=seed))
            needed, expected = one.needed(target), one.expected(32_000)
            covered += needed.low <= true <= needed.high
            covered_score += expected.low <= limit - slope * 32_000.0**-exponent <= expected.high
            assert needed.low <= needed.documents <= needed.high
            n += 1
    assert covered >= 0.85 * n
    assert covered_score >= 0.85 * n


def test_what_is_never_reached_has_no_upper_end():
    scores = drawn(0.9, 2.0, 0.5)
    needed = curve(scores).needed(0.97)
    assert needed.high == np.inf
    assert needed.to_dict()["high"] is None
    assert "or never" in str(needed)
    flat = curve(np.full((6, 5), 0.8) + np.random.default_rng(0).normal(0, 0.002, (6, 5)))
    assert flat.needed(0.9).documents == np.inf
    assert str(flat.needed(0.9)).startswith("training documents for 0.9: not in sight")


def test_little_is_known_from_few_and_more_from_more():
    wide = curve(drawn(0.9, 1.0, 0.35, n_folds=3, noise=0.02, sizes=SIZES[:4]), SIZES[:4])
    narrow = curve(drawn(0.9, 1.0, 0.35, n_folds=10, noise=0.003))
    assert wide.needed(0.85).high > narrow.needed(0.85).high
    assert wide.needed(0.85).low < narrow.needed(0.85).low
    overlap = curve(drawn(0.9, 1.0, 0.35), test_ratio=0.25)
    alone = curve(drawn(0.9, 1.0, 0.35))
    assert overlap.needed(0.85).low < alone.needed(0.85).low
    assert alone.needed(0.85, level=0.5).high <= alone.needed(0.85).high


def test_a_score_that_is_reached_lies_inside_the_curve():
    one = curve(drawn(0.95, 2.0, 0.5))
    needed = one.needed(0.9)
    assert 1200 < needed.documents < 2200
    assert needed.low > 800
    assert needed.high < 3000


def test_no_score_passes_the_ceiling():
    one = curve(drawn(0.99, 3.0, 0.6))
    assert one.expected(10**9).high <= 1.0
    with pytest.raises(ValueError, match="no score is above 1"):
        one.needed(1.2)
    losses = curve(drawn(0.99, 3.0, 0.6) - 1.2)
    assert losses.expected(10**9).high <= 0.0
    assert one.needed(0.985, ceiling=0.98 + 0.01).high >= one.needed(0.97).high


def test_equal_scores_are_no_error():
    flat = curve(np.full((6, 5), 0.8))
    assert flat.expected(10**6).score == pytest.approx(0.8, abs=1e-3)
    assert flat.needed(0.8).low <= 250


def test_too_little_to_go_by_is_said():
    scores = drawn(0.95, 2.0, 0.5)
    with pytest.raises(ValueError, match="3 sizes and 5 folds"):
        curve(scores[:3], SIZES[:3]).needed(0.9)
    with pytest.raises(ValueError, match="6 sizes and 1 folds"):
        curve(scores[:, :1]).needed(0.9)
    with pytest.raises(ValueError, match="no numbers"):
        curve(np.full((6, 5), np.nan)).needed(0.9)
    with pytest.raises(ValueError, match="level is 2"):
        curve(scores).needed(0.9, level=2)
    with pytest.raises(ValueError, match="documents is 0"):
        curve(scores).expected(0)
