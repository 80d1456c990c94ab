"""The leaderboard: the models of a comparison as rows of a table, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.page.charts import COLOURS, Chart, base, names, quantity
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import finite, metric_name, score
from quire._shared.page.sections import Section, note, section, titled
from quire._shared.page.tables import boxed_table, sorted_cell, sorting_head
from quire.model_selection import Comparison, Trial

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = [
    "BASELINES",
    "ROW_HEIGHT",
    "LeaderboardRow",
    "leaderboard",
    "leaderboard_section",
    "model_row",
]

BASELINES = ("majority", "mean")  # models that look at no text
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
    ticks = "" if one_split else " Small lines are single folds."
    chart = _scores_chart(
        report.leaderboard,
        metric,
        f"{of} and its 95% interval.{ticks} Models whose intervals overlap "
        f"may still differ, since all saw the same {same}: see the p-values.",
    )
    test = "the corrected resampled t-test of Nadeau and Bengio."
    if one_split:
        test = (
            "McNemar's exact test where the score is the share of documents that are right, else "
            "from documents drawn with replacement."
        )
    about = note(
        "Larger is better for every score; errors are shown as negative numbers. "
        f"p: the probability of so large a difference to the best model by chance, by {test}"
    )
    return section(
        "leaderboard", "Leaderboard", _board(report), about, _other_scores(report), chart
    )


def _board(report: ReportData) -> Html:
    heads = ["Model", metric_name(report.metric), "95% interval", "p"]
    rows = []
    low, high = _scale(report.leaderboard)
    for row in report.leaderboard:
        between = f"{score(row.low)} to {score(row.high)}" if row.low is not None else "–"
        cells = [
            sorted_cell(row.mean, score(row.mean)),
            sorted_cell(row.low, between),
            sorted_cell(row.p_value, "–" if row.p_value is None else _p(row.p_value)),
        ]
        picture = html('<td class="interval">{}</td>', _interval(row, low, high))
        rows.append(model_row(row, [*cells[:2], picture, cells[2]]))
    heading = [sorting_head(name, is_number=k > 0) for k, name in enumerate(heads)]
    scale = html('<th scope="col" class="interval"><span>{}</span> ', score(low))
    scale += html("<span>{}</span></th>", score(high))
    return boxed_table(
        [*heading[:3], scale, heading[3]],
        rows,
        "Models by score. The heads are buttons that sort.",
        label="Leaderboard",
        kind="sortable board",
    )


def _scale(rows: list[LeaderboardRow]) -> tuple[float, float]:
    """Return the ends of the scale of small pictures: of all models that look at the texts."""
    ends = [
        (row.name in BASELINES, row.low, row.high)
        for row in rows
        if row.low is not None and row.high is not None
    ]
    shown = [(low, high) for is_baseline, low, high in ends if not is_baseline]
    shown = shown or [(low, high) for _, low, high in ends] or [(0.0, 1.0)]
    return min(low for low, _ in shown), max(high for _, high in shown)


def _interval(row: LeaderboardRow, low: float, high: float) -> Html:
    """Return a small picture of an interval between the lowest and the highest end of all."""
    span = high - low
    if row.low is None or row.high is None or row.mean is None or not span > 0:
        return NOTHING
    if row.high < low:
        return html('<span class="lower" aria-hidden="true">◂</span>')
    return html(
        '<span style="--a:{:.4f};--b:{:.4f};--m:{:.4f}" aria-hidden="true"></span>',
        max(0.0, (row.low - low) / span),
        (row.high - low) / span,
        min(1.0, max(0.0, (row.mean - low) / span)),
    )


def _other_scores(report: ReportData) -> Html:
    """Return the other scores of all models, if there are some."""
    others = [metric for metric in report.metrics if metric != report.metric]
    if not others:
        return NOTHING
    heads = ["Model", *map(metric_name, others)]
    rows = [
        model_row(row, [sorted_cell(row.others.get(metric)) for metric in others])
        for row in report.leaderboard
        if row.error is None
    ]
    board = boxed_table(
        [sorting_head(name, is_number=k > 0) for k, name in enumerate(heads)],
        rows,
        "Other scores of the models. The heads are buttons that sort.",
        label="Other scores",
        kind="sortable board",
    )
    return titled("Other scores", board)


def model_row(row: LeaderboardRow, cells: Sequence[Html]) -> Html:
    """Return a row of a table of models, that of one that failed with the reason."""
    badge = html(' <span class="badge">best</span>') if row.rank == 1 else NOTHING
    name = html(
        '<th scope="row" dir="auto" data-value="{row.rank:06d}">{row.title}{badge}</th>',
        row=row,
        badge=NOTHING if row.error is not None else badge,
    )
    if row.error is not None:
        reason = html('<td colspan="{}">{}</td>', len(cells), row.error)
        return html('<tr class="failed">{}{}</tr>', name, reason)
    return html("<tr>{}{}</tr>", name, join(cells))


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
    folds = [
        {"model": row.title, "fold": fold, "score": one}
        for row in done
        for fold, one in enumerate(row.fold_scores, start=1)
        if one is not None and len(row.fold_scores) > 1
    ]
    y = names("model")
    tooltip = [
        names("model") | {"title": "Model"},
        *[quantity(key, key.capitalize(), format=".4~g") for key in ("mean", "low", "high")],
    ]
    limits = {"zero": False, "nice": True}
    spec["encoding"] = {"y": y}
    spec["layer"] = [
        {
            "data": {"values": folds},
            "mark": {"type": "tick", "color": "var(--soft)", "opacity": 0.75, "size": 11},
            "encoding": {
                "x": quantity("score", metric, scale=limits),
                "tooltip": [
                    names("model") | {"title": "Model"},
                    quantity("fold", "Fold"),
                    quantity("score", "Score", format=".4~g"),
                ],
            },
        },
        {
            "mark": {"type": "rule", "color": COLOURS[0], "strokeWidth": 3, "strokeCap": "round"},
            "encoding": {
                "x": quantity("low", metric, scale=limits, axis={"tickCount": 5}),
                "x2": {"field": "high"},
                "tooltip": tooltip,
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
            "encoding": {"x": quantity("mean", metric, scale=limits), "tooltip": tooltip},
        },
    ]
    table = [[row.title, row.mean, row.low, row.high] for row in done]
    return Chart("chart-scores", "Scores", caption, spec, ["Model", "Mean", "Low", "High"], table)
