"""The leaderboard: the models of a comparison as rows of a table, the best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.page.charts import COLOURS, Chart, base, names, quantity
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import duration, finite, megabytes, metric_name, score
from quire._shared.page.sections import Section, note, section
from quire._shared.page.tables import boxed_table, sorted_cell, sorting_head
from quire.model_selection import Comparison, Trial

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["ROW_HEIGHT", "LeaderboardRow", "leaderboard", "leaderboard_section"]

ROW_HEIGHT = 26  # of a model in a chart


@dataclass(frozen=True)
class LeaderboardRow:
    """One model: its score, how sure it is, and what it costs."""

    rank: int
    name: str
    title: str
    mean: float | None
    low: float | None
    high: float | None
    p_value: float | None
    others: dict[str, float | None]
    fold_scores: list[float | None]
    fit_seconds: float | None
    tune_seconds: float | None
    predict_seconds: float | None
    peak_mb: float | None
    error: str | None


def leaderboard(comparison: Comparison) -> list[LeaderboardRow]:
    """Return score, interval, test against the best, time and memory of every model."""
    return [_row(comparison, trial, rank) for rank, trial in enumerate(comparison.trials, start=1)]


def _row(comparison: Comparison, trial: Trial, rank: int) -> LeaderboardRow:
    if trial.error is not None:
        return LeaderboardRow(
            rank, trial.name, trial.title, None, None, None, None, {}, [], None, None, None,
            trial.peak_mb, trial.error,
        )  # fmt: skip
    interval = comparison.interval(trial)
    others = {
        metric: finite(comparison.mean(trial, metric))
        for metric in comparison.metrics
        if metric != comparison.metric
    }
    return LeaderboardRow(
        rank=rank,
        name=trial.name,
        title=trial.title,
        mean=finite(interval.mean),
        low=finite(interval.low),
        high=finite(interval.high),
        p_value=None if rank == 1 else finite(comparison.p_value(trial)),
        others=others,
        fold_scores=[finite(score) for score in trial.scores[comparison.metric]],
        fit_seconds=_mean(trial.fit_seconds),
        tune_seconds=_mean(trial.tune_seconds),
        predict_seconds=_mean(trial.predict_seconds),
        peak_mb=trial.peak_mb,
        error=None,
    )


def _mean(values: Any) -> float | None:
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    return float(numbers.mean()) if numbers.size else None


def leaderboard_section(report: ReportData) -> Section:
    """Return the models, ranked."""
    metric = metric_name(report.metric)
    one_split = report.n_folds == 1
    of = f"{metric} on one split" if one_split else f"Mean {metric} over the folds"
    same = "documents" if one_split else "folds"
    chart = _scores_chart(
        report.leaderboard,
        metric,
        f"{of} and its 95% interval; models whose intervals overlap "
        f"may still differ, since all saw the same {same}: see the p-values.",
    )
    test = "the corrected resampled t-test of Nadeau and Bengio. Times are means for one fold."
    if one_split:
        test = (
            "McNemar's exact test where the score is the share of documents that are right, else "
            "from documents drawn with replacement."
        )
    about = note(
        "Larger is better for every score; errors are shown as negative numbers. "
        f"p: the probability of so large a difference to the best model by chance, by {test}"
    )
    return section("leaderboard", "Leaderboard", _board(report), about, chart)


def _board(report: ReportData) -> Html:
    others = [metric for metric in report.metrics if metric != report.metric]
    heads = [
        "Model",
        metric_name(report.metric),
        "95% interval",
        "p",
        *map(metric_name, others),
        "Tune",
        "Fit",
        "Predict",
        "Memory",
    ]
    return boxed_table(
        [sorting_head(name, is_number=k > 0) for k, name in enumerate(heads)],
        [_board_row(row, others) for row in report.leaderboard],
        "Models by score. The heads are buttons that sort.",
        label="Leaderboard",
        kind="sortable",
    )


def _board_row(row: LeaderboardRow, others: list[str]) -> Html:
    badge = html(' <span class="badge">best</span>') if row.rank == 1 else NOTHING
    name = html(
        '<th scope="row" dir="auto" data-value="{row.rank:06d}">{row.title}{badge}</th>',
        row=row,
        badge=NOTHING if row.error is not None else badge,
    )
    if row.error is not None:
        reason = html('<td colspan="{}">{}</td>', len(others) + 7, row.error)
        return html('<tr class="failed">{}{}</tr>', name, reason)
    between = f"{score(row.low)} to {score(row.high)}" if row.low is not None else "–"
    cells = [
        (row.mean, score(row.mean)),
        (row.low, between),
        (row.p_value, "–" if row.p_value is None else _p(row.p_value)),
        *[(row.others.get(metric), score(row.others.get(metric))) for metric in others],
        (row.tune_seconds, duration(row.tune_seconds)),
        (row.fit_seconds, duration(row.fit_seconds)),
        (row.predict_seconds, duration(row.predict_seconds)),
        (row.peak_mb, megabytes(row.peak_mb)),
    ]
    inside = [sorted_cell(None if value is None else float(value), shown) for value, shown in cells]
    return html("<tr>{}{}</tr>", name, join(inside))


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _scores_chart(rows: list[LeaderboardRow], metric: str, caption: str) -> Chart:
    """Return mean scores and their intervals, a line for each model."""
    done = [row for row in rows if row.mean is not None]
    values = [
        {
            "model": row.title,
            "mean": row.mean,
            "low": row.mean if row.low is None else row.low,
            "high": row.mean if row.high is None else row.high,
        }
        for row in done
    ]
    spec = base(values, f"Scores and 95% intervals. {caption}", ROW_HEIGHT * len(done))
    y = names("model", axis={"labelLimit": 150})
    tooltip = [
        names("model") | {"title": "Model"},
        *[quantity(key, key.capitalize(), format=".4~g") for key in ("mean", "low", "high")],
    ]
    limits = {"zero": False, "nice": True}
    spec["encoding"] = {"y": y, "tooltip": tooltip}
    spec["layer"] = [
        {
            "mark": {"type": "rule", "color": COLOURS[0], "strokeWidth": 3, "strokeCap": "round"},
            "encoding": {
                "x": quantity("low", metric, scale=limits, axis={"tickCount": 5}),
                "x2": {"field": "high"},
            },
        },
        {
            "mark": {
                "type": "point",
                "filled": True,
                "size": 90,
                "color": COLOURS[1],
                "opacity": 1,
            },
            "encoding": {"x": quantity("mean", metric, scale=limits)},
        },
    ]
    table = [[row.title, row.mean, row.low, row.high] for row in done]
    return Chart("chart-scores", "Scores", caption, spec, ["Model", "Mean", "Low", "High"], table)
