"""Time and memory: what each model costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from quire._shared.page.charts import COLOURS, Chart, base, names, quantity
from quire._shared.page.html import Html
from quire._shared.page.numbers import duration, megabytes
from quire._shared.page.sections import Section, note, section
from quire._shared.page.tables import boxed_table, sorted_cell, sorting_head
from quire.report._comparison.leaderboard import ROW_HEIGHT, LeaderboardRow, model_row

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["cost_section"]


def cost_section(report: ReportData) -> Section:
    """Return time and memory."""
    chart = _time_chart(
        report.leaderboard,
        f"Means for one fold. The whole comparison took {duration(report.seconds)}.",
    )
    about = note(
        "Tune: choosing settings inside a fold. Memory: the most above what was there before. "
        "Times depend on the machine and on what else it does."
    )
    return section("cost", "Time and memory", _costs(report), about, chart)


def _costs(report: ReportData) -> Html:
    """Return time and memory of each model; columns of which nothing is known are left out."""
    done = [row for row in report.leaderboard if row.error is None]
    columns: list[tuple[str, list[float | None], Callable[[float | None], str]]] = [
        ("Tune", [row.tune_seconds for row in done], duration),
        ("Fit", [row.fit_seconds for row in done], duration),
        ("Predict", [row.predict_seconds for row in done], duration),
        ("Memory", [row.peak_mb for row in done], megabytes),
    ]
    columns = [one for one in columns if any(value is not None for value in one[1])]
    rows = [
        model_row(row, [sorted_cell(values[k], show(values[k])) for _, values, show in columns])
        for k, row in enumerate(done)
    ]
    heads = ["Model", *(name for name, _, _ in columns)]
    return boxed_table(
        [sorting_head(name, is_number=k > 0) for k, name in enumerate(heads)],
        rows,
        "Time for one fold and memory of each model. The heads are buttons that sort.",
        label="Time and memory",
        kind="sortable board",
    )


def _time_chart(rows: list[LeaderboardRow], caption: str) -> Chart:
    """Return the time of each model, in parts."""
    parts = {
        "Choosing settings": "tune_seconds",
        "Fitting": "fit_seconds",
        "Predicting": "predict_seconds",
    }
    done = [row for row in rows if row.mean is not None]
    values = [
        {"model": row.title, "part": part, "seconds": getattr(row, field) or 0.0, "order": k}
        for row in done
        for k, (part, field) in enumerate(parts.items())
    ]
    spec = base(values, f"Time of each model. {caption}", ROW_HEIGHT * len(done))
    spec["mark"] = {"type": "bar"}
    colour = {"domain": list(parts), "range": [COLOURS[5], COLOURS[0], COLOURS[1]]}
    spec["encoding"] = {
        "y": names("model"),
        "x": quantity("seconds", "Seconds for a fold", axis={"tickCount": 5}),
        "order": {"field": "order", "type": "quantitative"},
        "color": names("part", scale=colour, legend={"orient": "bottom"}),
        "tooltip": [
            names("model") | {"title": "Model"},
            names("part") | {"title": "Part"},
            quantity("seconds", "Seconds", format=".3~g"),
        ],
    }
    table = [[row.title, *[getattr(row, field) for field in parts.values()]] for row in done]
    heads = ["Model", *[f"{part} (s)" for part in parts]]
    return Chart("chart-time", "Time", caption, spec, heads, table)
