"""What comes out of :func:`topics_over_time`: shares by period, trends, words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.number_tables import aligned, html_table, number
from quire._shared.plot import grid, line_style

__all__ = ["TopicsOverTime"]

_PANELS, _COLUMNS = 12, 3
_ROWS = 20


@dataclass(frozen=True, eq=False, repr=False)
class TopicsOverTime:
    """Shares of topics in periods of time, from :func:`topics_over_time`.

    ``print(found)`` shows the trends, the clearest first; :meth:`plot` draws a panel for each.

    Attributes
    ----------
    by : str
        The column.
    table : polars.DataFrame
        The columns ``topic``, ``period`` (its first day or number), ``share``, ``lower``, ``upper``
        and ``n_documents``.
    trends : polars.DataFrame
        The columns ``topic``, ``estimate`` (the slope of a line), ``lower``, ``upper``, ``p`` and
        ``p_corrected``.
    unit : {"year", "unit"}
        What slopes are by: years of dates, or units of numbers.
    words : polars.DataFrame or None
        The columns ``topic``, ``period`` and ``words``; those with an expected count of one or
        more.
    n_documents : int
        How many documents were used.
    n_missing, n_empty : int
        How many were left out, without a time and without a word that the model knows.
    confidence : float
        The probability of the intervals.
    """

    by: str
    table: pl.DataFrame
    trends: pl.DataFrame
    unit: str
    words: pl.DataFrame | None
    n_documents: int
    n_missing: int
    n_empty: int
    confidence: float

    @property
    def periods(self) -> list[Any]:
        """The periods that have documents, in order."""
        return self.table.filter(pl.col("topic") == 0)["period"].to_list()

    @property
    def n_topics(self) -> int:
        """How many topics there are."""
        return int(self.trends["topic"].n_unique())

    def clearest(self) -> list[int]:
        """Return the topics, those with the clearest trend first."""
        return self.trends.sort("p", maintain_order=True)["topic"].to_list()

    def plot(self, topics: Sequence[int] | None = None) -> Any:
        """Draw a panel for each topic: its shares by period with their intervals.

        Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        topics : sequence of int, default=None
            Which; ``None`` draws the clearest trends, twelve at most.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from quire._shared.plot import new_axes

        topics = self.clearest()[:_PANELS] if topics is None else list(topics)
        unknown = [topic for topic in topics if topic not in range(self.n_topics)]
        if unknown:
            raise ValueError(f"topics has {unknown[0]!r}; expected 0 to {self.n_topics - 1}.")
        figure = new_axes(None).figure
        figure.clear()
        n_rows = -(-len(topics) // _COLUMNS)
        figure.set_size_inches(9, 1.9 * n_rows)
        panels = figure.subplots(n_rows, min(_COLUMNS, len(topics)), sharex=True, squeeze=False)
        for ax, topic in zip(panels.ravel(), topics, strict=False):
            part = self.table.filter(pl.col("topic") == topic)
            x = part["period"].to_numpy()
            share, low, high = (part[name].to_numpy() for name in ("share", "lower", "upper"))
            style = line_style(0) | {"markersize": 3}
            ax.plot(x, share, **style)
            ax.fill_between(x, np.maximum(low, 0), high, color=style["color"], alpha=0.2, lw=0)
            ax.set_title(f"topic {topic}", fontsize=9)
            ax.set_ylim(bottom=0)
            ax.tick_params(labelsize=8)
            ax.tick_params(axis="x", rotation=30)
            grid(ax)
        for ax in panels.ravel()[len(topics) :]:
            ax.set_visible(False)
        return figure

    def _title(self) -> str:
        reasons = [f"{self.n_missing:,} without it"] if self.n_missing else []
        reasons += [f"{self.n_empty:,} without words"] if self.n_empty else []
        left_out = f" ({', '.join(reasons)} left out)" if reasons else ""
        return (
            f"{self.n_topics} topics in {len(self.periods)} periods of {self.by}, "
            f"{self.n_documents:,} documents{left_out}; trends per {self.unit}"
        )

    def _cells(self) -> list[list[str]]:
        periods = self.periods
        rows = [
            ["topic", str(periods[0]), str(periods[-1]), "trend", "lower", "upper", "p corrected"]
        ]
        table = self.trends.sort("p", maintain_order=True).head(_ROWS)
        scale = float(np.abs(table.select("estimate", "lower", "upper").to_numpy()).max()) or 1.0
        for one in table.to_dicts():
            own = self.table.filter(pl.col("topic") == one["topic"])["share"]
            numbers = [number(one[name], like=scale) for name in ("estimate", "lower", "upper")]
            p = one["p_corrected"]
            rows.append(
                [
                    str(one["topic"]),
                    f"{own[0]:.1%}",
                    f"{own[-1]:.1%}",
                    *numbers,
                    "<0.001" if p < 0.001 else f"{p:.3f}",
                ]
            )
        return rows

    def __str__(self) -> str:
        hidden = self.n_topics - _ROWS
        more = [f"... {hidden} more"] if hidden > 0 else []
        return "\n".join([self._title(), "", *aligned(self._cells()), *more])

    def __repr__(self) -> str:
        return (
            f"TopicsOverTime(by={self.by!r}, n_topics={self.n_topics}, "
            f"n_periods={len(self.periods)}, n_documents={self.n_documents})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._cells())
