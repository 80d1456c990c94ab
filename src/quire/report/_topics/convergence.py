"""Convergence: the log-likelihood of each chain over its sweeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire._shared.page.charts import COLOURS, Chart, Spec, base, names, quantity, series
from quire._shared.page.numbers import number
from quire._shared.page.sections import Section, section

if TYPE_CHECKING:
    from quire.report._topics.report import TopicReportData

__all__ = ["TopicTrace", "convergence_section", "traces_of"]

_POINTS = 200  # of a trace


@dataclass(frozen=True)
class TopicTrace:
    """The log-likelihood per word of a chain."""

    name: str
    iterations: list[int]
    log_likelihood: list[float]


def traces_of(model: Any) -> list[TopicTrace]:
    """Return the traces of the chains of a model, the one that became the model first."""
    own = getattr(model, "log_likelihood_trace_", None)
    if own is None or not len(own):
        return []
    chains = getattr(model, "chain_traces_", None) or [own]
    traces = []
    for place, chain in enumerate(chains):
        step = max(1, -(-len(chain) // _POINTS))
        traces.append(
            TopicTrace(
                f"chain {place}",
                [int(value) for value in chain["iteration"][::step]],
                [round(float(value), 5) for value in chain["log_likelihood"][::step]],
            )
        )
    return traces


def convergence_section(report: TopicReportData) -> Section:
    """Return the traces of the sampler, if it left any."""
    name, title = "convergence", "Convergence"
    if not report.traces:
        return section(name, title)
    caption = "The sampler has settled where the line is flat."
    if report.r_hat is not None:
        caption += f" R-hat of the chains is {number(report.r_hat)}; near 1 they agree."
    return section(name, title, _trace_chart(report.traces, caption))


def _trace_chart(traces: list[TopicTrace], caption: str) -> Chart:
    """Return the log-likelihood of each chain over its sweeps."""
    values = [
        {"chain": trace.name, "sweep": sweep, "value": value}
        for trace in traces
        for sweep, value in zip(trace.iterations, trace.log_likelihood, strict=True)
    ]
    spec = base(values, f"Convergence. {caption}")
    spec["mark"] = {"type": "line", "strokeWidth": 2, "point": len(values) < 60}
    by_chain: Spec = series("chain", [trace.name for trace in traces])
    if len(traces) == 1:
        by_chain = {"color": {"value": COLOURS[0]}}
    spec["encoding"] = {
        "x": quantity("sweep", "Sweeps", axis={"tickCount": 6, "grid": False}),
        "y": quantity(
            "value", "Log-likelihood per word", scale={"zero": False}, axis={"tickCount": 5}
        ),
        **by_chain,
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
