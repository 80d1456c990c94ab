"""Topics beside each other and beside a column: correlations, traces and prevalence as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.report._topics_data import TopicPair, TopicsByColumn, TopicSeries, TopicTrace
from quire.topics import Prevalence, prevalence, topic_correlations

__all__ = ["correlated", "shares_by_column", "traces"]

_MOST_DOCUMENTS = 50_000  # that correlations are computed from
_LARGEST_MATRIX = 40  # topics up to which all correlations are shown
_PAIRS = 20
_MOST_VALUES = 40  # groups
_POINTS = 200  # of a trace
_CONTRASTS = 20


def correlated(
    theta: NDArray[np.float64],
) -> tuple[list[list[float]] | None, list[TopicPair]]:
    """Return the correlations of all topics, unless they are many, and the strongest pairs."""
    if len(theta) < 3 or theta.shape[1] < 2:
        return None, []
    found = topic_correlations(theta[:: -(-len(theta) // _MOST_DOCUMENTS)])
    one, other = np.triu_indices(len(found), 1)
    values = found[one, other]
    order = np.argsort(-np.abs(values), kind="stable")[:_PAIRS]
    pairs = [TopicPair(int(one[i]), int(other[i]), round(float(values[i]), 3)) for i in order]
    matrix = [[round(float(value), 3) for value in row] for row in found]
    return (matrix if len(found) <= _LARGEST_MATRIX else None), pairs


def traces(model: Any) -> list[TopicTrace]:
    """Return the traces of the chains of a model, the one that became the model first."""
    own = getattr(model, "log_likelihood_trace_", None)
    if own is None or not len(own):
        return []
    chains = getattr(model, "chain_traces_", None) or [own]
    found = []
    for number, chain in enumerate(chains):
        step = max(1, -(-len(chain) // _POINTS))
        found.append(
            TopicTrace(
                f"chain {number}",
                [int(value) for value in chain["iteration"][::step]],
                [round(float(value), 5) for value in chain["log_likelihood"][::step]],
            )
        )
    return found


def shares_by_column(
    model: Any, by: Any, data: Any, lengths: Callable[[], Any]
) -> TopicsByColumn | None:
    """Return the shares of topics by a column.

    Parameters
    ----------
    model : fitted model or ndarray
        As :func:`quire.topics.prevalence` takes it.
    by : str, array-like, Prevalence or None
        The column, or what was found of it already.
    data : DataFrame or None
        The table of the column.
    lengths : callable
        Returns the words of documents, for shares that do not come from a model of quire.
    """
    if by is None:
        return None
    if isinstance(by, Prevalence):
        found = by
    else:
        known = lengths() if isinstance(model, np.ndarray) else None
        found = prevalence(model, by, data=data, lengths=known)
    table, left_out = _largest_groups(found)
    of_each = table.partition_by("topic", maintain_order=True)
    series = [
        TopicSeries(
            int(part["topic"][0]),
            *[[round(float(v), 5) for v in part[name]] for name in ("share", "lower", "upper")],
        )
        for part in of_each
    ]
    values = of_each[0]["value"]
    is_date = values.dtype.is_temporal()
    return TopicsByColumn(
        by=found.by,
        kind=found.kind,
        confidence=found.confidence,
        n_documents=found.n_documents,
        n_missing=found.n_missing,
        values=[_plain(value, found.kind) for value in values.to_list()],
        is_date=is_date,
        left_out=left_out,
        series=series,
        contrasts=[
            (topic, name, estimate, lower, upper)
            for topic, name, estimate, lower, upper, _ in found.clearest(_CONTRASTS).rows()
        ],
    )


def _largest_groups(found: Prevalence) -> tuple[pl.DataFrame, int]:
    table = found.table
    if found.kind != "categorical":
        return table, 0
    sizes = table.filter(pl.col("topic") == table["topic"][0])
    if len(sizes) <= _MOST_VALUES:
        return table, 0
    largest = sizes.sort("n_documents", descending=True, maintain_order=True)["value"]
    kept = table.filter(pl.col("value").is_in(largest.head(_MOST_VALUES).implode()))
    return kept, len(sizes) - _MOST_VALUES


def _plain(value: Any, kind: str) -> Any:
    if kind == "categorical":
        return str(value)
    return value.isoformat() if hasattr(value, "isoformat") else float(value)
