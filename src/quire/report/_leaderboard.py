"""The models of a comparison as rows of a table, the best first."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from quire.model_selection import Comparison, Trial
from quire.report._data import LeaderboardRow

__all__ = ["leaderboard"]


def leaderboard(comparison: Comparison) -> list[LeaderboardRow]:
    """Return score, interval, test against the best, time and memory of every model."""
    rows = [_row(comparison, trial, rank) for rank, trial in enumerate(comparison.trials, start=1)]
    return rows


def _row(comparison: Comparison, trial: Trial, rank: int) -> LeaderboardRow:
    if trial.error is not None:
        return LeaderboardRow(
            rank, trial.name, trial.title, None, None, None, None, {}, [], None, None, None,
            trial.peak_mb, trial.error,
        )  # fmt: skip
    interval = comparison.interval(trial)
    others = {
        metric: _number(comparison.interval(trial, metric).mean)
        for metric in comparison.metrics
        if metric != comparison.metric
    }
    return LeaderboardRow(
        rank=rank,
        name=trial.name,
        title=trial.title,
        mean=_number(interval.mean),
        low=_number(interval.low),
        high=_number(interval.high),
        p_value=None if rank == 1 else _number(comparison.p_value(trial)),
        others=others,
        fold_scores=[_number(score) for score in trial.scores[comparison.metric]],
        fit_seconds=_mean(trial.fit_seconds),
        tune_seconds=_mean(trial.tune_seconds),
        predict_seconds=_mean(trial.predict_seconds),
        peak_mb=trial.peak_mb,
        error=None,
    )


def _number(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None


def _mean(values: Any) -> float | None:
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    return float(numbers.mean()) if numbers.size else None
