"""A comparison on the screen: the ranking as a table, and what to make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quire.cli._show import new_table

if TYPE_CHECKING:
    from rich.table import Table

    from quire.model_selection import Comparison

__all__ = ["leaderboard", "verdict"]

_TITLES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "f1_macro": "macro F1",
    "roc_auc": "ROC AUC",
    "neg_log_loss": "log loss",
    "neg_mean_absolute_error": "mean abs. error",
    "neg_root_mean_squared_error": "RMS error",
    "quadratic_kappa": "quadratic kappa",
    "r2": "R2",
}


def leaderboard(comparison: Comparison) -> Table:
    """Return the ranking as a table.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    """
    table = new_table()
    table.add_column("model", no_wrap=True)
    table.add_column(_TITLES.get(comparison.metric, comparison.metric), justify="right")
    table.add_column("95% interval", justify="right", no_wrap=True)
    table.add_column("p", justify="right", no_wrap=True)
    table.add_column("fit", justify="right", no_wrap=True)
    table.add_column("predict", justify="right", no_wrap=True)
    table.add_column("memory", justify="right", no_wrap=True)
    sign = -1.0 if comparison.metric.startswith("neg_") else 1.0
    for place, trial in enumerate(comparison):
        if trial.error is not None:
            table.add_row(trial.name, "failed", trial.error, "", "", "", "")
            continue
        mean, low, high = comparison.interval(trial)
        ends = sorted((sign * low, sign * high))
        table.add_row(
            trial.name,
            f"{sign * mean:.4f}",
            f"{ends[0]:.4f} - {ends[1]:.4f}" if low == low else "",
            "" if place == 0 else _p(comparison.p_value(trial)),
            _seconds(trial.fit_seconds.mean()),
            _seconds(trial.predict_seconds.mean()),
            "" if trial.peak_mb is None else f"{trial.peak_mb:,.0f} MB",
        )
    return table


def verdict(comparison: Comparison) -> str:
    """Return in a sentence how clear the first place is.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    """
    close = [
        trial.name
        for trial in comparison.trials[1:]
        if trial.error is None and not comparison.p_value(trial) < 0.05
    ]
    best = comparison.best.name
    if not close:
        return f"{best} is ahead of every other model (p < 0.05)."
    return f"{best} is first; not clearly behind it (p >= 0.05): {', '.join(close)}."


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _seconds(value: Any) -> str:
    seconds = float(value)
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
