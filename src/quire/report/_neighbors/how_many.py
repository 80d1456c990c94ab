"""How many neighbours: the errors of a vote by the number of documents that vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from quire._shared.page.charts import COLOURS, Chart, base, quantity
from quire._shared.page.html import html
from quire._shared.page.sections import Section, section
from quire.neighbors import TextSearch, choose_k

if TYPE_CHECKING:
    from quire.report._neighbors.report import NeighborsReportData

__all__ = ["NeighborCurve", "curve_of", "how_many_section"]

_MOST_LEFT_OUT = 20_000  # documents that are left out, each in turn
_MOST_K = 50


@dataclass(frozen=True)
class NeighborCurve:
    """The share of errors of a vote of k documents, each left out in turn.

    `best_k` has the lowest error, `within_k` is the largest k within one standard error of it.
    """

    ks: list[int]
    errors: list[float]
    standard_errors: list[float]
    best_k: int
    within_k: int
    scheme: str


def curve_of(search: TextSearch, notes: list[str]) -> NeighborCurve | None:
    """Leave documents out, each in turn, if they have labels of two kinds or more.

    Parameters
    ----------
    search : TextSearch
        Fitted to a corpus.
    notes : list of str
        Gets a sentence if not all documents are left out.
    """
    if search.labels_ is None:
        return None
    known = np.flatnonzero(search.labels_.is_not_null().to_numpy())
    if len(known) > _MOST_LEFT_OUT:
        drawn = np.random.default_rng(0).choice(known, _MOST_LEFT_OUT, replace=False)
        notes.append(
            f"The curve over k is that of {_MOST_LEFT_OUT:,} of the {len(known):,} labelled "
            "documents, drawn by chance."
        )
        known = np.sort(drawn)
    labels = search.labels_[known].cast(pl.String).to_numpy()
    if len(known) < 3 or len(np.unique(labels)) < 2:
        return None
    choice = choose_k(
        search.index_._fit_X[known],
        labels,
        range(1, min(_MOST_K, len(known) - 1) + 1),
        metric=search.metric,
        task="classification",
        n_jobs=search.n_jobs,
    )
    return NeighborCurve(
        ks=choice.ks.tolist(),
        errors=choice.errors.tolist(),
        standard_errors=choice.standard_errors.tolist(),
        best_k=choice.best_k,
        within_k=choice.one_standard_error_k,
        scheme=choice.scheme,
    )


def how_many_section(report: NeighborsReportData) -> Section:
    """Return the errors of votes, if documents have labels."""
    name, title = "how-many", "How many neighbours"
    curve = report.curve
    if curve is None:
        return section(name, title)
    intro = html(
        "<p>Each document is left out in turn and given the label that most of its k nearest "
        "others have. With k = <strong>{curve.best_k}</strong> the share of errors is "
        "lowest, {lowest:.3f}; up to k = {curve.within_k} it is within one "
        "standard error of that.</p>",
        curve=curve,
        lowest=curve.errors[curve.ks.index(curve.best_k)],
    )
    return section(name, title, intro, _curve_chart(curve))


def _curve_chart(curve: NeighborCurve) -> Chart:
    values = [
        {"k": k, "error": error, "low": max(error - spread, 0.0), "high": error + spread}
        for k, error, spread in zip(curve.ks, curve.errors, curve.standard_errors, strict=True)
    ]
    caption = (
        f"Share of errors by k, {curve.scheme}. The band is one standard error to either side; the "
        "upright line is the best k."
    )
    spec = base(values, caption, 280)
    x = quantity("k", "Neighbours that vote (k)", axis={"tickMinStep": 1, "format": "d"})
    limits = {"zero": False, "nice": True}
    spec["layer"] = [
        {
            "mark": {"type": "area", "color": COLOURS[0], "opacity": 0.2},
            "encoding": {"x": x, "y": quantity("low", "", scale=limits), "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "color": COLOURS[0], "strokeWidth": 2, "point": False},
            "encoding": {"x": x, "y": quantity("error", "Share of errors", scale=limits)},
        },
        {
            "mark": {"type": "point", "filled": True, "color": COLOURS[0], "size": 30},
            "encoding": {
                "x": x,
                "y": quantity("error", "Share of errors", scale=limits),
                "tooltip": [quantity("k", "k"), quantity("error", "Error", format=".4f")],
            },
        },
        {
            "data": {"values": [{"k": curve.best_k}]},
            "mark": {"type": "rule", "color": COLOURS[1], "strokeDash": [4, 3], "strokeWidth": 2},
            "encoding": {"x": x},
        },
    ]
    rows = [[v["k"], round(v["error"], 4), round(v["low"], 4), round(v["high"], 4)] for v in values]
    heads = ["k", "Error", "Low", "High"]
    return Chart("chart-k", "Leave-one-out error", caption, spec, heads, rows, 720)
