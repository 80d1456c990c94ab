"""Time and memory: what each model costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire._shared.page.charts import COLOURS, Chart, base, names, quantity
from quire._shared.page.html import NOTHING
from quire._shared.page.numbers import duration, megabytes
from quire._shared.page.sections import Section, section, titled
from quire._shared.page.tables import table
from quire.report._comparison.leaderboard import ROW_HEIGHT, LeaderboardRow

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["cost_section"]


def cost_section(report: ReportData) -> Section:
    """Return time and memory."""
    chart = _time_chart(
        report.leaderboard,
        f"Means for one fold. The whole comparison took {duration(report.seconds)}.",
    )
    rows = [
        [row.title, megabytes(row.peak_mb)] for row in report.leaderboard if row.peak_mb is not None
    ]
    memory = NOTHING
    if rows:
        caption = "Most memory above what was there before"
        memory = titled("Memory", table(["Model", "Memory"], rows, caption))
    return section("cost", "Time and memory", chart, memory)


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
        "y": names("model", axis={"labelLimit": 150}),
        "x": quantity("seconds", "Seconds for a fold", axis={"tickCount": 5}),
        "order": {"field": "order", "type": "quantitative"},
        "color": names("part", scale=colour, legend={"orient": "bottom", "columns": 2}),
        "tooltip": [
            names("model") | {"title": "Model"},
            names("part") | {"title": "Part"},
            quantity("seconds", "Seconds", format=".3~g"),
        ],
    }
    table = [[row.title, *[getattr(row, field) for field in parts.values()]] for row in done]
    heads = ["Model", *[f"{part} (s)" for part in parts]]
    return Chart("chart-time", "Time", caption, spec, heads, table)
