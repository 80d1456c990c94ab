"""Quality: whether the words of topics occur together, and whether they are their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quire._shared.page.charts import COLOURS, Chart, base, names, quantity
from quire._shared.page.numbers import score
from quire._shared.page.sections import Section, paragraph, section
from quire.report._topics.topics import topic_label

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["quality_section"]


def quality_section(report: TopicReportData) -> Section:
    """Return coherence and exclusivity of the topics."""
    chart = _quality_chart(report)
    if chart is None:
        return section("quality", "Quality")
    intro = paragraph(
        f"Coherence ({report.measure}) tells whether the top words of a topic occur "
        "together, exclusivity whether they are its own. Diversity, "
        f"{score(report.diversity)} here, is the share of different words among the top words of "
        "all topics."
    )
    return section("quality", "Quality", intro, chart)


def _quality_chart(report: TopicReportData) -> Chart | None:
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
