"""Charts of a report on topics: quality, convergence, prevalence and correlations."""

from __future__ import annotations

from typing import Any

from quire.report._charts import COLOURS, Chart, Spec, base, names, quantity, series
from quire.report._topics_data import TopicReportData, TopicsByColumn, TopicSeries, TopicTrace

__all__ = [
    "clearest_chart",
    "correlation_chart",
    "quality_chart",
    "selected_chart",
    "topic_label",
    "trace_chart",
]

_CELL = 22
_LINES = 6


def topic_label(report: TopicReportData, topic: int, n_words: int = 0) -> str:
    """Return the number of a topic with its name or its first words."""
    found = report.topics[topic]
    if found.name:
        return f"{topic}: {found.name}"
    words = " ".join(found.words[:n_words])
    return f"{topic}: {words}" if words else str(topic)


def quality_chart(report: TopicReportData) -> Chart | None:
    """Return a point for each topic: coherence across, exclusivity up."""
    known = [topic for topic in report.topics if topic.coherence is not None]
    if not known:
        return None
    values = [
        {
            "topic": str(one.topic),
            "words": topic_label(report, one.topic, 5),
            "coherence": one.coherence,
            "exclusivity": one.exclusivity,
            "share": one.share,
        }
        for one in known
    ]
    caption = (
        "Good topics are right and high up: their words occur together, and are their own. "
        "Circles are as large as topics."
    )
    spec = base(values, f"Coherence and exclusivity of topics. {caption}", 320)
    measure = str(report.measure)
    limits = {"zero": False, "nice": True, "padding": 12}
    spec["encoding"] = {
        "x": quantity("coherence", f"Coherence ({measure})", scale=limits, axis={"tickCount": 5}),
        "y": quantity("exclusivity", "Exclusivity", scale=limits, axis={"tickCount": 5}),
        "tooltip": [
            names("words") | {"title": "Topic"},
            quantity("coherence", measure, format=".3f"),
            quantity("exclusivity", "exclusivity", format=".3f"),
            quantity("share", "share", format=".1%"),
        ],
    }
    size = quantity("share", "", scale={"range": [40, 700]}, legend=None)
    spec["layer"] = [
        {
            "mark": {"type": "point", "filled": True, "color": COLOURS[0], "opacity": 0.35},
            "encoding": {"size": size},
        },
        {
            "mark": {"type": "text", "fontSize": 11, "color": "var(--ink)", "aria": False},
            "encoding": {"text": names("topic")},
        },
    ]
    rows: list[list[Any]] = [[v["words"], v["coherence"], v["exclusivity"]] for v in values]
    heads = ["Topic", measure, "Exclusivity"]
    return Chart("chart-quality", "Coherence and exclusivity", caption, spec, heads, rows, 760)


def trace_chart(traces: list[TopicTrace], caption: str) -> Chart:
    """Return the log-likelihood of each chain over its sweeps."""
    values = [
        {"chain": trace.name, "sweep": sweep, "value": value}
        for trace in traces
        for sweep, value in zip(trace.iterations, trace.log_likelihood, strict=True)
    ]
    spec = base(values, f"Convergence. {caption}")
    spec["mark"] = {"type": "line", "strokeWidth": 2, "point": len(values) < 60}
    told: Spec = series("chain", [trace.name for trace in traces])
    if len(traces) == 1:
        told = {"color": {"value": COLOURS[0]}}
    spec["encoding"] = {
        "x": quantity("sweep", "Sweeps", axis={"tickCount": 6, "grid": False}),
        "y": quantity(
            "value", "Log-likelihood per word", scale={"zero": False}, axis={"tickCount": 5}
        ),
        **told,
        "tooltip": [
            names("chain") | {"title": "Chain"},
            quantity("sweep", "Sweep"),
            quantity("value", "Log-likelihood", format=".4f"),
        ],
    }
    step = max(1, len(values) // 40)
    rows: list[list[Any]] = [[v["chain"], v["sweep"], v["value"]] for v in values[::step]]
    heads = ["Chain", "Sweep", "Log-likelihood per word"]
    return Chart("chart-trace", "Convergence", caption, spec, heads, rows)


def selected_chart(report: TopicReportData, found: TopicsByColumn, topic: int) -> Chart:
    """Return the shares of the topic that is chosen on the page, with their intervals."""
    values = [{"topic": one.topic, **row} for one in found.series for row in _points(found, one)]
    caption = f"The line or bar is the interval of {found.confidence:.0%}."
    spec = base(values, f"Share of the chosen topic by {found.by}. {caption}", _height(found))
    spec["params"] = [{"name": "topic", "value": topic}]
    spec["transform"] = [{"filter": "datum.topic == topic"}]
    x, share = _axes(found)
    band: Spec = {
        "mark": {"type": "rule", "color": COLOURS[0], "strokeWidth": 2},
        "encoding": _interval(found),
    }
    line: Spec = {
        "mark": {"type": "point", "filled": True, "color": COLOURS[1], "size": 60, "opacity": 1},
        "encoding": share,
    }
    if found.kind in ("linear", "smooth"):
        band["mark"] = {"type": "area", "color": COLOURS[0], "opacity": 0.25}
        line["mark"] = {"type": "line", "color": COLOURS[0], "strokeWidth": 2}
    spec["encoding"] = {**x, "tooltip": _tooltip(found)}
    spec["layer"] = [band, line]
    first = next(one for one in found.series if one.topic == topic)
    rows = [
        [row["value"], row["share"], row["lower"], row["upper"]] for row in _points(found, first)
    ]
    title = f"The chosen topic by {found.by}"
    heads = [found.by, f"Share of topic {topic}", "Low", "High"]
    return Chart("chart-selected", title, caption, spec, heads, rows)


def clearest_chart(report: TopicReportData, found: TopicsByColumn) -> Chart:
    """Return the topics that go with the column most clearly."""
    order = list(dict.fromkeys(topic for topic, *_ in found.contrasts))[:_LINES]
    chosen = [one for topic in order for one in found.series if one.topic == topic]
    labels = {one.topic: topic_label(report, one.topic, 3) for one in chosen}
    values = [{"topic": labels[one.topic], **row} for one in chosen for row in _points(found, one)]
    caption = f"The topics that differ most clearly, {len(chosen)} of {len(found.series)}."
    spec = base(values, f"Topics by {found.by}. {caption}", _height(found))
    told = series("topic", list(labels.values()))
    x, share = _axes(found)
    if found.kind == "categorical":
        spec["mark"] = {"type": "point", "filled": True, "size": 70, "opacity": 0.9}
        shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
        scale = {"domain": list(labels.values()), "range": shapes[: len(labels)]}
        legend: Spec = {"orient": "bottom", "columns": 2, "labelLimit": 260}
        shape = names("topic", scale=scale, legend=legend)
        told = {"color": told["color"] | {"legend": legend}, "shape": shape}
    else:
        spec["mark"] = {"type": "line", "strokeWidth": 2, "point": len(found.values) < 30}
    tooltip = [names("topic") | {"title": "Topic"}, *_tooltip(found)]
    spec["encoding"] = {**x, **share, **told, "tooltip": tooltip}
    rows = [[v["topic"], v["value"], v["share"], v["lower"], v["upper"]] for v in values]
    heads = ["Topic", found.by, "Share", "Low", "High"]
    return Chart("chart-clearest", f"Topics by {found.by}", caption, spec, heads, rows)


def _points(found: TopicsByColumn, one: TopicSeries) -> list[Spec]:
    return [
        {"value": value, "share": share, "lower": max(lower, 0.0), "upper": upper}
        for value, share, lower, upper in zip(
            found.values, one.share, one.lower, one.upper, strict=True
        )
    ]


def _height(found: TopicsByColumn) -> int:
    return 26 * len(found.values) + 10 if found.kind == "categorical" else 260


def _axes(found: TopicsByColumn) -> tuple[Spec, Spec]:
    """Return the encodings of the column and of the shares; groups go down the page."""
    shares = quantity("share", "Share", axis={"format": "%", "tickCount": 5})
    if found.kind == "categorical":
        return {"y": names("value", axis={"labelLimit": 140})}, {"x": shares}
    kind = "temporal" if found.is_date else "quantitative"
    axis = {"tickCount": 6, "grid": False}
    scale: Spec = {"nice": False, "padding": 8}
    if not found.is_date:
        scale["zero"] = False
    column = {"field": "value", "type": kind, "title": found.by, "axis": axis, "scale": scale}
    return {"x": column}, {"y": shares}


def _interval(found: TopicsByColumn) -> Spec:
    axis = "x" if found.kind == "categorical" else "y"
    ends = quantity("lower", "Share", axis={"format": "%", "tickCount": 5})
    return {axis: ends, f"{axis}2": {"field": "upper"}}


def _tooltip(found: TopicsByColumn) -> list[Spec]:
    value: Spec = {"field": "value", "type": "nominal", "title": found.by}
    if found.is_date:
        value = {"field": "value", "type": "temporal", "title": found.by}
    numbers = [quantity(name, name, format=".2%") for name in ("share", "lower", "upper")]
    return [value, *numbers]


def correlation_chart(report: TopicReportData) -> Chart | None:
    """Return a heat map of correlations; ``None`` if there are too many topics for one."""
    matrix = report.correlations
    if matrix is None:
        return None
    labels = [topic_label(report, topic.topic) for topic in report.topics]
    values = [
        {"one": labels[i], "other": labels[j], "value": value, "size": abs(value)}
        for i, row in enumerate(matrix)
        for j, value in enumerate(row)
        if i != j
    ]
    caption = (
        "Correlations of log-ratios of shares. Orange: more often in the same documents than "
        "other pairs; blue: less often."
    )
    size = len(matrix)
    spec = base(values, f"Correlations of topics. {caption}", _CELL * size + 20)
    order = {"domain": labels}
    across = {"labelLimit": 90, "labelAngle": -60 if size > 12 else 0}
    warm = {"test": "datum.value > 0", "value": COLOURS[1]}
    spec["mark"] = {"type": "rect", "cornerRadius": 2}
    spec["encoding"] = {
        "y": names("one", scale=order, axis={"labelLimit": 110}),
        "x": names("other", scale=order, axis=across),
        "fill": {"condition": warm, "value": COLOURS[0]},
        "fillOpacity": quantity(
            "size", "", scale={"domain": [0, 0.8], "range": [0.03, 1], "clamp": True}, legend=None
        ),
        "tooltip": [
            names("one") | {"title": "Topic"},
            names("other") | {"title": "Topic"},
            quantity("value", "Correlation", format="+.2f"),
        ],
    }
    rows: list[list[Any]] = [[label, *row] for label, row in zip(labels, matrix, strict=True)]
    heads = ["Topic", *labels]
    return Chart("chart-correlations", "Correlations", caption, spec, heads, rows, 180 + 30 * size)
